"""GenAI messages of recorded traffic with tools: valid part by part, and back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from formats.test_traffic import TRAFFIC, Record, records
from reference.genai import faults
from reference.test_reference_otel import FORMATS, undeclared_losses
from toolcall_reference import Refused, otel
from toolcall_reference.conversation.losses import Losses

pytestmark = pytest.mark.skipif(not TRAFFIC.is_dir(), reason="the recorded traffic is not beside this checkout")
each_format = pytest.mark.parametrize("name", FORMATS)

#: How many bodies there are at least, and how many steps that the provider ran itself.
LEAST = {"anthropic": (500, 60), "openai_chat": (900, 0), "openai_responses": (550, 80), "gemini": (400, 10)}


def messages(record: Record, name: str) -> Iterator[otel.GenAI]:
    content = record.content
    if (content["status"] or 200) >= 400:
        return
    if isinstance(content["request"], dict):
        yield otel.of_request(content["request"], name)
    if isinstance(content["response"], dict) and not content["streaming"]:
        yield from _replies(content["response"], name)
    if content.get("sse") and content.get("stream_format") == "sse":
        yield otel.of_stream([content["sse"].encode("utf-8", "surrogatepass")], name)


def _replies(body: Any, name: str) -> Iterator[otel.GenAI]:
    if body.get("status") != "queued":  # a reply that is still being made is none
        yield otel.of_response(body, name)


@each_format
def test_recorded_bodies_are_valid_part_by_part(name: str) -> None:
    counts: Counter[str] = Counter()
    done, wrong = 0, []
    for record in records(name):
        for telemetry in messages(record, name):
            done += 1
            wrong += [f"{record.path}: {fault}" for fault in faults(telemetry.attributes(), counts)]
    assert not wrong, "\n".join(wrong[:20])
    bodies, steps = LEAST[name]
    assert done >= bodies
    assert counts["server_tool_call"] >= steps
    print(name, done, dict(counts))


@each_format
def test_recorded_requests_come_back_but_for_what_is_declared(name: str, pytestconfig: pytest.Config) -> None:
    every = 15 if pytestconfig.getoption("--recorded") else 1
    undeclared, done, refused = [], 0, 0
    for record in [record for record in records(name) if record.is_official(name)][::every]:
        source = record.content["request"]
        if not isinstance(source, dict):
            continue
        losses = Losses()
        telemetry = otel.of_request(source, name, state=True)
        try:
            back = otel.to_request(telemetry.attributes(), name, source.get("model") or record.content["model"], losses)
        except Refused:
            refused += 1
            continue
        done += 1
        declared = {loss.element for loss in (*telemetry.losses, *losses)}
        undeclared += [f"{record.path}: {loss}" for loss in undeclared_losses(source, back, name, declared)]
    assert not undeclared, "\n".join(undeclared[:20])
    assert done > 5 * refused
