"""Settings: tool choice, the parallel flag, limits and sampling, compared under neutral names."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from typing import Any

from toolcall_conformance.basics.findings import MISSING, Finding
from toolcall_conformance.basics.jsonvalue import equal
from toolcall_conformance.basics.reading import Reading, Setting, Tool
from toolcall_conformance.judge.translation.pair import Pair
from toolcall_conformance.judge.translation.settings.answer_forms import same_form
from toolcall_conformance.judge.translation.settings.counts_asked import SETTING, find_not_requested
from toolcall_conformance.judge.translation.settings.limits import adjustable, is_all_taken, limited
from toolcall_conformance.judge.translation.settings.model_names import model_rule
from toolcall_conformance.judge.translation.settings.stream_flag import find_stream_lost
from toolcall_conformance.judge.translation.settings.thinking_switch import is_asked_for, no_thinking
from toolcall_conformance.judge.translation.tools.own_tools import run_by_client
from toolcall_conformance.judge.translation.wire_words import (
    choice_value,
    setting_as_written,
    setting_name,
    setting_value,
)
from toolcall_conformance.library import Corpus

Choice = tuple[str, frozenset[str]]
# What begins the names of settings that no other format has.
PRIVATE = "private:"
# The route sets these, not the translation.
OF_THE_ROUTE = frozenset({"model", "stream", "stream_options", SETTING})
OF_THE_TOOLS = frozenset({"tool_choice", "parallel_calls"})
WITH_RULES_OF_THEIR_OWN = OF_THE_ROUTE | OF_THE_TOOLS | {"reasoning"}
_ADJUSTED = "translation/setting-adjusted"
_SERVICE = "translation/service-setting"


def chosen_names(reading: Reading) -> frozenset[str] | None:
    """The tools that a subset or forced choice allows, None where all are allowed."""
    setting = reading.settings.get("tool_choice")
    names = setting.value.get("names") if setting is not None and isinstance(setting.value, dict) else None
    return frozenset(map(str, names)) if isinstance(names, list) and names else None


def compare_settings(pair: Pair) -> Iterator[Finding]:
    """Report every setting that was lost, changed or added."""
    yield from _compare_choice(pair)
    yield from _compare_parallel(pair)
    yield from _compare_reasoning(pair)
    for name, setting in pair.source.settings.items():
        if name.startswith(PRIVATE):
            yield from _compare_private(pair, name, setting)
        elif name not in WITH_RULES_OF_THEIR_OWN:
            yield from _compare_one(pair, name, setting, pair.demand(name.replace("_", "-")))
    for name, setting in pair.output.settings.items():
        if name in WITH_RULES_OF_THEIR_OWN or name.startswith(PRIVATE) or name in pair.source.settings:
            continue
        if _is_of_service(pair, name):
            continue
        if name == "max_output_tokens" and pair.target.get("max_output_tokens_required"):
            pair.accept("max-tokens-invented", setting.pointer, None, MISSING, setting.value)
            continue
        if _is_said_by_silence(pair, name, setting.value) or setting.value in (None, [], {}, ""):
            continue
        yield _added(pair, name, setting)
    yield from _compare_model(pair)
    yield from find_stream_lost(pair)
    yield from find_not_requested(pair)
    _accept_silence(pair)


def _accept_silence(pair: Pair) -> None:
    """Record the settings that one side leaves out, since they hold anyway."""
    source, output = pair.source.settings, pair.output.settings
    for name in sorted(source.keys() ^ output.keys()) if pair.accepted is not None else ():
        gone, new = source.get(name), output.get(name)
        if gone is not None and _is_said_by_silence(pair, name, gone.value):
            pair.accept("default-absent", "", gone.pointer, gone.value)
        elif new is not None and _is_said_by_silence(pair, name, new.value):
            pair.accept("default-absent", new.pointer, None, MISSING, new.value)


def _compare_model(pair: Pair) -> Iterator[Finding]:
    model = pair.output.settings.get("model")
    if pair.model is None or model is None or not isinstance(model.value, str):
        return  # a name that is no text breaks the format's own rule
    rule = model_rule(pair.corpus, pair.model, model.value)
    setting = pair.source.settings.get("model")
    source = setting.pointer if setting is not None else None
    if rule is None and pair.model != model.value:
        pair.accept("model-by-another-name", model.pointer, source, pair.model, model.value)
    if rule is not None:
        yield pair.finding(rule, model.pointer, want=pair.model, got=model.value, source=source)


def _added(pair: Pair, name: str, setting: Setting) -> Finding:
    got = setting_as_written(pair.output, setting)
    subject = setting_name(pair, name)
    return pair.finding("translation/setting-added", setting.pointer, want=MISSING, got=got, subject=subject)


def _compare_private(pair: Pair, name: str, setting: Setting) -> Iterator[Finding]:
    """A setting that no other format has: between two ends of its own it must arrive, if the reply depends on it."""
    if not pair.is_same_format or name.removeprefix(PRIVATE) not in pair.target["reply_settings"]:
        return
    if all(setting.pointer != other.pointer for key, other in pair.source.settings.items() if key != name):
        yield from _compare_one(pair, name, setting, "must")


def _compare_one(pair: Pair, name: str, setting: Setting, demand: str) -> Iterator[Finding]:
    if demand == "cannot" or setting.value in (None, [], {}, ""):
        return
    other = pair.output.settings.get(name)
    limit = limited(pair, name, setting.value)
    if limit is not None and is_all_taken(pair, name, limit, other):
        return  # all of it that the target takes
    if other is None:
        if not _is_said_by_silence(pair, name, setting.value):
            beyond = limit is not None and not isinstance(setting.value, list)
            rule = _ADJUSTED if beyond else _loss(pair, name, demand)
            yield _lost(pair, rule, name, setting)
    elif (allowed := _sameness(setting.value, other.value)) is not None:
        if allowed:
            values = (setting.value, other.value)
            pair.accept(allowed, other.pointer, setting.pointer, *values, only_translated=True)
    else:
        if name == "response_format" and same_form(pair, setting.value, other.value, other.pointer):
            form, values = "answer-form-in-other-words", (setting.value, other.value)
            pair.accept(form, other.pointer, setting.pointer, *values, only_translated=True)
            return
        yield _changed(pair, _change(pair, name, demand, setting.value, other.value), name, setting, other)


def _lost(pair: Pair, rule: str, name: str, setting: Setting) -> Finding:
    """A setting that is gone; it points at what holds it in the output."""
    place, there = _unread(pair, name)
    return pair.finding(
        rule,
        place,
        want=setting_value(pair, name, setting),
        got=there,
        source=setting.pointer,
        subject=setting_name(pair, name),
    )


def _unread(pair: Pair, name: str) -> tuple[str, Any]:
    """Where the output would say a setting that its reading has not, and what stands there: a word that means nothing.

    The place that would hold it, and MISSING, where nothing stands.
    """
    places = pair.wire_words["settings"]
    own = places.get(name, "")
    there = pair.value_at(own or None)
    if there is not MISSING and not any(place.startswith(f"{own}/") for place in places.values()):
        return own, there
    holder = own.rpartition("/")[0]
    return (holder if pair.value_at(holder) is not MISSING else ""), MISSING


def _changed(pair: Pair, rule: str, name: str, setting: Setting, other: Setting) -> Finding:
    want, got = setting_value(pair, name, setting), setting_as_written(pair.output, other)
    place, key = pair.wire_words["settings"].get(name, ""), other.pointer.rpartition("/")[2]
    if place and other.pointer == f"{place}/{key}" and isinstance(want, dict):  # it is said by several members
        got = {member: value for member, value in pair.value_at(place).items() if member in (*want, key)}
    if equal(want, got):  # the two say different things with one word
        want, got = setting.value, other.value
    return pair.finding(
        rule, other.pointer, want=want, got=got, source=setting.pointer, subject=setting_name(pair, name)
    )


def _is_said_by_silence(pair: Pair, name: str, value: Any) -> bool:
    """Whether a setting that is left out says the same: its value is the target's documented default."""
    return equal(value, pair.target.get("defaults", {}).get(name, MISSING))


