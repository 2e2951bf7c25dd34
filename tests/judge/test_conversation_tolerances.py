"""Tolerated differences are listed for whole conversations and for streams that fail, too."""

from __future__ import annotations

from typing import Any

import pytest

from doubles.verdict_judge import judge_instead
from toolcall_conformance.basics.findings import Tolerated
from toolcall_conformance.basics.jsonvalue import resolve
from toolcall_conformance.library import load_corpus
from toolcall_conformance.library.verdicts import read_verdicts, whole_verdict

CORPUS = load_corpus()


def tolerated_differences(name: str, *, has_tolerance: bool = True) -> tuple[Tolerated, ...]:
    """What a judge tolerated in the output of a verdict."""
    verdict: Any = next(verdict for verdict in read_verdicts(CORPUS.root) if verdict["name"] == name)
    whole = whole_verdict(CORPUS.root, verdict)
    return judge_instead(whole, whole["output"], tolerated=has_tolerance).tolerated


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
def test_differences_in_conversations_are_reported(verdict: str, name: str, pointer: str) -> None:
    assert (name, pointer) in {(deviation.name, deviation.pointer) for deviation in tolerated_differences(verdict)}
    assert tolerated_differences(verdict, has_tolerance=False) == ()


def test_places_are_those_of_the_request_that_was_sent() -> None:
    """It may name what the provider remembers, where the judge reads the whole."""
    loops = [
        verdict
        for verdict in read_verdicts(CORPUS.root)
        if verdict["direction"] == "loop" and verdict["kind"] == "harmless"
    ]
    places = [(loop, place.pointer) for loop in loops for place in tolerated_differences(loop["name"])]
    assert len(places) > 50
    for verdict, pointer in places:
        resolve(verdict["output"], pointer)  # raises where nothing stands there
