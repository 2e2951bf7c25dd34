"""Golden files as pairs: which belong together, what is judged, what is left out and why."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from pairs.folders import PAIRS, agents, insta, pretty, reply, request, snapshot_file, stream, write
from toolcall_conformance import load_corpus
from toolcall_conformance.cli import main
from toolcall_conformance.judge import Judge
from toolcall_conformance.recording.pairs import PairCase, Pairs, PairsError, judge_pair, load_pairs

CORPUS = load_corpus()
JUDGE = Judge(CORPUS)


def rules(case: PairCase) -> list[str]:
    judgement = judge_pair(JUDGE, case.direction, case.source, case.output, case.ends, case.hidden)
    return [finding.rule for finding in judgement.findings if finding.is_must]


def load_written_pairs(folder: Path, text: str) -> Pairs:
    write(folder / "pairs.toml", text)
    return load_pairs(CORPUS, folder / "pairs.toml")


def load_single_case(folder: Path, text: str) -> PairCase:
    [case] = load_written_pairs(folder, text).cases.values()
    return case


def test_snapshots_of_insta(tmp_path: Path) -> None:
    pairs = load_pairs(CORPUS, agents(tmp_path))
    assert {name: rules(case) for name, case in pairs.cases.items()} == {
        "pairs/requests/messages/lost.completions.snap": ["translation/tool-lost"] * 3,
        "pairs/requests/messages/tools.completions.snap": [],
        "pairs/requests/messages/tools.gemini.snap": [],
    }
    assert dict(pairs.left_out) == {"bedrock is not judged": ["requests/messages/tools.bedrock.snap"]}


def test_what_a_snapshot_hides_is_unknown(tmp_path: Path) -> None:
    """The id of a reply, and the ids of calls and results, which a snapshot replaces by the same text."""
    body = reply("anthropic")
    calls = [block for block in body["content"] if block["type"] == "tool_use"]
    for block in (body, *calls):
        block["id"] = "[id]"
    write(tmp_path / "a.json", json.dumps(reply("openai_chat")))
    write(tmp_path / "a.snap", json.dumps(body))
    table = (
        '[[pairs]]\ndirection = "response"\nclient = "anthropic"\nupstream = "openai_chat"\n'
        'source = "{name}.json"\noutput = "{name}.snap"\n'
    )
    assert "anthropic/call-ids-unique" in rules(load_single_case(tmp_path, table))
    assert rules(load_single_case(tmp_path, "redacted = ['\\[[a-z]+\\]']\n" + table)) == []
    calls[0]["name"] = "other"
    write(tmp_path / "a.snap", json.dumps(body))
    assert rules(load_single_case(tmp_path, "redacted = ['\\[[a-z]+\\]']\n" + table)) == ["translation/call-name"]


@pytest.mark.parametrize("old", [True, False], ids=["Jest 28", "Jest 29"])
def test_snapshots_of_jest(old: bool, tmp_path: Path) -> None:
    body = request("openai_chat")
    body["messages"][0]["content"] = 'Say "hi" to C:\\new `now` for ${x}\nand go on'
    write(tmp_path / "fixtures/tools.json", json.dumps(request("openai_chat") | {"messages": body["messages"]}))
    entries = {
        "to chat tools 1": pretty(body, old=old),
        "to chat wrong 1": pretty({**body, "model": [1], "stop": []}, old=old),
        "not a body 1": '"a text"',
    }
    write(tmp_path / "__snapshots__/a.test.ts.snap", snapshot_file(entries))
    text = """
[[pairs]]
client = "openai_chat"
upstream = "openai_chat"
source = "fixtures/{name}.json"
output = "__snapshots__/a.test.ts.snap#to chat {name} 1"
"""
    pairs = load_written_pairs(tmp_path, text)
    [case] = pairs.cases.values()
    assert case.output == body
    assert rules(case) == []
    assert list(pairs.left_out) == ["its source is not there"]


def test_matchers_and_functions_of_jest_hide_their_values(tmp_path: Path) -> None:
    printed = pretty(reply("openai_chat")).replace(f'"id": "{reply("openai_chat")["id"]}"', '"id": Any<String>')
    printed = printed.replace(f'"created": {reply("openai_chat")["created"]}', '"created": Any<Number>')
    assert "Any<String>" in printed
    write(tmp_path / "in.json", json.dumps(reply("openai_chat")))
    write(tmp_path / "a.snap", snapshot_file({"x 1": printed.replace('"object":', '"spy": [Function],\n  "object":')}))
    table = """
