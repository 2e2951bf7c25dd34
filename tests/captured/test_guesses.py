"""What bodies show of themselves: their format and direction, what they are wrapped in, and what is no body at all."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest

from toolcall_conformance.basics.streaming import parse
from toolcall_conformance.cli import main
from toolcall_conformance.formats.recognition import BodyKind, other_api, recognise_body, recognise_events
from toolcall_conformance.library import load_corpus

CORPUS = load_corpus()
CASE = CORPUS.cases["parallel/three-tools"]


def test_every_golden_is_known_or_one_of_the_likely() -> None:
    """Of a request with a message and a model alone nobody can say whose it is."""
    sure: list[bool] = []
    for case, name in [(golden_case, name) for golden_case in CORPUS.cases.values() for name in golden_case.formats]:
        for exchange in case.exchanges(name):
            for direction, body in (("request", exchange.request), ("response", exchange.response)):
                if body is not None:
                    kinds = recognise_body(CORPUS, body)
                    assert BodyKind(name, direction) in kinds, (case.id, name, direction)
                    sure.append(len(kinds) == 1)
            if exchange.stream_path is not None:
                events = [event["data"] for event in parse(exchange.stream())["events"]]
                assert recognise_events(CORPUS, events) == [name], (case.id, name)
    assert sum(sure) / len(sure) > 0.99


def test_faulty_bodies_are_known() -> None:
    """Whatever one member a body lacks: in nine of ten the format is still sure, in one of fifty it is another."""
    right = wrong = count = 0
    for name, direction in itertools.product(CORPUS.formats, ("request", "response")):
        for case in [*CORPUS.cases.values()][:60]:
            if name in case.formats and isinstance(body := getattr(case.exchanges(name)[0], direction), dict):
                for key in body:
                    kinds = recognise_body(CORPUS, {name: value for name, value in body.items() if name != key})
                    count += 1
                    right += kinds == [BodyKind(name, direction)]
                    wrong += bool(kinds) and BodyKind(name, direction) not in kinds
    assert right / count > 0.9
    assert wrong / count < 0.02


def test_other_apis_are_none_of_ours() -> None:
    converse = {"messages": [{"role": "user", "content": [{"text": "x"}]}], "inferenceConfig": {"maxTokens": 3}}
    assert recognise_body(CORPUS, converse) == []
    assert other_api(CORPUS, converse) == "Amazon Bedrock Converse"
    others: list[object] = [{}, {"a": 1}, [], None, {"messages": 1, "contents": 2, "model": "x"}, {"error": "x"}]
    for other in others:
        assert len(recognise_body(CORPUS, other)) <= 1


def write(folder: Path, **bodies: object) -> dict[str, str]:
    paths = {}
    for name, body in bodies.items():
        path = folder / f"{name}.json"
        path.write_text(body if isinstance(body, str) else json.dumps(body), encoding="utf-8")
        paths[name] = str(path)
    return paths


@pytest.mark.parametrize(("client", "upstream"), [*itertools.permutations(CORPUS.formats, 2)])
def test_formats_and_direction_may_be_left_out(
    client: str, upstream: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ours, theirs = (CASE.exchanges(name)[0] for name in (client, upstream))
    paths = write(
        tmp_path,
        asked=ours.request,
        sent=theirs.request,
        came=theirs.response,
        told=ours.response,
        stream=theirs.stream().decode(),
        heard=ours.stream().decode(),
    )
    for source, output, option in (
        ("asked", "sent", ""),
        ("came", "told", " --response"),
        ("stream", "heard", " --stream"),
    ):
        assert main(["judge", paths[source], paths[output]]) == 0
        stdout = capsys.readouterr().out
        assert f"--client {client}" in stdout
        assert f"--upstream {upstream}{option}" in stdout or f"--client {client}{option}" in stdout
    assert main(["judge", paths["told"]]) == 0
    assert f"note: judged as with --client {client} --response, which the bodies show" in capsys.readouterr().out


def test_where_the_bodies_leave_a_choice(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = write(tmp_path, bare={"model": "m", "messages": [{"role": "user", "content": "x"}]}, other={"a": 1})
    assert main(["judge", paths["bare"]]) == 4
    assert (
        "it may be a body of anthropic or openai_chat; name the format with --client FORMAT" in capsys.readouterr().err
    )
    assert main(["judge", paths["other"]]) == 4
    assert "no member shows which API's body it is; name the format with --client FORMAT" in capsys.readouterr().err
    assert main(["judge", paths["bare"], "--client", "anthropic"]) == 1


@pytest.mark.parametrize("wrapper", ["request", "body", "data"])
def test_wrappers_are_opened(wrapper: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    body = CASE.exchanges("anthropic")[0].request
    for wrapped in ({wrapper: body, "id": 3}, [{wrapper: body}], {wrapper: json.dumps(body)}, {"a": {wrapper: body}}):
        paths = write(tmp_path, wrapped=wrapped, sent=CASE.exchanges("gemini")[0].request)
        assert main(["judge", "--client", "anthropic", "--upstream", "gemini", paths["wrapped"], paths["sent"]]) == 0
        assert "wraps the body; the judge reads the body at /" in capsys.readouterr().out


def test_several_bodies_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    body = CASE.exchanges("anthropic")[0].request
    paths = write(tmp_path, both={"first": body, "then-some": body})
    assert main(["judge", "--client", "anthropic", paths["both"]]) == 4
    stderr = capsys.readouterr().err
    assert "it holds several bodies, at /first, /then-some; give one of them: jq '.first'" in stderr


def test_a_body_is_not_opened_for_what_is_in_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Arguments and results may be bodies themselves; a faulty body is still the body."""
    faulty = {
        "model": "m",
        "contents": [{"parts": [{"functionCall": {"name": "f", "args": CASE.exchanges("anthropic")[0].request}}]}],
    }
    paths = write(tmp_path, faulty=faulty)
    main(["judge", "--client", "gemini", paths["faulty"]])
    assert "wraps" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{'model': 'x', 'messages': []}", "a Python value as repr prints it, not JSON; write it with json.dumps"),
        ("{model: 'x', messages: []}", "a JavaScript object, not JSON; write it with JSON.stringify"),
        ("map[model:x messages:[]]", "a Go value as %v or %+v prints it, not JSON; write it with json.Marshal"),
        ("<!DOCTYPE html><html>", "a page of HTML or XML; capture the body that the API sent"),
        ("POST /v1/messages HTTP/1.1\r\nhost: x\r\n\r\n{}", "an HTTP message with its headers; save the body alone"),
        ("PK\x03\x04", "a zip archive; unpack it first"),
    ],
)
def test_what_is_no_json_is_named(text: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = write(tmp_path, odd=text)
    assert main(["judge", "--client", "anthropic", paths["odd"]]) == 4
    assert f"odd.json: it is {message}" in capsys.readouterr().err


def test_a_request_next_to_a_reply_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    exchange = CASE.exchanges("anthropic")[0]
    paths = write(tmp_path, asked=exchange.request, told=exchange.response, again=exchange.request)
    assert main(["judge", "--client", "anthropic", "--upstream", "anthropic", paths["asked"], paths["told"]]) == 4
    assert "asked.json is a request and " in capsys.readouterr().err
    main(["judge", paths["asked"], paths["asked"]])
    assert "note: SOURCE and OUTPUT are the same file" in capsys.readouterr().out
    main(["judge", paths["asked"], paths["again"]])
    assert "the same file" not in capsys.readouterr().out


def test_swapped_files_are_reported_first_though_they_are_faulty(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    client_request, sent = (dict(CASE.exchanges(name)[0].request) for name in ("anthropic", "openai_chat"))
    client_request["max_tokens"] = "many"
    sent["n"] = 0
    paths = write(tmp_path, asked=client_request, sent=sent)
    assert main(["judge", "--client", "openai_chat", "--upstream", "anthropic", paths["asked"], paths["sent"]]) == 1
    first = capsys.readouterr().out.splitlines()[0]
    assert first == "note: SOURCE has the form of anthropic and OUTPUT that of openai_chat: are the two files swapped?"
    assert main(["judge", "--client", "anthropic", "--upstream", "openai_chat", paths["asked"], paths["sent"]]) == 1
    assert "are the two files swapped" not in capsys.readouterr().out
