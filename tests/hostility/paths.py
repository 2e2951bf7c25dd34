"""The places of paths: what every command and option reads and writes is something else, or has an odd name."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from random import Random

import pytest

import miniature
from hostility.files import golden
from hostility.place import Place
from reports.report_items import finding, item, run
from toolcall_conformance.cli import main
from toolcall_conformance.reports.writers import json_report


def _socket(path: Path) -> Path:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(os.fspath(path))
    return path


def _fifo(path: Path) -> Path:
    os.mkfifo(path)
    return path


def _link(to: str) -> Callable[[Path], Path]:
    def make(path: Path) -> Path:
        path.symlink_to(to)
        return path

    return make


def _folder(path: Path) -> Path:
    path.mkdir()
    return path


def _full_folder(path: Path) -> Path:
    path.mkdir()
    (path / "mine").write_text("mine")
    path.joinpath("loop").symlink_to(path)
    os.mkfifo(path / "a.json")
    path.joinpath("a.yaml").symlink_to("/dev/zero")
    return path


def _below_file(path: Path) -> Path:
    path.write_text("{}")
    return path / "below"


PATHS: Mapping[str, Callable[[Path], Path]] = {
    "missing": lambda path: path,
    "missing-folder": lambda path: path / "a" / "b",
    "folder": _folder,
    "full-folder": _full_folder,
    "pipe": _fifo,
    "socket": _socket,
    "zeros": _link("/dev/zero"),
    "full": _link("/dev/full"),
    "null": _link("/dev/null"),
    "terminal": _link("/dev/tty"),
    "memory": _link("/proc/self/mem"),
    "loop": lambda path: _link(os.fspath(path))(path),
    "dangling": _link("nowhere/at/all"),
    "below-file": _below_file,
    "long": lambda path: path.with_name("n" * 300),
    "long-path": lambda path: Path(os.fspath(path) + "/d" * 4000),
    "bytes": lambda path: path.with_name("\udcff\udcfe"),
    "injected": lambda path: path.with_name("\x1b[2J\n::error::x"),
    "empty": lambda _path: Path(),
    "processes": lambda _path: Path("/proc/self"),
    "process": lambda _path: Path("/proc/self/fd/999"),
    "home": lambda _path: Path("~nobody-at-all/x"),
}
"""By name; each makes something at a path, or gives another path that a command line can have."""

COMMANDS: Mapping[str, str] = {
    "body": "judge --client anthropic PATH",
    "reply": "judge --client anthropic --response PATH",
    "error": "judge --client anthropic --error PATH",
    "stream": "judge --client anthropic --stream PATH",
    "source": "judge --client anthropic --upstream gemini PATH GOOD",
    "output": "judge --client anthropic --upstream anthropic GOOD PATH",
    "policy": "judge --client anthropic --upstream anthropic --policy PATH GOOD GOOD",
    "report": "report PATH x.md",
    "report-out": "report REPORT PATH.html",
    "report-in": "report REPORT PATH/x.json",
    "badge": "badge PATH x.svg",
    "badge-out": "badge REPORT PATH.json",
    "merge": "merge -o x.json REPORT PATH",
    "merge-out": "merge -o PATH.json REPORT REPORT",
    "diff-old": "diff PATH REPORT",
    "diff-new": "diff --md REPORT PATH",
    "corpus": "corpus PATH",
    "corpus-check": "corpus --check PATH",
    "adapter": "new-adapter --language python PATH",
    "cases": "list cases --corpus PATH",
    "explained": "explain shell/seed --corpus PATH",
    "explained-item": "explain PATH",
    "gateway": "smoke gateway:PATH",
    "child": "smoke exec:PATH",
    "module": "smoke PATH:T",
    "filters": "record --format gemini --model m --cassettes kept --filters PATH --case shell/seed",
    "cassettes": "record --format gemini --model m --cassettes PATH --case shell/seed --base-url http://127.0.0.1:9",
}
OPTIONS = ("known-failures", "report", "artifacts", "policy", "corpus", "cassettes", "translator")


def _command(words: str) -> Callable[[Path, str, Random], int]:
    def play(folder: Path, value: str, _draw: Random) -> int:
        hostile = os.fspath(PATHS[value](folder / "hostile"))
        (folder / "REPORT").write_text(json.dumps(json_report.document(run([item("box/one", finding())]))))
        os.environ["GEMINI_API_KEY"] = os.environ["GOOGLE_API_KEY"] = "secret-of-nobody"
        good = os.fspath(golden("anthropic", "-request.json"))
        return main([word.replace("GOOD", good).replace("PATH", hostile) for word in words.split()])

    return play


def _option(name: str) -> Callable[[Path, str, Random], int]:
    def play(folder: Path, value: str, draw: Random) -> int:
        miniature.write_corpus(folder / "mini")
        (folder / "conftest.py").write_text(miniature.CONFTEST)
        (folder / "good.py").write_text(miniature.GOOD)
        hostile = os.fspath(PATHS[value](folder / "hostile"))
        argument = {"report": f"{hostile}{draw.choice(['', '.json', '.html', '/x.md'])}"}.get(name, hostile)
        more = ["--toolcall-known-failures-update"] if name == "known-failures" and draw.random() < 0.5 else []
        quiet = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:hypothesispytest", "-p", "no:anyio"]
        translator = [] if name == "translator" else ["--toolcall-translator=good:T"]
        return int(pytest.main([*quiet, *translator, f"--toolcall-{name}={argument}", *more, "toolcall::box"]))

    return play


def places() -> Iterator[Place]:
    """All places of paths."""

    def drawn(draw: Random) -> str:
        return draw.choice([*PATHS])

    for name, words in COMMANDS.items():
        yield Place("path", name, drawn, _command(words), weight=3)
    for name in OPTIONS:
        yield Place("path", f"option-{name}", drawn, _option(name), weight=3)
