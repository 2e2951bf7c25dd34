"""The scripted provider calls tools by the names that the translator declared, whatever those are."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from doubles.draft import Draft
from doubles.loop import DoubledSession
from doubles.wire import tools as wire_tools
from toolcall_conformance import formats
from toolcall_conformance.basics.contract import Route
from toolcall_conformance.basics.findings import Level
from toolcall_conformance.basics.streaming import parse
from toolcall_conformance.checks import CHECKS, ItemResult
from toolcall_conformance.checks.conversation.golden_replies import (
    rename_calls,
    rename_calls_in_stream,
    rename_parameters_in_stream,
)
from toolcall_conformance.drivers.python.driver import PythonDriver
from toolcall_conformance.engine.run import make_harness
from toolcall_conformance.library import load_corpus
from turns import share

CORPUS = load_corpus()
HARNESS = make_harness(CORPUS)
CASE = CORPUS.cases["replace/different-tools"]
FORMATS = CORPUS.formats
Rename = Callable[[str], str]


def called_names(name: str, reply: Any) -> list[str | None]:
    return [call.name for call in formats.read(name, "response", reply).calls]


def declared_names(name: str, request: Any) -> list[str | None]:
    return [tool.name for tool in formats.read(name, "request", request).tools]


@pytest.mark.parametrize("name", FORMATS)
def test_only_the_names_of_calls_change(name: str) -> None:
    reply = CASE.exchanges(name)[0].response
    before = copy.deepcopy(reply)
    wire = called_names(name, reply)
    renamed = rename_calls(name, reply, {str(tool): f"x_{tool}" for tool in wire})
    assert called_names(name, renamed) == [f"x_{tool}" for tool in wire]
    assert reply == before
    back = rename_calls(name, renamed, {f"x_{tool}": str(tool) for tool in wire})
    assert back == reply


@pytest.mark.parametrize("name", FORMATS)
def test_a_reply_is_the_golden_itself_where_names_stayed(name: str) -> None:
    reply = CASE.exchanges(name)[0].response
    assert rename_calls(name, reply, {str(tool): str(tool) for tool in called_names(name, reply)}) is reply
    assert rename_calls(name, reply, {}) is reply


@pytest.mark.parametrize("name", FORMATS)
def test_names_are_exchanged_at_once(name: str) -> None:
    reply = CASE.exchanges(name)[0].response
    first, second, *rest = map(str, called_names(name, reply))
    assert called_names(name, rename_calls(name, reply, {first: second, second: first})) == [second, first, *rest]


def sent_by_provider(name: str) -> list[Path]:
    """Every golden stream of a format, whole and broken ones."""
    exchanges = (each for case in CORPUS.cases.values() if name in case.formats for each in case.exchanges(name))
    paths = (path for each in exchanges for path in (each.stream_path, each.broken_path) if path is not None)
    return sorted(paths)


def places(name: str) -> Any:
    return CORPUS.transports[name]["stream"]


def names_in(name: str, stream: bytes) -> list[str | None]:
    return [call.name for call in formats.assemble(name, parse(stream)).calls]


@pytest.mark.parametrize("name", FORMATS)
def test_every_golden_stream_is_renamed_where_it_names_calls_and_nowhere_else(name: str) -> None:
    paths = sent_by_provider(name)
    assert len(paths) > 50
    for path in share(paths, 3):
        stream = path.read_bytes()
        before = formats.assemble(name, parse(stream))
        own = {call.name for call in formats.read(name, "response", before.body).calls if call.kind == "builtin"}
        wire = [called for called in names_in(name, stream) if called]
        renamed = rename_calls_in_stream(stream, {called: f"x_{called}" for called in wire}, places(name))
        assert names_in(name, renamed) == [called if called in own else f"x_{called}" for called in wire], path
        after = formats.assemble(name, parse(renamed))
        assert before.body is not None
        assert after.body == rename_calls(name, before.body, {called: f"x_{called}" for called in wire}), path
        assert rename_calls_in_stream(renamed, {f"x_{called}": called for called in wire}, places(name)) == stream, path


# An event with a call that is named, and whose arguments look like one; ``%s`` is the only name to change.
EVENTS = {
    "anthropic": '{"type": "content_block_start", "index": 0, "content_block": {"type": "tool_use", "id": "t", '
    '"name": "%s", "input": {"name": "grep"}}}',
    "gemini": '{"candidates": [{"content": {"parts": [{"text": "grep"}, {"functionCall": {"args":{"name":"grep", '
    '"functionCall": {"name": "grep"}}, "name" : "%s"}}]}}], "n": 1.0e+02}',
    "openai_chat": '{"choices": [{"delta": {"name": "grep", "tool_calls": [{"index": 0, "function": {"name": "%s", '
    '"arguments": "{\\"name\\": \\"grep\\"}"}}]}}]}',
    "openai_responses": '{"type": "response.output_item.done", "name": "grep", "item": {"type": "function_call", '
    '"name": "%s", "arguments": "{\\"name\\": \\"grep\\"}", "more": {"name": "grep"}}}',
}


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_an_argument_that_is_called_name_is_not_the_name_of_a_call(name: str, newline: str) -> None:
    others = [
        "\ufeff: hello",
        "",
        "event: x",
        "id: 7",
        "data: %s",
        "",
        'data:{"name": "grep"',
        "",
        "data",
        "",
        "data: [DONE]",
    ]
    stream = newline.join(others)
    golden, expected = (stream.replace("%s", EVENTS[name] % called).encode() for called in ("grep", "grep_1"))
    assert rename_calls_in_stream(golden, {"grep": "grep_1"}, places(name)) == expected
    assert rename_calls_in_stream(golden, {"other": "grep_1"}, places(name)) == golden


def test_names_in_a_stream_are_exchanged_at_once_and_written_as_json() -> None:
    stream = (
        b'data: {"choices": [{"delta": {"tool_calls": [{"function": {"name": "a"}},\ndata:  {"function": '
        b'{"name": "\\u0062"}}]}}]}\n\n'
    )
    expected = stream.replace(b'"a"', b'"b\\""').replace(b'"\\u0062"', b'"a"')
    assert rename_calls_in_stream(stream, {"a": 'b"', "b": "a"}, places("openai_chat")) == expected


def test_bytes_that_are_no_text_stay() -> None:
    event = b'data: {"choices": [{"delta": {"content": "\xff", "tool_calls": [{"function": {"name": "a"}}]}}]}\n\n'
    assert rename_calls_in_stream(event, {"a": "b"}, places("openai_chat")) == event.replace(b'"a"', b'"b"')


@pytest.mark.parametrize("notation", ["shel\\u006c", "shell"])
def test_a_name_in_a_stream_may_be_written_with_escapes(notation: str) -> None:
    event = b'data: {"choices": [{"delta": {"tool_calls": [{"function": {"name": "NAME"}}]}}]}\n\n'
    event = event.replace(b"NAME", notation.encode())
    expected = event.replace(notation.encode(), b"bash")
    assert rename_calls_in_stream(event, {"shell": "bash"}, places("openai_chat")) == expected


@pytest.mark.parametrize("size", [1, 2, 5, 100])
def test_parameters_are_renamed_in_fragments_and_what_is_no_json_stays(size: int) -> None:
    """A model may write what is no JSON: here a line break within a key, and a text that does not end."""
    raw_arguments = '{"a\nb": 1, "path": {"path": "path"}, "x": "path", "pa\\u0074h": [{"path": 2}], "y": "path \\\\\\"'
    started = {"type": "tool_use", "id": "t", "name": "cat", "input": {}}
    events: list[dict[str, Any]] = [{"type": "content_block_start", "index": 3, "content_block": started}]
    for at in range(0, len(raw_arguments), size):
        delta = {"type": "input_json_delta", "partial_json": raw_arguments[at : at + size]}
        events.append({"type": "content_block_delta", "index": 3, "delta": delta})
    stream = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events).encode()
    output = rename_parameters_in_stream(stream, {"cat": {"path": "file"}}, CORPUS.transports["anthropic"]["stream"])
    pieces = [event["data"]["delta"]["partial_json"] for event in parse(output)["events"][1:]]
    want = '{"a\nb": 1, "file": {"path": "path"}, "x": "path", "file": [{"path": 2}], "y": "path \\\\\\"'
    assert "".join(pieces) == want
    other = rename_parameters_in_stream(stream, {"dog": {"path": "file"}}, CORPUS.transports["anthropic"]["stream"])
    assert other == stream


def test_a_hosted_tool_of_the_provider_keeps_its_name() -> None:
    event = b'data: {"content_block": {"type": "server_tool_use", "name": "web_search"}}\n\n'
    assert rename_calls_in_stream(event, {"web_search": "web_search_1"}, places("anthropic")) == event


class Renaming(DoubledSession):
    """Declares every tool under another name, legal ones too; gives the client its own names back."""

    rename: Rename = staticmethod(lambda name: f"mcp__{name}")
    restores = True

    def names(self) -> dict[str, str]:
        return {str(name): self.rename(str(name)) for name in declared_names(self.route.client, self.asked)}

    def after_request(self, body: dict[str, Any]) -> dict[str, Any]:
        draft, names = Draft(body, self.route.upstream), self.names()
        for each in [*draft.calls, *draft.results, *wire_tools(self.route.upstream, body)]:
            if "name" in each.inner:
                each.inner["name"] = names[each.inner["name"]]
        return body

    def before_response(self, body: dict[str, Any]) -> dict[str, Any]:
        self.heard = called_names(self.route.upstream, body)
        back = {new: old for old, new in self.names().items()} if self.restores else {}
        for call in Draft(body, self.route.upstream).calls:
            call.name = back.get(call.name, call.name)
        return body


def play(session: type[DoubledSession], check: str, client: str, upstream: str) -> tuple[ItemResult, list[Any]]:
    opened: list[Any] = []

    class Translator:
        def open(self, route: Route, /) -> DoubledSession:
            doubled_session = session(route, {})
            opened.append(doubled_session)
            return doubled_session

    route = Route(client, upstream, CASE.model(client), CASE.model(upstream))
    return CHECKS[check](CASE, route, PythonDriver(Translator(), "double").open, HARNESS, "", None), opened


def rules_at_level(result: ItemResult, level: Level) -> set[str]:
    return {finding.rule for finding in result.findings if finding.level is level}


ROUTES = [(client, upstream) for client in FORMATS for upstream in FORMATS if client != upstream]


@pytest.mark.parametrize(("client", "upstream"), ROUTES)
def test_all_tools_renamed_and_back_is_no_damage(client: str, upstream: str) -> None:
    for check in ("response", "agent_loop"):
        result, opened = play(Renaming, check, client, upstream)
        assert not result.findings, check
        assert opened[0].heard == [] or all(name.startswith("mcp__") for name in opened[0].heard)
    request, _ = play(Renaming, "request", client, upstream)
    assert rules_at_level(request, Level.SHOULD) == {"translation/tool-name-kept"}
    assert not rules_at_level(request, Level.MUST)


class NotRestoring(Renaming):
    restores = False


@pytest.mark.parametrize(("client", "upstream"), ROUTES)
def test_names_that_do_not_come_back_are_seen(client: str, upstream: str) -> None:
    result, _ = play(NotRestoring, "response", client, upstream)
    assert "translation/call-name" in rules_at_level(result, Level.MUST)


class Exchanging(Renaming):
    """Declares two tools under each other's names."""

    @staticmethod
    def rename(name: str) -> str:
        return {"read_file": "replace", "replace": "read_file"}.get(name, name)


