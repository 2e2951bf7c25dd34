"""Through HTTP the reference gets the verdicts and findings that it gets in this interpreter, item by item."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import forked_runs
from toolcall_conformance.checks import ONE_FORMAT
from toolcall_reference import formats

HERE = Path(__file__).parent
# Each format once on either side, in all ways.
ONE = (
    *("anthropic-to-openai_chat", "openai_chat-to-gemini"),
    *("openai_responses-to-anthropic", "gemini-to-openai_responses"),
)
TWO = (
    *("anthropic-to-gemini", "openai_chat-to-openai_responses"),
    *("openai_responses-to-openai_chat", "gemini-to-anthropic"),
)
THREE = (
    *("anthropic-to-openai_responses", "openai_chat-to-anthropic"),
    *("openai_responses-to-gemini", "gemini-to-openai_chat"),
)
ITEMS = [
    "toolcall::shell/seed",  # every check on every route
    "toolcall::errors/upstream-rate-limit",
    *(f"toolcall::ids/cleaned-alike::agent_loop::{route}*" for route in ONE),  # ids that a client does not take
    *(f"toolcall::ids/cleaned-alike::agent_loop::{route}" for route in (*TWO, *THREE)),
    # Replies that are kept for the client, streamed and not.
    *(f"toolcall::state/seed::agent_loop::{route}*" for route in TWO),
    "toolcall::reasoning/seed::stream",  # opaque state; streams that are cut everywhere
    *(f"toolcall::reasoning/seed::agent_loop::{route}*" for route in THREE),
    *(f"toolcall::streaming/lost-amid-arguments::stream::{route}" for route in (*ONE, *TWO)),
]


def judge_items(folder: Path, spec: str) -> dict[str, dict[str, Any]]:
    """The items of a run, by their ids."""
    quiet = ("-q", "-p", "no:cacheprovider", "-p", "no:hypothesispytest", "-p", "no:anyio")
    done = forked_runs.run(
        [*quiet, f"--toolcall-translator={spec}", "--toolcall-report=report.json", *ITEMS],
        folder,
        {key: value for key, value in os.environ.items() if not key.startswith("PYTEST_")},
    )
    assert done.returncode in (0, 1), done.stdout[-2000:] + done.stderr[-2000:]
    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    # What a framework does within one format is not asked over HTTP.
    return {item.pop("nodeid"): item for item in report["items"] if item["check"] not in ONE_FORMAT}


def test_verdicts_are_those_of_this_interpreter(tmp_path: Path) -> None:
    described = (HERE / "gateway.toml").read_text(encoding="utf-8")
    (tmp_path / "gateway.toml").write_text(described.replace('"python"', json.dumps(sys.executable)), encoding="utf-8")
    for template in HERE.glob("*.template.toml"):
        (tmp_path / template.name).write_text(template.read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / "shared_memory.py").write_text(
        (HERE / "shared_memory.py").read_text(encoding="utf-8"), encoding="utf-8"
    )
    here, there = judge_items(tmp_path, "shared_memory:Translator"), judge_items(tmp_path, "gateway:gateway.toml")
    for item in (*here.values(), *there.values()):
        del item["duration"]
    assert there == here
    assert {(item["client"], item["upstream"]) for item in here.values()} == {
        (client, upstream) for client in formats.names() for upstream in formats.names()
    }
    assert {item["check"] for item in here.values()} == {"request", "response", "stream", "agent_loop", "round_trip"}
    assert "fail" not in {item["verdict"] for item in here.values()}
