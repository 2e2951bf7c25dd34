"""Runs a tool of the tests from anywhere, with the code of this clone: ``python tests TOOL [WORD …]``.

A tool is a module in ``tests/`` that can be run, such as ``doubles.export``. Without one, all are listed.
"""

from __future__ import annotations

import ast
import runpy
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parent


def tools() -> dict[str, str]:
    """The first line on each tool, by its name."""
    descriptions = {}
    for path in sorted(TESTS.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if '\nif __name__ == "__main__":' in text and path != Path(__file__).resolve():
            name = ".".join(path.relative_to(TESTS).with_suffix("").parts)
            descriptions[name.removesuffix(".__main__")] = (ast.get_docstring(ast.parse(text)) or "").partition("\n")[0]
    return descriptions


def main(words: list[str]) -> int:
    descriptions = tools()
    if not words or words[0] not in descriptions:
        if words:
            print(f"tests/ has no tool {words[0]!r}.", file=sys.stderr)
        print("python tests TOOL [WORD …], where TOOL is one of:", file=sys.stderr)
        print(*(f"  {name:28} {what}" for name, what in descriptions.items()), sep="\n", file=sys.stderr)
        return 2
    # The code of this clone goes before whatever is installed.
    sys.path[:0] = [str(TESTS.parent / name) for name in ("conformance", "reference_impl")]
    sys.argv[:] = words
    runpy.run_module(words[0], run_name="__main__", alter_sys=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
