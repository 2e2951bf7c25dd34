"""What a report says of the suite that judged: what changes which digest, and what changes none."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from reports.report_items import CORPUS, item, run
from toolcall_conformance.library import Corpus, fingerprint, vendored
from toolcall_conformance.reports.writers import json_report

CASE, RULE = "shell/seed", "translation/call-lost"
FILES = (
    "corpus.json",
    "words.json",
    "formats",
    "translation/rules",
    "translation/losses.json",
    f"scenarios/{CASE}",
    "schemas",
    "tools",
)


@pytest.fixture(scope="module")
def small_suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One case of the corpus with all rules, and two modules."""
    folder = tmp_path_factory.mktemp("suite")
    for name in FILES:
        source, target = CORPUS.root / name, folder / "corpus" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if source.is_dir() else shutil.copyfile)(source, target)
    for module in ("judge/judge.py", "cli/reports/diff.py"):
        (folder / "code" / module).parent.mkdir(parents=True)
        (folder / "code" / module).write_text("x = 1\n", encoding="utf-8")
    return folder


def suite_fingerprint(small: Path, *private: Path) -> dict[str, Any]:
    return fingerprint.suite(Corpus(small / "corpus", private), small / "code")


def rewritten(path: Path, **changed: Any) -> None:
    path.write_text(json.dumps({**json.loads(path.read_text(encoding="utf-8")), **changed}), encoding="utf-8")


def append_newline(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b"\n")


@pytest.mark.parametrize(
    ("name", "change", "differing"),
    [
        (f"corpus/scenarios/{CASE}/gemini/01-request.json", append_newline, ["cases", "corpus"]),
        (
            f"corpus/{RULE.replace('/', '/rules/')}.json",
            lambda path: rewritten(path, level="NOTE"),
            ["corpus", "rules"],
        ),
        (f"corpus/{RULE.replace('/', '/rules/')}.json", lambda path: rewritten(path, fix="Do it."), ["corpus"]),
        ("corpus/translation/losses.json", append_newline, ["corpus", "data"]),
        ("corpus/words.json", append_newline, ["corpus"]),
        ("code/judge/judge.py", append_newline, ["code"]),
        ("code/cli/reports/diff.py", append_newline, []),
        ("code/judge/judge.pyc", lambda path: path.write_bytes(b"x"), []),
    ],
)
def test_what_changes_which_digest(
    name: str, change: Callable[[Path], object], differing: list[str], small_suite: Path
) -> None:
    path = small_suite / name
    before, content = suite_fingerprint(small_suite), path.read_bytes() if path.is_file() else None
    change(path)
    try:
        after = suite_fingerprint(small_suite)
    finally:
        path.unlink() if content is None else path.write_bytes(content)
    assert sorted(key for key in before if before[key] != after[key]) == differing
    assert [case for case in before["cases"] if before["cases"][case] != after["cases"][case]] == (
        [CASE] if "cases" in differing else []
    )
    assert [rule for rule in before["rules"] if before["rules"][rule] != after["rules"][rule]] == (
        [RULE] if "rules" in differing else []
    )


def test_private_cases_are_named(small_suite: Path, tmp_path: Path) -> None:
    mine = tmp_path / "scenarios" / "mine" / "one"
    shutil.copytree(CORPUS.root / "scenarios" / CASE, mine)
    rewritten(mine / "scenario.json", id="mine/one")
    (mine / ".#lock").symlink_to(tmp_path / "nowhere")  # as an editor leaves it
    public, private_suite = suite_fingerprint(small_suite), suite_fingerprint(small_suite, tmp_path)
    assert set(private_suite["cases"]) == {*public["cases"], "mine/one"}
    append_newline(mine / "gemini" / "01-request.json")
    assert suite_fingerprint(small_suite, tmp_path)["cases"]["mine/one"] != private_suite["cases"]["mine/one"]


def test_a_report_says_it_of_the_whole_suite() -> None:
    suite = fingerprint.suite(CORPUS)
    assert suite["corpus"] == vendored.manifest_of(CORPUS.root).sha256
    assert (set(suite["cases"]), set(suite["rules"])) == (set(CORPUS.cases), set(CORPUS.rules))
    schema = json.loads(json_report.SCHEMA_PATH.read_text(encoding="utf-8"))
    jsonschema.validate(json_report.document(run([item()], suite=suite)), schema)