def _sameness(left: Any, right: Any) -> str | None:
    """By which equivalence two values set the same, blank for equal ones; None where they do not."""
    if equal(left, right):
        return ""
    if isinstance(left, list) and isinstance(right, list):
        return "stop-sequences-in-any-order" if set(map(str, left)) == set(map(str, right)) else None
    if isinstance(left, float) and isinstance(right, float):
        return "number-of-single-precision" if _single(left) == right else None
    return None


def _single(number: float) -> float | None:
    try:
        (rounded,) = struct.unpack("f", struct.pack("f", number))
    except OverflowError:
        return None
    return float(rounded)


def _change(pair: Pair, name: str, demand: str, want: Any, got: Any) -> str:
    """The rule that the change of a setting breaks."""
    if name == "response_format":
        return "translation/response-format-changed"
    if _is_of_service(pair, name):
        return _SERVICE
    if demand != "must":
        return "translation/setting-by-convention-changed"
    if _grew(want, got):
        return "translation/setting-added"
    soft = (limited(pair, name, want) is not None and not isinstance(want, list)) or adjustable(pair, name, want, got)
    return _ADJUSTED if soft else "translation/setting-changed"


def _grew(want: Any, got: Any) -> bool:
    """Whether a list or object has all that it had, and more."""
    if isinstance(want, list) and isinstance(got, list):
        return set(map(str, want)) < set(map(str, got))
    return isinstance(want, dict) and isinstance(got, dict) and want.items() < got.items()


