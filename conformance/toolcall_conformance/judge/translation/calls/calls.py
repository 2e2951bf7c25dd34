"""Calls: none lost, doubled or invented; names, arguments, batches and ids as they were."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from typing import Any

from toolcall_conformance.basics.findings import MISSING, Finding, Words
from toolcall_conformance.basics.jsonvalue import JSONError, equal, parse
from toolcall_conformance.basics.reading import Call, Result, Text, Unreadable
from toolcall_conformance.judge.translation.calls.arguments_wanted import arguments_wanted
from toolcall_conformance.judge.translation.calls.empty_turns import remains_of_calls
from toolcall_conformance.judge.translation.calls.odd_arguments import (
    compare_odd,
    is_odd,
    may_be_dropped,
    shown,
    stands_as,
)
from toolcall_conformance.judge.translation.calls.schema_reversal import (
    is_left_changed,
    is_same_by_schemas,
    may_be_undone,
)
from toolcall_conformance.judge.translation.calls.steps_as_calls import steps_as_calls
from toolcall_conformance.judge.translation.nearest import near
from toolcall_conformance.judge.translation.pair import Pair, call_words
from toolcall_conformance.judge.translation.results.failures import strings_in
from toolcall_conformance.judge.translation.texts.rendered_text import TextualizedCalls
from toolcall_conformance.judge.translation.tools.kinds import compare_call_kind
from toolcall_conformance.judge.translation.tools.own_tools import says_the_same
from toolcall_conformance.judge.translation.tools.undeclared_names import undeclared_names
from toolcall_conformance.judge.translation.wire_words import call_value, legal_id

#: The circumstance that the judge does not know the schemas by which arguments were written and are read.
SCHEMAS_UNKNOWN = "schemas-unknown"


def compare_calls(pair: Pair) -> Iterator[Finding]:
    """Report every difference between the aligned calls, and those that only one side has."""
    source, output, alignment = pair.source.calls, pair.output.calls, pair.alignment
    steps = pair.view(steps_as_calls)
    first_alike: dict[tuple[str | None, str], int] = {}
    for left in alignment.pairs if alignment.invented else ():
        first_alike.setdefault((source[left].name, alignment.arguments[0][left]), left)
    textualized_calls = pair.view(TextualizedCalls.of) if alignment.lost else None
    remains = pair.view(remains_of_calls) if alignment.lost else {}
    for left in alignment.lost:
        call = source[left]
        if not call.name and not pair.is_request:
            continue  # no client can run a call without a name
        if may_be_dropped(pair, call):
            place = near(pair, call.pointer)
            pair.accept("cut-call-dropped", place, call.pointer, call_value(pair, call, place), MISSING)
            continue
        now = textualized_calls.rendering_of(call) if textualized_calls is not None else None
        empty = remains.get(call.pointer) if now is None else None
        place = near(pair, call.pointer) if now is None else now.pointer
        how = "" if now is None else "a tool call is rendered as text instead"
        yield pair.finding(
            "translation/call-lost",
            empty or place,
            how if empty is None else "of a tool call only an empty turn is left",
            want=call_value(pair, call, place) if now is None and empty is None else Words(call_words(call)),
            got=pair.stands(empty) if empty is not None else MISSING if now is None else now.text,
            source=call.pointer,
            subject=call_words(call),
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
                got=pair.stands(call.pointer),
                source=step.pointer,
                subject=call_words(call),
            )
            continue
        twin = first_alike.get((call.name, alignment.arguments[1][right]))
        yield pair.finding(
            "translation/call-duplicated" if twin is not None else "translation/call-invented",
            call.pointer,
            f"it repeats {call_words(source[twin])}" if twin is not None else "",
            want=MISSING,
            got=pair.stands(call.pointer),
            source=source[twin].pointer if twin is not None else None,
            subject=call_words(call),
        )
    for left, right in sorted(alignment.pairs.items()):
        yield from _compare_one(pair, source[left], output[right])
    yield from _moved(pair)
    yield from _compare_batches(pair)
    yield from _compare_ids(pair)


def _moved(pair: Pair) -> Iterator[Finding]:
    """The calls that stand in another place among those that both bodies have."""
    moved = pair.alignment.moved
    if not moved:
        return
    orders = sorted(pair.calls), sorted(pair.calls, key=pair.calls.__getitem__)
    near = [_predecessors(order, frozenset()) for order in orders]
    resting = [_predecessors(order, moved) for order in orders]
    for left in sorted(moved):
        want, got = (_behind(pair, before[left]) for before in near)
        if want == got:  # its neighbour moved with it
            want, got = (_behind(pair, before[left]) for before in resting)
        yield pair.finding(
            "translation/call-order",
            pair.output.calls[pair.calls[left]].pointer,
            want=want,
            got=got,
            source=pair.source.calls[left].pointer,
            subject=call_words(pair.source.calls[left]),
        )


def _predecessors(order: Iterable[int], moved: Collection[int]) -> dict[int, int | None]:
    """For each call of an order the one before it that did not move, None for the first."""
    predecessors: dict[int, int | None] = {}
    last = None
    for call in order:
        predecessors[call] = last
        last = last if call in moved else call
    return predecessors


def _behind(pair: Pair, other: int | None) -> str:
    """A place in an order of calls: behind which one."""
    return "first of all calls" if other is None else f"after {call_words(pair.source.calls[other])}"


def _compare_one(pair: Pair, left: Call, right: Call) -> Iterator[Finding]:
    expected = _expected_name(pair, left)
    if _is_empty(pair, left, right):
        yield pair.finding(
            "translation/call-lost",
            right.pointer,
            "only an empty call is there, without a name and arguments",
            want=call_value(pair, left, right.pointer),
            got=pair.stands(right.pointer),
            source=left.pointer,
            subject=call_words(left),
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
            subject=call_words(left),
        )
    if not pair.is_request:
        yield from compare_call_kind(pair, left, right)
    yield from _compare_arguments(pair, left, right)


def _is_empty(pair: Pair, left: Call, right: Call) -> bool:
    """Whether nothing of a call arrived but an empty one; its name may be at a place where no client reads it."""
    if not left.name or right.name or not shown(left) or shown(right):
        return False
    return left.name not in strings_in(pair.stands(right.pointer))


def _expected_name(pair: Pair, call: Call) -> str | None:
    """The name of a call's tool in the output. Two namespaces may each have a tool of its name: the call says which."""
    twins = [twin for tool, twin in pair.twins if (tool.namespace, tool.name) == (call.namespace, call.name)]
    if call.namespace is not None and twins:
        return twins[0].name
    name = call.name or ""
    return pair.names.get(name) or pair.view(undeclared_names).get(name, call.name)


