"""The official SDKs' accumulators read every stream that we say a provider would send, and see its unary reply.

Compared are the readings: calls with ids, names and arguments, texts, reasoning, state, finish reason.
"""

from __future__ import annotations

import re
import warnings
from typing import Any

import pytest

from toolcall_conformance import formats
from toolcall_conformance.jsonvalue import canonical
from toolcall_conformance.library import Case, load_corpus
from toolcall_reference.provider import STREAMS
from witnesses.accumulators import ACCUMULATORS

CORPUS = load_corpus()
STREAMED = [
    pytest.param(case, name, id=f"{case.id}-{name}")
    for case in CORPUS.cases.values()
    for name in case.formats
    if name not in case.dialects
]

#: Replies that an SDK's accumulator does not give out: (format, finish reason) -> what it raises.
NOT_GIVEN_OUT = {
    ("openai_chat", "length"): "the length limit was reached",
    ("openai_responses", "max_output_tokens"): "Didn't receive a `response.completed` event",
}


def said(name: str, body: Any) -> str:
    """All that a reply says to its reader, but for the usage."""
    reading = formats.read(name, "response", body)
    turns = [[_said(item) for item in turn.items] for turn in reading.turns]
    calls = [[call.id, call.name, call.arguments] for call in reading.calls]
    told = canonical([turns, calls, repr(reading.finish and reading.finish.raw)])
    # The SDK spells bytes in base64's other alphabet, without padding.
    return told.translate(str.maketrans("-_", "+/", "=")) if name == "gemini" else told


def _said(item: Any) -> list[str]:
    kept = [name for name in ("text", "id", "name", "arguments", "value", "data") if hasattr(item, name)]
    return [type(item).__name__, *(f"{name}={getattr(item, name)!r}" for name in kept)]


@pytest.mark.parametrize(("case", "name"), STREAMED)
def test_the_sdk_sees_the_unary_reply(case: Case, name: str) -> None:
    for exchange in case.exchanges(name):
        if exchange.response is None:
            continue
        stream = STREAMS[name](exchange.response, f"{case.id}/{exchange.number}")
        finish = formats.read(name, "response", exchange.response).finish
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # kinds of item that this SDK does not know yet
            refused = NOT_GIVEN_OUT.get((name, str(finish and finish.raw)))
            if refused is not None:
                with pytest.raises(Exception, match=refused):
                    ACCUMULATORS[name](stream)
                continue
            found = ACCUMULATORS[name](stream)
        assert said(name, found) == said(name, exchange.response)


@pytest.mark.parametrize("name", formats.names())
def test_a_piece_that_is_lost_is_seen(name: str) -> None:
    """The comparison above can fail: one fragment less, and the SDK sees another reply."""
    exchange = CORPUS.cases["shell/realistic"].exchanges(name)[0]
    lines = re.split(rb"(?<=\n)\r?\n", STREAMS[name](exchange.response, "seed"))
    whole = said(name, exchange.response)
    changed = 0
    for place in range(len(lines)):
        try:
            changed += said(name, ACCUMULATORS[name](b"\n".join(lines[:place] + lines[place + 1 :]))) != whole
        except Exception:  # what the SDK says of a stream without its beginning
            changed += 1
    assert changed >= 1
