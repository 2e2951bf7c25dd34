"""Replies and streams to a client whose tool was declared otherwise upstream."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from corpus_judge import judge, judge_history, judge_stream
from reference.reference_bodies import open_way
from toolcall_conformance.basics.contract import Route
from toolcall_conformance.basics.findings import Level
from toolcall_conformance.basics.streaming import dump
from toolcall_conformance.checks import CHECKS
from toolcall_conformance.cli import main
from toolcall_conformance.drivers.python.driver import PythonDriver
from toolcall_conformance.engine.run import make_harness
from toolcall_conformance.judge import Ends, Judge, Requests
from toolcall_conformance.library import load_corpus
from toolcall_reference import ReferenceTranslator

RULE = load_corpus().rule("translation/arguments-undone").raw
ENDS: dict[str, Any] = {"client": "anthropic", "upstream": "openai_responses"}
RIGHT, WRONG = RULE["obeys"]["output"], RULE["breaks"]["output"]
SOURCE, CLIENT, UPSTREAM = (RULE["obeys"][key] for key in ("source", "request", "upstream_request"))
KNOWN: dict[str, Any] = {"request": CLIENT, "upstream_request": UPSTREAM}
Rules = dict[str, Level]


def rules(judgement: Any) -> Rules:
    return {finding.rule: finding.level for finding in judgement.findings if not finding.is_note}


def reply(source: Any, output: Any, **requests: Any) -> Rules:
    return rules(judge(source, output, direction="response", **ENDS, **requests))


def test_with_both_requests_what_was_not_undone_is_a_must() -> None:
    assert reply(SOURCE, WRONG, **KNOWN) == {RULE["id"]: Level.MUST}
    assert reply(SOURCE, RIGHT, **KNOWN) == {}


def test_what_it_asks_for_is_what_it_accepts() -> None:
    (finding,) = [
        finding for finding in judge(SOURCE, WRONG, direction="response", **ENDS, **KNOWN).findings if finding.is_must
    ]
    mended = copy.deepcopy(WRONG)
    mended["content"][0]["input"] = finding.want
    assert reply(SOURCE, mended, **KNOWN) == {}


@pytest.mark.parametrize(
    "requests", [{}, {"request": CLIENT}, {"upstream_request": UPSTREAM}], ids=["none", "up", "down"]
)
def test_without_both_requests_neither_is_a_must(requests: dict[str, Any]) -> None:
    assert reply(SOURCE, WRONG, **requests) == {}
    assert reply(SOURCE, RIGHT, **requests) == {"translation/arguments": Level.SHOULD}


@pytest.mark.parametrize("requests", [{}, KNOWN], ids=["unknown", "known"])
def test_other_arguments_are_a_must_all_the_same(requests: dict[str, Any]) -> None:
    for wrong in ({}, {"city": "Bergen"}, {"city": "Oslo", "unit": ""}, {"city": "Oslo", "unit": "celsius"}):
        output = copy.deepcopy(RIGHT)
        output["content"][0]["input"] = wrong
        assert reply(SOURCE, output, **requests) == {"translation/arguments": Level.MUST}, wrong


def test_a_null_that_the_client_takes_stays() -> None:
    takes = copy.deepcopy(CLIENT)
    takes["tools"][0]["input_schema"]["required"] = ["city", "unit"]
    takes["tools"][0]["input_schema"]["properties"]["unit"] = {"type": ["string", "null"]}
    requests = {"request": takes, "upstream_request": UPSTREAM}
    assert reply(SOURCE, WRONG, **requests) == {}
    assert reply(SOURCE, RIGHT, **requests) == {"translation/arguments": Level.MUST}


def test_a_translator_of_replies_alone_cannot_undo_it() -> None:
    unseen = Requests(CLIENT, UPSTREAM, seen=False)
    judgement = Judge(load_corpus()).response(SOURCE, WRONG, Ends(**ENDS), requests=unseen)
    assert rules(judgement) == {RULE["id"]: Level.SHOULD}


def test_between_two_ends_of_one_format() -> None:
    ends: dict[str, Any] = {"client": "openai_responses", "upstream": "openai_responses"}
    tool = {**UPSTREAM["tools"][0], "parameters": CLIENT["tools"][0]["input_schema"], "strict": False}
    requests = {"request": {**UPSTREAM, "tools": [tool]}, "upstream_request": UPSTREAM}
    output = copy.deepcopy(SOURCE)
    judgement = judge(SOURCE, output, direction="response", **ends, **requests)
    assert RULE["id"] in rules(judgement)
    output["output"][0]["arguments"] = '{"city":"Oslo"}'
    judgement = judge(SOURCE, output, direction="response", **ends, **requests)
    assert "arguments" not in " ".join(f"{finding.rule} {finding.pointer}" for finding in judgement.findings)


def stream_of(arguments: dict[str, Any]) -> bytes:
    """The client's stream of a call with these arguments."""
    text = json.dumps(arguments)
    start = {**RIGHT, "content": [], "stop_reason": None, "usage": {"input_tokens": 61, "output_tokens": 1}}
    block = {**RIGHT["content"][0], "input": {}}
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": start},
        {"type": "content_block_start", "index": 0, "content_block": block},
        *(
            {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": piece}}
            for piece in (text[:7], text[7:])
        ),
        {"type": "content_block_stop", "index": 0},
        {
            "type": "message_delta",
            "delta": {"stop_reason": "tool_use", "stop_sequence": None},
            "usage": {"input_tokens": 61, "output_tokens": 19},
        },
        {"type": "message_stop"},
    ]
    return dump([{"event": event["type"], "data": event} for event in events])