class ExchangingForGood(Exchanging):
    restores = False


@pytest.mark.parametrize(("client", "upstream"), ROUTES)
def test_two_tools_exchanged_are_called_by_what_they_say(client: str, upstream: str) -> None:
    assert {"read_file", "replace"} <= set(declared_names(client, CASE.exchanges(client)[0].request))
    result, _ = play(Exchanging, "response", client, upstream)
    assert not result.findings
    result, _ = play(ExchangingForGood, "response", client, upstream)
    assert "translation/call-name" in rules_at_level(result, Level.MUST)


class Undeclared(DoubledSession):
    """Leaves out the declaration of the tool that the model calls; ``heard`` is what the provider calls it by."""

    def after_request(self, body: dict[str, Any]) -> dict[str, Any]:
        for tool in wire_tools(self.route.upstream, body):
            if tool.inner["name"] == "read_file":
                tool.remove()
                break
        return body

    def before_response(self, body: dict[str, Any]) -> dict[str, Any]:
        self.heard = getattr(self, "heard", []) + called_names(self.route.upstream, body)
        return body


@pytest.mark.parametrize("upstream", FORMATS)
def test_a_tool_that_was_not_declared_keeps_the_golden_name(upstream: str) -> None:
    client = "openai_chat" if upstream != "openai_chat" else "anthropic"
    result, opened = play(Undeclared, "response", client, upstream)
    assert "read_file" in opened[0].heard
    assert not result.findings, "the request is at fault, and its own check says so"
    request, _ = play(Undeclared, "request", client, upstream)
    assert "translation/tool-lost" in rules_at_level(request, Level.MUST)
