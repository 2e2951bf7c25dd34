"""The official SDKs' accumulators read every stream that we say a provider would send, and see its unary reply.

Compared are the readings: calls with ids, names and arguments, texts, reasoning, state, finish reason.
"""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import pytest

from every import every
from toolcall_conformance import formats
from toolcall_conformance.library import Case, load_corpus
from toolcall_reference import formats as reference_formats
from witnesses.accumulators import ACCUMULATORS
from witnesses.readings import NOT_GIVEN_OUT, NOT_READ, reply_content, unread

CORPUS = load_corpus()
STREAMED = [
    (case, name)
    for case in CORPUS.cases.values()
    for name in case.formats
    if name not in case.dialects or any(exchange.stream_path for exchange in case.exchanges(name))
]
BROKEN = [
    pytest.param(exchange.broken_path, name, id=f"{case.id}-{name}")
    for case in CORPUS.cases.values()
    if case.scenario.get("broken_stream", {}).get("by") == "error"
    for name in case.formats
    for exchange in case.exchanges(name)
    if exchange.broken_path is not None
]


@every("case, name", STREAMED, id=lambda case, name: f"{case.id}-{name}", by=lambda case, _: case.family, parts=3)
def test_the_sdk_sees_the_unary_reply(case: Case, name: str) -> None:
    for exchange in case.exchanges(name):
        if exchange.stream_path is None:
            continue
        stream = exchange.stream_path.read_bytes()
        finish = formats.read(name, "response", exchange.response).finish
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # kinds of item that this SDK does not know yet
            refused = NOT_GIVEN_OUT.get((name, str(finish and finish.raw)))
            if refused is not None:
                with pytest.raises(Exception, match=refused):
                    ACCUMULATORS[name](stream)
                continue
            if unread(name, exchange.response):
                assert _sees(name, stream) != reply_content(name, exchange.response)
                continue
            if name in case.dialects and not {case.id, f"{case.id}/{name}"}.isdisjoint(NOT_READ):
                assert _sees(name, stream) != reply_content(name, exchange.response)
                continue
            reply = ACCUMULATORS[name](stream)
        assert reply_content(name, reply) == reply_content(name, exchange.response)


def _sees(name: str, stream: bytes) -> str | None:
    """What the SDK sees of a stream; None where it fails."""
    try:
        return reply_content(name, ACCUMULATORS[name](stream))
    except Exception:
        return None


@pytest.mark.parametrize(("path", "name"), BROKEN)
def test_the_sdk_raises_for_an_error_in_a_stream(path: Path, name: str) -> None:
    with pytest.raises(
        Exception,
        match=r"(?i)overloaded|had an error|Failed to call a function|Didn't receive a `response.completed` event",
    ):
        ACCUMULATORS[name](path.read_bytes())


@pytest.mark.parametrize("name", formats.names())
def test_a_piece_that_is_lost_is_seen(name: str) -> None:
    """The comparison above can fail: one fragment less, and the SDK sees another reply."""
    exchange = CORPUS.cases["shell/realistic"].exchanges(name)[0]
    lines = re.split(rb"(?<=\n)\r?\n", reference_formats.get(name).provider.render_stream(exchange.response, "seed"))
    whole = reply_content(name, exchange.response)
    changed = 0
    for place in range(len(lines)):
        try:
            changed += reply_content(name, ACCUMULATORS[name](b"\n".join(lines[:place] + lines[place + 1 :]))) != whole
        except Exception:  # what the SDK says of a stream without its beginning
            changed += 1
    assert changed >= 1
