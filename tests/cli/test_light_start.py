"""What a command imports: only what it needs, for half of its time would go into the rest."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BODY = ROOT / "corpus" / "scenarios" / "shell" / "realistic" / "anthropic" / "02-request.json"

RUNS = """
import sys
from toolcall_conformance.cli import main

try:
    code = main(sys.argv[1:])
except SystemExit as ended:
    code = ended.code
print()
print(code or 0, *sorted(sys.modules))
"""


def imported_modules(*words: str, code: int = 0) -> set[str]:
    """The names of all modules that a process has imported at the end of a command."""
    done = subprocess.run([sys.executable, "-c", RUNS, *words], capture_output=True, text=True, check=True)
    status, *names = done.stdout.splitlines()[-1].split()
    assert int(status) == code, done.stdout
    return set(names)


def ours(names: set[str]) -> set[str]:
    return {name for name in names if name.partition(".")[0] in ("toolcall_conformance", "toolcall_reference")}


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_to_say_what_there_is_imports_no_subcommand(option: str) -> None:
    names = imported_modules(option)
    assert ours(names) == {
        "toolcall_conformance",
        "toolcall_conformance.basics",
        "toolcall_conformance.cli",
        "toolcall_conformance.cli.parser",
        "toolcall_conformance.basics.format_names",
    }
    assert not names & {"pytest", "jsonschema", "dataclasses", "tomllib"}


def test_the_help_of_run_imports_no_pytest() -> None:
    names = imported_modules("run", "--help")
    assert "toolcall_conformance.cli.runs.run" in names
    assert not names & {"pytest", "_pytest", "toolcall_conformance.engine", "jsonschema", "toolcall_reference"}


HEAVY = {
    "aiohttp",
    "asyncio",
    "deepdiff",
    "jinja2",
    "jsonschema",
    "pytest",
    "referencing",
    "tomlkit",
    "toolcall_conformance.checks",
    "toolcall_conformance.drivers",
    "toolcall_conformance.engine",
    "toolcall_conformance.trust",
    "toolcall_conformance.drivers.upstream",
    "toolcall_reference",
}


def test_a_pair_without_a_fault_is_judged_without_what_explains_faults() -> None:
    names = imported_modules("judge", "--client", "anthropic", "--upstream", "anthropic", str(BODY), str(BODY))
    assert "toolcall_conformance.judge.judge" in names
    assert names & HEAVY == set()


def test_what_breaks_a_schema_is_explained_by_jsonschema(tmp_path: Path) -> None:
    broken = tmp_path / "broken.json"
    broken.write_text(json.dumps(json.loads(BODY.read_text(encoding="utf-8")) | {"max_tokens": "many"}))
    names = imported_modules(
        "judge", "--client", "anthropic", "--upstream", "anthropic", str(BODY), str(broken), code=1
    )
    assert names & HEAVY == {"jsonschema", "referencing"}