def _compare_arguments(pair: Pair, left: Call, right: Call) -> Iterator[Finding]:
    where = right.arguments_pointer or right.pointer
    subject = call_words(left)
    if is_odd(left):
        yield from compare_odd(pair, left, right, subject)
        return
    allowed = equality(left, right, exact=pair.both("big-integers"))
    if allowed is not None:
        if allowed:
            pair.accept(allowed, where, left.arguments_pointer, shown(left), shown(right))
        return
    if is_same_by_schemas(pair, left, right):
        pair.accept("arguments-by-schema", where, left.arguments_pointer, shown(left), shown(right))
        return
    got = shown(right)
    message = ""
    twice = isinstance(got, str) and left.kind == "function" and _encodes(got, left.arguments)
    if twice:
        message = "the arguments are JSON text inside JSON text (encoded twice)"
    unknown = not pair.is_request and pair.conversions is None and may_be_undone(left.arguments, right.arguments)
    if unknown:
        message = (
            "they changed as if a change in the tool's schema were undone, and the requests that show it are unknown"
        )
    yield pair.finding(
        "translation/arguments-undone" if is_left_changed(pair, left, right) else "translation/arguments",
        where,
        message,
        want=arguments_wanted(pair, left, right),
        got=pair.stands(right.arguments_pointer) if twice else stands_as(pair, right),
        source=left.arguments_pointer or left.pointer,
        subject=subject,
        under=(SCHEMAS_UNKNOWN,) if unknown else (),
    )