def _is_of_service(pair: Pair, name: str) -> bool:
    """Whether a setting changes how a request is served, and nothing of what the reply says."""
    return bool(pair.corpus.elements.get(name.replace("_", "-"), {}).get("of_service"))


def _loss(pair: Pair, name: str, demand: str) -> str:
    """The rule that the loss of a setting breaks."""
    if _is_of_service(pair, name):
        return _SERVICE
    if name == "response_format":
        # Formats know different kinds of response format, which the table of elements does not list.
        return "translation/response-format-lost"
    return "translation/setting-lost" if demand == "must" else "translation/setting-by-convention-lost"


def _neutral_choice(corpus: Corpus, reading: Reading, names: Mapping[str, str]) -> Choice | None:
    """A tool choice as (mode, allowed names), all declared tools where it names none. None without tools."""
    called = [tool.name or "" for tool in reading.tools if _must_arrive(corpus, reading, tool)]
    declared = frozenset(names.get(name, name) for name in called)
    setting = reading.settings.get("tool_choice")
    value = setting.value if setting is not None and isinstance(setting.value, dict) else {}
    mode = str(value.get("mode", "auto"))
    if not declared:
        return None  # nothing to choose from but tools that the provider runs, which stay behind
    allowed = value.get("names")
    chosen = (
        frozenset(names.get(str(name), str(name)) for name in allowed)
        if isinstance(allowed, list) and allowed
        else declared
    )
    return mode, chosen if mode != "none" else frozenset()


def _must_arrive(corpus: Corpus, reading: Reading, tool: Tool) -> bool:
    """Whether a tool is one that the client runs, be it of the API's own definition."""
    return tool.kind != "hosted" or run_by_client(corpus, reading, tool)


def _compare_choice(pair: Pair) -> Iterator[Finding]:
    setting = pair.source.settings.get("tool_choice")
    want = _neutral_choice(pair.corpus, pair.source, pair.tool_names)
    got = _neutral_choice(pair.corpus, pair.output, {})
    produced = pair.output.settings.get("tool_choice")
    if want is None:
        if produced is not None and not pair.output.tools and produced.value != {"mode": "none"} and setting is None:
            got_there = setting_as_written(pair.output, produced)
            yield pair.finding("translation/tool-choice", produced.pointer, want=MISSING, got=got_there)
        return
    if _chooses_what_stays_behind(pair) or _chooses_no_tool(pair):
        return  # its loss is reported with the tool; of a name that no tool has nothing can be kept
    if got is None:
        if want[0] not in ("none", "auto"):
            yield _other_choice(pair, want, None)
        return
    if want[0] == got[0] and (want[1] == got[1] or (not chosen_names(pair.source) and not chosen_names(pair.output))):
        _accept_choice(pair, setting, produced)
        return
    yield _other_choice(pair, want, got)


def _accept_choice(pair: Pair, setting: Setting | None, produced: Setting | None) -> None:
    """Record that a choice is the same which names the only tool, and which does not."""
    named = [len(chosen_names(side) or ()) for side in (pair.source, pair.output)]
    if setting is not None and produced is not None and sorted(named) == [0, 1]:
        name = "named-choice-as-required-with-one-tool"
        pair.accept(name, produced.pointer, setting.pointer, setting.value, produced.value)


