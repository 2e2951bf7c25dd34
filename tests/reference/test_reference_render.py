"""The renderer: complete bodies from one neutral scenario, and no hand-written file touched."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path
from typing import Any

import pytest

from reference.reference_bodies import FORMATS, SCHEMA
from toolcall_reference import formats
from toolcall_reference.conversation.losses import Losses
from toolcall_reference.render import main, render, rendered_files, write_file

TOOLS = {"forecast": {"name": "forecast", "description": "The weather.", "parameters": SCHEMA}}
SCENARIO: dict[str, Any] = {
    "id": "weather/two",
    "models": {},
    "tools": ["forecast"],
    "settings": {"max_output_tokens": 100, "tool_choice": {"mode": "auto"}},
    "conversation": [
        {"role": "system", "content": [{"text": "Be brief."}]},
        {"role": "user", "content": [{"text": "Oslo and Rome?"}]},
        {
            "role": "assistant",
            "content": [
                {"text": "Let me look."},
                {"call": {"key": "a", "name": "forecast", "arguments": {"city": "Oslo"}}},
                {"call": {"key": "b", "name": "forecast", "arguments": {"city": "Rome"}}},
            ],
            "finish": "tools",
            "usage": {"input": 80, "output": 20},
        },
        {
            "role": "user",
            "content": [
                {"result": {"call": "a", "content": {"sky": "snow"}, "error": False}},
                {"result": {"call": "b", "content": "no data", "error": True}},
            ],
        },
        {"role": "assistant", "content": [{"text": "Snow; unknown."}], "finish": "end"},
    ],
    "ids": {"anthropic": {"a": "toolu_01x"}, "openai_chat": {"a": ""}, "gemini": {"a": None, "b": None}},
}


@pytest.mark.parametrize("name", FORMATS)
def test_bodies_are_complete_and_read_back(name: str) -> None:
    bodies = render(SCENARIO, TOOLS, name)
    assert list(bodies) == ["01-request.json", "01-response.json", "02-request.json", "02-response.json"]
    assert bodies == render(SCENARIO, TOOLS, name)
    request = formats.get(name).decode_request(bodies["02-request.json"], Losses())
    assert [call.arguments for call in request.calls] == [{"city": "Oslo"}, {"city": "Rome"}]
    answer = formats.get(name).decode_response(bodies["01-response.json"], Losses())
    assert answer.finish == "tools"
    ids = [call.given_id for call in request.calls]
    # Where the vendor wrote an empty id, its client has made one up.
    assert [call.given_id or default_id for call, default_id in zip(answer.calls, ids, strict=True)] == ids
    assert all(ids) or name == "gemini"
    assert answer.usage is not None
    assert (answer.usage.input, answer.usage.output) == (80, 20)


def test_ids_are_those_of_the_scenario_or_look_native() -> None:
    calls = render(SCENARIO, TOOLS, "anthropic")["01-response.json"]["content"][1:]
    assert calls[0]["id"] == "toolu_01x"
    assert calls[1]["id"].startswith("toolu_01")
    assert len(calls[1]["id"]) == 30
    message = render(SCENARIO, TOOLS, "openai_chat")["01-response.json"]["choices"][0]["message"]
    assert message["tool_calls"][0]["id"] == ""
    assert "functionCall': {'name': 'forecast', 'args'" in str(render(SCENARIO, TOOLS, "gemini")["01-response.json"])


def test_gemini_3_calls_are_signed_once_a_step_and_have_ids() -> None:
    scenario = {**SCENARIO, "models": {"gemini": "gemini-3-pro-preview"}, "ids": {}}
    bodies = render(scenario, TOOLS, "gemini")
    parts = bodies["01-response.json"]["candidates"][0]["content"]["parts"]
    assert ["thoughtSignature" in part for part in parts] == [False, True, False]
    assert bodies["02-request.json"]["contents"][1]["parts"] == parts
    assert all(part["functionCall"]["id"] for part in parts[1:])


@pytest.mark.parametrize(
    ("name", "word", "check"),
    [
        (
            "gemini",
            "parameters",
            lambda body: body["tools"][0]["functionDeclarations"][0]["parameters"]["type"] == "OBJECT",
        ),
        ("gemini", "parametersJsonSchema", lambda body: "parametersJsonSchema" in str(body)),
        ("anthropic", "custom", lambda body: body["tools"][0]["type"] == "custom"),
        ("openai_chat", "strict", lambda body: body["tools"][0]["function"]["strict"] is True),
        ("openai_chat", "non-strict", lambda body: body["tools"][0]["function"]["strict"] is False),
        ("openai_responses", "null", lambda body: body["tools"][0]["strict"] is None),
        ("openai_responses", "omitted", lambda body: "strict" not in body["tools"][0]),
    ],
)
def test_declarations_are_written_as_asked(name: str, word: str, check: Any) -> None:
    assert check(render({**SCENARIO, "declare": {name: word}}, TOOLS, name)["01-request.json"])
    with pytest.raises(ValueError, match="cannot be spelt"):
        render({**SCENARIO, "declare": {name: "sideways"}}, TOOLS, name)


def write_case(corpus: Path, files: dict[str, Any] | None) -> Path:
    """A corpus of one case in one format, with its first request on disk."""
    case = corpus / "scenarios" / "weather" / "two"
    (case / "anthropic").mkdir(parents=True)
    (corpus / "tools").mkdir()
    (corpus / "tools" / "forecast.json").write_text(json.dumps(TOOLS["forecast"]))
    (case / "anthropic" / "01-request.json").write_text("{}")
    scenario = {**SCENARIO, "models": {"anthropic": "claude-sonnet-4-5-20250929"}}
    scenario |= {} if files is None else {"files": files}
    (case / "scenario.json").write_text(json.dumps(scenario))
    return case


TYPED = {"anthropic/01-request.json": {"provenance": "typed"}}


def test_only_rendered_files_are_written(tmp_path: Path) -> None:
    case = write_case(tmp_path, TYPED)
    typed = case / "anthropic" / "01-request.json"
    assert main([str(tmp_path), "weather/two"]) == 0
    assert typed.read_text() == "{}"
    written = sorted(path.name for path in (case / "anthropic").iterdir())
    assert written == [
        *("01-request.json", "01-response.json", "01-response.sse"),
        *("02-request.json", "02-response.json", "02-response.sse"),
    ]
    assert json.loads((case / "scenario.json").read_text())["files"] == TYPED
    before = {path: path.stat().st_mtime_ns for path in case.rglob("*.json")}
    assert main([str(tmp_path)]) == 0
    assert {path: path.stat().st_mtime_ns for path in case.rglob("*.json")} == before


def test_a_file_that_is_not_listed_is_written_again(tmp_path: Path) -> None:
    case = write_case(tmp_path, {})
    assert main([str(tmp_path)]) == 0
    assert json.loads((case / "anthropic" / "01-request.json").read_text())["messages"]


def test_files_of_a_case_that_was_never_rendered_are_in_the_way(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Their origin is not known yet."""
    case = write_case(tmp_path, None)
    assert main([str(tmp_path)]) == 1
    assert (
        "anthropic/01-request.json is there, but `files` of scenario.json does not list it" in capsys.readouterr().err
    )
    assert [path.name for path in case.rglob("*.json")] == ["scenario.json", "01-request.json"]
    assert (case / "anthropic" / "01-request.json").read_text() == "{}"


