"""The places of a run that must not pass for a finished one: it ends early, or cannot write what it found."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

import miniature
from hostility import endings, texts
from hostility.files import golden
from hostility.place import Place
from hostility.pytest_runs import ALONE, KNOWN, QUIET, SPEC
from hostility.python_translators import LIMIT, prepare
from reports.report_items import finding, item, run
from toolcall_conformance.cli.parser import USAGE
from toolcall_conformance.reports.writers import json_report

WAYS = {
    "alone": (ALONE, 1),
    "isolated": ((*ALONE, "--toolcall-isolated"), 1),
    "in a worker": (("-n", "1"), 1),
}
OUTPUTS = ("full", "closed", "unread")
COMMANDS = {
    "version": "--version",
    "help": "--help",
    "formats": "list formats",
    "rules": "list rules",
    "explained": "explain blocked",
    "schema": "schema",
    "judged": "judge --client anthropic --upstream gemini GOOD GOOD",
    "diff": "diff REPORT OTHER",
    "smoke": "smoke toolcall_reference:ReferenceTranslator",
    "losses": "losses --help",
}


def _fork_work(work: Any) -> int:
    """The exit code of a copy of this process that does this work: the work may end its process."""
    if not (child := os.fork()):
        os._exit(int(work()))
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _ends(way: str, where: str) -> Place:
    options, weight = WAYS[way]

    def play(folder: Path, value: str, _draw: Random) -> int:
        _prepare_project(folder, where, "leaves", value)
        report = folder / "r.json"
        report.write_text(json.dumps({"footer": {"complete": True, "items": 7}, "items": []}))
        old = report.read_bytes()
        arguments = [*QUIET, *options, f"--toolcall-timeout={LIMIT}", "--toolcall-report=r.json"]
        code = _fork_work(lambda: pytest.main([*arguments, f"--toolcall-translator={SPEC}", "toolcall::box"]))
        print(f"the run ended with {code}")
        is_visible = value not in endings.UNSEEN or way == "isolated"
        stays = report.exists() and report.read_bytes() == old
        whole = not stays and report.exists() and json.loads(report.read_text())["footer"]["complete"]
        assert whole or code or not is_visible, "exit code 0 of a run that its translator ended"
        assert not stays or code > 0, "the report of an earlier run stands where that of this one should"
        assert code >= 0 or value in ("kill", "segfault"), f"signal {-code}"
        return 0

    return Place("ended run", f"{way.replace(' ', '-')}-{where}", _draw_name(endings.LEAVES), play, 90.0, weight)


def _draw_name(values: Any) -> Any:
    return lambda draw: draw.choice([*values])


def _prepare_project(folder: Path, where: str, how: str, value: str) -> None:
    prepare(folder, where, how, value)
    miniature.write_corpus(folder / "mini")
    (folder / "conftest.py").write_text(miniature.CONFTEST)


def _change_known_failures(folder: Path, value: str, draw: Random) -> int:
    """The file of known failures changes, or files run out, while a run lasts that rewrites it at its end."""
    _prepare_project(folder, "request", "changes", value)
    path = folder / "known.toml"
    path.write_text(texts.toml_text(KNOWN, "[[known]]"))
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (draw.choice([100, 256, 1024]), most))
    arguments = [
        *QUIET,
        *ALONE,
        f"--toolcall-timeout={LIMIT}",
        "--toolcall-report=r.json",
        "--toolcall-known-failures=known.toml",
    ]
    code = pytest.main(
        [*arguments, "--toolcall-known-failures-update", f"--toolcall-translator={SPEC}", "toolcall::box"]
    )
    report = json.loads((folder / "r.json").read_text())
    assert report["footer"]["complete"]
    assert all(entry["verdict"] != "error" for entry in report["items"]), "an item without a verdict"
    return int(code)


def _output(words: str) -> Any:
    def play(folder: Path, value: str, _draw: Random) -> int:
        for name in ("REPORT", "OTHER"):
            findings = [finding()] if name == "OTHER" else []
            (folder / name).write_text(json.dumps(json_report.document(run([item("box/one", *findings)]))))
        good = os.fspath(golden("anthropic", "-request.json"))
        command = [
            sys.executable,
            "-m",
            "toolcall_conformance",
            *(good if word == "GOOD" else word for word in words.split()),
        ]
        reader, writer = os.pipe()
        os.close(reader)
        with Path("/dev/full").open("wb") as full:
            target: Any = {"full": full, "unread": writer, "closed": None}[value]
            closes = (lambda: os.close(1)) if value == "closed" else None
            done = subprocess.run(
                command, stdout=target, stderr=subprocess.PIPE, text=True, preexec_fn=closes, check=False
            )
        print(done.stderr)
        if value == "unread":
            read = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
            assert done.returncode == read.returncode, f"exit code {done.returncode}, read {read.returncode}"
        else:
            assert done.returncode == USAGE, f"exit code {done.returncode}, and nobody has read a word"
            assert len(done.stderr.splitlines()) == 1, "not one sentence"
        return 0

    return play


def places() -> Iterator[Place]:
    """All places of such a run."""
    for way in WAYS:
        for where in ("module", "constructor", "open", "request", "response"):
            yield _ends(way, where)
    yield Place("changed file", "known", _draw_name(endings.CHANGES), _change_known_failures, 60.0, weight=1)
    for name, words in COMMANDS.items():
        yield Place("output", name, _draw_name(OUTPUTS), _output(words), 60.0, weight=1)