def test_streams() -> None:
    right, wrong = stream_of({"city": "Oslo"}), stream_of({"city": "Oslo", "unit": None})
    assert rules(judge_stream(wrong, source=SOURCE, **ENDS, **KNOWN)) == {RULE["id"]: Level.MUST}
    assert rules(judge_stream(right, source=SOURCE, **ENDS, **KNOWN)) == {}
    assert rules(judge_stream(wrong, source=SOURCE, **ENDS)) == {}
    assert rules(judge_stream(right, source=SOURCE, **ENDS)) == {"translation/arguments": Level.SHOULD}


def with_call(arguments: dict[str, Any]) -> dict[str, Any]:
    """The upstream request after the call and its result."""
    call = {"type": "function_call", "call_id": "call_1", "name": "get_weather", "arguments": json.dumps(arguments)}
    result = {"type": "function_call_output", "call_id": "call_1", "output": "mild"}
    return {**UPSTREAM, "input": [*UPSTREAM["input"], call, result]}


@pytest.mark.parametrize("arguments", [{"city": "Oslo"}, {"city": "Oslo", "unit": None}])
def test_a_call_goes_up_again_by_either_schema(arguments: dict[str, Any]) -> None:
    golden = with_call({"city": "Oslo"})
    golden["tools"] = [{**UPSTREAM["tools"][0], "parameters": CLIENT["tools"][0]["input_schema"], "strict": False}]
    judgement = judge_history(golden, with_call(arguments), **ENDS)
    assert "translation/arguments" not in rules(judgement)
    other = judge_history(golden, with_call({**arguments, "city": "Bergen"}), **ENDS)
    assert rules(other)["translation/arguments"] is Level.MUST


class RepliesAlone:
    """The reference without requests."""

    def open(self, route: Route, /) -> Any:
        class Session:
            def response(self, body: dict[str, Any], /) -> Any:
                return ReferenceTranslator().open(route).response(body)

        return Session()


def test_the_requests_of_a_translator_of_replies_are_the_goldens() -> None:
    corpus = load_corpus()
    case = corpus.cases["schemas/null-in-unions"]
    route = Route("anthropic", "openai_chat", case.model("anthropic"), case.model("openai_chat"))
    driver = PythonDriver(RepliesAlone(), "replies-alone")
    result = CHECKS["response"](case, route, driver.open, make_harness(corpus), "", None)
    assert [finding for finding in result.findings if finding.is_must] == []


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    bodies = {"source": SOURCE, "right": RIGHT, "wrong": WRONG, "client": CLIENT, "upstream": UPSTREAM}
    for name, body in bodies.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(body), encoding="utf-8")
    for name, arguments in (("right", {"city": "Oslo"}), ("wrong", {"city": "Oslo", "unit": None})):
        (tmp_path / f"{name}.sse").write_bytes(stream_of(arguments))
    return {path.name: str(path) for path in tmp_path.iterdir()}


@pytest.mark.parametrize(("kind", "end"), [("--response", "json"), ("--stream", "sse")])
def test_the_command(kind: str, end: str, files: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    both = ["--client-request", files["client.json"], "--upstream-request", files["upstream.json"]]
    for name, options, code in (("right", both, 0), ("wrong", both, 1), ("right", [], 0), ("wrong", [], 0)):
        command = ["judge", kind, *options, files["source.json"], files[f"{name}.{end}"]]
        assert main(command) == code, command
        assert (RULE["id"] in capsys.readouterr().out) == (code == 1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--response", "--upstream-request", "upstream.json"], "add --client-request FILE"),
        (["--client-request", "client.json"], "add --response or --stream"),
        (
            ["--response", "--client-request", "source.json"],
            "this is no request; give the body of a request of anthropic",
        ),
        (["--response", "--client-request", "upstream.json"], "one of anthropic is wanted here"),
        (["--response", "--client-request", "none.json"], "none.json"),
    ],
)
def test_the_command_says_which_request_is_wrong(
    options: list[str], message: str, files: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [files.get(option, option) for option in options]
    bodies = ["client.json", "upstream.json"] if "--response" not in options else ["source.json", "right.json"]
    formats = ["--client", "anthropic", "--upstream", "openai_responses"]
    assert main(["judge", *formats, *arguments, *(files[name] for name in bodies)]) == 4
    assert message in capsys.readouterr().err


def test_the_reference_keeps_arguments_that_fit_its_own_schema() -> None:
    """It makes no parameter nullable: a null of the model is the model's, and stays."""
    way = open_way("anthropic", "openai_responses")
    sent = way.request(copy.deepcopy(CLIENT))
    output = way.response(copy.deepcopy(SOURCE))
    requests = {"request": CLIENT, "upstream_request": sent}
    assert not any(level is Level.MUST for level in reply(SOURCE, output, **requests).values())


def test_lists_of_exchanges_have_both_requests(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lists = {"client": (CLIENT, WRONG), "upstream": (UPSTREAM, SOURCE)}
    for name, (request, response) in lists.items():
        line = json.dumps({"request": request, "response": response})
        (tmp_path / f"{name}.jsonl").write_text(f"{line}\n", encoding="utf-8")
    assert main(["judge", *(str(tmp_path / f"{name}.jsonl") for name in lists)]) == 1
    assert RULE["id"] in capsys.readouterr().out
