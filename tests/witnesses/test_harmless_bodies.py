"""Bodies that say the same in another legal way: the official clients' users see in them what was meant.

So a witness raises no false alarm, and the judge passes nothing at which an official client breaks.
"""

from __future__ import annotations

from typing import Any

import pytest

from toolcall_conformance import formats
from toolcall_conformance.library import load_corpus
from toolcall_conformance.library.verdicts import read_verdicts, whole_verdict
from toolcall_conformance.reading import Reading, Unreadable
from toolcall_conformance.streaming import parse
from toolcall_conformance.witnesses import witness
from witnesses.wire import sdk

CORPUS = load_corpus()


def verdicts() -> list[tuple[str, dict[str, Any]]]:
    """The harmless variants of what a client reads, by name; those of a source that came whole."""
    return [
        (one["name"], whole_verdict(CORPUS.root, one))
        for one in read_verdicts(CORPUS.root)
        if one["kind"] == "harmless"
        and one["direction"] in ("response", "error", "stream")
        and "source_bytes" not in one
    ]


def meant(one: dict[str, Any]) -> Reading | None:
    """What the client should see; None where it stands alone or its upstream's stream is not whole."""
    source, name = one.get("source"), one["upstream"]
    if source is None or one["direction"] != "stream":
        return None if source is None else formats.read(name, one["direction"], source)
    whole = formats.assembled(name, parse(source))
    return formats.read(name, "response", whole.body) if whole.end == "whole" else None


def is_cut(source: Reading) -> bool:
    """Whether the limit ended a reply in a call."""
    last = source.calls[-1] if source.calls else None
    ended = source.finish is not None and source.finish.reason == "length"
    return ended and last is not None and isinstance(last.arguments, Unreadable)


@pytest.mark.parametrize("name", CORPUS.formats)
def test_their_users_see_what_was_meant(name: str) -> None:
    sdk(name)
    found = [(key, one) for key, one in verdicts() if one["client"] == name]
    refused = {}
    for key, one in found:
        source = meant(one)
        if source is not None and is_cut(source):
            continue  # a call that was cut off may be left out, which no SDK can know
        came = witness(name, one["direction"], one["output"], meant=source)
        if not came.accepted:
            refused[key] = came.says
    assert len(found) > 20
    assert refused == {}
