"""The reference over the corpus, as a user would run it: over all cases, or on a day over a part of each family."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from toolcall_conformance.library import default_root, load_corpus
from turns import everything, share

VARIANTS = (
    "stripping",
    "swapped",
    "fresh",
    "interleaved",
    "stored",
    "streamed",
    "streamed-interleaved",
    "streamed-stored",
)
FORMATS = ("anthropic", "gemini", "openai_chat", "openai_responses")
DAYS = 8
"""In so many days each case is played; each day some of almost every family."""


def cases_today() -> list[str]:
    """Those of today, or all."""
    return share(sorted(load_corpus().cases), DAYS)


def run_report(folder: Path, selection: list[str]) -> dict[str, Any]:
    target = folder / "report.json"
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "--toolcall-translator",
            "toolcall_reference:ReferenceTranslator",
            "--toolcall-report",
            str(target),
            *selection,
        ],
        cwd=folder,
        env={key: value for key, value in os.environ.items() if not key.startswith("PYTEST_")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    document: dict[str, Any] = json.loads(target.read_text(encoding="utf-8"))
    return document


@pytest.fixture(scope="module")
def reference_report(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    what = ["toolcall::"] if everything() else [f"toolcall::{case}" for case in cases_today()]
    return run_report(tmp_path_factory.mktemp("alone"), what)


def test_every_case_route_and_check_passes(reference_report: dict[str, Any]) -> None:
    refused = [item for item in reference_report["items"] if item["verdict"] == "not applicable"]
    assert [item["nodeid"] for item in refused if "refused, as it may here" not in item["reason"]] == []
    items = [item for item in reference_report["items"] if item not in refused]
    assert {item["verdict"] for item in items if item["check"] not in ("agent_loop", "request")} == {"pass"}
    assert {item["verdict"] for item in items} <= {"pass", "warn"}
    assert {item["case"] for item in items} == {*cases_today()}
    assert len(load_corpus().cases) >= 130
    routes = {(item["check"], item["client"], item["upstream"]) for item in items}
    assert routes == {
        (check, client, upstream)
        for check in ("request", "response", "stream", "agent_loop", "round_trip")
        for client in FORMATS
        for upstream in FORMATS
        if check != "round_trip" or client != upstream
    } | {(check, name, name) for check in ("adapter", "mcp") for name in FORMATS}
    assert len({item["case"].split("/")[0] for item in items}) >= 13


def test_requests_warn_only_of_conventions(reference_report: dict[str, Any]) -> None:
    warnings = {
        (finding["rule"], finding["subject"], item["upstream"])
        for item in reference_report["items"]
        for finding in item["findings"]
        if finding["level"] == "SHOULD" and item["check"] == "request"
    }
    # Anthropic has no JSON mode without a schema, and Gemini's labels are Vertex AI's alone.
    expected = {
        ("translation/response-format-lost", "output_config.format", "anthropic"),
        ("translation/setting-by-convention-lost", "labels", "gemini"),
    }
    assert warnings == expected if everything() else warnings <= expected


def test_the_loop_warns_only_of_what_cannot_be_kept(reference_report: dict[str, Any]) -> None:
    warnings = {
        (finding["rule"], item["variant"])
        for item in reference_report["items"]
        for finding in item["findings"]
        if finding["level"] == "SHOULD" and item["check"] == "agent_loop"
    }
    # An id too long for the client's format comes back shortened; another replica has lost the state.
    state = ("state-returned", "state-stand-in", "earlier-state-returned", "answer-state-returned")
    lost = {(f"translation/{slug}", "fresh") for slug in state}
    assert warnings <= {("translation/ids-returned", variant) for variant in (None, *VARIANTS)} | lost


def test_its_losses_are_those_of_the_table(reference_report: dict[str, Any]) -> None:
    table = json.loads((default_root() / "translation" / "losses.json").read_text(encoding="utf-8"))["pairs"]
    ways = {"request": "request", "response": "reply", "stream": "reply", "agent_loop": "loop"}
    met = {
        (row["check"], f"{row['client']}-to-{row['upstream']}", row["element"], row["kind"])
        for row in reference_report["losses"]
    }
    for check, pair, element, kind in met:
        table_losses = {(loss["element"], loss["demand"]) for loss in table[pair][ways[check]]}
        assert (element, kind) in table_losses or (element.startswith("private:") and kind == "cannot"), (
            check,
            pair,
            element,
        )
    assert {check for check, *_ in met} == set(ways)
    if everything():
        assert ("request", "anthropic-to-gemini", "parallel-flag", "cannot") in met
