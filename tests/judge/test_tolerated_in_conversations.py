"""What a judge tolerated is told of whole conversations and of streams that fail, too."""

from __future__ import annotations

from typing import Any

import pytest

from doubles.alone import judgement
from toolcall_conformance.findings import Tolerated
from toolcall_conformance.jsonvalue import resolve
from toolcall_conformance.library import load_corpus
from toolcall_conformance.library.verdicts import read_verdicts, whole_verdict

CORPUS = load_corpus()


def tolerated(name: str, *, asked: bool = True) -> tuple[Tolerated, ...]:
    """What a judge tolerated in the output of a verdict."""
    verdict: Any = next(one for one in read_verdicts(CORPUS.root) if one["name"] == name)
    whole = whole_verdict(CORPUS.root, verdict)
    return judgement(whole, whole["output"], tolerated=asked).tolerated


@pytest.mark.parametrize(
    ("verdict", "name", "pointer"),
    [
        ("loop-ids/numbers-all-calls/gemini", "optional-id-dropped", "/contents/1/parts/0/functionCall/id"),
        ("loop-parallel/in-order-of-the-calls/openai_responses", "order-of-results-linked-by-id", "/input/5"),
        ("stream-ends/message-among-other-words/anthropic", "error-message-in-words", "/events/8"),
        ("stream-ends/type-of-a-timeout/anthropic", "error-details", "/events/8"),
        ("stream-content/blocked-prompt-as-error/openai_chat", "finish-next-best", "/events/1"),
    ],
)
def test_it_is_told(verdict: str, name: str, pointer: str) -> None:
    assert (name, pointer) in {(one.name, one.pointer) for one in tolerated(verdict)}
    assert tolerated(verdict, asked=False) == ()


def test_places_are_those_of_the_request_that_was_sent() -> None:
    """It may name what the provider remembers, where the judge reads the whole."""
    loops = [one for one in read_verdicts(CORPUS.root) if one["direction"] == "loop" and one["kind"] == "harmless"]
    places = [(one, place.pointer) for one in loops for place in tolerated(one["name"])]
    assert len(places) > 50
    for verdict, pointer in places:
        resolve(verdict["output"], pointer)  # raises where nothing stands there
