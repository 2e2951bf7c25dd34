"""The losses of a translation: what the source has, the output lacks, and by the loss table need not have.

They are no findings: a translation that loses what its target cannot express is right. They are counted so that a run
can report what was lost on which routes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise
from typing import Any

from toolcall_conformance.basics.findings import Loss
from toolcall_conformance.basics.jsonvalue import equal
from toolcall_conformance.basics.reading import Call, Hosted, Media, Opaque, Reading, Reasoning, Result, Text
from toolcall_conformance.basics.reading.model import Value
from toolcall_conformance.judge.translation.media.media_identity import media_identity
from toolcall_conformance.judge.translation.media.media_losses import is_generated, media_demand, media_element
from toolcall_conformance.judge.translation.media.media_places import pictures_of_steps
from toolcall_conformance.judge.translation.pair import Pair
from toolcall_conformance.judge.translation.results.failures import looks_like_error
from toolcall_conformance.judge.translation.results.payload import parse_text
from toolcall_conformance.judge.translation.schemas.schema_branches import is_composed
from toolcall_conformance.judge.translation.settings.limits import is_limit_met, limit_value
from toolcall_conformance.judge.translation.settings.settings import PRIVATE_PREFIX, ROUTE_SETTINGS, chosen_tool_names
from toolcall_conformance.judge.translation.texts.citations import citations
from toolcall_conformance.judge.translation.tools.own_tools import is_run_by_client

_MAX_EXACT_INTEGER = 2**53
#: What a reply that failed need not bring.
_CALL_ELEMENT = {"call"}


def find_losses(pair: Pair, declared: Collection[str] = (), *, history: bool = False) -> tuple[Loss, ...]:
    """Return the losses between a pair's source and output, by element; calls are aligned already.

    ``declared`` are the elements that the translator itself says it lost: one that the two formats both express
    natively is reported as ``undue``. With ``history`` only the conversation counts, not what its request declares.
    """
    if pair.through is None and pair.source.format == pair.output.format:
        return ()  # between two ends of one format everything can be expressed
    losses = [
        Loss(element, demand, count)
        for (element, demand), count in sorted(count_losses(pair, history=history).items())
        if demand != "must"
    ]
    bounded = Counter([*_limited_settings(pair)])
    losses += [Loss(element, "cannot", count) for element, count in sorted(bounded.items())]
    due = bounded.keys() | (_CALL_ELEMENT if pair.source_failed else set())
    undue = sorted({element for element in declared if pair.demands.get(element) == "must"} - due)
    return (*losses, *(Loss(element, "undue", 1) for element in undue))


def count_losses(pair: Pair, *, history: bool = False) -> Counter[tuple[str, str]]:
    """Count by element, and by how far it must survive, what the output has fewer of (``must`` too)."""
    counts = Counter[tuple[str, str]]()
    for element, count in _conversation_losses(pair, history=history):
        # Elements that only requests have are the client's own: they do not come from the provider.
        if count > 0 and not (history and "reply" not in pair.corpus.elements[element]["in"]):
            counts[element, pair.demands[element]] += count
    if not history:
        counts.update([(element, pair.demands.get(element, "cannot")) for element in _request_losses(pair)])
        counts.update([*_media_losses(pair)])
    return counts


def _conversation_losses(pair: Pair, *, history: bool) -> Iterator[tuple[str, int]]:
    """Yield how many of each element the output has fewer of; in a history, only the provider's own words count."""
    yield from _call_losses(pair)
    yield from _result_losses(pair)
    yield "text-between-calls", _count_texts_after_calls(pair.source) - _count_texts_after_calls(pair.output)
    yield "system-mid", _count_system_turns(pair.source) - _count_system_turns(pair.output)
    yield "reasoning-text", (_count_items(pair.source, Reasoning) if not _count_items(pair.output, Reasoning) else 0)
    yield (
        "tool-hosted",
        _count_hosted_steps(pair.source, history=history) - _count_hosted_steps(pair.output, history=history),
    )
    yield "phase", _count_phases(pair.source) - _count_phases(pair.output)
    if not pair.is_request:
        pages = [{citation.url for citation in citations(reading)} for reading in (pair.source, pair.output)]
        yield "citations", len(pages[0] - pages[1])
    states = [{item.value for item in _items(reading, Opaque)} for reading in (pair.source, pair.output)]
    yield "signature", len(states[0] - states[1])


