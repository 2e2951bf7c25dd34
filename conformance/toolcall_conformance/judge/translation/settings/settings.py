"""Settings: tool choice, the parallel flag, limits and sampling, compared under neutral names."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from typing import Any

from toolcall_conformance.basics.findings import MISSING, Finding
from toolcall_conformance.basics.jsonvalue import equal
from toolcall_conformance.basics.reading import Reading, Setting, Tool
from toolcall_conformance.judge.translation.pair import Pair
from toolcall_conformance.judge.translation.settings.answer_forms import is_same_answer_form
from toolcall_conformance.judge.translation.settings.limits import is_limit_met, limit_value, may_be_adjusted
from toolcall_conformance.judge.translation.settings.model_names import broken_model_rule
from toolcall_conformance.judge.translation.settings.stream_settings import (
    COUNTS_SETTING,
    report_lost_stream,
    report_uncounted_stream,
)
from toolcall_conformance.judge.translation.settings.thinking import is_left_to_model, is_thinking_off
from toolcall_conformance.judge.translation.tools.own_tools import is_run_by_client
from toolcall_conformance.judge.translation.wire_words import (
    choice_value,
    setting_as_written,
    setting_key,
    setting_value,
)
from toolcall_conformance.library import Corpus

Choice = tuple[str, frozenset[str]]
# The prefix of the names of settings that no other format has.
PRIVATE_PREFIX = "private:"
# The route sets these, not the translation.
ROUTE_SETTINGS = frozenset({"model", "stream", "stream_options", COUNTS_SETTING})
_TOOL_SETTINGS = frozenset({"tool_choice", "parallel_calls"})
_SETTINGS_WITH_OWN_RULES = ROUTE_SETTINGS | _TOOL_SETTINGS | {"reasoning"}
_ADJUSTED_RULE = "translation/setting-adjusted"
_SERVICE_RULE = "translation/service-setting"


def chosen_tool_names(reading: Reading) -> frozenset[str] | None:
    """Return the names of the tools that a subset or forced choice allows, None if all are allowed."""
    setting = reading.settings.get("tool_choice")
    names = setting.value.get("names") if setting is not None and isinstance(setting.value, dict) else None
    return frozenset(map(str, names)) if isinstance(names, list) and names else None


def compare_settings(pair: Pair) -> Iterator[Finding]:
    """Report every setting that was lost, changed or added."""
    yield from _compare_choice(pair)
    yield from _compare_parallel(pair)
    yield from _compare_reasoning(pair)
    for name, setting in pair.source.settings.items():
        if name.startswith(PRIVATE_PREFIX):
            yield from _compare_private(pair, name, setting)
        elif name not in _SETTINGS_WITH_OWN_RULES:
            yield from _compare_setting(pair, name, setting, pair.demand(name.replace("_", "-")))
    for name, setting in pair.output.settings.items():
        if name in _SETTINGS_WITH_OWN_RULES or name.startswith(PRIVATE_PREFIX) or name in pair.source.settings:
            continue
        if _is_service_setting(pair, name):
            continue
        if name == "max_output_tokens" and pair.target.get("max_output_tokens_required"):
            pair.accept("max-tokens-invented", setting.pointer, None, MISSING, setting.value)
            continue
        if _is_default(pair, name, setting.value) or setting.value in (None, [], {}, ""):
            continue
        yield _added_setting(pair, name, setting)
    yield from _compare_model(pair)
    yield from report_lost_stream(pair)
    yield from report_uncounted_stream(pair)
    _record_omitted_defaults(pair)


def _record_omitted_defaults(pair: Pair) -> None:
    """Record the settings that one side omits because they are the default."""
    source, output = pair.source.settings, pair.output.settings
    for name in sorted(source.keys() ^ output.keys()) if pair.accepted is not None else ():
        omitted, new = source.get(name), output.get(name)
        if omitted is not None and _is_default(pair, name, omitted.value):
            pair.accept("default-absent", "", omitted.pointer, omitted.value)
        elif new is not None and _is_default(pair, name, new.value):
            pair.accept("default-absent", new.pointer, None, MISSING, new.value)


def _compare_model(pair: Pair) -> Iterator[Finding]:
    """Compare the model of the output with the route's."""
    model = pair.output.settings.get("model")
    if pair.model is None or model is None or not isinstance(model.value, str):
        return  # a name that is no text breaks the format's own rule
    rule = broken_model_rule(pair.corpus, pair.model, model.value)
    setting = pair.source.settings.get("model")
    source = setting.pointer if setting is not None else None
    if rule is None and pair.model != model.value:
        pair.accept("model-by-another-name", model.pointer, source, pair.model, model.value)
    if rule is not None:
        yield pair.finding(rule, model.pointer, want=pair.model, got=model.value, source=source)


