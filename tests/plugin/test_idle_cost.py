"""Installed but unused, the plugin loads its entry module and nothing else of ours."""

from __future__ import annotations

import pytest

PRINTS_MODULES = """
import sys


def test_modules():
    print("LOADED", *sorted(name for name in sys.modules if name.split(".")[0] in {names!r}))
"""


@pytest.mark.parametrize("arguments", [(), ("--toolcall-translator", "anything:T")])
def test_an_unused_plugin_loads_its_entry_module_only(pytester: pytest.Pytester, arguments: tuple[str, ...]) -> None:
    names = {"toolcall_conformance", "toolcall_reference", "jsonschema", "deepdiff", "referencing"}
    pytester.makepyfile(PRINTS_MODULES.format(names=names))
    pytester.makeini("[pytest]\ntoolcall_translator = some.module:T\n")
    result = pytester.runpytest_subprocess("-s", "-p", "no:hypothesispytest", *arguments)
    result.assert_outcomes(passed=1)
    loaded = next(line for line in result.outlines if "LOADED" in line)
    assert loaded.partition("LOADED")[2].split() == ["toolcall_conformance", "toolcall_conformance.plugin"]


def test_the_entry_module_imports_pytest_and_the_standard_library_only() -> None:
    import ast
    import sys
    from pathlib import Path

    import toolcall_conformance

    source = (Path(toolcall_conformance.__file__).parent / "plugin.py").read_text(encoding="utf-8")
    imported = set()
    for node in ast.parse(source).body:
        if isinstance(node, ast.Import):
            imported |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            imported.add((node.module or "").split(".")[0])
    assert imported <= set(sys.stdlib_module_names) | {"pytest"}


def test_help_lists_every_option_under_one_heading(pytester: pytest.Pytester) -> None:
    text = pytester.runpytest_inprocess("--help").stdout.str()
    for option in ("translator", "report", "strict", "corpus", "known-failures", "timeout", "cuts", "artifacts"):
        assert f"--toolcall-{option}" in text
    assert "toolcall_translator" in text
    pytester.runpytest_inprocess("--markers").stdout.fnmatch_lines(["@pytest.mark.toolcall(case, family, check, *"])
