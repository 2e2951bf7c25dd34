"""Opaque state and foreign keys: state goes to its own provider only, and is shown to clients in its documented place.

No other format's keys are left over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from toolcall_conformance.basics.findings import MISSING, Finding, Words
from toolcall_conformance.basics.jsonvalue import equal, join, resolve
from toolcall_conformance.basics.reading import Opaque, Reading, Waiver
from toolcall_conformance.judge.translation.media.media_identity import normal_base64
from toolcall_conformance.judge.translation.nearest import nearest_place
from toolcall_conformance.judge.translation.pair import Pair, describe_call
from toolcall_conformance.library import Corpus

CAPTURED_BODIES = "captured-bodies"
_STATE_OPTIONAL = "state-optional"


def model_circumstances(corpus: Corpus, upstream: str, model: str | None) -> tuple[str, ...]:
    """Return the circumstances that follow from a request's model: whether it can do without its state."""
    optional = corpus.format(upstream).get("state_optional_models")
    return (_STATE_OPTIONAL,) if optional and model and re.search(optional, model) else ()


def compare_opaque_state(pair: Pair) -> Iterator[Finding]:
    """Report opaque state in a request that goes to another provider than its own, or is lost.

    Between two ends of one format ``compare_own_state`` compares it: whose state it is, is the client's business.
    """
    if pair.is_same_format:
        return
    # Where the provider takes it as bytes, their notation is free.
    notation = normal_base64 if pair.target.get("opaque_as_bytes") else str
    origins = {
        notation(item.value): item for turn in pair.source.turns for item in turn.items if isinstance(item, Opaque)
    }
    stand_ins = _stand_ins(pair.source)
    carried = set()
    for turn in pair.output.turns:
        for item in turn.items:
            if isinstance(item, Opaque):
                carried.add(notation(item.value))
                if item.value in stand_ins:
                    yield pair.finding(
                        "translation/state-to-stranger",
                        item.pointer,
                        want=Words("no state of another provider"),
                        got=item.value,
                        source=stand_ins[item.value],
                    )
                twin = origins.get(notation(item.value))
                if twin is not None and twin.origin != pair.output.format:
                    output_format, origin = pair.output.format, twin.origin
                    yield pair.finding(
                        "translation/state-to-stranger",
                        item.pointer,
                        f"state was sent to another provider; or it is {output_format}'s own, kept in {origin}'s place "
                        "for state"
                        if CAPTURED_BODIES in pair.circumstances
                        else "",
                        want=Words("no state of another provider"),
                        got=item.value[:40],
                        source=twin.pointer,
                    )
    for value, item in origins.items():
        if item.origin == pair.output.format and value not in carried:
            where = nearest_place(pair, item.pointer)
            yield pair.finding(
                "translation/state-lost", where, want=Words(value[:40]), got=MISSING, source=item.pointer
            )


def _stand_ins(reading: Reading) -> dict[str, str]:
    """Return placeholders for signatures that the client lacks, with their places: only their provider accepts them."""
    waivers = (item for turn in reading.turns for item in turn.items if isinstance(item, Waiver))
    return {str(resolve(reading.body, waiver.pointer)): waiver.pointer for waiver in waivers}


def find_foreign_keys(pair: Pair, reported: list[Finding]) -> Iterator[Finding]:
    """Yield findings for keys in the output that only another format has."""
    marks = {
        mark: name
        for name in pair.corpus.formats
        if name != pair.output.format
        for mark in pair.corpus.format(name).get("marks", [])
    }
    own_marks = set(pair.target.get("marks", []))
    pointers = {finding.pointer for finding in reported if finding.is_must}
    for residue in pair.output.residue:
        if not pair.is_request and residue.key not in marks:
            pair.accept("unknown-reply-keys", residue.pointer, None, MISSING, residue.value)
        holder = residue.pointer.rpartition("/")[0]
        if residue.key in marks and residue.key not in own_marks and pointers.isdisjoint((residue.pointer, holder)):
            yield pair.finding(
                "translation/foreign-key-null" if residue.value is None else "translation/foreign-key",
                residue.pointer,
                f"the key {residue.key!r} belongs to {marks[residue.key]}",
                want=MISSING,
                got=residue.value,
                source=_find_member(pair.source.body, residue.key, residue.value),
            )


def _find_member(body: Any, key: str, value: Any) -> str | None:
    """Return where a body, however deep, has a key with a value; None if nowhere."""
    places = [(body, "")]
    while places:
        holder, pointer = places.pop()
        if isinstance(holder, dict) and key in holder and equal(holder[key], value):
            return join(pointer, key)
        entries = holder.items() if isinstance(holder, dict) else enumerate(holder) if isinstance(holder, list) else ()
        places.extend((entry, join(pointer, name)) for name, entry in entries)
    return None


_SHOWN_STATE_RULE: Final = "translation/reply-state-shown"
_SHOWN_AT_ENDS: Final = 20


def compare_shown_state(pair: Pair) -> Iterator[Finding]:
    """Report state on a call that differs from the provider's, at the place documented for the client.

    A translator need not show state: it may remember it, or wrap it in a place of its own. But a client that knows the
    documented place sends back what is there, maybe past this translator. A call without state may have a value all the
    same: some providers document one that means "none".
    """
    provider = pair.source.format
    if provider == pair.output.format:
        return
    notation = normal_base64 if pair.corpus.format(provider).get("opaque_as_bytes") else str
    sources = {
        pair.call_pairs[item.call]: item
        for item in _states(pair.source)
        if item.call is not None and item.call in pair.call_pairs
    }
    without_call = {notation(item.value) for item in _states(pair.source) if item.call is None}
    outputs = {item.call: item for item in _states(pair.output) if item.origin == provider and item.call is not None}
    owners = {notation(item.value): call for call, item in sources.items()}
    arrived = {
        call
        for call, item in outputs.items()
        if call in sources and notation(item.value) == notation(sources[call].value)
    }
    for call, item in outputs.items():
        owner = owners.get(notation(item.value))
        # Repeated on a further call it loses nothing, nor does what was next to the calls.
        if (
            call in arrived
            or notation(item.value) in without_call
            or (call not in sources and (owner is None or owner in arrived))
        ):
            continue
        yield pair.finding(
            _SHOWN_STATE_RULE,
            item.pointer,
            "" if owner is None else f"the state of {describe_call(pair.output.calls[owner])} is on another call",
            want=_both_ends(sources[call].value) if call in sources else MISSING,
            got=_both_ends(item.value),
            source=sources[call if owner is None else owner].pointer,
            subject=describe_call(pair.output.calls[call]),
        )


def _states(reading: Reading) -> Iterator[Opaque]:
    for turn in reading.turns:
        yield from (item for item in turn.items if isinstance(item, Opaque))


def _both_ends(value: str) -> str:
    """Return both ends of a state: changed ones are mostly cut."""
    return (
        value
        if len(value) <= 2 * _SHOWN_AT_ENDS
        else f"{value[:_SHOWN_AT_ENDS]} … {value[-_SHOWN_AT_ENDS:]}, {len(value)} characters"
    )