def _added_setting(pair: Pair, setting_name: str, setting: Setting) -> Finding:
    got = setting_as_written(pair.output, setting)
    subject = setting_key(pair, setting_name)
    return pair.finding("translation/setting-added", setting.pointer, want=MISSING, got=got, subject=subject)


def _compare_private(pair: Pair, setting_name: str, setting: Setting) -> Iterator[Finding]:
    """Compare a setting that no other format has, between two ends of its own, if the reply depends on it."""
    if not pair.is_same_format or setting_name.removeprefix(PRIVATE_PREFIX) not in pair.target["reply_settings"]:
        return
    if all(setting.pointer != other.pointer for key, other in pair.source.settings.items() if key != setting_name):
        yield from _compare_setting(pair, setting_name, setting, "must")


def _compare_setting(pair: Pair, setting_name: str, setting: Setting, demand: str) -> Iterator[Finding]:
    """Compare one setting of the source with the output's."""
    if demand == "cannot" or setting.value in (None, [], {}, ""):
        return
    other = pair.output.settings.get(setting_name)
    limit = limit_value(pair, setting_name, setting.value)
    if limit is not None and is_limit_met(pair, setting_name, limit, other):
        return  # all of it that the target takes
    if other is None:
        if not _is_default(pair, setting_name, setting.value):
            beyond = limit is not None and not isinstance(setting.value, list)
            rule = _ADJUSTED_RULE if beyond else _loss_rule(pair, setting_name, demand)
            yield _lost_setting(pair, rule, setting_name, setting)
    elif (allowed := _value_equivalence(setting.value, other.value)) is not None:
        if allowed:
            values = (setting.value, other.value)
            pair.accept(allowed, other.pointer, setting.pointer, *values, only_translated=True)
    else:
        if setting_name == "response_format" and is_same_answer_form(pair, setting.value, other.value, other.pointer):
            form, values = "answer-form-in-other-words", (setting.value, other.value)
            pair.accept(form, other.pointer, setting.pointer, *values, only_translated=True)
            return
        yield _changed_setting(
            pair, _change_rule(pair, setting_name, demand, setting.value, other.value), setting_name, setting, other
        )


def _lost_setting(pair: Pair, rule: str, setting_name: str, setting: Setting) -> Finding:
    """Return the finding for a lost setting, at the place that should hold it."""
    place, output_value = _unread_place(pair, setting_name)
    return pair.finding(
        rule,
        place,
        want=setting_value(pair, setting_name, setting),
        got=output_value,
        source=setting.pointer,
        subject=setting_key(pair, setting_name),
    )


def _unread_place(pair: Pair, setting_name: str) -> tuple[str, Any]:
    """Return where the output would have a setting that its reading lacks, and the meaningless value there.

    Without a value, the place that would hold it, and MISSING.
    """
    places = pair.wire_words["settings"]
    pointer = places.get(setting_name, "")
    output_value = pair.value_at(pointer or None)
    if output_value is not MISSING and not any(place.startswith(f"{pointer}/") for place in places.values()):
        return pointer, output_value
    holder = pointer.rpartition("/")[0]
    return (holder if pair.value_at(holder) is not MISSING else ""), MISSING


def _changed_setting(pair: Pair, rule: str, setting_name: str, setting: Setting, other: Setting) -> Finding:
    """Return the finding for a changed setting."""
    want, got = setting_value(pair, setting_name, setting), setting_as_written(pair.output, other)
    place, key = pair.wire_words["settings"].get(setting_name, ""), other.pointer.rpartition("/")[2]
    if place and other.pointer == f"{place}/{key}" and isinstance(want, dict):  # several members express it
        got = {member: value for member, value in pair.value_at(place).items() if member in (*want, key)}
    if equal(want, got):  # one word means different things in the two formats
        want, got = setting.value, other.value
    return pair.finding(
        rule, other.pointer, want=want, got=got, source=setting.pointer, subject=setting_key(pair, setting_name)
    )


def _is_default(pair: Pair, setting_name: str, value: Any) -> bool:
    """Whether omitting a setting says the same: its value is the target's documented default."""
    return equal(value, pair.target.get("defaults", {}).get(setting_name, MISSING))


