"""Cases are recorded against a provider on loopback: what is asked, what is kept, and that it is read again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cassettes.loopback_provider import KEY, Provider, Record, fresh, replies
from toolcall_conformance import formats
from toolcall_conformance.basics import jsonvalue
from toolcall_conformance.library import Corpus
from toolcall_conformance.recording.cassettes.files import read
from toolcall_conformance.recording.cassettes.interactions import RecordedExchange, identify

FORMATS = ("anthropic", "openai_chat", "openai_responses", "gemini")
CASES = ("parallel/seed", "read_file/two-rounds")
WAYS = pytest.mark.parametrize("streamed", [False, True], ids=["unary", "stream"])


def golden_requests(corpus: Corpus, case: str, name: str, streamed: bool) -> list[Any]:
    """What the provider must be asked: the golden requests with our model, its own ids, and the wish for a stream."""
    requests = []
    for exchange in corpus.cases[case].exchanges(name):
        body = json.loads(fresh(corpus.cases[case], name, json.dumps(exchange.request)))
        if "model" in body:
            body["model"] = "model-1"
        requests.append({**body, **(corpus.transports[name]["stream"]["body"] if streamed else {})})
    return requests


@WAYS
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("name", FORMATS)
def test_a_case_is_recorded_and_read_again(
    name: str, case: str, streamed: bool, corpus: Corpus, upstream: Provider, record: Record, tmp_path: Path
) -> None:
    upstream.answers = replies(corpus.cases[case], name, streamed=streamed)
    answers = [answer.body for answer in upstream.answers if not callable(answer)]
    ran = record(name, "--case", case, "--stream" if streamed else "--unary")
    assert (ran.code, ran.err) == (0, "")
    transport = corpus.transports[name]
    expected = golden_requests(corpus, case, name, streamed)
    path = (transport["stream"].get("path") if streamed else None) or transport["path"]
    for request, body in zip(upstream.asked, expected, strict=True):
        assert request.path == path.partition("?")[0].replace("{model}", "model-1")
        assert request.query == path.partition("?")[2]
        assert any(KEY in value for value in request.headers.values())
        assert request_content(corpus, name, request.body) == request_content(corpus, name, body)
    file = tmp_path / "kept" / name / f"{case}{'.stream' if streamed else ''}.json"
    assert [path for path in (tmp_path / "kept").rglob("*") if path.is_file()] == [file]
    assert KEY not in file.read_text()
    interactions = read(file)
    assert len(interactions) == len(expected)
    for interaction, request, answer in zip(interactions, upstream.asked, answers, strict=True):
        recording = identify(file, interaction, corpus)
        assert isinstance(recording, RecordedExchange)
        assert (recording.format, recording.model, recording.official) == (name, "model-1", False)
        assert jsonvalue.equal(recording.request, request.body)
        if streamed:
            assert recording.stream == answer
        else:
            assert jsonvalue.equal(recording.response, jsonvalue.parse(answer))
        assert set(interaction.request_headers) <= {"content-type", "anthropic-version"}
        assert set(interaction.response_headers) == {"content-type"}
    about = json.loads(file.read_text())["toolcall"]
    assert about["complete"]
    assert (about["case"], about["format"], about["model"], about["streamed"]) == (case, name, "model-1", streamed)


def test_the_settings_name_the_folder(corpus: Corpus, upstream: Provider, record: Record, tmp_path: Path) -> None:
    upstream.answers = replies(corpus.cases[CASES[0]], "anthropic", streamed=False)
    ran = record("anthropic", "--case", CASES[0], "--unary", settled=True)
    assert (ran.code, ran.err) == (0, "")
    assert (tmp_path / "kept" / "anthropic" / f"{CASES[0]}.json").is_file()


def request_content(corpus: Corpus, name: str, body: dict[str, Any]) -> dict[str, Any]:
    """What a request says: its settings and tools as they are, its calls and results as they are read.

    The model's own turns may hold more: an ideal client sends back what it was sent.
    """
    reading = formats.read(name, "request", body)
    (container,) = (key for key in corpus.format(name)["containers"]["request"] if key in body)
    calls = [(call.name, call.id, call.arguments) for call in reading.calls]
    results = [
        (result.call, result.id, [getattr(part, "text", part) for part in result.parts]) for result in reading.results
    ]
    return {**{key: value for key, value in body.items() if key != container}, container: [calls, results]}
