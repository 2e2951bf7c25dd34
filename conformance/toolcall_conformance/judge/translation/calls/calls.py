"""Calls: none lost, doubled or invented; names, arguments, batches and ids unchanged."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from typing import Any

from toolcall_conformance.basics.findings import MISSING, Finding, Words
from toolcall_conformance.basics.jsonvalue import JSONError, equal, parse
from toolcall_conformance.basics.reading import Call, Result, Text, Unreadable
from toolcall_conformance.judge.translation.calls.call_arguments import (
    arguments_as_written,
    compare_odd_arguments,
    expected_arguments,
    has_odd_arguments,
    may_be_dropped,
    readable_arguments,
)
from toolcall_conformance.judge.translation.calls.schema_reversal import (
    is_left_unconverted,
    is_same_by_schemas,
    may_be_schema_reversal,
)
from toolcall_conformance.judge.translation.calls.unpaired_calls import empty_turns_of_lost_calls, steps_as_calls
from toolcall_conformance.judge.translation.nearest import nearest_place
from toolcall_conformance.judge.translation.pair import Pair, describe_call
from toolcall_conformance.judge.translation.results.failures import strings_in
from toolcall_conformance.judge.translation.texts.rendered_text import TextualizedCalls
from toolcall_conformance.judge.translation.tools.own_tools import is_same_own_call
from toolcall_conformance.judge.translation.tools.tool_kinds import compare_call_kind
from toolcall_conformance.judge.translation.tools.tool_names import undeclared_names
from toolcall_conformance.judge.translation.wire_words import call_value, is_legal_id

#: The circumstance that the judge does not know the schemas by which arguments were written and are read.
SCHEMAS_UNKNOWN = "schemas-unknown"


def compare_calls(pair: Pair) -> Iterator[Finding]:
    """Report every difference between the aligned calls, and the calls that only one side has."""
    source, output, alignment = pair.source.calls, pair.output.calls, pair.alignment
    steps = pair.view(steps_as_calls)
    first_alike: dict[tuple[str | None, str], int] = {}
    for left in alignment.pairs if alignment.invented else ():
        first_alike.setdefault((source[left].name, alignment.argument_texts[0][left]), left)
    textualized_calls = pair.view(TextualizedCalls.of) if alignment.lost else None
    remains = pair.view(empty_turns_of_lost_calls) if alignment.lost else {}
    for left in alignment.lost:
        call = source[left]
        if not call.name and not pair.is_request:
            continue  # no client can run a call without a name
        if may_be_dropped(pair, call):
            place = nearest_place(pair, call.pointer)
            pair.accept("cut-call-dropped", place, call.pointer, call_value(pair, call, place), MISSING)
            continue
        rendering = textualized_calls.rendering_of(call) if textualized_calls is not None else None
        empty = remains.get(call.pointer) if rendering is None else None
        place = nearest_place(pair, call.pointer) if rendering is None else rendering.pointer
        how = "" if rendering is None else "a tool call is rendered as text instead"
        yield pair.finding(
            "translation/call-lost",
            empty or place,
            how if empty is None else "of a tool call only an empty turn is left",
            want=call_value(pair, call, place) if rendering is None and empty is None else Words(describe_call(call)),
            got=pair.value_at(empty) if empty is not None else MISSING if rendering is None else rendering.text,
            source=call.pointer,
            subject=describe_call(call),
            under=("failed-reply",) if pair.source_failed else (),
        )
    for right in alignment.invented:
        call = output[right]
        step = steps.get(right)
        if step is not None:
            yield pair.finding(
                "translation/server-call-as-client-call",
                call.pointer,
                want=MISSING,
                got=pair.value_at(call.pointer),
                source=step.pointer,
                subject=describe_call(call),
            )
            continue
        twin = first_alike.get((call.name, alignment.argument_texts[1][right]))
        yield pair.finding(
            "translation/call-duplicated" if twin is not None else "translation/call-invented",
            call.pointer,
            f"it repeats {describe_call(source[twin])}" if twin is not None else "",
            want=MISSING,
            got=pair.value_at(call.pointer),
            source=source[twin].pointer if twin is not None else None,
            subject=describe_call(call),
        )
    for left, right in sorted(alignment.pairs.items()):
        yield from _compare_call(pair, source[left], output[right])
    yield from _report_moved(pair)
    yield from _compare_batches(pair)
    yield from _compare_ids(pair)


def _report_moved(pair: Pair) -> Iterator[Finding]:
    """Report the calls that are in another place among those that both bodies have."""
    moved = pair.alignment.moved
    if not moved:
        return
    orders = sorted(pair.call_pairs), sorted(pair.call_pairs, key=pair.call_pairs.__getitem__)
    near = [_predecessors(order, frozenset()) for order in orders]
    resting = [_predecessors(order, moved) for order in orders]
    for left in sorted(moved):
        want, got = (_describe_place(pair, before[left]) for before in near)
        if want == got:  # its neighbour moved with it
            want, got = (_describe_place(pair, before[left]) for before in resting)
        yield pair.finding(
            "translation/call-order",
            pair.output.calls[pair.call_pairs[left]].pointer,
            want=want,
            got=got,
            source=pair.source.calls[left].pointer,
            subject=describe_call(pair.source.calls[left]),
        )


def _predecessors(order: Iterable[int], moved: Collection[int]) -> dict[int, int | None]:
    """Return for each call the last one before it that did not move; None for the first."""
    predecessors: dict[int, int | None] = {}
    last = None
    for call in order:
        predecessors[call] = last
        last = last if call in moved else call
    return predecessors


def _describe_place(pair: Pair, other: int | None) -> str:
    """Describe a place in the order of calls by the call before it."""
    return "first of all calls" if other is None else f"after {describe_call(pair.source.calls[other])}"


def _compare_call(pair: Pair, left: Call, right: Call) -> Iterator[Finding]:
    """Compare the name, kind and arguments of two aligned calls."""
    expected = _expected_name(pair, left)
    if _is_emptied(pair, left, right):
        yield pair.finding(
            "translation/call-lost",
            right.pointer,
            "only an empty call is there, without a name and arguments",
            want=call_value(pair, left, right.pointer),
            got=pair.value_at(right.pointer),
            source=left.pointer,
            subject=describe_call(left),
        )
        return
    if (right.name or None) != (expected or None):
        yield pair.finding(
            "translation/call-name",
            right.name_pointer or right.pointer,
            "" if right.name else "a call has no name",
            want=expected,
            got=MISSING if right.name is None else right.name,
            source=left.name_pointer or left.pointer,
            subject=describe_call(left),
        )
    if not pair.is_request:
        yield from compare_call_kind(pair, left, right)
    yield from _compare_arguments(pair, left, right)


def _is_emptied(pair: Pair, left: Call, right: Call) -> bool:
    """Whether only an empty call arrived; its name may be in a place where no client reads it."""
    if not left.name or right.name or not readable_arguments(left) or readable_arguments(right):
        return False
    return left.name not in strings_in(pair.value_at(right.pointer))


def _expected_name(pair: Pair, call: Call) -> str | None:
    """Return the name of a call's tool in the output. A call's namespace decides between tools of one name."""
    twins = [twin for tool, twin in pair.tool_pairs if (tool.namespace, tool.name) == (call.namespace, call.name)]
    if call.namespace is not None and twins:
        return twins[0].name
    name = call.name or ""
    return pair.tool_names.get(name) or pair.view(undeclared_names).get(name, call.name)


def _compare_arguments(pair: Pair, left: Call, right: Call) -> Iterator[Finding]:
    """Compare the arguments of two aligned calls."""
    where = right.arguments_pointer or right.pointer
    subject = describe_call(left)
    if has_odd_arguments(left):
        yield from compare_odd_arguments(pair, left, right, subject)
        return
    allowed = argument_equivalence(left, right, exact=pair.both_express("big-integers"))
    if allowed is not None:
        if allowed:
            pair.accept(allowed, where, left.arguments_pointer, readable_arguments(left), readable_arguments(right))
        return
    if is_same_by_schemas(pair, left, right):
        pair.accept(
            "arguments-by-schema", where, left.arguments_pointer, readable_arguments(left), readable_arguments(right)
        )
        return
    got = readable_arguments(right)
    message = ""
    twice = isinstance(got, str) and left.kind == "function" and _is_json_text_of(got, left.arguments)
    if twice:
        message = "the arguments are JSON text inside JSON text (encoded twice)"
    unknown = (
        not pair.is_request and pair.conversions is None and may_be_schema_reversal(left.arguments, right.arguments)
    )
    if unknown:
        message = (
            "they changed as if a change in the tool's schema were undone, and the requests that show it are unknown"
        )
    yield pair.finding(
        "translation/arguments-undone" if is_left_unconverted(pair, left, right) else "translation/arguments",
        where,
        message,
        want=expected_arguments(pair, left, right),
        got=pair.value_at(right.arguments_pointer) if twice else arguments_as_written(pair, right),
        source=left.arguments_pointer or left.pointer,
        subject=subject,
        under=(SCHEMAS_UNKNOWN,) if unknown else (),
    )


def argument_equivalence(left: Call, right: Call, *, exact: bool) -> str | None:
    """Return the equivalence by which arguments are the same; blank for equal JSON values, None if they differ.

    Free text of a custom tool may be wrapped in an object with one key, and back. Where one side's numbers are doubles
    (``exact`` false) whole numbers are compared as such.
    """
    if isinstance(right.arguments, Unreadable):
        return None
    if "builtin" in (left.kind, right.kind):
        if left.kind == right.kind and equal(left.arguments, right.arguments):
            return ""
        return "own-tool-as-another" if is_same_own_call(left, right) else None
    if left.kind != right.kind:
        function, custom = (left, right) if left.kind == "function" else (right, left)
        wrapped = function.arguments
        fits = isinstance(wrapped, dict) and len(wrapped) == 1 and custom.arguments in wrapped.values()
        return "custom-tool-as-function" if fits else None
    if equal(left.arguments, right.arguments):
        return ""
    same = not exact and equal(_as_doubles(left.arguments), _as_doubles(right.arguments))
    return "big-integers-as-doubles" if same else None


def _as_doubles(value: Any) -> Any:
    """Return a JSON value with its whole numbers as doubles, as far as doubles reach."""
    if isinstance(value, int) and not isinstance(value, bool):
        try:
            return float(value)
        except OverflowError:
            return value
    if isinstance(value, dict):
        return {key: _as_doubles(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [_as_doubles(entry) for entry in value]
    return value


def _is_json_text_of(text: str, value: Any) -> bool:
    """Whether a text is the JSON text of a value, perhaps encoded several times."""
    for _ in range(3):
        try:
            inner = parse(text)
        except JSONError:
            return False
        if equal(inner, value):
            return True
        if not isinstance(inner, str):
            return False
        text = inner
    return False


def _compare_batches(pair: Pair) -> Iterator[Finding]:
    """Report calls made at once that were split, and calls made after a result that were merged with others."""
    source, output = pair.source.calls, pair.output.calls
    left_gaps, right_gaps = _interruptions_before_calls(pair.source), _interruptions_before_calls(pair.output)
    for first, second in itertools.pairwise(source):
        if first.ordinal not in pair.call_pairs or second.ordinal not in pair.call_pairs:
            continue
        first_output, second_output = output[pair.call_pairs[first.ordinal]], output[pair.call_pairs[second.ordinal]]
        if first_output.ordinal > second_output.ordinal:
            continue
        was_apart = left_gaps[first.ordinal] != left_gaps[second.ordinal]
        is_apart = right_gaps[first_output.ordinal] != right_gaps[second_output.ordinal]
        details = {"source": second.pointer, "subject": describe_call(second)}
        other = describe_call(first)
        together, apart = f"at once with {other}", f"after the results of {other}"
        if is_apart and not was_apart:
            yield pair.finding("translation/calls-split", second_output.pointer, want=together, got=apart, **details)
        elif was_apart and not is_apart:
            yield pair.finding("translation/calls-merged", second_output.pointer, want=apart, got=together, **details)
        elif first.batch == second.batch and first_output.batch != second_output.batch:
            want, got = f"in one message with {other}", f"in a message after {other}"
            yield pair.finding(
                "translation/calls-in-separate-messages", second_output.pointer, want=want, got=got, **details
            )


def _interruptions_before_calls(reading: Any) -> dict[int, int]:
    """Return for each call how many interruptions by the user's side (a result, a text) came before it.

    An empty user turn counts too: what was in it was removed, since another comparison reports it.
    """
    breaks_by_call: dict[int, int] = {}
    breaks = 0
    open_break = False
    for turn in reading.turns:
        if turn.side == "user" and not turn.items and not open_break:
            breaks += 1
            open_break = True
        for item in turn.items:
            if isinstance(item, Call):
                breaks_by_call[item.ordinal] = breaks
                open_break = False
            elif (isinstance(item, Result) or (isinstance(item, Text) and turn.side == "user")) and not open_break:
                breaks += 1
                open_break = True
    return breaks_by_call


def _compare_ids(pair: Pair) -> Iterator[Finding]:
    """Report different calls that share an id, and legal ids that changed."""
    source, output = pair.source.calls, pair.output.calls
    uses = Counter(call.id for call in source)
    first_use: dict[str, Call] = {}
    for left, right in sorted(pair.call_pairs.items()):
        old, new = source[left], output[right]
        where = new.id_pointer or new.pointer
        if bool(old.id) != bool(new.id):
            pair.accept("optional-id-dropped", where, old.id_pointer, old.id or MISSING, new.id or MISSING)
        if not new.id:
            continue
        owner = first_use.setdefault(new.id, old)
        same_origin = owner.id is not None and owner.id == old.id
        if owner is not old and not same_origin:
            # Within a batch they cannot be distinguished; a provider that cares about later turns has its own rule.
            legal_id = old.id if old.id and old.id != new.id and is_legal_id(pair, old.id) else None
            yield pair.finding(
                f"translation/ids-injective{'' if owner.batch == old.batch else '-across-turns'}",
                where,
                f"{describe_call(owner)} has this id, too",
                want=legal_id or Words(f"an id that {describe_call(owner)} does not have"),
                got=new.id,
                source=old.id_pointer or old.pointer,
                subject=describe_call(old),
            )
        elif old.id and old.id != new.id:
            pair.accept("id-rewritten", where, old.id_pointer, old.id, new.id)
            if is_legal_id(pair, old.id) and uses[old.id] == 1:
                yield pair.finding(
                    "translation/ids-kept",
                    where,
                    want=old.id,
                    got=new.id,
                    source=old.id_pointer,
                    subject=describe_call(old),
                )
