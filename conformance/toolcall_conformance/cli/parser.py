"""The parsers of the command and of its subcommands: what a subcommand needs is imported when it is called."""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

USAGE = 4

# The subcommands in the order of the help: the module of each in this package, and what it does.
_COMMANDS = {
    "run": ("run", "judge a translator with the corpus; no Python project is needed"),
    "judge": ("judge", "judge a captured body or stream and its translation"),
    "explain": ("explain", "explain a rule, a case, an item, or a word that runs and reports use"),
    "list": ("listing", "list rules, cases, formats, features and other vocabulary"),
    "losses": ("losses", "print what is lost, or may be lost, between two formats"),
    "schema": ("schema", "print the JSON Schema of the messages of exec: translators, or of the settings"),
    "corpus": (
        "corpus",
        "write the corpus into a directory, for projects in other languages; or check one",
    ),
    "new-adapter": ("new_adapter", "write a starter exec: adapter, which already runs"),
    "new-pairs": ("new_pairs", "write a file that lists which golden files of a folder belong together"),
    "adapters": ("adapters", "list published translators, or install one in its own environment"),
    "smoke": ("smoke", "try a translator's adapter on every route, within seconds"),
    "record": ("record", "send the corpus's requests to a real API and record its answers"),
    "mutate": (
        "mutate",
        "put faults into correct output, and print which of them the judge sees (for the judge's developers)",
    ),
    # On reports.
    "report": ("report", "turn a report in JSON into HTML or Markdown"),
    "merge": ("merge", "merge the reports of a run's parts into one"),
    "diff": ("diff", "compare two reports: which causes are new, changed and fixed, and why"),
    "badge": ("badge", "make a badge of a report: a picture, or the data for shields.io"),
}


class Parser(argparse.ArgumentParser):
    """Exits with 4 for wrong usage, as pytest does, or with a subcommand's own code; 1 means a failing verdict."""

    code = USAGE

    def error(self, message: str) -> NoReturn:
        from toolcall_conformance.cli.console import say_lines

        self.print_usage(sys.stderr)
        say_lines(f"{self.prog}: {message}", error=True)
        self.exit(self.code)


class CommandParser(Parser):
    """The parser of a subcommand, which knows its options once it has to parse, or once it is told to know them."""

    def __init__(self, *, module: str, **options: Any) -> None:
        super().__init__(**options)
        self._module: str | None = module
        self.passes_on = False
        """Whether the words that it does not know are no mistakes, but kept as ``passed_on``, in their order."""

    def fill(self) -> None:
        """Import the subcommand, which gives this parser its arguments."""
        if self._module is not None:
            module, self._module = self._module, None
            importlib.import_module(f"{__package__}.{module}").fill(self)

    def parse_known_args(self, args: Sequence[str] | None = None, namespace: Any = None) -> Any:  # type: ignore[override]
        self.fill()
        if not self.passes_on:
            return super().parse_known_args(args, namespace)
        words = list(sys.argv[1:] if args is None else args)
        end = words.index("--") if "--" in words else len(words)
        parsed, unknown = super().parse_known_args(words[:end], namespace)
        parsed.passed_on = [*unknown, *words[end:]]
        return parsed, []


def add_commands(parser: argparse.ArgumentParser) -> list[CommandParser]:
    """Give the parser its subcommands."""
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True, parser_class=CommandParser)
    return [commands.add_parser(name, help=does, module=module) for name, (module, does) in _COMMANDS.items()]
