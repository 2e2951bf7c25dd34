"""Whatever prints, prints what ``visible_text`` has made fit: no other way leads out of the judge to a terminal."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from every import every

PACKAGE = Path(__file__).resolve().parents[1] / "conformance" / "toolcall_conformance"
# The ways out themselves, and what speaks when pytest is gone: what they print, their own tests look at.
WAYS = {"cli/console.py", "engine/output/printing.py", "engine/ending/process_exit.py", "engine/ending/watcher.py"}
FIT = {"visible", "visible_lines", "visible_json", "sanitize"}
# Of pytest's reporter and writer, and of streams.
PRINTING = {"line", "write_line", "write", "write_sep", "section", "sep", "rewrite", "print_usage", "exit"}
REPORTERS = {"reporter", "terminalreporter", "tw", "writer", "stdout", "stderr", "__stdout__", "__stderr__"}
TELLING = {"fail", "skip", "xfail", "CollectError"}
FILES = sorted(path for path in PACKAGE.rglob("*.py") if "starters" not in path.parts)


def unsafe_prints(path: Path) -> Iterator[str]:
    """The calls that print, or pass to pytest, a text that no function made fit."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and _prints(node.func) and not all(map(_is_fit, node.args)):
            yield f"{path.relative_to(PACKAGE)}:{node.lineno}: {ast.unparse(node)}"


def _prints(function: ast.expr) -> bool:
    if isinstance(function, ast.Name):
        return function.id in ("print", "print_exc")
    if not isinstance(function, ast.Attribute):
        return False
    owner = ast.unparse(function.value).rpartition(".")[2]
    if owner in ("pytest", "Collector"):
        return function.attr in TELLING
    if owner in ("warnings", "logging", "logger", "traceback", "faulthandler"):
        return function.attr in (
            "warn",
            "debug",
            "info",
            "warning",
            "error",
            "exception",
            "print_exc",
            "dump_traceback",
        )
    return owner in REPORTERS and function.attr in PRINTING


def _is_fit(argument: ast.expr) -> bool:
    """Whether an argument is a constant of ours, or what a function that makes it fit returns."""
    if isinstance(argument, ast.BinOp):
        return _is_fit(argument.left) and _is_fit(argument.right)
    if isinstance(argument, ast.Call):
        return ast.unparse(argument.func) in FIT
    return isinstance(argument, ast.Constant)


@every("path", FILES, id=lambda path: str(path.relative_to(PACKAGE)))
def test_nothing_is_printed_raw(path: Path) -> None:
    if str(path.relative_to(PACKAGE)) not in WAYS:
        assert list(unsafe_prints(path)) == [], (
            "print with cli.console, engine.printing, or what visible_text.visible returns"
        )


def test_raw_prints_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "PACKAGE", tmp_path)
    file = tmp_path / "made.py"
    bad = ["print(said)", "self.terminalreporter.line(f'{said}')", "sys.stderr.write(said)", "pytest.fail(said)"]
    good = [
        "print(visible(said))",
        "print('ours' + visible(said))",
        "pytest.fail(sanitize(said))",
        "warnings.catch_warnings()",
    ]
    file.write_text("\n".join([*bad, *good, "warnings.warn(said)"]), encoding="utf-8")
    assert [int(line.split(":")[1]) for line in unsafe_prints(file)] == [1, 2, 3, 4, 9]