@pytest.mark.parametrize("name", ["09-request.json", "01-broken.sse"])
def test_a_file_of_no_exchange_is_reported_and_kept(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    case = write_case(tmp_path, {})
    (case / "anthropic" / "01-request.json").rename(case / "anthropic" / name)
    assert main([str(tmp_path)]) == 1
    assert f"anthropic/{name} is there, but the scenario has no such exchange" in capsys.readouterr().err
    assert (case / "anthropic" / name).read_text() == "{}"


def test_a_first_rendering_says_so_before_it_writes_and_leftovers_are_swept(tmp_path: Path) -> None:
    case = write_case(tmp_path, None)
    (case / "anthropic" / "01-request.json").unlink()
    assert next(iter(rendered_files(case, TOOLS))) == "scenario.json"
    left, other_file = case / f".rendering-{os.getpid()}-a.tmp", case / "01-request.json.tmp"
    left.write_text("{")
    other_file.write_text("mine")
    other = case / f".rendering-{os.getppid()}.tmp"
    other.write_text("another run is at work")
    assert main([str(tmp_path)]) == 0
    assert json.loads((case / "scenario.json").read_text())["files"] == {}
    assert next(iter(rendered_files(case, TOOLS))) != "scenario.json"
    assert not left.exists()
    assert other_file.exists()
    assert other.exists() is (os.name == "posix")


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = write_case(tmp_path, {})
    before = sorted(case.rglob("*"))
    monkeypatch.setattr(Path, "replace", lambda *_: (_ for _ in ()).throw(OSError("no room")))
    with pytest.raises(OSError, match="no room"):
        write_file(case, "anthropic/01-request.json", "new")
    assert sorted(case.rglob("*")) == before
    assert (case / "anthropic" / "01-request.json").read_text() == "{}"


def test_a_file_that_cannot_be_written_is_named_and_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    case = write_case(tmp_path, {})
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    monkeypatch.setattr(Path, "replace", lambda *_: (_ for _ in ()).throw(full))
    assert main([str(tmp_path)]) == 1
    stderr = capsys.readouterr().err
    assert (
        stderr == f"{case / 'anthropic' / '01-request.json'}: not written (No space left on device); it is as before\n"
    )


def test_usage_and_broken_cases(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    case = tmp_path / "scenarios" / "a" / "b"
    case.mkdir(parents=True)
    (case / "scenario.json").write_text('{"id": "a/b", "conversation": [{"role": "user", "content": [{"odd": 1}]}]}')
    assert main([str(tmp_path)]) == 1
    assert "unknown entry" in capsys.readouterr().err


def test_what_is_not_there_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    case = write_case(tmp_path, {})
    assert main([str(tmp_path), "weather/tow"]) == 1
    assert "weather/tow: ValueError: there is no such case: it has no scenario.json" in capsys.readouterr().err
    (tmp_path / "tools" / "forecast.json").unlink()
    assert main([str(tmp_path)]) == 1
    stderr = capsys.readouterr().err
    assert "the tool 'forecast' has no file; add tools/forecast.json or correct the name" in stderr
    assert sorted(path.name for path in case.rglob("*.json")) == ["01-request.json", "scenario.json"]
