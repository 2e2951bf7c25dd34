"""Law that changes while a run lasts, by the translator for one: the run does not pass, and says which file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

WRITES = """
    def request(self, body):
        from pathlib import Path
        for path in Path({corpus!r}).rglob({name!r}):
            path.write_text(path.read_text() + " ")
        return super().request(body)
"""


def run_changing_corpus(project: Any, name: str) -> pytest.RunResult:
    spec = project.write_translator(WRITES.format(corpus=str(project.corpus), name=name))
    result: pytest.RunResult = project.run("toolcall::box/one", spec=spec)
    return result


def test_a_run_does_not_pass_whose_rules_were_written_meanwhile(project: Any) -> None:
    rule = next(path for path in sorted(Path(project.corpus).rglob("text-kept.json")))
    result = run_changing_corpus(project, rule.name)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines([f"toolcall: the corpus changed during the run ({rule}*): its verdicts may*"])


def test_a_scenario_may_change(project: Any) -> None:
    assert run_changing_corpus(project, "scenario.json").ret == pytest.ExitCode.OK
