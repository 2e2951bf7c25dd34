"""Which way imports run: judge and judged share no code, and the judge's layers do not look up."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
JUDGE = ROOT / "conformance" / "toolcall_conformance"
REFERENCE = ROOT / "reference_impl" / "toolcall_reference"

# A layer may import none of the names behind it.
FORBIDDEN = {
    "findings.py": ("formats", "rules", "translation", "checks", "drivers", "engine", "reports", "cli", "library"),
    "reading": ("formats", "rules", "translation", "checks", "drivers", "engine", "reports", "cli", "library"),
    "library.py": ("formats", "rules", "translation", "checks", "drivers", "engine", "reports", "cli"),
    "formats": ("rules", "translation", "checks", "drivers", "engine", "reports", "cli", "judge"),
    "rules": ("translation", "checks", "drivers", "engine", "reports", "cli", "judge"),
    "translation": ("formats", "checks", "drivers", "engine", "reports", "cli", "judge"),
    "judge.py": ("checks", "drivers", "engine", "reports", "cli"),
    "drivers": ("formats", "rules", "translation", "checks", "engine", "reports", "cli", "judge", "library"),
    "reports": ("formats", "rules", "translation", "drivers", "engine", "cli", "judge"),
}


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def sources(folder: Path) -> list[Path]:
    return [folder] if folder.is_file() else sorted(folder.rglob("*.py"))


def test_judge_and_judged_share_no_code() -> None:
    for path in sources(JUDGE):
        assert not [name for name in imports(path) if name.startswith("toolcall_reference")], path
    for path in sources(REFERENCE):
        assert not [name for name in imports(path) if name.startswith("toolcall_conformance")], path


@pytest.mark.parametrize("layer", FORBIDDEN)
def test_layers_do_not_look_up(layer: str) -> None:
    above = tuple(f"toolcall_conformance.{name}" for name in FORBIDDEN[layer])
    for path in sources(JUDGE / layer):
        wrong = [name for name in imports(path) if any(name == up or name.startswith(up + ".") for up in above)]
        assert not wrong, f"{path.relative_to(ROOT)} imports {wrong}"


def test_only_a_format_s_own_package_names_it() -> None:
    names = {entry.name for entry in (JUDGE / "formats").iterdir() if (entry / "__init__.py").exists()}
    for path in sources(JUDGE):
        if "formats" in path.parts or "adapters" in path.parts:
            continue
        strings = {
            node.value
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
        }
        assert not strings & names, f"{path.relative_to(ROOT)} names {strings & names}"
