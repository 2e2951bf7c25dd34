"""What a translation costs grows with the conversation, and not more: counted in steps of the interpreter."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

from benchmarks.growing import MODELS, SHAPES, translate_request
from toolcall_conformance.basics.contract import Route
from toolcall_reference import ReferenceTranslator
from tracing import count_bytecodes

FEW, MANY = 50, 800
STEEPEST = 1.15
ROUTES = [
    ("anthropic", "openai_chat"),
    ("openai_chat", "gemini"),
    ("gemini", "openai_responses"),
    ("openai_responses", "anthropic"),
]
IDS = ("id", "tool_use_id", "tool_call_id", "call_id")


def _request(shape: str, messages: int, client: str) -> dict[str, Any]:
    return translate_request(SHAPES[shape](messages // 2), "anthropic", client)


def _exponent(body_of: Callable[[int], dict[str, Any]], client: str, upstream: str) -> float:
    route = Route(client, upstream, MODELS[client], MODELS[upstream])
    counts = []
    for size in (FEW, MANY):
        body = body_of(size)
        ReferenceTranslator().open(route).request(body)  # what is made once
        counts.append(count_bytecodes(lambda body=body: ReferenceTranslator().open(route).request(body)))  # type: ignore[misc]
    return math.log(counts[1] / counts[0]) / math.log(MANY / FEW)


@pytest.mark.parametrize(("client", "upstream"), ROUTES)
def test_a_history_of_turns(client: str, upstream: str) -> None:
    assert _exponent(lambda size: _request("calls in turns", size, client), client, upstream) < STEEPEST


@pytest.mark.parametrize("client", ["gemini", "openai_chat"])
def test_calls_at_once(client: str) -> None:
    assert _exponent(lambda size: _request("calls at once", size, client), client, "openai_responses") < STEEPEST


def test_ids_that_are_used_again_in_each_turn() -> None:
    def body(size: int) -> dict[str, Any]:
        def again(value: Any) -> Any:
            if isinstance(value, dict):
                return {key: "call_0" if key in IDS else again(inner) for key, inner in value.items()}
            return [again(entry) for entry in value] if isinstance(value, list) else value

        request: dict[str, Any] = again(_request("calls in turns", size, "openai_chat"))
        return request

    assert _exponent(body, "openai_chat", "openai_responses") < STEEPEST
