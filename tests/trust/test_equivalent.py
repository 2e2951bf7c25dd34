"""When a damaged body still says the same; the judge is never asked."""

from __future__ import annotations

from typing import Any

import pytest

from toolcall_conformance.trust.fault_replay import FaultReplay
from toolcall_conformance.trust.mutation import Workshop
from toolcall_conformance.trust.places import Place
from toolcall_conformance.trust.sampling import Lot, Sampler


@pytest.fixture(autouse=True)
def _the_clients_sdk() -> None:
    pytest.importorskip("google.genai")


def place(sampler: Sampler, direction: Any, client: str, upstream: str, case: str = "shell/seed") -> Place:
    return sampler.of_case(Lot(direction, client, upstream, "drop", 1, 1), case)[0]


def rule(shop: Workshop, at: Place, operator: str, pointer: str) -> str:
    return shop.equivalence.rule(at, pointer, shop.apply(at, operator, pointer))


def test_the_decoder_reads_another_spelling_alike(sampler: Sampler) -> None:
    at = place(sampler, "request", "anthropic", "gemini")
    assert rule(sampler.workshop, at, "respell", "/tools/0/functionDeclarations") == "decoder"


def test_the_decoder_reads_another_value_otherwise(sampler: Sampler) -> None:
    at = place(sampler, "request", "anthropic", "openai_chat")
    assert rule(sampler.workshop, at, "change-last", "/messages/0/content") == ""


def test_the_client_shows_a_text_that_was_split_alike(sampler: Sampler) -> None:
    at = place(sampler, "response", "anthropic", "openai_chat")
    assert rule(sampler.workshop, at, "split-text", "/content/0") == "client"


@pytest.mark.parametrize("pointer", ["/id", "/model"])
def test_what_nobody_reads_is_not_equivalent(sampler: Sampler, pointer: str) -> None:
    """The output is the same, whatever is there: that shows nothing."""
    at = place(sampler, "response", "anthropic", "openai_chat")
    assert rule(sampler.workshop, at, "empty", pointer) == ""


def test_the_table_names_an_equivalence_of_the_corpus(sampler: Sampler) -> None:
    shop = sampler.workshop
    names = {str(entry["equivalence"]) for _, entry in shop.table.equivalent}
    assert names <= shop.harness.corpus.equivalences.keys()
    mutation = FaultReplay(sampler).mutation("shell/seed::response::openai_chat-to-anthropic::01::change-last@/id")
    assert (mutation.outcome, mutation.by) == ("equivalent", "generated-values")
