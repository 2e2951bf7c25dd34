"""Opaque state and foreign keys: state goes to its own provider only, and no other format's keys are left over."""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolcall_conformance.findings import Finding
from toolcall_conformance.library import Corpus
from toolcall_conformance.reading import Opaque
from toolcall_conformance.translation.media_bytes import base64_spelling
from toolcall_conformance.translation.pair import Pair

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
    spelt = base64_spelling if pair.target.get("opaque_as_bytes") else str
    origins = {
        spelt(item.value): item.origin for turn in pair.source.turns for item in turn.items if isinstance(item, Opaque)
    }
    carried = set()
    for turn in pair.output.turns:
        for item in turn.items:
            if isinstance(item, Opaque):
                carried.add(spelt(item.value))
                origin = origins.get(spelt(item.value))
                if origin is not None and origin != pair.output.format:
                    own = pair.output.format
                    yield pair.finding(
                        "translation/state-to-stranger",
                        item.pointer,
                        f"state was sent to another provider; or it is {own}'s own, kept in {origin}'s place for state"
                        if CAPTURED in pair.circumstances
                        else "",
                        want=f"for {origin} only",
                        got=item.value[:40],
                    )
    for value, origin in origins.items():
        if origin == pair.output.format and value not in carried:
            yield pair.finding("translation/state-lost", "", want=value[:40])


def find_foreign_keys(pair: Pair, reported: list[Finding]) -> Iterator[Finding]:
    """Keys that only another format has, left over in the output."""
    marks = {
        mark: name
        for name in pair.corpus.formats
        if name != pair.output.format
        for mark in pair.corpus.format(name).get("marks", [])
    }
    own = set(pair.target.get("marks", []))
    known = {finding.pointer for finding in reported if finding.is_must}
    for residue in pair.output.residue:
        holder = residue.pointer.rpartition("/")[0]
        if residue.key in marks and residue.key not in own and known.isdisjoint((residue.pointer, holder)):
            yield pair.finding(
                "translation/foreign-key-null" if residue.value is None else "translation/foreign-key",
                residue.pointer,
                f"the key {residue.key!r} belongs to {marks[residue.key]}",
                got=residue.value,
            )
