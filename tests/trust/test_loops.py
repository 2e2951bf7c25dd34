"""Faults across the exchanges of a conversation, each played again with what follows from it."""

from __future__ import annotations

from typing import Any

import pytest

from toolcall_conformance.trust.fault_replay import FaultReplay
from toolcall_conformance.trust.loops import changed_bodies, parts_of
from toolcall_conformance.trust.sampling import Lot, Sampler

AT = "parallel/text-around::loop::anthropic-to-openai_chat::01"
#: A fault, and what becomes of it: by a rule of its element, or because nothing was said otherwise.
BECOMES = [
    ("forget-earlier@/exchanges/1/request/messages", "killed", "turn"),
    ("add-earlier@/exchanges/1/request/messages", "killed", "turn"),
    ("take-from-session@/exchanges/1/request", "killed", "exchange"),
    ("take-from-session@/exchanges/0/response", "killed", "exchange"),
    ("take-from-session@/exchanges/0/response/content/1/name", "killed", "name"),
    ("take-from-session@/exchanges/0/response/id", "equivalent", "envelope"),
]


@pytest.fixture(scope="module")
def whole_loop(sampler: Sampler) -> Any:
    return sampler.of_case(Lot("loop", "anthropic", "openai_chat", "drop", 1, 1), "parallel/text-around")[0]


def test_a_conversation_has_all_bodies_that_were_made(whole_loop: Any) -> None:
    assert [set(exchange) for exchange in whole_loop.output["exchanges"]] == [{"request", "response"}, {"request"}]
    part, rest = whole_loop.part("/exchanges/0/response/content/0")
    assert (part.direction, part.target, rest) == ("response", "anthropic", "/content/0")
    assert parts_of("/exchanges/1/request") == (1, "request", "")


def test_an_undamaged_conversation_played_again_says_nothing(whole_loop: Any, sampler: Sampler) -> None:
    assert changed_bodies(whole_loop.output, whole_loop.output) == []
    assert [finding for finding in sampler.workshop.findings(whole_loop, whole_loop.output) if finding.is_must] == []


@pytest.mark.parametrize(("fault", "outcome", "element"), BECOMES, ids=[row[0] for row in BECOMES])
def test_a_fault_across_exchanges(fault: str, outcome: str, element: str, sampler: Sampler) -> None:
    mutation = FaultReplay(sampler).mutation(f"{AT}::{fault}")
    assert (mutation.outcome, mutation.element) == (outcome, element), mutation


def test_a_fault_in_a_conversation_is_named_in_the_format_of_its_body(sampler: Sampler) -> None:
    mutation = FaultReplay(sampler).mutation(f"{AT}::forget-earlier@/exchanges/1/request/messages")
    assert (mutation.format, mutation.pattern) == ("openai_chat", "/exchanges/*/request/messages")
    assert mutation.within == ("request", "/messages")
