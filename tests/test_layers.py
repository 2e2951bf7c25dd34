"""Which module may import which: the table ``layers.toml`` holds for every module, and ARCHITECTURE.md shows its rows.

``python tests test_layers`` rewrites the rows in ARCHITECTURE.md.
"""

from __future__ import annotations

import ast
import graphlib
import json
import tomllib
from collections.abc import Collection, Iterator
from functools import cache
from pathlib import Path

import pytest

from every import every

ROOT = Path(__file__).resolve().parents[1]
TABLE = tomllib.loads((ROOT / "tests" / "layers.toml").read_text(encoding="utf-8"))
SOURCES = {
    "judge": ROOT / "conformance" / "toolcall_conformance",
    "reference": ROOT / "reference_impl" / "toolcall_reference",
}
ARCHITECTURE = ROOT / "ARCHITECTURE.md"
MARKS = ("<!-- layers: made of tests/layers.toml by tests/test_layers.py -->\n", "<!-- end of layers -->\n")

UNITS = [(package, unit) for package in SOURCES for unit in TABLE[package]]
each_unit = every("package, unit", UNITS, id=lambda package, unit: f"{package}-{unit}")


def units(package: Path) -> set[str]:
    """The modules and packages directly in a package."""
    return {path.stem for path in package.glob("*.py")} | {path.parent.name for path in package.glob("*/*.py")}


@cache
def imported_names(path: Path) -> tuple[str, ...]:
    """The full names of the modules that a file imports, wherever in it, and of what it takes from them."""
    return tuple(_find_imports(path))


def _find_imports(path: Path) -> Iterator[str]:
    root = next(root for root in SOURCES.values() if root in path.parents)
    package = path.parent.relative_to(root.parent).parts
    for node in ast.walk(_parse(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join([*above, *([node.module] if node.module else [])])
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names)


@cache
def _parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def used_units(package: str, unit: str) -> dict[str, Path]:
    """The other units that a unit imports, each with a file that does."""
    root = SOURCES[package]
    imports: dict[str, Path] = {}
    for path in [root / f"{unit}.py"] if (root / f"{unit}.py").exists() else sorted((root / unit).rglob("*.py")):
        for name in imported_names(path):
            top, _, rest = name.partition(".")
            if top == root.name and (other := rest.partition(".")[0]) in TABLE[package] and other != unit:
                imports.setdefault(other, path)
    return imports


@pytest.mark.parametrize("package", SOURCES)
def test_the_table_names_every_module(package: str) -> None:
    there, listed = units(SOURCES[package]), set(TABLE[package])
    assert there - listed == set(), "tests/layers.toml does not say what they may import"
    assert listed - there == set(), "tests/layers.toml names modules that are not there"


@each_unit
def test_a_module_imports_what_the_table_allows(package: str, unit: str) -> None:
    allowed, imports = set(TABLE[package][unit]), used_units(package, unit)
    wrong = [f"{imports[other].relative_to(ROOT)} imports {other}" for other in sorted(imports.keys() - allowed)]
    assert wrong == [], f"tests/layers.toml does not allow {unit} that"
    assert allowed - imports.keys() == set(), f"{unit} imports them no more: take them out of tests/layers.toml"


@each_unit
def test_a_module_is_above_what_it_imports(package: str, unit: str) -> None:
    order = list(TABLE[package])
    above = [other for other in TABLE[package][unit] if order.index(other) < order.index(unit)]
    assert not above, f"{unit} stands below {', '.join(above)} in tests/layers.toml"


def imports_of_files(package: str) -> dict[str, set[str]]:
    """By the name of each module, the modules that it imports: for types and within functions, too."""
    root = SOURCES[package]
    modules = {
        ".".join(path.relative_to(root.parent).with_suffix("").parts).removesuffix(".__init__"): path
        for path in root.rglob("*.py")
    }
    return {name: _modules_among(imported_names(path), modules.keys()) - {name} for name, path in modules.items()}


def _modules_among(names: tuple[str, ...], modules: Collection[str]) -> set[str]:
    """The modules that imported names lead to; a package only where something of its own is taken."""
    packages = {name.rpartition(".")[0] for name in names if name in modules}
    return {name for name in names if name in modules and name not in packages} | {
        package for name in names if name not in modules and (package := name.rpartition(".")[0]) in modules
    }


@pytest.mark.parametrize("package", SOURCES)
def test_no_files_import_each_other_in_a_circle(package: str) -> None:
    try:
        graphlib.TopologicalSorter(imports_of_files(package)).prepare()
    except graphlib.CycleError as error:
        pytest.fail(" imports ".join(reversed(error.args[1])))


def test_judge_and_judged_share_no_code() -> None:
    for package, other in (("judge", "reference"), ("reference", "judge")):
        strange = SOURCES[other].name
        for path in SOURCES[package].rglob("*.py"):
            assert not [name for name in imported_names(path) if name.split(".")[0] == strange], path


@pytest.mark.parametrize("package", SOURCES)
def test_no_format_imports_another(package: str) -> None:
    home = SOURCES[package] / "formats"
    for path in home.glob("*/**/*.py"):
        own = path.relative_to(home).parts[0]
        others = [f"{SOURCES[package].name}.formats.{name}" for name in format_names() - {own}]
        wrong = [
            name
            for name in imported_names(path)
            if any(name == other or name.startswith(f"{other}.") for other in others)
        ]
        assert not wrong, f"{path.relative_to(ROOT)} imports {', '.join(wrong)}"


def format_names() -> set[str]:
    return {path.parent.name for path in (SOURCES["judge"] / "formats").glob("*/__init__.py")}


def words_of_formats() -> dict[str, str]:
    """The names of formats, and the keys that distinguish their bodies from others (``format.json``: ``marks``)."""
    meanings = {name: f"the format {name}" for name in format_names()}
    for name in sorted(format_names()):
        marks = json.loads((ROOT / "corpus" / "formats" / name / "format.json").read_text(encoding="utf-8"))["marks"]
        meanings |= dict.fromkeys(marks, f"a key of {name}")
    return {word: what for word, what in meanings.items() if word not in TABLE["neutral"]}


@cache
def texts_in(path: Path) -> set[str]:
    """The texts in a file's code."""
    constants = (node.value for node in ast.walk(_parse(path)) if isinstance(node, ast.Constant))
    return {value for value in constants if isinstance(value, str)}


def names_in(path: Path) -> set[str]:
    """The names in a file's code: of functions, classes, variables and attributes."""
    names: set[str] = set()
    for node in ast.walk(_parse(path)):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, (ast.Name, ast.Attribute)):
            names.add(node.id if isinstance(node, ast.Name) else node.attr)
    return names