def _call_losses(pair: Pair) -> Iterator[tuple[str, int]]:
    """Yield what aligned calls lost; lost calls are findings."""
    source, output = pair.source.calls, pair.output.calls
    for left, right in pair.call_pairs.items():
        old, new = source[left], output[right]
        yield "call-id", int(bool(old.id) and not new.id)
        yield "tool-custom", int(old.kind == "custom" and new.kind != "custom")
        if pair.demands.get("big-integers") != "must":
            yield "big-integers", _big_integers(old.arguments) - _big_integers(new.arguments)


def _big_integers(value: Any) -> int:
    """Count the whole numbers in a value that no double holds exactly."""
    count, values = 0, [value]
    while values:
        entry = values.pop()
        if isinstance(entry, (dict, list)):
            values.extend(entry.values() if isinstance(entry, dict) else entry)
        elif isinstance(entry, int) and abs(entry) > _MAX_EXACT_INTEGER:
            count += not _is_double(entry)
    return count


def _is_double(number: int) -> bool:
    try:
        return float(number) == number
    except OverflowError:
        return False


def _result_losses(pair: Pair) -> Iterator[tuple[str, int]]:
    """Yield what results lost; missing results are findings."""
    source, output = pair.source.results, pair.output.results
    absent = max(0, len(source) - len(output))  # these are findings
    yield "result-id", _count_with(source, "id") - _count_with(output, "id") - absent
    yield "result-name", _count_with(source, "name") - _count_with(output, "name") - absent
    failed = sum(result.error is True for result in source)
    if failed:
        marked = sum(result.error is True or looks_like_error(pair.corpus, result) for result in output)
        yield "error-mark", failed - marked - absent
    wrappers = frozenset([*pair.origin.get("result_wrappers", ()), *pair.origin.get("error_keys", ())])
    objects = sum(_is_structured(result, wrappers) for result in source)
    if objects and pair.demands.get("result-structured") != "must":
        yield "result-structured", objects - sum(_spells_json(result) for result in output) - absent


def _count_with(results: Sequence[Result], key: str) -> int:
    return sum(bool(getattr(result, key)) for result in results)


def _is_structured(result: Result, wrappers: frozenset[str]) -> bool:
    """Whether a result is a JSON value, and not just a text in its format's wrapper."""
    for part in result.parts:
        if isinstance(part, Value):
            value = part.value
            if isinstance(value, dict) and len(value) == 1 and next(iter(value)) in wrappers:
                value = next(iter(value.values()))
            return not isinstance(value, str)
    return False


def _spells_json(result: Result) -> bool:
    """Whether a result is an object, or the text of one."""
    for part in result.parts:
        if isinstance(part, Value):
            return True
        if isinstance(part, Text) and part.text.lstrip()[:1] in ("{", "["):
            return parse_text("".join(part.text for part in result.parts if isinstance(part, Text))) is not None
    return False


def _media_losses(pair: Pair) -> Iterator[tuple[str, str]]:
    """Yield the media whose bytes are nowhere in the output. A file given only by its id is not counted."""
    arrived = {media_identity(media) for media, _, _ in _media_with_owner(pair.output)}
    arrived |= {media_identity(media) for media, _ in pictures_of_steps(pair.output)}
    for media, side, in_result in _media_with_owner(pair.source):
        generated = is_generated(pair, side)
        if media.data is None or media_identity(media) in arrived or (side == "assistant" and not generated):
            continue
        yield (
            media_element(media, in_result=in_result, generated=generated),
            media_demand(pair, media, in_result=in_result, generated=generated),
        )


def _media_with_owner(reading: Reading) -> Iterator[tuple[Media, str, bool]]:
    """Yield all media, with their side, and whether a result holds them."""
    for turn in reading.turns:
        for item in turn.items:
            if isinstance(item, Media):
                yield item, turn.side, False
            elif isinstance(item, Result):
                yield from ((part, turn.side, True) for part in item.parts if isinstance(part, Media))


