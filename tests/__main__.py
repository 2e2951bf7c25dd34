"""Runs a tool of the tests from anywhere, with the code of this clone: ``python tests TOOL [WORD …]``.

A tool is a module in ``tests/`` that can be run, such as ``doubles.export``. Without one, all are listed.
``python tests TOOL --help`` says what it does and runs nothing.
"""

from __future__ import annotations

import ast
import difflib
import inspect
import os
import runpy
import sys
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

TESTS = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Tool:
    """A module that can be run."""

    path: Path
    tree: ast.Module

    @property
    def name(self) -> str:
        """As ``python tests`` takes it."""
        return ".".join(self.path.relative_to(TESTS).with_suffix("").parts).removesuffix(".__main__")

    @property
    def text(self) -> str:
        """What its head says of it."""
        return inspect.cleandoc(ast.get_docstring(self.tree) or "")

    @cached_property
    def _names(self) -> set[str]:
        nodes = list(ast.walk(self.tree))
        attributes = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
        return attributes | {node.id for node in nodes if isinstance(node, ast.Name)}

    @property
    def has_options(self) -> bool:
        """Whether argparse reads its words, which prints a help of its own."""
        return "ArgumentParser" in self._names

    @property
    def takes_words(self) -> bool:
        """Whether it reads the words after its name at all."""
        return self.has_options or "argv" in self._names


def tools() -> dict[str, Tool]:
    """The tools by name."""
    by_name = {}
    for path in sorted(TESTS.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if '\nif __name__ == "__main__":' in text and path != Path(__file__).resolve():
            tree = ast.parse(text)
            # In a test it may stand in the text of a script.
            if any(
                isinstance(node, ast.If) and ast.unparse(node.test) == "__name__ == '__main__'" for node in tree.body
            ):
                by_name[Tool(path, tree).name] = Tool(path, tree)
    return by_name


def _refusal(words: list[str], by_name: dict[str, Tool]) -> str:
    """Why no tool is run; empty if one is."""
    name, *others = words
    if name not in by_name:
        ends = {end: name for name in by_name for end in (name, name.rpartition(".")[2])}
        close = dict.fromkeys(ends[end] for end in difflib.get_close_matches(name, ends, n=3))
        return f"tests/ has no tool {name!r}{'; did you mean ' + ' or '.join(close) + '?' if close else '.'}"
    if others and not by_name[name].takes_words:
        return f"{name} takes no words, but was given {' '.join(others)}"
    return ""


def main(words: list[str]) -> int:
    by_name = tools()
    if not words or words[0] in ("-h", "--help"):
        stream = sys.stdout if words else sys.stderr
        print("python tests TOOL [WORD …], where TOOL is one of:", file=stream)
        print(
            *(f"  {name:28} {tool.text.partition(chr(10))[0]}" for name, tool in by_name.items()), sep="\n", file=stream
        )
        return 0 if words else 2
    tool = by_name.get(words[0])
    if tool and not tool.has_options and {"-h", "--help"} & {*words}:
        print(f"python tests {tool.name}: {tool.text}")
        return 0
    if refusal := _refusal(words, by_name):
        print(
            f"{refusal}\n`python tests` lists the tools; `python tests TOOL --help` says what one does", file=sys.stderr
        )
        return 2
    # The code of this clone goes before whatever is installed. Scripts may import their neighbours.
    sys.path[:0] = [str(TESTS.parent / name) for name in ("conformance", "reference_impl")]
    sys.path.append(str(by_name[words[0]].path.parent))
    sys.argv[:] = words
    runpy.run_module(words[0], run_name="__main__", alter_sys=True)
    return 0


def _main() -> int:
    """``main``, for a reader that may have read enough before it ends, such as ``head``."""
    try:
        code = main(sys.argv[1:])
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except Exception as error:
        if type(error).__name__ != "CorpusError":  # its class is known after imports only
            raise
        print(f"todo    {str(error).replace(f'{TESTS.parent}{os.sep}', '')}", file=sys.stderr)
        return 1
    return code


if __name__ == "__main__":
    sys.exit(_main())
