"""Writes every double to ``corpus/verdicts/``, for judges in any language: ``python -m doubles.export``.

Run it in ``tests/`` with ``conformance`` and ``reference_impl`` importable. A double that has a file keeps its place
and its ``since``. Files whose double is gone are taken away.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from doubles.catalogue import Double, doubles, root
from toolcall_conformance import whole_files
from toolcall_conformance.jsonstyle import written
from toolcall_conformance.library import load_corpus

AGAIN = "write it anew: cd tests && PYTHONPATH=.:../conformance:../reference_impl python -m doubles.export"


def files_of(double: Double) -> dict[Path, bytes]:
    """Every file of a double with its content; none if its fault stands in no body and no stream."""
    shown = double.shown()
    if shown is None:
        return {}
    content: dict[str, Any] = {
        "name": double.name,
        "kind": double.kind,
        "title": double.title,
        **shown.content,
        "expect": list(double.rules) if double.kind == "broken" else [],
        "may_warn": list(double.rules if double.kind == "warning" else double.warns),
    }
    if content["direction"] == "stream":
        content["follows"] = list(double.follows)
    if double.beside:
        content["beside"] = list(double.beside)
    content["since"] = (double.exported() or {}).get("since", load_corpus().version)
    if double.thread:
        content["thread"] = double.thread
    return {double.path: written(content).encode()} | {
        double.path.with_suffix(ending): stream for ending, stream in shown.streams.items()
    }


def _read(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None


def main() -> int:
    """Write all files; prints how many changed."""
    if not root().is_relative_to(Path(__file__).parents[2]):
        print(f"{root()} is not the corpus of these tests: set PYTHONPATH", file=sys.stderr)
        return 2
    files = {path: content for double in doubles() for path, content in files_of(double).items()}
    changed = [(path, content) for path, content in files.items() if _read(path) != content]
    whole_files.write_all(changed)
    count = len(changed)
    for path in sorted(root().glob("*/**/*"), reverse=True):
        if path.is_file() and path not in files:
            path.unlink()
            count += 1
        elif path.is_dir() and not any(path.iterdir()):
            path.rmdir()
    for family in root().glob("*/"):
        if not any(family.iterdir()):
            family.rmdir()
    print(f"{sum(path.suffix == '.json' for path in files)} verdicts, {count} files changed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