def equality(left: Call, right: Call, *, exact: bool) -> str | None:
    """By which equivalence arguments are the same, blank for equal JSON values; None where they are not.

    Free text of a custom tool may be wrapped in an object with one key, and back. Where one side's numbers are doubles
    (``exact`` false) whole numbers are compared as such.
    """
    if isinstance(right.arguments, Unreadable):
        return None
    if "builtin" in (left.kind, right.kind):
        if left.kind == right.kind and equal(left.arguments, right.arguments):
            return ""
        return "own-tool-as-another" if says_the_same(left, right) else None
    if left.kind != right.kind:
        function, custom = (left, right) if left.kind == "function" else (right, left)
        wrapped = function.arguments
        fits = isinstance(wrapped, dict) and len(wrapped) == 1 and custom.arguments in wrapped.values()
        return "custom-tool-as-function" if fits else None
    if equal(left.arguments, right.arguments):
        return ""
    same = not exact and equal(_doubles(left.arguments), _doubles(right.arguments))
    return "big-integers-as-doubles" if same else None


def _doubles(value: Any) -> Any:
    if isinstance(value, int) and not isinstance(value, bool):
        try:
            return float(value)
        except OverflowError:
            return value
    if isinstance(value, dict):
        return {key: _doubles(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [_doubles(entry) for entry in value]
    return value


def _encodes(text: str, value: Any) -> bool:
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
    """Calls made at once stay together; calls made after a result was seen stay after it."""
    source, output = pair.source.calls, pair.output.calls
    left_gaps, right_gaps = _separated(pair.source), _separated(pair.output)
    for first, second in itertools.pairwise(source):
        if first.ordinal not in pair.calls or second.ordinal not in pair.calls:
            continue
        first_output, second_output = output[pair.calls[first.ordinal]], output[pair.calls[second.ordinal]]
        if first_output.ordinal > second_output.ordinal:
            continue
        was_apart = left_gaps[first.ordinal] != left_gaps[second.ordinal]
        is_apart = right_gaps[first_output.ordinal] != right_gaps[second_output.ordinal]
        details = {"source": second.pointer, "subject": call_words(second)}
        other = call_words(first)
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


def _separated(reading: Any) -> dict[int, int]:
    """For each call, how many user-side interruptions (a result, a text) came before it.

    A turn of the user that is empty is one, too: what stood in it was taken out as told elsewhere.
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
    """Ids of different calls stay different, and legal ids are kept."""
    source, output = pair.source.calls, pair.output.calls
    uses = Counter(call.id for call in source)
    first_use: dict[str, Call] = {}
    for left, right in sorted(pair.calls.items()):
        old, new = source[left], output[right]
        where = new.id_pointer or new.pointer
        if bool(old.id) != bool(new.id):
            pair.accept("optional-id-dropped", where, old.id_pointer, old.id or MISSING, new.id or MISSING)
        if not new.id:
            continue
        owner = first_use.setdefault(new.id, old)
        same_origin = owner.id is not None and owner.id == old.id
        if owner is not old and not same_origin:
            # Within a batch they cannot be told apart; a provider that cares about later turns has its own rule.
            own = old.id if old.id and old.id != new.id and legal_id(pair, old.id) else None
            yield pair.finding(
                f"translation/ids-injective{'' if owner.batch == old.batch else '-across-turns'}",
                where,
                f"{call_words(owner)} has this id, too",
                want=own or Words(f"an id that {call_words(owner)} does not have"),
                got=new.id,
                source=old.id_pointer or old.pointer,
                subject=call_words(old),
            )
        elif old.id and old.id != new.id:
            pair.accept("id-rewritten", where, old.id_pointer, old.id, new.id)
            if legal_id(pair, old.id) and uses[old.id] == 1:
                yield pair.finding(
                    "translation/ids-kept",
                    where,
                    want=old.id,
                    got=new.id,
                    source=old.id_pointer,
                    subject=call_words(old),
                )
