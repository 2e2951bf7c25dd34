"""Opaque state and foreign keys: state goes to its own provider only, and no other format's keys are left over."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from toolcall_conformance.basics.findings import MISSING, Finding, Words
from toolcall_conformance.basics.jsonvalue import equal, join, resolve
from toolcall_conformance.basics.reading import Opaque, Reading, Waiver
from toolcall_conformance.judge.translation.media.media_identity import normal_base64
from toolcall_conformance.judge.translation.nearest import nearest_place
from toolcall_conformance.judge.translation.pair import Pair
from toolcall_conformance.library import Corpus

CAPTURED = "captured-bodies"
_OPTIONAL = "state-optional"


def model_circumstances(corpus: Corpus, upstream: str, model: str | None) -> tuple[str, ...]:
    """The circumstances that follow from the model a request goes to: whether it can do without its state."""
    optional = corpus.format(upstream).get("state_optional_models")
    return (_OPTIONAL,) if optional and model and re.search(optional, model) else ()


def compare_opaque(pair: Pair) -> Iterator[Finding]:
    """In a request, opaque state goes to the provider that made it and to no other.

    Between two ends of one format ``own_state`` compares it, and whose state it is, is the client's business.
    """
    if pair.is_same_format:
        return
    # Where the provider takes it as bytes, their spelling is free.
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
                    own, origin = pair.output.format, twin.origin
                    yield pair.finding(
                        "translation/state-to-stranger",
                        item.pointer,
                        f"state was sent to another provider; or it is {own}'s own, kept in {origin}'s place for state"
                        if CAPTURED in pair.circumstances
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
    """What stands for signatures that the client lacks, with the place of each: its own provider alone takes it."""
    waivers = (item for turn in reading.turns for item in turn.items if isinstance(item, Waiver))
    return {str(resolve(reading.body, waiver.pointer)): waiver.pointer for waiver in waivers}


def find_foreign_keys(pair: Pair, reported: list[Finding]) -> Iterator[Finding]:
    """Keys that only another format has, left over in the output."""
    marks = {
        mark: name
        for name in pair.corpus.formats
        if name != pair.output.format
        for mark in pair.corpus.format(name).get("marks", [])
    }
    own = set(pair.target.get("marks", []))
    pointers = {finding.pointer for finding in reported if finding.is_must}
    for residue in pair.output.residue:
        if not pair.is_request and residue.key not in marks:
            pair.accept("unknown-reply-keys", residue.pointer, None, MISSING, residue.value)
        holder = residue.pointer.rpartition("/")[0]
        if residue.key in marks and residue.key not in own and pointers.isdisjoint((residue.pointer, holder)):
            yield pair.finding(
                "translation/foreign-key-null" if residue.value is None else "translation/foreign-key",
                residue.pointer,
                f"the key {residue.key!r} belongs to {marks[residue.key]}",
                want=MISSING,
                got=residue.value,
                source=_place_of(pair.source.body, residue.key, residue.value),
            )


def _place_of(body: Any, key: str, value: Any) -> str | None:
    """Where a body, however deep, has a key with a value; None if it nowhere has."""
    places = [(body, "")]
    while places:
        holder, pointer = places.pop()
        if isinstance(holder, dict) and key in holder and equal(holder[key], value):
            return join(pointer, key)
        entries = holder.items() if isinstance(holder, dict) else enumerate(holder) if isinstance(holder, list) else ()
        places.extend((entry, join(pointer, name)) for name, entry in entries)
    return None