redacted = ['\\[.*\\]']
[[pairs]]
direction = "response"
client = "openai_chat"
upstream = "openai_chat"
source = "in.json"
output = "a.snap#{name} 1"
"""
    case = load_single_case(tmp_path, table)
    assert case.output["id"] == "[Any<String>]"
    assert case.output["spy"] == "[Function]"
    assert rules(case) == []


def test_streams_framed_or_a_line_each_or_packed(tmp_path: Path) -> None:
    events = [line[6:] for line in stream("openai_chat").splitlines() if line.startswith("data: {")]
    write(tmp_path / "sse.json", stream("openai_chat"))
    write(tmp_path / "lines.json", "\n".join(events))
    write(tmp_path / "list.json", json.dumps([json.loads(event) for event in events]))
    write(tmp_path / "unary.json", json.dumps(reply("openai_chat")))
    for name in ("sse", "lines", "list", "unary"):
        write(tmp_path / f"{name}.snap", insta_text(stream("anthropic")))
    (tmp_path / "packed.json").write_bytes(gzip.compress(stream("openai_chat").encode()))
    (tmp_path / "packed.snap").write_bytes(gzip.compress(stream("anthropic").encode()))
    write(tmp_path / "cut.json", stream("openai_chat"))
    write(tmp_path / "cut.snap", insta_text(stream("anthropic").partition("event: message_delta")[0]))
    text = """
[[pairs]]
direction = "stream"
client = "anthropic"
upstream = "openai_chat"
source = "{name}.json"
output = "{name}.snap"
"""
    rules_by_name = {
        name.removeprefix("pairs/"): rules(case) for name, case in load_written_pairs(tmp_path, text).cases.items()
    }
    assert rules_by_name.pop("cut.snap") != []
    assert rules_by_name == {f"{name}.snap": [] for name in ("sse", "lines", "list", "unary", "packed")}


def insta_text(text: str) -> str:
    return f"---\nsource: src/tests.rs\nexpression: out\n---\n{text}"


def test_yaml(tmp_path: Path) -> None:
    pytest.importorskip("yaml")
    import yaml

    write(tmp_path / "a/input.yaml", yaml.safe_dump(request("anthropic")))
    write(tmp_path / "a/expected.yaml", yaml.safe_dump({"sent": request("gemini")}))
    text = """
