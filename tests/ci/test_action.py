"""``action.yml``: its form, and its steps, run as GitHub's runner runs them (``bash -e -o pipefail``)."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "action.yml").read_text(encoding="utf-8")
ACTION: Mapping[str, Any] = yaml.safe_load(TEXT)
STEPS: list[Mapping[str, Any]] = ACTION["runs"]["steps"]
SHELL = [step for step in STEPS if "run" in step]
INPUT = re.compile(r"\$\{\{ inputs\.([a-z-]+) \}\}")

# Stands in for `python`: it says what it was called with, a word a line, and ends as it is told to.
SAYS = '#!/bin/bash\nfor word in "$@"; do printf "%s\\n" "$word"; done >> "$SAID"\nexit "${CODE:-0}"\n'
HOSTILE = "a:b\"; touch hacked; $(touch hacked) `touch hacked` '; touch hacked #"


def test_it_is_a_composite_action_with_a_shell_for_each_line() -> None:
    assert ACTION["runs"]["using"] == "composite"
    assert set(ACTION) == {"name", "description", "author", "inputs", "runs"}
    assert {frozenset(step) - {"if"} for step in SHELL} == {frozenset({"name", "shell", "env", "run"})}
    assert {step["shell"] for step in SHELL} == {"bash"}
    assert all({"description", "default"} == set(option) for option in ACTION["inputs"].values())


def test_no_input_is_in_a_line_of_a_shell_or_in_a_condition() -> None:
    for step in STEPS:
        assert "${{" not in step.get("run", "") + step.get("if", "") + step.get("uses", "")
        for value in (*step.get("env", {}).values(), *step.get("with", {}).values()):
            assert "${{" not in value or INPUT.fullmatch(value) or value == "${{ github.action_path }}"


def test_each_input_is_used_and_each_variable_is_one() -> None:
    values = [value for step in STEPS for part in ("env", "with") for value in step.get(part, {}).values()]
    assert {name for value in values for name in INPUT.findall(value)} == set(ACTION["inputs"])
    for step in SHELL:
        assert all(f"${name}" in step["run"] or f"${{{name}" in step["run"] for name in step["env"]), step["name"]


def test_other_actions_are_pinned_and_say_their_version() -> None:
    lines = [line for line in TEXT.splitlines() if "uses:" in line]
    assert len(lines) == 2
    for line in lines:
        assert re.fullmatch(r" +uses: actions/[a-z-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", line)
    assert "secrets" not in TEXT
    assert "GITHUB_TOKEN" not in TEXT


class Runner:
    """Runs the steps of the action in a folder, ``python`` being a script."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.summary = folder / "job-summary"
        self._said = folder / "said"
        (folder / "bin").mkdir()

    def python(self, script: str) -> None:
        """The substitute for ``python``."""
        path = self.folder / "bin" / "python"
        path.write_text(script, encoding="utf-8")
        path.chmod(0o755)

    def step(self, name: str, *, code: int = 0, **inputs: str) -> subprocess.CompletedProcess[str]:
        """Run the step whose name begins so; inputs that are not given have their default."""
        [step] = [step for step in SHELL if step["name"].startswith(name)]
        input_values = {key: entry["default"] for key, entry in ACTION["inputs"].items()}
        input_values |= {key.replace("_", "-"): value for key, value in inputs.items()}
        env = {
            key: input_values[match[1]] if (match := INPUT.fullmatch(value)) else str(ROOT)
            for key, value in step["env"].items()
        }
        env |= {"SAID": str(self._said), "CODE": str(code), "GITHUB_STEP_SUMMARY": str(self.summary)}
        script = self.folder / "step.sh"
        script.write_text(step["run"], encoding="utf-8")
        path = f"{self.folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
        return subprocess.run(
            ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", str(script)],
            cwd=self.folder, env={**os.environ, **env, "PATH": path}, capture_output=True, text=True, check=False,
            timeout=120,
        )  # fmt: skip

    @property
    def python_arguments(self) -> list[str]:
        """The words with which ``python`` was called."""
        return self._said.read_text(encoding="utf-8").splitlines()


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    action_runner = Runner(tmp_path)
    action_runner.python(SAYS)
    return action_runner


