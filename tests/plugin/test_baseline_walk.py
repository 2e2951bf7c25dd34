"""From a first red run to a green one, as a user with a quick translator goes: the whole way, with the real corpus."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path

import pytest

from toolcall_conformance.reports.known_failures import ItemPattern

pytest.importorskip("xdist")

pytestmark = pytest.mark.any_python

QUICK = (Path(__file__).parent / "quick_translator.txt").read_text(encoding="utf-8")
# One thing more that is wrong: instructions go. And one that is mended: arguments are JSON again.
BREAK = ('"system" in body', '"nothing" in body')
MEND = ('str(block["input"])', 'json.dumps(block["input"])')
CAUSE = "translation/arguments"
# Few items, among them some with instructions, some with arguments, and some that come to neither.
CASES = ("shell/realistic", "shell/two-rounds", "shell/dialect-absent-arguments")
ITEMS = tuple(f"toolcall::{case}" for case in CASES)
# Of all families a few items, since the whole corpus takes a minute.
FIRST = (*ITEMS, "toolcall::@quick")
SETTINGS = """
[tool.toolcall]
translator = "quick:T"
known-failures = "known.toml"
report = "report.json"
"""


class Walk:
    """The user's project."""

    def __init__(self, home: Path) -> None:
        self.home = home
        (home / "below").mkdir()
        (home / "pyproject.toml").write_text(SETTINGS, encoding="utf-8")
        self.write(QUICK)

    def write(self, translator: str) -> None:
        (self.home / "quick.py").write_text(translator, encoding="utf-8")

    def run(self, *arguments: str, folder: str = ".", items: Sequence[str] = ITEMS) -> subprocess.CompletedProcess[str]:
        """Run pytest as the user does, on a screen of 80 columns."""
        environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST_")}
        command = [sys.executable, "-B", "-m", "pytest", "-p", "no:hypothesispytest", *items, *arguments]
        return subprocess.run(
            command,
            cwd=self.home / folder,
            env={**environment, "COLUMNS": "80"},
            capture_output=True,
            text=True,
            check=False,
            timeout=600,
        )

    def failures(self, status: str) -> set[tuple[str, str]]:
        """The items and rules of the last run's failing findings that have a standing."""
        items = json.loads((self.home / "report.json").read_text(encoding="utf-8"))["items"]
        return {
            (item["nodeid"].removeprefix("toolcall::"), finding["rule"])
            for item in items
            for finding in item["findings"]
            if finding.get("standing") == status
        }

    @property
    def causes(self) -> dict[str, list[str]]:
        causes: dict[str, list[str]] = tomllib.loads((self.home / "known.toml").read_text(encoding="utf-8"))["causes"]
        return causes

    @property
    def known(self) -> set[tuple[str, str]]:
        """The items of the last run that the file names, each with the rule."""
        items = json.loads((self.home / "report.json").read_text(encoding="utf-8"))["items"]
        return {
            (nodeid, cause.partition(" ")[0])
            for cause, patterns in self.causes.items()
            for item in items
            if any(
                ItemPattern(pattern, 1).matches(nodeid := item["nodeid"].removeprefix("toolcall::"))
                for pattern in patterns
            )
        }


def _can_be_read(lines: list[str]) -> None:
    """A run prints a line a family and a few screens, the last lines of which say what to mend first; other causes are
    counted.
    """
    families = sum(re.fullmatch(r"\w+ .* items?, .*\d s", line) is not None for line in lines)
    assert 25 <= families <= 40
    assert len(lines) - families <= 125
    summary = lines[next(number for number, line in enumerate(lines) if "= toolcall conformance =" in line) :]
    assert [line for line in summary if len(line) > 80] == []
    (first,) = [line for line in summary[-5:] if line.startswith("mend first: ")]
    rule, items, _ = re.split(r", |: ", first.removeprefix("mend first: "), maxsplit=2)
    heads = [line for line in summary if line.startswith("MUST  ")]
    assert heads[0].startswith(f"MUST  {rule} ")
    assert heads[0].endswith(f" {items}")
    assert len([line for line in summary if line.startswith("  item  ")]) == 6


@pytest.fixture(scope="module")
def walk(tmp_path_factory: pytest.TempPathFactory) -> Walk:
    """The project after its first run, which was red, and with the file of known failures that it wrote."""
    walk = Walk(tmp_path_factory.mktemp("walk"))
    (walk.home / "known.toml").touch()
    first = walk.run(items=FIRST)
    assert first.returncode == pytest.ExitCode.TESTS_FAILED, first.stdout + first.stderr
    _can_be_read(first.stdout.splitlines())
    red = {(item, rule) for item, rule in walk.failures("new") if item.startswith(CASES)}
    assert red
    written = walk.run("--toolcall-known-failures-update")
    assert written.returncode == pytest.ExitCode.OK, written.stdout
    assert walk.known == red
    return walk


def test_then_it_is_green(walk: Walk) -> None:
    walk.write(QUICK)
    green = walk.run()
    assert green.returncode == pytest.ExitCode.OK, green.stdout
    assert walk.failures("known")


@pytest.mark.parametrize(
    ("arguments", "folder"), [((), "."), (("-n", "1"), "."), ((), "below")], ids=["alone", "workers", "below"]
)
def test_until_something_changes(walk: Walk, arguments: tuple[str, ...], folder: str) -> None:
    walk.write(QUICK.replace(*BREAK).replace(*MEND))
    changed = walk.run(*arguments, folder=folder)
    assert changed.returncode == pytest.ExitCode.TESTS_FAILED
    # What is broken is new, and nothing else; what is neither broken nor mended is known still.
    assert walk.failures("known")
    new = walk.failures("new") | walk.failures("other")
    assert {rule for _, rule in new} == {"translation/system-prompt"}, new
    # What is mended is stale, with the lines to delete.
    stale = re.findall(r"^toolcall: stale known failure: (.*)$", changed.stdout, re.MULTILINE)
    assert {CAUSE} == {re.findall(r": (\S+/\S+) \(", sentence)[0] for sentence in stale}
    lines = (walk.home / "known.toml").read_text(encoding="utf-8").splitlines()
    for sentence in stale:
        first, _, last = re.findall(r"delete lines? (\d+)( to (\d+))?$", sentence)[0]
        numbers = range(int(first), int(last or first) + 1)
        lines = ["" if number in numbers else line for number, line in enumerate(lines, 1)]
    entries = tomllib.loads("\n".join(lines))["causes"]
    assert entries == {cause: items for cause, items in walk.causes.items() if not cause.startswith(f"{CAUSE} ")}
