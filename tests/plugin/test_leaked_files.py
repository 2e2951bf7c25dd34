"""A translator that leaks files until it gets no more: its calls fail, and the run goes on to its reports."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from miniature import CONFTEST

resource = pytest.importorskip("resource")

LEAKS = """
    def request(self, body):
        import os
        kept = self.__dict__.setdefault("kept", [])
        try:
            while True:
                kept.append(os.open(os.devnull, os.O_RDONLY))
        except OSError:
            EVERYTHING.append(kept)
        return {"text": "lost"}
"""


@pytest.mark.parametrize("files", [100, 256])
def test_the_run_reports_what_it_saw(files: int, project: Any) -> None:
    project.pytester.makeconftest(CONFTEST)
    spec = project.write_translator(LEAKS)
    module = project.path / "mine.py"
    module.write_text(f"EVERYTHING = []\n{module.read_text(encoding='utf-8')}", encoding="utf-8")
    words = (
        "-q",
        "-p",
        "no:cacheprovider",
        *(f"--toolcall-report=report.{end}" for end in ("json", "md")),
        "toolcall::",
    )
    limited = ["sh", "-c", f'ulimit -n {files}; exec "$@"', "sh"]
    done = subprocess.run(
        [*limited, sys.executable, "-m", "pytest", "--toolcall-translator", spec, *words],
        cwd=project.path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stdout[-2000:]
    assert "INTERNALERROR" not in done.stdout
    report = json.loads((project.path / "report.json").read_text(encoding="utf-8"))
    assert report["footer"]["complete"] is True
    assert (project.path / "report.md").exists()


SETS = """
    def request(self, body):
        import resource
        resource.setrlimit(resource.RLIMIT_NOFILE, (200, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
        return super().request(body)
    def response(self, body):
        import resource
        open("limits", "a").write(f"{resource.getrlimit(resource.RLIMIT_NOFILE)[0]}\\n")
        return super().response(body)
"""


def test_a_translator_that_sets_the_limit_keeps_it(project: Any) -> None:
    spec = project.write_translator(SETS)
    project.run_in_subprocess("toolcall::box/one", spec=spec).assert_outcomes(passed=8)
    limits = (project.path / "limits").read_text(encoding="utf-8").split()
    assert limits[-1] == "200"