def _value_equivalence(left: Any, right: Any) -> str | None:
    """Return the equivalence by which two values set the same, blank for equal ones; None if they differ."""
    if equal(left, right):
        return ""
    if isinstance(left, list) and isinstance(right, list):
        return "stop-sequences-in-any-order" if set(map(str, left)) == set(map(str, right)) else None
    if isinstance(left, float) and isinstance(right, float):
        return "number-of-single-precision" if _to_single_precision(left) == right else None
    return None


def _to_single_precision(number: float) -> float | None:
    try:
        (rounded,) = struct.unpack("f", struct.pack("f", number))
    except OverflowError:
        return None
    return float(rounded)


def _change_rule(pair: Pair, setting_name: str, demand: str, want: Any, got: Any) -> str:
    """Return the rule that the change of a setting breaks."""
    if setting_name == "response_format":
        return "translation/response-format-changed"
    if _is_service_setting(pair, setting_name):
        return _SERVICE_RULE
    if demand != "must":
        return "translation/setting-by-convention-changed"
    if _is_extended(want, got):
        return "translation/setting-added"
    soft = (limit_value(pair, setting_name, want) is not None and not isinstance(want, list)) or may_be_adjusted(
        pair, setting_name, want, got
    )
    return _ADJUSTED_RULE if soft else "translation/setting-changed"


def _is_extended(want: Any, got: Any) -> bool:
    """Whether a list or object has all that it had, and more."""
    if isinstance(want, list) and isinstance(got, list):
        return set(map(str, want)) < set(map(str, got))
    return isinstance(want, dict) and isinstance(got, dict) and want.items() < got.items()


def _is_service_setting(pair: Pair, setting_name: str) -> bool:
    """Whether a setting changes how a request is served, and not what the reply says."""
    return bool(pair.corpus.elements.get(setting_name.replace("_", "-"), {}).get("of_service"))


def _loss_rule(pair: Pair, setting_name: str, demand: str) -> str:
    """Return the rule that the loss of a setting breaks."""
    if _is_service_setting(pair, setting_name):
        return _SERVICE_RULE
    if setting_name == "response_format":
        # Formats know different kinds of response format, which the table of elements does not list.
        return "translation/response-format-lost"
    return "translation/setting-lost" if demand == "must" else "translation/setting-by-convention-lost"


def _neutral_choice(corpus: Corpus, reading: Reading, names: Mapping[str, str]) -> Choice | None:
    """Return a tool choice as (mode, allowed names); all declared tools if it names none. None without tools."""
    called = [tool.name or "" for tool in reading.tools if _must_arrive(corpus, reading, tool)]
    declared = frozenset(names.get(name, name) for name in called)
    setting = reading.settings.get("tool_choice")
    value = setting.value if setting is not None and isinstance(setting.value, dict) else {}
    mode = str(value.get("mode", "auto"))
    if not declared:
        return None  # the only tools are those that the provider runs, which are left out
    allowed = value.get("names")
    chosen = (
        frozenset(names.get(str(name), str(name)) for name in allowed)
        if isinstance(allowed, list) and allowed
        else declared
    )
    return mode, chosen if mode != "none" else frozenset()


def _must_arrive(corpus: Corpus, reading: Reading, tool: Tool) -> bool:
    """Whether the client runs a tool, even if the API defines it."""
    return tool.kind != "hosted" or is_run_by_client(corpus, reading, tool)


def _compare_choice(pair: Pair) -> Iterator[Finding]:
    """Compare the tool choices."""
    setting = pair.source.settings.get("tool_choice")
    want = _neutral_choice(pair.corpus, pair.source, pair.tool_names)
    got = _neutral_choice(pair.corpus, pair.output, {})
    output = pair.output.settings.get("tool_choice")
    if want is None:
        if output is not None and not pair.output.tools and output.value != {"mode": "none"} and setting is None:
            got_there = setting_as_written(pair.output, output)
            yield pair.finding("translation/tool-choice", output.pointer, want=MISSING, got=got_there)
        return
    if _chooses_what_stays_behind(pair) or _chooses_no_tool(pair):
        return  # its loss is reported with the tool; of a name that no tool has nothing can be kept
    if got is None:
        if want[0] not in ("none", "auto"):
            yield _choice_finding(pair, want, None)
        return
    if want[0] == got[0] and (
        want[1] == got[1] or (not chosen_tool_names(pair.source) and not chosen_tool_names(pair.output))
    ):
        _record_named_choice(pair, setting, output)
        return
    yield _choice_finding(pair, want, got)


