"""The reference over the whole corpus, as a user would run it; in one process and in two the report is the same."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

FORMATS = ("anthropic", "gemini", "openai_chat", "openai_responses")


def report(folder: Path, *arguments: str) -> dict[str, Any]:
    target = folder / f"report{len(arguments)}.json"
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
            "toolcall::",
            *arguments,
        ],
        cwd=folder,
        env={key: value for key, value in os.environ.items() if not key.startswith("PYTEST_")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    found: dict[str, Any] = json.loads(target.read_text(encoding="utf-8"))
    return found


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return report(tmp_path_factory.mktemp("alone"))


def test_every_case_route_and_check_passes(alone: dict[str, Any]) -> None:
    items = alone["items"]
    assert {item["verdict"] for item in items} == {"pass"}
    assert len({item["case"] for item in items}) >= 30
    routes = {(item["check"], item["client"], item["upstream"]) for item in items}
    assert routes == {
        (check, client, upstream) for check in ("request", "response") for client in FORMATS for upstream in FORMATS
    }


def test_two_processes_give_the_same_report(alone: dict[str, Any], tmp_path: Path) -> None:
    pytest.importorskip("xdist")
    together = report(tmp_path, "-n", "2")

    def plain(found: dict[str, Any]) -> list[dict[str, Any]]:
        items = [{key: value for key, value in item.items() if key != "duration"} for item in found["items"]]
        return sorted(items, key=lambda item: str(item["nodeid"]))

    assert plain(together) == plain(alone)
    assert together["matrix"] == alone["matrix"]