def _other_choice(pair: Pair, want: Choice, got: Choice | None) -> Finding:
    """A choice that is lost or another one, as the output's format writes it."""
    setting, produced = (side.settings.get("tool_choice") for side in (pair.source, pair.output))
    named = chosen_names(pair.source)
    expected = choice_value(pair, want[0], want[1] if named else None)
    place, there = _unread(pair, "tool_choice")
    if produced is not None:
        place, there = produced.pointer, setting_as_written(pair.output, produced)
    if equal(expected, there) and got is not None:  # what differs is which tools are there to be chosen
        expected, there = _words(want), _words(got)
    return pair.finding(
        "translation/tool-choice",
        place,
        want=expected,
        got=there,
        source=setting.pointer if setting else None,
        subject=setting_name(pair, "tool_choice") if there is MISSING else "",
    )


def _chooses_no_tool(pair: Pair) -> bool:
    """Whether the source's choice allows only names that it declares no tool by, which its own API refuses."""
    chosen = chosen_names(pair.source)
    names = {tool.name for tool in (*pair.source.tools, *pair.source.loaded_tools)}
    return bool(chosen) and names.isdisjoint(chosen or ())


def _chooses_what_stays_behind(pair: Pair) -> bool:
    """Whether the source's choice allows nothing but tools that its provider runs."""
    hosted = {tool.name for tool in pair.source.tools if tool.kind == "hosted"} - pair.tool_names.keys()
    chosen = chosen_names(pair.source)
    return chosen is not None and chosen <= hosted


def _words(choice: Choice) -> Any:
    return {"mode": choice[0], "names": sorted(choice[1])} if choice[1] else {"mode": choice[0]}


def _compare_parallel(pair: Pair) -> Iterator[Finding]:
    before, after = pair.source.settings.get("parallel_calls"), pair.output.settings.get("parallel_calls")
    want = before.value if before is not None and isinstance(before.value, bool) else True
    got = after.value if after is not None and isinstance(after.value, bool) else True
    if want == got or (want is False and pair.demand("parallel-flag") == "cannot"):
        return
    if want is False and _neutral_choice(pair.corpus, pair.source, {}) is None:
        return  # no calls, so none in parallel
    if want is False and _choice_is_none(pair):
        return  # where the flag lives inside the choice, "none" has no room for it; and there is no call to be parallel
    negated = "parallel_calls" in pair.wire_words["negated"]
    place, there = (after.pointer, got is not negated) if after else _unread(pair, "parallel_calls")
    yield pair.finding(
        "translation/parallel-flag",
        place,
        want=MISSING if before is None else want is not negated,
        got=there,
        source=before.pointer if before else None,
        subject=setting_name(pair, "parallel_calls"),
    )


def _compare_reasoning(pair: Pair) -> Iterator[Finding]:
    """How much to think, compared where both measure it alike: in words or in tokens.

    No format documents how many tokens a word stands for. The loss of the setting weighs less where the two formats
    measure differently: other settings may leave no room for it.
    """
    before, after = pair.source.settings.get("reasoning"), pair.output.settings.get("reasoning")
    rule = "translation/setting" if pair.both_express("reasoning") else "translation/reasoning-setting"
    if before is None:
        if after is not None and not no_thinking(after.value) and not is_asked_for(pair, after.value):
            yield _added(pair, "reasoning", after)
        return
    limit = limited(pair, "reasoning", before.value)
    if limit is not None and is_all_taken(pair, "reasoning", limit, after):
        return  # beside this request's tools the model thinks no more than that
    if after is None:
        if not no_thinking(before.value):
            yield _lost(pair, f"{rule}-lost", "reasoning", before)
        return
    for measure in before.value.keys() & after.value.keys():
        if not equal(before.value[measure], after.value[measure]):
            soft = adjustable(pair, "reasoning", before.value, after.value)
            name = _ADJUSTED if soft and pair.both_express("reasoning") else f"{rule}-changed"
            yield _changed(pair, name, "reasoning", before, after)


def _choice_is_none(pair: Pair) -> bool:
    setting = pair.source.settings.get("tool_choice")
    return setting is not None and isinstance(setting.value, dict) and setting.value.get("mode") == "none"
