"""The scripted provider writes arguments by the schemas that were declared to it, whole and in fragments."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from toolcall_conformance import formats
from toolcall_conformance.basics.streaming import parse
from toolcall_conformance.checks.conversation.converted_arguments import convert_arguments_in_stream
from toolcall_conformance.checks.conversation.golden_replies import rename_calls, rename_calls_in_stream
from toolcall_conformance.judge import Judge
from toolcall_conformance.judge.translation.calls.argument_conversion import ArgumentConversion
from toolcall_conformance.judge.translation.tools.tool_names import DeclaredNames
from toolcall_conformance.library import load_corpus

CORPUS = load_corpus()
CASE = CORPUS.cases["parallel/three-tools"]
BEFORE: dict[str, Any] = {"type": "object"}
NOTE = {"type": "object", "properties": {"note": {"type": ["string", "null"]}}, "required": ["note"]}
"""Requires a parameter that no golden call has, and takes null for it."""


def arguments(name: str, reply: Any) -> dict[str, Any]:
    return {str(call.name): call.arguments for call in formats.read(name, "response", reply).calls}


def add_note(of: Mapping[str, Any], tool: str) -> dict[str, Any]:
    return {name: {**arguments_of, "note": None} if name == tool else arguments_of for name, arguments_of in of.items()}


@pytest.fixture(params=CORPUS.formats)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def converting_names(tool: str) -> DeclaredNames:
    return DeclaredNames({}, (), {tool: ArgumentConversion(BEFORE, NOTE)})


def test_whole_replies(name: str) -> None:
    reply = CASE.exchanges(name)[0].response
    for tool in (golden := arguments(name, reply)):
        assert arguments(name, rename_calls(name, reply, converting_names(tool))) == add_note(golden, tool)


def test_streams_assemble_to_the_same(name: str) -> None:
    exchange, transport = CASE.exchanges(name)[0], CORPUS.transports[name]["stream"]
    stream = exchange.stream()
    golden = arguments(name, formats.assemble(name, parse(stream)).body)
    assert len(golden) == 3
    for tool in golden:
        changed = rename_calls_in_stream(stream, converting_names(tool), transport)
        assert len(parse(changed)["events"]) == len(parse(stream)["events"])
        assert arguments(name, formats.assemble(name, parse(changed)).body) == add_note(golden, tool)
        assert faults(name, changed) == []


def faults(name: str, stream: bytes) -> list[str]:
    return [finding.rule for finding in Judge(CORPUS).body(name, "stream", parse(stream)).findings if finding.is_must]


def test_names_change_after_the_arguments(name: str) -> None:
    exchange, transport = CASE.exchanges(name)[0], CORPUS.transports[name]["stream"]
    golden = arguments(name, exchange.response)
    tool = next(iter(golden))
    names = DeclaredNames({tool: "other"}, (), {tool: ArgumentConversion(BEFORE, NOTE)})
    expected = {"other" if key == tool else key: entry for key, entry in add_note(golden, tool).items()}
    assert arguments(name, rename_calls(name, exchange.response, names)) == expected
    stream = rename_calls_in_stream(exchange.stream(), names, transport)
    assert arguments(name, formats.assemble(name, parse(stream)).body) == expected


def test_arguments_that_say_the_same_keep_every_byte(name: str) -> None:
    exchange, transport = CASE.exchanges(name)[0], CORPUS.transports[name]["stream"]
    same = {tool: ArgumentConversion(BEFORE, {"type": "OBJECT"}) for tool in arguments(name, exchange.response)}
    assert convert_arguments_in_stream(exchange.stream(), same, transport) == exchange.stream()
    names = DeclaredNames({}, (), same)
    assert json.dumps(rename_calls(name, exchange.response, names)) == json.dumps(exchange.response)


def test_arguments_that_are_cut_off_stay_as_they_are() -> None:
    events = [
        {"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, "id": "a", "function": {"name": "f"}}]}}]},
        {"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, "function": {"arguments": '{"a": "x'}}]}}]},
    ]
    stream = b"".join(f"data: {json.dumps(event)}\n\n".encode() for event in events)
    transport = CORPUS.transports["openai_chat"]["stream"]
    assert convert_arguments_in_stream(stream, {"f": ArgumentConversion(BEFORE, NOTE)}, transport) == stream
