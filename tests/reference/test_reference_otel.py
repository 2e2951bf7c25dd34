"""The reference as an observer: GenAI messages of all cases, valid part by part, and back.

A third of each format's files is read a day; every case is among them in one format at least.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator
from pathlib import Path
from typing import Any

import pytest

from corpus_judge import judge
from reference.genai import FOLDER, faults
from toolcall_conformance.basics.jsonvalue import parse
from toolcall_conformance.library import default_root
from toolcall_reference import Refused, formats, otel
from toolcall_reference.conversation.losses import Losses
from turns import share

SCENARIOS = default_root() / "scenarios"
FORMATS = formats.names()
each_format = pytest.mark.parametrize("name", FORMATS)

#: What a MUST of the judge about the way there and back says, by the loss that has to declare it.
DECLARED = {
    "translation/parallel-flag": "setting",
    "translation/setting-changed": "setting",
    "translation/setting-lost": "setting",
    "translation/state-returned": "signature",
    "translation/stream-lost": "setting",
    "translation/tool-choice": "setting",
}


def files(name: str, kind: str) -> Iterator[Path]:
    yield from sorted(SCENARIOS.glob(f"*/*/{name}/*-{kind}"))


def files_today(name: str, kind: str, step: int = 1) -> list[Path]:
    """The files of a third of the cases, of another third in the next format."""
    cases = sorted(SCENARIOS.glob("*/*"))
    today = {*share(cases, 3, FORMATS.index(name))}
    return [path for path in [*files(name, kind)][::step] if path.parent.parent in today]


def body(path: Path) -> Any:
    return parse(path.read_bytes())


def messages_of(path: Path, name: str) -> otel.GenAI:
    if path.suffix == ".sse":
        return otel.of_stream([path.read_bytes()], name)
    read = otel.of_request if path.name.endswith("-request.json") else otel.of_response
    return read(body(path), name)


@each_format
@pytest.mark.parametrize("kind", ["request.json", "response.json", "response.sse"])
def test_every_body_of_the_corpus_is_valid_part_by_part(name: str, kind: str) -> None:
    counts: Counter[str] = Counter()
    wrong = [
        f"{path.parent.parent}: {fault}"
        for path in files_today(name, kind)
        for fault in faults(messages_of(path, name).attributes(), counts)
    ]
    assert not wrong, "\n".join(wrong[:20])
    assert counts["text"] > 60
    assert counts["tool_call"] > 60


@each_format
def test_a_streamed_reply_says_what_the_whole_one_says(name: str) -> None:
    # A stream of Gemini joins its texts, and a vendor's stream has its text in an order that its reply cannot show.
    apart = {"server_tools/web-search", "streaming/dialect-text-behind-call"}
    compared = 0
    for path in files_today(name, "response.json"):
        stream = path.with_suffix(".sse")
        if stream.is_file() and "/".join(path.parts[-4:-2]) not in apart:
            compared += 1
            whole = messages_of(path, name).output_messages[:1]
            assert messages_of(stream, name).output_messages == whole, path
    assert compared > 130


def undeclared_losses(source: Any, back: Any, name: str, declared: Container[str]) -> list[str]:
    """What the judge finds lost on the way there and back, and no loss declares."""
    return [
        f"{finding.rule} {finding.pointer}: {finding.message}"
        for finding in judge(source, back, client=name, upstream=name, captured=True).findings
        if finding.is_must and DECLARED.get(finding.rule) not in declared
    ]


@each_format
@pytest.mark.parametrize("state", [True, False])
def test_requests_come_back_but_for_what_is_declared(name: str, state: bool) -> None:
    undeclared, done, refused = [], 0, []
    for path in files_today(name, "request.json", 2 if state else 6):
        source, losses = body(path), Losses()
        telemetry = otel.of_request(source, name, state=state)
        try:
            back = otel.to_request(telemetry.attributes(), name, source.get("model", "gemini-2.5-pro"), losses)
        except Refused:
            refused.append((path, {loss.element for loss in telemetry.losses}))
            continue
        done += 1
        declared = {loss.element for loss in (*telemetry.losses, *losses)}
        undeclared += [f"{path.parent.parent.name}: {loss}" for loss in undeclared_losses(source, back, name, declared)]
    assert not undeclared, "\n".join(undeclared[:20])
    assert done > 20
    # Only a history that the provider keeps is cut, and that is said.
    assert len(refused) < 5
    assert all("history" in declared for _, declared in refused)


@each_format
def test_what_a_provider_ran_itself_comes_back_as_it_was(name: str) -> None:
    """Code, searches, servers, pictures: every item that became parts of its own is in the request again."""
    steps: Counter[str] = Counter()
    for path in files(name, "request.json"):
        telemetry = otel.of_request(body(path), name, state=True)
        parts = [part for message in telemetry.input_messages for part in message["parts"]]
        hosted = [part for part in parts if part["type"].startswith("server_tool_call")]
        if not hosted:
            continue
        again = otel.to_request(telemetry.attributes(), name, body(path).get("model", "gemini-2.5-pro"))
        assert _hosted(otel.of_request(again, name, state=True)) == _hosted(telemetry), path
        steps.update(part["name"] for part in hosted if part["type"] == "server_tool_call")
    assert (sum(steps.values()) > 0) == (name != "openai_chat"), steps


def _hosted(telemetry: otel.GenAI) -> list[Any]:
    parts = [part for message in telemetry.input_messages for part in message["parts"]]
    return [part for part in parts if part["type"].startswith("server_tool_call")]


def test_a_conversation_that_the_provider_keeps_is_whole() -> None:
    folder = SCENARIOS / "state" / "follow-up" / "openai_responses"
    exchanges = [
        ({**body(path), **({"previous_response_id": "resp_kept"} if number else {})}, body(_reply(path)))
        for number, path in enumerate(sorted(folder.glob("*-request.json"))[:2])
    ]
    exchanges[1][0]["input"] = exchanges[1][0]["input"][-1:]
    telemetry = otel.of_conversation(exchanges, "openai_responses")
    assert not faults(telemetry.attributes())
    calls = [
        part["id"] for message in telemetry.input_messages for part in message["parts"] if part["type"] == "tool_call"
    ]
    answers = [
        part["id"]
        for message in telemetry.input_messages
        for part in message["parts"]
        if part["type"] == "tool_call_response"
    ]
    assert calls
    assert answers == calls
    assert "finish_reason" not in telemetry.input_messages[-2]
    assert telemetry.finish_reasons == [telemetry.output_messages[0]["finish_reason"]]


def _reply(path: Path) -> Path:
    return path.with_name(path.name.replace("request", "response"))


def test_every_choice_is_a_message() -> None:
    message = {"role": "assistant", "content": "Yes.", "refusal": None}
    choices = [{"index": place, "message": message, "finish_reason": "stop"} for place in range(2)]
    telemetry = otel.of_response({"id": "chatcmpl-1", "model": "gpt-4.1", "choices": choices}, "openai_chat")
    assert telemetry.finish_reasons == ["stop", "stop"]
    assert not list(telemetry.losses)


def test_a_search_that_grounds_an_answer_is_a_step_ahead_of_it() -> None:
    grounding = {
        "webSearchQueries": ["tide table Narvik"],
        "groundingChunks": [{"web": {"uri": "https://example.org/tides", "title": "Tides"}}],
        "groundingSupports": [{"segment": {"endIndex": 5, "text": "At 4."}, "groundingChunkIndices": [0]}],
    }
    candidate = {
        "content": {"role": "model", "parts": [{"text": "At 4."}]},
        "finishReason": "STOP",
        "groundingMetadata": grounding,
    }
    telemetry = otel.of_response({"candidates": [candidate]}, "gemini")
    call, answer, text = telemetry.output_messages[0]["parts"]
    assert call["server_tool_call"] == {"type": "google_search_web", "arguments": {"queries": ["tide table Narvik"]}}
    assert answer["server_tool_call_response"]["response"]["groundingChunks"] == grounding["groundingChunks"]
    assert text["citations"] == [{"url": "https://example.org/tides", "title": "Tides", "start": 0, "end": 5}]
    assert not faults(telemetry.attributes())


@pytest.mark.parametrize("cut", [1, 2, 3])
def test_a_stream_that_breaks_off_ends_in_an_error(cut: int) -> None:
    stream = (SCENARIOS / "shell" / "seed" / "anthropic" / "01-response.sse").read_bytes()
    events = stream.split(b"\n\n")
    telemetry = otel.of_stream([b"\n\n".join(events[:cut]) + b"\n\n"], "anthropic")
    assert telemetry.finish_reasons == ["error"]
    with pytest.raises(Refused):
        otel.of_stream([b""], "anthropic")


@pytest.mark.parametrize(
    ("part", "message"),
    [
        ({"type": "tool_call_response", "id": "call_1"}, "a tool_call_response must have a response"),
        ({"type": "server_tool_call", "name": "web_search", "server_tool_call": {}}, "an object with a type"),
        ({"type": "tool_call", "name": 3}, "name must be a string"),
    ],
)
def test_parts_that_are_none_are_refused_in_words(part: dict[str, Any], message: str) -> None:
    with pytest.raises(Refused, match=message):
        otel.to_request({"input_messages": [{"role": "assistant", "parts": [part]}]}, "anthropic", "claude-sonnet-4-5")


def test_the_folder_names_its_source_and_licence() -> None:
    facts = parse((FOLDER / "otel.json").read_bytes())
    assert facts["source"]["licence"] == "Apache-2.0"
    assert {attribute["schema"] for attribute in facts["attributes"].values()} <= {
        path.name for path in (FOLDER / "schemas").iterdir()
    }
