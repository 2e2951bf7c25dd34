"""The comparison of two reports sees what changed and nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from comparison.compare_reports import compare, main

RENAMED = {"translation/old": ["translation/new", "translation/other"]}


def report(*findings: tuple[str, str, str], verdict: str = "fail", node: str = "toolcall::a/b::request::x-to-y") -> Any:
    """A report of one item; a finding is its rule, level and pointer."""
    entries = [{"rule": rule, "level": level, "pointer": pointer, "body": "01"} for rule, level, pointer in findings]
    return {"items": [{"nodeid": node, "verdict": verdict, "findings": entries}]}


OLD = report(("translation/old", "SHOULD", "/a"), ("translation/text-lost", "MUST", ""))


def test_the_same_report() -> None:
    comparison = compare(OLD, OLD, {})
    assert (comparison.same, comparison.differs) == (2, False)


def test_a_finding_under_another_rule_at_the_same_place() -> None:
    new = report(("translation/other", "SHOULD", "/a"), ("translation/text-lost", "MUST", ""))
    comparison = compare(OLD, new, RENAMED)
    assert (comparison.same, comparison.differs) == (1, False)
    assert comparison.renamed == {("translation/old", "translation/other", "SHOULD"): 1}
    assert compare(OLD, new, {}).differs


@pytest.mark.parametrize(
    "new",
    [
        report(("translation/new", "MUST", "/a"), ("translation/text-lost", "MUST", "")),
        report(("translation/new", "SHOULD", "/b"), ("translation/text-lost", "MUST", "")),
        report(("translation/new", "SHOULD", "/a")),
        report(("translation/new", "SHOULD", "/a"), *[("translation/text-lost", "MUST", "")] * 2),
        report(("translation/new", "SHOULD", "/a"), ("translation/text-lost", "MUST", ""), verdict="pass"),
        report(("translation/new", "SHOULD", "/a"), ("translation/text-lost", "MUST", ""), node="toolcall::c"),
    ],
    ids=["level", "pointer", "lost", "twice", "verdict", "item"],
)
def test_what_differs(new: Any) -> None:
    assert compare(OLD, new, RENAMED).differs


def test_some_items_alone() -> None:
    more = {"items": [*OLD["items"], *report(node="toolcall::c")["items"]]}
    assert not compare(more, OLD, {}, partial=True).differs
    assert compare(OLD, more, {}, partial=True).differs


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = [tmp_path / name for name in ("old.json", "new.json", "renamed.json")]
    new = report(("translation/new", "SHOULD", "/a"))
    for file, content in zip(files, (OLD, new, RENAMED), strict=True):
        file.write_text(json.dumps(content), encoding="utf-8")
    assert main([str(files[0]), str(files[1]), "--renamed", str(files[2])]) == 1
    printed = capsys.readouterr().out
    assert "0 findings are the same, 1 have another rule id" in printed
    assert "1 MUST  translation/text-lost" in printed
    assert main([str(files[0]), str(files[0])]) == 0
