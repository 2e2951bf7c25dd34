"""The examples run: the translator and the gateway are right on a case, and the CI file's commands do what it says."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from starters import run_suite

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
PLAYED = ("toolcall::shell/seed", "toolcall::errors/upstream-rate-limit")


@pytest.fixture
def examples(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The examples, as in a user's project, where pytest runs."""
    shutil.copytree(EXAMPLES, pytester.path, dirs_exist_ok=True)
    monkeypatch.syspath_prepend(pytester.path)
    return pytester.path


@pytest.mark.parametrize("spec", ["translator:Adapter", "gateway:gateway.toml"])
def test_they_are_right(examples: Path, pytester: pytest.Pytester, small_corpus: Path, spec: str) -> None:
    del examples, small_corpus
    result = run_suite(pytester, spec, *PLAYED)
    assert result.ret == 0
    assert result.parseoutcomes().keys() == {"passed"}
    assert result.parseoutcomes()["passed"] > 4
    result.stdout.no_fnmatch_line("*warned*")


def test_each_says_how_it_is_run() -> None:
    for name, spec in (("translator.py", "translator:Adapter"), ("gateway.toml", "gateway:gateway.toml")):
        assert f"pytest --toolcall-translator {spec} {PLAYED[0]}\n" in (EXAMPLES / name).read_text(encoding="utf-8")


def test_the_ci_job(
    examples: Path, pytester: pytest.Pytester, small_corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its run is green with the known failures that one more run wrote, and red without them."""
    del small_corpus
    job: dict[str, Any] = yaml.safe_load((examples / "ci.yml").read_text(encoding="utf-8"))["jobs"]["conformance"]
    install, run, show = [step["run"] for step in job["steps"] if "run" in step]
    assert install.split() == ["pip", "install", "toolcall-conformance"]
    broken = examples / "translator.py"
    text = broken.read_text(encoding="utf-8")
    broken.write_text(text.replace('or body.get("max_tokens") or 4096', "or 4096"), encoding="utf-8")
    words = [word for word in shlex.split(run) if word != "pytest"]
    update = pytester.runpytest_inprocess(*words, "--toolcall-known-failures-update")
    assert update.ret in (0, 1)
    assert pytester.runpytest_inprocess(*words).ret == 0
    path = examples / "known.toml"
    entries = path.read_text(encoding="utf-8")
    path.write_text("", encoding="utf-8")
    assert pytester.runpytest_inprocess(*words).ret == 1
    path.write_text(entries, encoding="utf-8")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(examples / "shown.md"))
    subprocess.run(["bash", "-euo", "pipefail", "-c", show], check=True)
    assert (examples / "shown.md").read_text(encoding="utf-8") == (examples / "summary.md").read_text(encoding="utf-8")
    assert (examples / "report.json").exists()
