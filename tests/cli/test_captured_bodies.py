"""``toolcall-conformance judge`` on captured bodies, of which nobody knows what went before."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from corpus_judge import judge
from stored_requests import request_pairs
from toolcall_conformance.basics.findings import Level
from toolcall_conformance.cli import main
from toolcall_conformance.library import load_corpus

Told = tuple[int, dict[str, str]]


@pytest.fixture
def judge_bodies(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    """The exit code of the command, and its findings by rule."""

    def run(source: Any, output: Any, client: str, upstream: str) -> Told:
        for name, body in (("source.json", source), ("output.json", output)):
            (tmp_path / name).write_text(json.dumps(body), encoding="utf-8")
        files = [str(tmp_path / name) for name in ("source.json", "output.json")]
        code = main(["judge", "--json", "--client", client, "--upstream", upstream, *files])
        findings = json.loads(capsys.readouterr().out)["findings"]
        return code, {finding["rule"]: finding["level"] for finding in findings if finding["level"] != "NOTE"}

    return run


def foreign_signature() -> tuple[dict[str, Any], dict[str, Any]]:
    """A client of Anthropic whose thinking block carries a signature that also goes to Gemini."""
    case = load_corpus().cases["reasoning/seed"]
    source = copy.deepcopy(case.exchanges("anthropic")[1].request)
    output = copy.deepcopy(case.exchanges("gemini")[1].request)
    part = next(part for part in output["contents"][1]["parts"] if "functionCall" in part)
    call_id = source["messages"][1]["content"][2]["id"]
    part["functionCall"]["id"] = output["contents"][2]["parts"][0]["functionResponse"]["id"] = call_id
    part["thoughtSignature"] = source["messages"][1]["content"][0]["signature"]
    return source, output


def test_a_captured_body_does_not_show_whose_state_it_has(judge_bodies: Any) -> None:
    source, output = foreign_signature()
    code, levels = judge_bodies(source, output, "anthropic", "gemini")
    assert (code, levels) == (0, {"translation/state-to-stranger": "SHOULD"})
    sure = judge(source, output, client="anthropic", upstream="gemini").findings
    assert [finding.rule for finding in sure if finding.level is Level.MUST] == ["translation/state-to-stranger"]


def test_a_conversation_that_the_client_left_out(judge_bodies: Any) -> None:
    source, output = next(request_pairs("state/parallel-calls", "anthropic"))
    assert judge_bodies(source, output, "openai_responses", "anthropic") == (0, {})
    del output["messages"][:-1]
    code, levels = judge_bodies(source, output, "openai_responses", "anthropic")
    assert code == 1
    assert levels["translation/stored-history"] == "MUST"


def test_what_was_tolerated(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pair = json.loads(
        (load_corpus().root / "equivalences/id-rewritten/same/another-legal-id-on-call-and-result.json").read_bytes()
    )
    files = [tmp_path / f"{name}.json" for name in ("source", "output")]
    for path in files:
        path.write_text(json.dumps(pair[path.stem]), encoding="utf-8")
    command = ["judge", "--client", pair["client"], "--upstream", pair["upstream"], *map(str, files)]
    assert main(command) == 0
    assert "tolerated:" not in capsys.readouterr().out
    assert main([*command, "--tolerated"]) == 0
    output = capsys.readouterr().out
    line = next(line for line in output.splitlines() if "id-rewritten" in line)
    assert "/messages/2/tool_calls/0/id  (source /messages/1/content/1/id): " in line
    assert main([*command, "--tolerated", "--json"]) == 0
    noted = json.loads(capsys.readouterr().out)["tolerated"]
    first = next(name_entry for name_entry in noted if name_entry["name"] == "id-rewritten")
    assert first["got"] == pair["output"]["messages"][2]["tool_calls"][0]["id"] != first["want"]


def write_bodies(tmp_path: Path, **bodies: Any) -> list[str]:
    """Bodies as files, in order."""
    for name, body in bodies.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(body), encoding="utf-8")
    return [str(tmp_path / f"{name}.json") for name in bodies]


def test_one_body_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    exchange = load_corpus().cases["shell/seed"].exchanges("anthropic")[1]
    broken = copy.deepcopy(exchange.request)
    broken["messages"][1]["content"][-1]["id"] = "toolu_other"
    good, bad, reply = write_bodies(tmp_path, good=exchange.request, bad=broken, reply=exchange.response)
    assert main(["judge", "--client", "anthropic", good]) == 0
    assert main(["judge", "--client", "anthropic", "--response", reply]) == 0
    capsys.readouterr()
    assert main(["judge", "--client", "anthropic", bad]) == 1
    assert "anthropic/result-of-known-call" in capsys.readouterr().out


def test_a_reply_judged_as_a_request_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    exchange = load_corpus().cases["shell/seed"].exchanges("openai_chat")[0]
    request, reply = write_bodies(tmp_path, request=exchange.request, reply=exchange.response)
    assert main(["judge", "--client", "openai_chat", reply]) == 4
    assert "reply.json: this is a reply of openai_chat; add --response" in capsys.readouterr().err
    ends = ["--client", "anthropic", "--upstream", "openai_chat"]
    assert main(["judge", "--response", *ends, request, reply]) == 4
    assert "request.json: this is a request of openai_chat; leave out --response" in capsys.readouterr().err


@pytest.mark.parametrize(("client", "upstream"), [("anthropic", "openai_chat"), ("gemini", "openai_responses")])
def test_swapped_files_are_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], client: str, upstream: str
) -> None:
    case = load_corpus().cases["shell/seed"]
    files = write_bodies(tmp_path, one=case.exchanges(client)[1].request, two=case.exchanges(upstream)[1].request)
    ends = ["judge", "--client", client, "--upstream", upstream]
    main([*ends, *files])
    assert "files swapped" not in capsys.readouterr().out
    assert main([*ends, *reversed(files)]) == 1
    assert (
        f"SOURCE has the form of {upstream} and OUTPUT that of {client}: are the two files swapped?"
        in capsys.readouterr().out
    )