def _record_named_choice(pair: Pair, setting: Setting | None, output: Setting | None) -> None:
    """Record that a choice which names the only tool is the same as one that names none."""
    named = [len(chosen_tool_names(side) or ()) for side in (pair.source, pair.output)]
    if setting is not None and output is not None and sorted(named) == [0, 1]:
        name = "named-choice-as-required-with-one-tool"
        pair.accept(name, output.pointer, setting.pointer, setting.value, output.value)


def _choice_finding(pair: Pair, want: Choice, got: Choice | None) -> Finding:
    """Return the finding for a tool choice that is lost or changed, as the output's format writes it."""
    setting, output = (side.settings.get("tool_choice") for side in (pair.source, pair.output))
    named = chosen_tool_names(pair.source)
    expected = choice_value(pair, want[0], want[1] if named else None)
    place, output_value = _unread_place(pair, "tool_choice")
    if output is not None:
        place, output_value = output.pointer, setting_as_written(pair.output, output)
    if equal(expected, output_value) and got is not None:  # what differs is which tools are there to be chosen
        expected, output_value = _choice_as_json(want), _choice_as_json(got)
    return pair.finding(
        "translation/tool-choice",
        place,
        want=expected,
        got=output_value,
        source=setting.pointer if setting else None,
        subject=setting_key(pair, "tool_choice") if output_value is MISSING else "",
    )


def _chooses_no_tool(pair: Pair) -> bool:
    """Whether the source's choice allows only undeclared names, which its own API refuses."""
    chosen = chosen_tool_names(pair.source)
    names = {tool.name for tool in (*pair.source.tools, *pair.source.loaded_tools)}
    return bool(chosen) and names.isdisjoint(chosen or ())


def _chooses_what_stays_behind(pair: Pair) -> bool:
    """Whether the source's choice allows only tools that its provider runs."""
    hosted = {tool.name for tool in pair.source.tools if tool.kind == "hosted"} - pair.tool_names.keys()
    chosen = chosen_tool_names(pair.source)
    return chosen is not None and chosen <= hosted


def _choice_as_json(choice: Choice) -> Any:
    return {"mode": choice[0], "names": sorted(choice[1])} if choice[1] else {"mode": choice[0]}


def _compare_parallel(pair: Pair) -> Iterator[Finding]:
    """Compare whether parallel calls are allowed."""
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
    place, output_value = (after.pointer, got is not negated) if after else _unread_place(pair, "parallel_calls")
    yield pair.finding(
        "translation/parallel-flag",
        place,
        want=MISSING if before is None else want is not negated,
        got=output_value,
        source=before.pointer if before else None,
        subject=setting_key(pair, "parallel_calls"),
    )


def _compare_reasoning(pair: Pair) -> Iterator[Finding]:
    """Compare how much to think, where both measure it alike: in words or in tokens.

    No format documents how many tokens a word means. The loss of the setting weighs less where the two formats measure
    differently: other settings may leave no room for it.
    """
    before, after = pair.source.settings.get("reasoning"), pair.output.settings.get("reasoning")
    rule = "translation/setting" if pair.both_express("reasoning") else "translation/reasoning-setting"
    if before is None:
        if after is not None and not is_thinking_off(after.value) and not is_left_to_model(pair, after.value):
            yield _added_setting(pair, "reasoning", after)
        return
    limit = limit_value(pair, "reasoning", before.value)
    if limit is not None and is_limit_met(pair, "reasoning", limit, after):
        return  # beside this request's tools the model thinks no more than that
    if after is None:
        if not is_thinking_off(before.value):
            yield _lost_setting(pair, f"{rule}-lost", "reasoning", before)
        return
    for measure in before.value.keys() & after.value.keys():
        if not equal(before.value[measure], after.value[measure]):
            soft = may_be_adjusted(pair, "reasoning", before.value, after.value)
            name = _ADJUSTED_RULE if soft and pair.both_express("reasoning") else f"{rule}-changed"
            yield _changed_setting(pair, name, "reasoning", before, after)


def _choice_is_none(pair: Pair) -> bool:
    setting = pair.source.settings.get("tool_choice")
    return setting is not None and isinstance(setting.value, dict) and setting.value.get("mode") == "none"
