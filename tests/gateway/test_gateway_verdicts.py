"""Through HTTP the reference gets the verdicts and findings that it gets in this interpreter, item by item."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from toolcall_conformance.checks import ONE_FORMAT
from toolcall_reference import formats

HERE = Path(__file__).parent
ITEMS = [
    "toolcall::shell/seed",  # every check on every route
    "toolcall::errors/upstream-rate-limit",
    "toolcall::ids/cleaned-alike::agent_loop",  # ids that a client does not take
    "toolcall::state/seed::agent_loop",  # replies that are kept for the client, streamed and not
    "toolcall::reasoning/seed::stream",  # opaque state; streams that are cut everywhere
    "toolcall::reasoning/seed::agent_loop",
    "toolcall::streaming/lost-amid-arguments::stream",
]


def judged(folder: Path, spec: str) -> dict[str, dict[str, Any]]:
    """The items of a run, by their ids."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--toolcall-translator={spec}"]
    done = subprocess.run(
        [*command, "--toolcall-report=report.json", *ITEMS],
        cwd=folder,
        env={key: value for key, value in os.environ.items() if not key.startswith("PYTEST_")},
        capture_output=True,
        text=True,
        check=False,
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
    here, there = judged(tmp_path, "shared_memory:Translator"), judged(tmp_path, "gateway:gateway.toml")
    for item in (*here.values(), *there.values()):
        del item["duration"]
    assert there == here
    assert {(item["client"], item["upstream"]) for item in here.values()} == {
        (client, upstream) for client in formats.names() for upstream in formats.names()
    }
    assert {item["check"] for item in here.values()} == {"request", "response", "stream", "agent_loop", "round_trip"}
    assert "fail" not in {item["verdict"] for item in here.values()}