[[pairs]]
client = "anthropic"
upstream = "gemini"
source = "{name}/input.yaml"
output = "{name}/expected.yaml"
output_body = "/sent"
"""
    assert rules(load_single_case(tmp_path, text)) == []


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("", "it is empty"),
        (
            'Request { model: "x" }',
            "it holds Rust's Debug output, not JSON; snapshot the body with assert_json_snapshot!",
        ),
        ("data: {}\n\n", 'it is an event stream; write direction = "stream"'),
        ('{"request": ', "it is not JSON: "),
        ('{"other": 1}', "it has nothing at /request"),
        ("\udcff", "it is not UTF-8 text (byte 0)"),
        (json.dumps({"request": json.loads("[" * 600 + "]" * 600)}), "it is nested more than 500 levels deep"),
    ],
)
def test_a_file_that_holds_no_body_is_left_out_with_a_reason(content: str, expected: str, tmp_path: Path) -> None:
    path = agents(tmp_path)
    (tmp_path / "requests/messages/tools.responses.snap").write_bytes(content.encode("utf-8", "surrogateescape"))
    names_by_reason = load_pairs(CORPUS, path).left_out
    [reason] = [
        reason for reason, names in names_by_reason.items() if "requests/messages/tools.responses.snap" in names
    ]
    assert reason.startswith(expected)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: text + "x", "is not TOML"),
        (lambda text: text.replace("[[pairs]]", "[[pair]]"), "has no key 'pair'; did you mean 'pairs'?"),
        (lambda text: text.replace('source = "', 'sorce = "'), "has no key 'sorce'; did you mean 'source'?"),
        (lambda text: text.replace('"anthropic"', '"antropic"'), "messages = 'antropic' is no format; did you mean"),
        (
            lambda text: text.replace("{client}/{name}.json", "{client}/{case}.json"),
            "{case} is in source and not in",
        ),
        (lambda text: text.replace("{upstream}", "{up}"), "which format is the upstream's?"),
        (lambda text: text.replace("{upstream}", "{Up}"), "{Up} in 'requests/{client}/{name}.{Up}.snap' is no name"),
        (
            lambda text: text.replace("requests/{client}/{name}.json", "../{client}.json"),
            "leaves the folder of this file",
        ),
        (lambda text: text.replace("\\[[a-z]+\\]", "("), "'(' is no regular expression"),
        (lambda text: text.replace("requests/", "nothing/"), "fits nothing/{client}/{name}.{upstream}.snap"),
        (lambda text: text.replace('"/request"', '"request"'), "a JSON Pointer to the body"),
    ],
)
def test_a_file_of_pairs_that_is_wrong(
    change: Any, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = agents(tmp_path)
    path.write_text(change(PAIRS), encoding="utf-8")
    with pytest.raises(PairsError) as caught:
        load_pairs(CORPUS, path)
    assert message in str(caught.value)
    assert str(path) in str(caught.value)
    assert main(["judge", "--pairs", str(path)]) == 4
    assert message in capsys.readouterr().err


def test_patterns_that_fit_nothing_and_hidden_places_are_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = agents(tmp_path)
    table = PAIRS[PAIRS.index("[[pairs]]") :].replace("requests/", "replies/")
    path.write_text('leave_out = ["none/*"]\n' + PAIRS.replace("[a-z]", "[a-c]") + table, encoding="utf-8")
    body = request("openai_chat") | {"user": "[abc]"}
    write(tmp_path / "requests/messages/tools.completions.snap", insta({"request": body}))
    assert main(["judge", "--pairs", str(path)]) == 1
    stdout = capsys.readouterr().out
    assert "3 pairs of golden files, 1 hidden value in them; left out" in stdout
    assert "warning: [[pairs]] number 2: no file fits replies/{client}/{name}.{upstream}.snap" in stdout
    assert "warning: leave_out: no file fits none/*" in stdout


def test_unreadable_files_come_before_the_likely_mistake(tmp_path: Path) -> None:
    path = agents(tmp_path)
    write(tmp_path / "requests/messages/tools.responses.snap", "{")
    for number in range(3):
        write(tmp_path / f"requests/messages/{number}.bedrock.snap", "{}")
    reasons = [*load_pairs(CORPUS, path).left_out]
    assert reasons[0].startswith("it is not JSON")
    assert reasons[-1] == "bedrock is not judged"


def test_a_trailer_that_a_test_appends_to_a_stream_is_none_of_it(tmp_path: Path) -> None:
    write(tmp_path / "a.json", stream("openai_chat"))
    write(tmp_path / "a.snap", insta_text(stream("anthropic") + '\n{"input_tokens": 3}\n'))
    text = """
[[pairs]]
direction = "stream"
client = "anthropic"
upstream = "openai_chat"
source = "{name}.json"
output = "{name}.snap"
"""
    assert rules(load_single_case(tmp_path, text)) == []


def test_where_there_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(PairsError, match="is not there; `toolcall-conformance new-pairs FOLDER` writes one"):
        load_pairs(CORPUS, tmp_path / "pairs.toml")


def test_two_tables_that_take_one_file(tmp_path: Path) -> None:
    path = agents(tmp_path)
    table = PAIRS[PAIRS.index("[[pairs]]") :]
    path.write_text(PAIRS + table, encoding="utf-8")
    with pytest.raises(PairsError, match=r"two tables \[\[pairs\]\] take requests/messages"):
        load_pairs(CORPUS, path)


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = agents(tmp_path)
    assert main(["judge", "--pairs", str(path)]) == 1
    stdout = capsys.readouterr().out
    assert "1 of 3 items failed; 1 cause: 1 MUST" in stdout
    assert "lost.completions.snap" in stdout
    assert stdout.endswith("3 pairs of golden files; left out: 1 × bedrock is not judged\n")
    assert main(["judge", "--pairs", str(path), "--json"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert [item["verdict"] for item in report["items"]] == ["fail", "pass", "pass"]
    assert main(["judge", "--pairs", str(path), "--client", "gemini"]) == 4
    assert "leave out --client and --upstream" in capsys.readouterr().err
    (tmp_path / "requests/messages/lost.completions.snap").write_text(insta({"request": request("openai_chat")}))
    assert main(["judge", "--pairs", str(path)]) == 0