PIP = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]


def test_it_installs_the_suite_and_what_the_translator_needs(runner: Runner) -> None:
    assert runner.step("Install").returncode == 0
    assert runner.python_arguments == [*PIP, str(ROOT), "pytest-xdist"]
    assert runner.step("Install", suite="toolcall-conformance==0.1.0", install="-r  needs.txt\n.").returncode == 0
    assert runner.python_arguments[7:] == [*PIP, "toolcall-conformance==0.1.0", "pytest-xdist", "-r", "needs.txt", "."]
    assert runner.step("Install", code=1).returncode == 1


def test_inputs_become_options(runner: Runner) -> None:
    inputs: dict[str, Any] = {
        "translator": "exec:node a b.mjs",
        "items": "toolcall::shell\n toolcall::mcp",
        "strict": "true",
    }
    more: dict[str, Any] = {
        "known_failures": "my known.toml",
        "options": "-x --maxfail=3",
        "workers": "4",
        "reports": "my reports",
    }
    assert runner.step("Judge", code=1, **inputs, **more).returncode == 1
    assert (runner.folder / "my reports").is_dir()
    assert runner.python_arguments == [
        *("-m", "pytest", "-q"),
        *(f"--toolcall-report=my reports/{name}" for name in ("report.json", "report.html", "summary.md")),
        *("--numprocesses=4", "--toolcall-translator=exec:node a b.mjs", "--toolcall-known-failures=my known.toml"),
        *("--toolcall-strict", "-x", "--maxfail=3", "toolcall::shell", "toolcall::mcp"),
    ]


@pytest.mark.parametrize("name", [key for key in ACTION["inputs"] if key not in ("python-version", "artifact")])
def test_no_input_is_run(name: str, runner: Runner) -> None:
    for step in SHELL:
        hostile: dict[str, Any] = {name.replace("-", "_"): HOSTILE}
        runner.step(step["name"], **hostile)
    assert not list(runner.folder.rglob("hacked"))


def test_a_run_of_a_translator_fills_the_reports_and_the_summary(runner: Runner) -> None:
    pytest.importorskip("jinja2")
    runner.python(f'#!/bin/bash\nexec "{sys.executable}" "$@"\n')
    inputs: dict[str, Any] = {"translator": "toolcall_reference:ReferenceTranslator", "workers": "0"}
    options = "-p no:cacheprovider -p no:hypothesispytest"
    done = runner.step("Judge", items="toolcall::shell/seed::request", options=options, **inputs)
    assert done.returncode == 0, done.stdout + done.stderr
    reports = runner.folder / "toolcall-reports"
    assert sorted(path.name for path in reports.iterdir()) == ["report.html", "report.json", "summary.md"]
    assert runner.step("Write").returncode == 0
    assert runner.summary.read_text(encoding="utf-8") == (reports / "summary.md").read_text(encoding="utf-8")
    assert runner.summary.read_text(encoding="utf-8").startswith("## Tool call conformance: passed\n")


@pytest.mark.parametrize("report", [None, '{"footer": {"complete": false}}'])
def test_a_run_that_ended_before_its_report_is_not_green(report: str | None, runner: Runner) -> None:
    (runner.folder / "toolcall-reports").mkdir()
    if report is not None:
        (runner.folder / "toolcall-reports" / "report.json").write_text(report, encoding="utf-8")
    done = runner.step("Judge")
    assert done.returncode == 1
    assert "::error title=Tool call conformance::the run ended before its report was complete" in done.stdout


def test_without_reports_there_is_no_summary(runner: Runner) -> None:
    assert runner.step("Write").returncode == 0
    assert not runner.summary.exists()


def test_the_page_names_every_input() -> None:
    page = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `([a-z-]+)` \|", page, re.MULTILINE)) == set(ACTION["inputs"])


def test_what_the_page_shows_is_yaml_without_inputs_in_lines_of_a_shell() -> None:
    page = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
    documents = [yaml.safe_load(block) for block in re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)]
    assert len(documents) >= 3
    for job in (job for document in documents for job in document.get("jobs", {}).values()):
        for step in job["steps"]:
            assert isinstance(step.get("run", ""), str)
            assert "${{" not in step.get("run", "")
