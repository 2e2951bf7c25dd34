"""A translator behind ``exec:`` gets the same verdicts and findings on each item as in this interpreter."""

from __future__ import annotations

import json
import os
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

import forked_runs

pytestmark = pytest.mark.skipif(os.name != "posix", reason="exec: needs pipes that can be polled")

LENDER = Path(__file__).parent / "exec_python.py"
REFERENCE = "toolcall_reference:ReferenceTranslator"

# With errors, renamed tools, state of the provider's, several turns, streams.
ITEMS = [
    "toolcall::errors/upstream-rate-limit::response",
    *(f"toolcall::mcp/names-cut-alike::{check}" for check in ("request", "response", "round_trip")),
    *(
        f"toolcall::mcp/names-cut-alike::agent_loop::{route}{variant}"
        for route in ("anthropic-to-openai_chat", "gemini-to-anthropic")
        for variant in ("", "-fresh", "-interleaved", "-streamed", "-stripping", "-swapped")
    ),
    "toolcall::reasoning/seed::stream",
    "toolcall::state/seed::agent_loop::openai_responses-to-anthropic-stored",
    "toolcall::state/seed::agent_loop::gemini-to-openai_responses*",
]

# The reference, but for a fault of each kind.
BROKEN = """
import copy
from toolcall_reference import ReferenceTranslator


class Refused(Exception):
    pass


class Session:
    def __init__(self, inner):
        self.inner, self.count = inner, 0

    def request(self, body):
        self.count += 1
        if self.count > 1:
            raise KeyError("second turns are beyond me")
        return json_like(self.inner.request(body))

    def response(self, body):
        if "usage" in body:
            return [body]
        return self.inner.response(body)

    def error(self, status, body):
        if status == 429:
            raise Refused("too many")
        return 500, body


def json_like(body):
    body.pop("tools", None)
    return body | {"invented": 2**63}


class Translator:
    name, version = "broken", "1"

    def open(self, route):
        if route.client == "gemini":
            raise NotImplementedError("no clients of this kind")
        return Session(ReferenceTranslator().open(route))
"""


def run_report(folder: Path, spec: str, *selection: str) -> dict[str, Any]:
    quiet = ("-q", "-p", "no:cacheprovider", "-p", "no:hypothesispytest", "-p", "no:anyio")
    done = forked_runs.run(
        [*quiet, "--toolcall-translator", spec, "--toolcall-report", "report.json", *selection],
        folder,
        {key: value for key, value in os.environ.items() if not key.startswith("PYTEST_")},
    )
    assert done.returncode in (0, 1), done.stdout[-2000:] + done.stderr[-2000:]
    report: dict[str, Any] = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    for item in report["items"]:
        del item["duration"]
    return report


def through_exec(spec: str) -> str:
    return "exec:" + shlex.join([sys.executable, str(LENDER), spec])


def assert_same_report(folder: Path, spec: str, *selection: str) -> dict[str, Any]:
    here, there = run_report(folder, spec, *selection), run_report(folder, through_exec(spec), *selection)
    assert there["items"] == here["items"]
    assert there["matrix"] == here["matrix"]
    assert there["losses"] == here["losses"]
    return here


def test_the_reference(tmp_path: Path) -> None:
    report = assert_same_report(tmp_path, REFERENCE, *ITEMS)
    assert len(report["items"]) > 60
    assert {item["check"] for item in report["items"]} == {
        "request",
        "response",
        "stream",
        "agent_loop",
        "round_trip",
    }
    assert report["losses"]


def test_a_translator_with_faults_of_every_kind(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text(BROKEN, encoding="utf-8")
    what = "mcp/two-servers::request", "mcp/two-servers::response", "mcp/two-servers::agent_loop"
    report = assert_same_report(
        tmp_path,
        "broken:Translator",
        *(f"toolcall::{name}" for name in what),
        "toolcall::errors/upstream-rate-limit::response",
    )
    rules = {finding["rule"] for item in report["items"] for finding in item["findings"]}
    assert rules >= {"translation/crashed", "translation/bad-output", "translation/refused"}
    assert len(rules) > 4
    assert {item["client"] for item in report["items"]} == {"anthropic", "openai_chat", "openai_responses"}
