"""The phase of Responses' messages: reported as lost on the way to the other formats, kept between two ends of one."""

from __future__ import annotations

import copy

import pytest

from reference.reference_bodies import open_way
from toolcall_conformance.library import load_corpus
from toolcall_reference import Session

EXCHANGES = load_corpus().cases["parallel/text-around"].exchanges("openai_responses")
OTHERS = ("anthropic", "gemini", "openai_chat")


def lost(session: Session) -> set[str]:
    return {loss.element for loss in session.losses}


@pytest.mark.parametrize("other", OTHERS)
def test_the_reference_says_that_a_phase_is_lost(other: str) -> None:
    session = open_way("openai_responses", other)
    session.request(copy.deepcopy(EXCHANGES[1].request))
    assert "phase" in lost(session)
    whole, streamed = open_way(other, "openai_responses"), open_way(other, "openai_responses")
    whole.response(copy.deepcopy(EXCHANGES[0].response))
    stream_path = EXCHANGES[0].stream_path
    assert stream_path is not None
    list(streamed.stream([stream_path.read_bytes()]))
    assert "phase" in lost(whole)
    assert "phase" in lost(streamed)


def test_the_reference_keeps_a_phase_between_two_ends_of_responses() -> None:
    session = open_way("openai_responses", "openai_responses")
    before = EXCHANGES[1].request
    after = session.request(copy.deepcopy(before))
    assert [item.get("phase") for item in after["input"]] == [item.get("phase") for item in before["input"]]
    assert lost(session) == set()