@pytest.mark.parametrize("package", SOURCES)
def test_only_a_format_s_own_package_names_it(package: str) -> None:
    words, formats = words_of_formats(), format_names()
    for path in SOURCES[package].rglob("*.py"):
        # Adapters say what a published translator can, witnesses what an official client reads: both are about formats.
        if {"formats", "adapters", "witnesses"}.isdisjoint(path.parts):
            mentions = [f"{word!r}, {words[word]}" for word in sorted(texts_in(path) & words.keys())]
            mentions += [
                f"{name} after a format"
                for name in names_in(path)
                if any(format_name in name for format_name in formats)
            ]
            assert not mentions, f"{path.relative_to(ROOT)} names {'; '.join(mentions)}"


@pytest.mark.parametrize("word", TABLE["neutral"])
def test_a_neutral_word_is_still_used_outside_of_formats(word: str) -> None:
    paths = (path for root in SOURCES.values() for path in root.rglob("*.py") if "formats" not in path.parts)
    assert any(word in texts_in(path) for path in paths)


def rows() -> list[list[str]]:
    """The rows of ARCHITECTURE.md: each of the judge's units one row above the highest of those that it imports."""
    height: dict[str, int] = {}
    for unit in reversed(TABLE["judge"]):
        height[unit] = 1 + max((height[other] for other in TABLE["judge"][unit]), default=-1)
    levels: list[list[str]] = [[] for _ in range(max(height.values()) + 1)]
    for unit in TABLE["judge"]:
        if not unit.startswith("__"):
            levels[height[unit]].append(unit)
    return [row for row in reversed(levels) if row]


def diagram() -> str:
    """The part of ARCHITECTURE.md between the marks."""
    return "\n".join(["```", *(", ".join(row) for row in rows()), "```\n"])


def test_the_diagram_in_the_architecture_is_the_table_s() -> None:
    start, end = MARKS
    block = ARCHITECTURE.read_text(encoding="utf-8").partition(start)[2].partition(end)[0]
    assert block == diagram(), "python tests test_layers writes it anew"


if __name__ == "__main__":
    text = ARCHITECTURE.read_text(encoding="utf-8")
    head, start, rest = text.partition(MARKS[0])
    ARCHITECTURE.write_text(f"{head}{start}{diagram()}{MARKS[1]}{rest.partition(MARKS[1])[2]}", encoding="utf-8")
