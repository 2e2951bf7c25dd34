"""One run of a translator with many faults: a case for each, and what is shown of each item that fails."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

import pytest

from miniature import write_case
from toolcall_conformance import library

ROUTE = "alpha-to-beta"
# An item without a fault, which comes behind all others.
GOOD = "then/good"


class FaultRun:
    """A run with a case ``fault/NAME`` for each fault, whose last check fails, and a good item last."""

    def __init__(
        self, project: Any, spec: str, faults: Iterable[str], *options: str, checks: Sequence[str] = ("request",)
    ) -> None:
        items = []
        failing = 0
        for fault in faults:
            write_case(project.corpus, f"fault/{fault}")
            items += [f"toolcall::fault/{fault}::{check}::{ROUTE}" for check in checks]
            failing += 1
        if not (project.corpus / "scenarios" / GOOD).exists():
            write_case(project.corpus, GOOD)
        items.append(f"toolcall::{GOOD}::request::{ROUTE}")
        library._loaded.clear()
        self.result: pytest.RunResult = project.run("-v", *items, *options, spec=spec)
        self.result.assert_outcomes(failed=failing, passed=len(items) - failing)
        played = [line.split()[0] for line in self.result.outlines if re.match(r"toolcall::\S+ (PASSED|FAILED)", line)]
        assert played[-1] == items[-1]
        self._check = checks[-1]

    def expect(self, fault: str, rule: str, sentence: str, words: str) -> None:
        """Expect what is shown of one item."""
        lines = self.result.outlines
        start = lines.index(f"fault/{fault} · {self._check} · alpha → beta")
        numbered_lines = enumerate(lines[start + 1 :], start + 1)
        end = next(number for number, line in numbered_lines if line.startswith(("fault/", "====", "____")))
        matcher = pytest.LineMatcher(lines[start:end])
        matcher.fnmatch_lines([f"  translation/{rule}  *        MUST", f"    what  {sentence}"])
        if words:
            matcher.fnmatch_lines([words])
