"""What a run says to the author of a translator that was written in a hurry: its bugs, in few causes and lines."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from toolcall_conformance.engine.items.plan import plan_items
from toolcall_conformance.library import load_corpus
from toolcall_conformance.reports.known_failures import FailingFinding, KnownFailures, update

HERE = Path(__file__).parent
# So many causes for 18 bugs: what a person reads. Some bugs show in two bodies that no repair is known to join.
MAX_CAUSES = 61
# So many lines for all that fails in `@quick`, which is a tenth of all items.
MAX_KNOWN_LINES = 120


def run_suite(
    folder: Path, *what: str, spec: str = "hurried.translator:Translator"
) -> tuple[subprocess.CompletedProcess[str], list[dict[str, Any]]]:
    """Run some items with the translator of a spec; return the process, and the causes without notes."""
    report = folder / "report.json"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--tb=no"]
    command += [f"--toolcall-translator={spec}", f"--toolcall-report={report}", *what]
    ran = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), str(HERE.parent)])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 1, ran.stdout + ran.stderr
    roots = json.loads(report.read_text(encoding="utf-8"))["roots"]
    return ran, [root for root in roots if root["level"] != "NOTE"]


def test_each_bug_is_a_cause_and_the_causes_are_few(tmp_path: Path) -> None:
    ran, causes = run_suite(tmp_path, "toolcall::@quick")
    document = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    lines = ran.stdout.partition("= toolcall conformance =")[0].splitlines()
    families = {item["case"].partition("/")[0] for item in document["items"]}
    assert [line.split()[0] for line in lines if line.endswith(" s")] == sorted(families)
    assert len([line for line in lines if line.strip("=")]) == len(families)
    assert len(known_failures(document).splitlines()) <= MAX_KNOWN_LINES
    rules = {rule for root in causes for rule in (root["rule"], *root["other_rules"])}
    bugs = json.loads((HERE / "bugs.json").read_text(encoding="utf-8"))["bugs"]
    assert [bug["bug"] for bug in bugs if bug["rule"] not in rules] == []
    assert len(causes) <= MAX_CAUSES
    # Nobody's first cause is one that only hides others.
    assert causes[0]["rule"] == "translation/finish-reason"
    assert f"mend first: {causes[0]['rule']}" in ran.stdout


def test_two_repairs_are_two_causes_and_one_repair_is_one(tmp_path: Path) -> None:
    """A call that the limit cut is another fault than pieces of a hosted call in those of another one.

    Ids that are made of names collide in one way, whether Gemini gave ids or none.
    """
    cases = ("streaming/limit-amid-arguments", "web_tools/hosted-beside-function", "grep/long-ids", "arguments/no-json")
    _, causes = run_suite(tmp_path, *(f"toolcall::{case}" for case in cases))
    shown_cases = [
        root["example"].split("::")[1] for root in causes if root["rule"] == "openai_chat/stream-arguments-json"
    ]
    assert sorted(shown_cases) == ["streaming/limit-amid-arguments", "web_tools/hosted-beside-function"]
    (collided,) = (root for root in causes if root["rule"] == "translation/ids-injective")
    assert collided["cases"] == 2


def known_failures(document: Mapping[str, Any]) -> str:
    """The first file of known failures that a run with this report writes."""
    judged = {
        item["nodeid"]: [
            FailingFinding(finding["rule"], finding["signature"].partition(" ")[2], finding["message"])
            for finding in item["findings"]
            if "standing" in finding
        ]
        for item in document["items"]
        if item["verdict"] not in ("blocked", "error", "not applicable")
    }
    planned = [item.nodeid for item in plan_items(load_corpus())]
    return update(KnownFailures(), "", planned, judged).text
