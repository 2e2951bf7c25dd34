"""Measures the code's own names and rooms: ``python tests figures.code [--worst]``.

A participle says that something was done with a thing, not what the thing is (docs/names.md). The share counts names
that are bound by assignment or as a parameter. ``--worst`` lists the files with most of them. It measures; no test
holds anybody to a number.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[2]
PARTS = {
    "judge": ROOT / "conformance" / "toolcall_conformance",
    "reference": ROOT / "reference_impl" / "toolcall_reference",
    "tests": ROOT / "tests",
}
PARTICIPLE = re.compile(
    "_*(said|told|found|made|one|two|given|asked|spelt|standing|seen|heard|shown|known|held|kept|taken|behind|wanted|"
    "meant|begun|ended|came|borne|went|left_out)"
)


def bound_names(tree: ast.AST) -> Iterator[str]:
    """The names that a file binds by assignment or as parameters."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.arg):
            yield node.arg


def class_names(tree: ast.Module) -> Iterator[str]:
    """The public classes that a file defines at its top."""
    yield from (node.name for node in tree.body if isinstance(node, ast.ClassDef) and not node.name.startswith("_"))


def participles(tree: ast.AST) -> int:
    """How many of a file's bound names are participles or numbers."""
    return sum(PARTICIPLE.fullmatch(name) is not None for name in bound_names(tree))


def sources(folder: Path) -> dict[Path, ast.Module]:
    """The files of a part, parsed."""
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(folder.rglob("*.py"))}


def measure(folder: Path) -> str:
    """One line about a part: names, modules, packages, lines, class names that occur twice."""
    trees = sources(folder)
    bound = sum(1 for tree in trees.values() for _ in bound_names(tree))
    bad = sum(map(participles, trees.values()))
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in trees}
    modules = {path: length for path, length in lengths.items() if path.name != "__init__.py"}
    largest = max(modules, key=lambda path: modules[path])
    twice = sorted(
        name
        for name, count in Counter(name for tree in trees.values() for name in class_names(tree)).items()
        if count > 1
    )
    return (
        f"{bad} of {bound} bound names are participles ({bad / bound:.1%}); {len(modules)} modules in "
        f"{len({path.parent for path in trees})} packages, {sum(lengths.values())} lines, median "
        f"{median(modules.values()):.0f}, largest {modules[largest]} ({largest.relative_to(folder).as_posix()}); "
        f"{len(twice)} class names occur twice{': ' + ', '.join(twice) if twice else ''}"
    )


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python tests figures.code", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--worst", action="store_true", help="list the files with most participles")
    options = parser.parse_args(words)
    for name, folder in PARTS.items():
        print(f"{name}: {measure(folder)}")
        if options.worst:
            counts = Counter({path: participles(tree) for path, tree in sources(folder).items()})
            print(
                *(f"  {count:4} {path.relative_to(ROOT).as_posix()}" for path, count in counts.most_common(20)),
                sep="\n",
            )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
