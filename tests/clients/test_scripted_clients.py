"""The parts of ``python tests clients`` without the clients: scripted replies, the lock file, what is seen as lost."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from clients import open_responses
from clients.catalogue import CLIENTS, Client, Started
from clients.client_runs import FORMATS, count, judge_exchange, play
from clients.installing import HERE
from clients.network_isolation import WITHIN, can_isolate_network
from clients.replies import STREAMED, WHOLE, Answer, Wish
from clients.script import END, STEPS, Model
from clients.stage import Exchange
from toolcall_conformance import Judge, load_corpus, parse
from toolcall_conformance.basics.findings import Level

JUDGE = Judge(load_corpus())
WISHES = Wish("call_1", "bash", {"command": "ls"}), Wish("call_2", "bash", {"command": "pwd"})
TOOLS = [
    {"name": name, "description": "A tool.", "input_schema": {"type": "object", "properties": {}}}
    for name in ("Bash", "mcp__marks__stamp")
]
ASKED = {
    "model": "any",
    "max_tokens": 100,
    "tools": TOOLS,
    "messages": [{"role": "user", "content": "Go on"}],
}


def test_the_scripted_replies_are_what_a_provider_sends() -> None:
    broken = []
    for name in FORMATS:
        for answer in Answer("1", "Words."), Answer("2", "", WISHES), Answer("3", "Words.", WISHES):
            whole = JUDGE.sent(name, "response", WHOLE[name](answer, "model")).findings
            stream = JUDGE.sent(name, "stream", parse(b"".join(STREAMED[name](answer, "model")))).findings
            broken += [
                (name, answer.id, finding.rule, finding.message)
                for finding in (*whole, *stream)
                if finding.level is not Level.NOTE
            ]
    assert not broken


def test_the_tests_of_open_responses_skip_with_a_reason(tmp_path: Path) -> None:
    assert "TOOLCALL_OPEN_RESPONSES" in open_responses.missing_requirement(None)
    assert "compliance-test.ts" in open_responses.missing_requirement(tmp_path)
    (tmp_path / "bin").mkdir()
    (tmp_path / open_responses.SCRIPT).write_text("", encoding="utf-8")
    assert "zod" in open_responses.missing_requirement(tmp_path)


def test_the_tests_of_open_responses_over_http_pass(tmp_path: Path) -> None:
    checkout = Path(os.environ.get("TOOLCALL_OPEN_RESPONSES") or tmp_path)
    if reason := open_responses.missing_requirement(checkout):
        pytest.skip(reason)
    result = asyncio.run(open_responses.comply("openai_chat", checkout, JUDGE, tmp_path / "played"))
    assert [name for name in result.failed if open_responses.applies(name)] == []
    assert len([name for name in result.passed if open_responses.applies(name)]) > 5
    assert count(result.findings, "MUST") == {}


def test_the_lock_names_versions_and_no_host() -> None:
    text = (HERE / "package-lock.json").read_text(encoding="utf-8")
    locked, package = json.loads(text)["packages"], json.loads((HERE / "package.json").read_text(encoding="utf-8"))
    assert {name: locked[f"node_modules/{name}"]["version"] for name in package["dependencies"]} == package[
        "dependencies"
    ]
    assert {client.package for client in CLIENTS.values()} == set(package["dependencies"])
    assert "://" not in text
    assert all("integrity" in each for name, each in locked.items() if name)


PROGRAM = f"""#!{sys.executable}
import json, os, subprocess, sys, urllib.request
asked = {ASKED!r}
while sys.argv[1] == "plays":
    request = urllib.request.Request(os.environ["URL"] + "/v1/messages", json.dumps(asked).encode(),
        {{"content-type": "application/json", "x-api-key": "k", "anthropic-version": "2023-06-01"}})
    reply = json.load(urllib.request.urlopen(request))
    calls = [block for block in reply["content"] if block["type"] == "tool_use"]
    if not calls:
        print(reply["content"][0]["text"])
        break
    results = []
    for call in calls:
        words = call["input"].get("word")
        text = f"{{words}}-511" if words else subprocess.check_output(call["input"]["command"], shell=True, text=True)
        results.append({{"type": "tool_result", "tool_use_id": call["id"], "content": text}})
    if sys.argv[2] == "drops":
        results = [dict(each, content="nothing") for each in results]
    asked["messages"] += [{{"role": "assistant", "content": reply["content"]}}, {{"role": "user", "content": results}}]
"""


@pytest.mark.parametrize(
    ("words", "lost"),
    [
        (["plays", "keeps"], []),
        (["plays", "drops"], [mark for step in STEPS for _, mark in step.marks]),
        (["idles", ""], [mark for step in STEPS for _, mark in step.marks] + ["the text"]),
    ],
)
def test_what_does_not_arrive_is_lost(tmp_path: Path, words: list[str], lost: list[str]) -> None:
    program = tmp_path / "node_modules/.bin/client"
    program.parent.mkdir(parents=True)
    program.write_text(PROGRAM, encoding="utf-8")
    program.chmod(0o755)

    def start(home: Path, work: Path, url: str) -> Started:
        del home, work
        return Started(words, {"URL": url})

    client = Client("small", "small", "client", "anthropic", ("Bash", {"command": "{}"}), start)
    played = asyncio.run(play(client, "openai_chat", tmp_path, JUDGE, tmp_path / "scratch"))
    assert [each.rpartition(": ")[2] for each in played.lost] == lost
    assert played.completed is (not lost)
    assert not played.count("MUST")


def test_a_request_that_loses_a_tool_is_found() -> None:
    upstream = {
        "model": "m",
        "messages": [{"role": "user", "content": "Go on"}],
        "tools": [
            {"type": "function", "function": {"name": "Bash", "parameters": {"type": "object", "properties": {}}}}
        ],
    }
    answer = Answer("1", END)
    received = json.dumps(WHOLE["anthropic"](answer, "any")).encode()
    sent = json.dumps(WHOLE["openai_chat"](answer, "m")).encode()
    exchange = Exchange("/v1/messages", ASKED, "anthropic", 200, received, [("/v1", upstream, sent, False)])
    findings = list(judge_exchange(JUDGE, exchange, "anthropic", "openai_chat"))
    assert "translation/tool-lost" in count(findings, "MUST")


def test_the_model_ends_where_a_tool_is_not_declared() -> None:
    model = Model("anthropic", ("Bash", {"command": "{}"}))
    request = {**ASKED, "tools": TOOLS[1:]}
    assert not model.answer(request).wishes, "a request without the shell is one beside the conversation"
    assert [wish.name for wish in model.answer(ASKED).wishes] == ["Bash"]


@pytest.mark.skipif(not can_isolate_network(), reason="no network namespace can be made here")
def test_a_run_reaches_loopback_alone() -> None:
    code = (
        "import os, socket, sys\n"
        "from clients.network_isolation import isolate_network as go, has_network, raise_loopback\n"
        "go([sys.executable, '-c', os.environ['CODE']])\n"
        "assert raise_loopback() and not has_network()\n"
        "with socket.create_server(('127.0.0.1', 0)) as one: socket.create_connection(one.getsockname()).close()\n"
        "print('apart')"
    )
    environment = {**os.environ, "CODE": code, "PYTHONPATH": str(HERE.parent)}
    environment.pop(WITHIN, None)
    process = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert (process.stdout, process.returncode) == ("apart\n", 0), process.stderr
