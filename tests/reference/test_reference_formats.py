"""The reference's format packages: found by being there, one layout, one record."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import toolcall_reference
from toolcall_reference import formats

PACKAGES = Path(toolcall_reference.__file__).parent / "formats"
LAYOUT = {
    *("__init__", "api", "decode", "encode", "settings", "failures", "stream_decode", "stream_encode"),
    *("next_request", "observer", "provider"),
}


def test_every_folder_is_a_format_and_every_format_a_folder() -> None:
    folders = {path.parent.name for path in PACKAGES.glob("*/__init__.py")}
    assert set(formats.names()) == folders
    assert {formats.get(name).name for name in formats.names()} == folders


@pytest.mark.parametrize("name", formats.names())
def test_a_package_has_the_layout_of_the_others(name: str) -> None:
    modules = {path.stem for path in (PACKAGES / name).glob("*.py")}
    assert modules >= LAYOUT, f"missing: {', '.join(sorted(LAYOUT - modules))}"


@pytest.mark.parametrize("name", formats.names())
def test_a_package_says_its_name_once_and_imports_no_other_format(name: str) -> None:
    modules = []
    for path in sorted((PACKAGES / name).glob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        modules += [path.stem for node in ast.walk(tree) if isinstance(node, ast.Constant) and node.value == name]
        imported = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
        others = {f"toolcall_reference.formats.{other}" for other in formats.names() if other != name}
        assert not [module for module in imported if module.startswith(tuple(others))], path.name
    assert modules == ["api"]


def test_a_name_that_has_no_package_is_refused() -> None:
    with pytest.raises(LookupError, match="no such format: 'cohere'"):
        formats.get("cohere")
