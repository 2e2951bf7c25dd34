"""Bodies that say the same in another legal way: the official clients' users see in them what was meant.

So a witness raises no false alarm, and the judge passes nothing at which an official client breaks.
"""

from __future__ import annotations

from typing import Any

import pytest

from toolcall_conformance import formats
from toolcall_conformance.basics.reading import Reading, Unreadable
from toolcall_conformance.basics.streaming import parse
from toolcall_conformance.library import load_corpus
from toolcall_conformance.library.verdicts import read_verdicts, whole_verdict
from toolcall_conformance.trust.witnesses import witness
from witnesses.wire import sdk

CORPUS = load_corpus()


def verdicts() -> list[tuple[str, dict[str, Any]]]:
    """The harmless variants of what a client reads, by name; those of a source that came whole."""
    return [
        (verdict["name"], whole_verdict(CORPUS.root, verdict))
        for verdict in read_verdicts(CORPUS.root)
        if verdict["kind"] == "harmless"
        and verdict["direction"] in ("response", "error", "stream")
        and "source_bytes" not in verdict
    ]


def expected_reading(verdict: dict[str, Any]) -> Reading | None:
    """What the client should see; None where it is on its own or its upstream's stream is not whole."""
    source, name = verdict.get("source"), verdict["upstream"]
    if source is None or verdict["direction"] != "stream":
        return None if source is None else formats.read(name, verdict["direction"], source)
    whole = formats.assemble(name, parse(source))
    return formats.read(name, "response", whole.body) if whole.end == "whole" else None


def is_cut(source: Reading) -> bool:
    """Whether the limit ended a reply in a call."""
    last = source.calls[-1] if source.calls else None
    reached_limit = source.finish is not None and source.finish.reason == "length"
    return reached_limit and last is not None and isinstance(last.arguments, Unreadable)


@pytest.mark.parametrize("name", CORPUS.formats)
def test_their_users_see_what_was_meant(name: str) -> None:
    sdk(name)
    pairs = [(key, verdict) for key, verdict in verdicts() if verdict["client"] == name]
    refused = {}
    for key, verdict in pairs:
        source = expected_reading(verdict)
        if source is not None and is_cut(source):
            continue  # a call that was cut off may be left out, which no SDK can know
        observation = witness(name, verdict["direction"], verdict["output"], expected=source)
        if not observation.accepted:
            refused[key] = observation.says
    assert len(pairs) > 20
    assert refused == {}