def _count_texts_after_calls(reading: Reading) -> int:
    """Count how often the assistant goes on with text after a call in one turn."""
    count = 0
    for turn in reading.turns:
        spoken = [item for item in turn.items if isinstance(item, (Call, Text))]
        count += sum(isinstance(left, Call) and isinstance(right, Text) for left, right in pairwise(spoken))
    return count


def _count_system_turns(reading: Reading) -> int:
    return sum(turn.side == "system" for turn in reading.turns)


def _count_phases(reading: Reading) -> int:
    """How many messages say whether they comment on the work or are the answer."""
    return len({text.phase_pointer for text in _items(reading, Text)} - {None})


def _items(reading: Reading, kind: type[Any]) -> Iterator[Any]:
    return (item for turn in reading.turns for item in turn.items if isinstance(item, kind))


def _count_hosted_steps(reading: Reading, *, history: bool) -> int:
    """Count the provider's own steps; with ``history`` without what the client answered, such as an approval."""
    turns = [turn for turn in reading.turns if not history or turn.side == "assistant"]
    return sum(isinstance(item, Hosted) for turn in turns for item in turn.items)


def _count_items(reading: Reading, kind: type[Any]) -> int:
    return sum(1 for _ in _items(reading, kind))


def _request_losses(pair: Pair) -> Iterator[str]:
    """Yield each element lost outside the conversation: declarations, settings, end, usage; as often as lost."""
    source, output = pair.source, pair.output
    for kind in ("custom", "hosted"):
        yield from [f"tool-{kind}"] * (_count_declared(pair, source, kind) - _count_declared(pair, output, kind))
    twins = {tool.name: tool for tool in output.tools}
    for tool in source.tools:
        twin = twins.get(pair.tool_names.get(tool.name, tool.name)) if tool.name is not None else None
        if tool.strict is True and twin is not None and twin.strict is not True:
            yield "tool-strict"
        if twin is not None and is_composed(tool.schema) and not is_composed(twin.schema):
            yield "tool-schema-root"
    yield from ["cache-control"] * (len(source.cache_marks) - len(output.cache_marks))
    yield from _setting_losses(pair)
    if source.finish is not None and output.finish is not None and source.finish.reason != output.finish.reason:
        yield f"finish-{source.finish.reason}"
    yield from (f"usage-{key}" for key, count in source.usage.items() if count and key not in output.usage)


def _limited_settings(pair: Pair) -> Iterator[str]:
    """Yield the settings of which the output has exactly what the target's limits leave."""
    for name, setting in pair.source.settings.items() if pair.is_request and pair.through is None else ():
        element = name.replace("_", "-")
        limit = limit_value(pair, name, setting.value) if pair.demands.get(element) == "must" else None
        if limit is not None and is_limit_met(pair, name, limit, pair.output.settings.get(name)):
            yield element


def _count_declared(pair: Pair, reading: Reading, kind: str) -> int:
    return sum(tool.kind == kind and not is_run_by_client(pair.corpus, reading, tool) for tool in reading.tools)


def _setting_losses(pair: Pair) -> Iterator[str]:
    """Yield the settings that the output lacks, without the route's own and those at their default."""
    source, output = pair.source, pair.output
    defaults = pair.origin.get("defaults", {})
    for name, setting in source.settings.items():
        unsaid = setting.value in (None, [], {}, "") or (name in defaults and equal(setting.value, defaults[name]))
        if name in ROUTE_SETTINGS or unsaid:
            continue
        if name == "tool_choice":
            names = chosen_tool_names(source)
            left = sum(tool.kind != "hosted" for tool in output.tools)
            if names is not None and len(names) > 1 and chosen_tool_names(output) is None and left > len(names):
                yield "choice-subset"
        elif name == "parallel_calls":
            if setting.value is False and name not in output.settings:
                yield "parallel-flag"
        elif name not in output.settings:
            yield name if name.startswith(PRIVATE_PREFIX) else name.replace("_", "-")
