"""The parsers of the command and of its subcommands; what a subcommand needs is imported when it is called."""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Collection, Sequence
from typing import Any, Final, NoReturn

USAGE = 4

# The subcommands in the order of the help: the module of each in this package, and what it does.
_COMMANDS = {
    "run": ("runs.run", "judge a translator with the corpus; no Python project is needed"),
    "judge": ("judge.command", "judge a captured body or stream and its translation"),
    "explain": ("explain.command", "explain a rule, a case, an item, or a word that runs and reports use"),
    "list": ("corpus.listing", "list rules, cases, formats, features and other vocabulary"),
    "losses": ("corpus.losses", "print what is lost, or may be lost, between two formats"),
    "schema": ("adapters.schema", "print the JSON Schema of the messages of exec: translators, or of the settings"),
    "corpus": (
        "corpus.export",
        "write the corpus into a directory, for projects in other languages; or check one",
    ),
    "new-adapter": ("adapters.starter", "write a starter exec: adapter, which already runs"),
    "new-pairs": ("judge.pairs", "write a file that lists which golden files of a folder belong together"),
    "adapters": ("adapters.published", "list published translators, or install one in its own environment"),
    "smoke": ("runs.smoke", "try a translator's adapter on every route, within seconds"),
    "record": ("runs.record", "send the corpus's requests to a real API and record its answers"),
    "mutate": (
        "mutate.command",
        "put faults into correct output, and print which of them the judge sees (for the judge's developers)",
    ),
    # On reports.
    "report": ("reports.report", "turn a report in JSON into HTML or Markdown"),
    "merge": ("reports.merge", "merge the reports of a run's parts into one"),
    "diff": ("reports.diff", "compare two reports: which causes are new, changed and fixed, and why"),
    "badge": ("reports.badge", "make a badge of a report: a picture, or the data for shields.io"),
}


class UsageError(Exception):
    """Something on the command line is wrong; the message says what and what to do."""


def did_you_mean(wrong: str, names: Collection[str]) -> str:
    """Suggest the names closest to ``wrong``, or all of up to ten names; an empty string if none is close."""
    import difflib

    close = difflib.get_close_matches(wrong, sorted(names), n=3, cutoff=0.5)
    if close:
        return f"; did you mean {' or '.join(close)}?"
    return f"; there are {', '.join(sorted(names))}" if len(names) <= 10 else ""


class Parser(argparse.ArgumentParser):
    """Exits with 4 for wrong usage, as pytest does, or with a subcommand's own code; 1 means a failing verdict."""

    code = USAGE

    def error(self, message: str) -> NoReturn:
        from toolcall_conformance.cli.console import say_lines

        self.print_usage(sys.stderr)
        say_lines(f"{self.prog}: {message}", error=True)
        self.exit(self.code)


class CommandParser(Parser):
    """The parser of a subcommand. ``load_arguments``, or parsing, imports its options."""

    def __init__(self, *, module: str, **options: Any) -> None:
        super().__init__(**options)
        self._module: str | None = module
        self.collects_unknown = False
        """Whether the words that it does not know are no mistakes, but collected as ``unknown``, in their order."""

    def load_arguments(self) -> None:
        """Import the subcommand, which gives this parser its arguments."""
        if self._module is not None:
            module, self._module = self._module, None
            importlib.import_module(f"{__package__}.{module}").add_arguments(self)

    def parse_known_args(self, args: Sequence[str] | None = None, namespace: Any = None) -> Any:  # type: ignore[override]
        self.load_arguments()
        if not self.collects_unknown:
            return super().parse_known_args(args, namespace)
        words = list(sys.argv[1:] if args is None else args)
        end = words.index("--") if "--" in words else len(words)
        parsed, unknown = super().parse_known_args(words[:end], namespace)
        parsed.unknown = [*unknown, *words[end:]]
        return parsed, []


def add_commands(parser: argparse.ArgumentParser) -> list[CommandParser]:
    """Give the parser its subcommands."""
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True, parser_class=CommandParser)
    return [commands.add_parser(name, help=does, module=module) for name, (module, does) in _COMMANDS.items()]


SHELLS: Final = ("bash", "zsh", "tcsh")


def add_completion(parser: argparse.ArgumentParser, commands: Sequence[CommandParser]) -> None:
    """Add the option that prints the completion script of a shell, with the options of all these subcommands."""
    parser.add_argument(
        "--print-completion",
        action=_Print,
        commands=commands,
        choices=SHELLS,
        help="print the completion script of a shell, for its start-up file (needs the extra `completion`)",
    )


class _Print(argparse.Action):
    """Prints the script and exits. shtab reads the parser as it is, so no list of ours can get old."""

    def __init__(self, *, commands: Sequence[CommandParser], **options: Any) -> None:
        super().__init__(**options)
        self._commands = commands

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: object, values: str | Sequence[Any] | None, option: Any = None
    ) -> None:
        del namespace, option
        try:
            import shtab
        except ImportError as error:
            from toolcall_conformance.basics.extras import import_problem

            why = import_problem("shtab", error)
            parser.error(f"completion needs shtab, which {why}: pip install 'toolcall-conformance[completion]'")
        from toolcall_conformance.cli.console import say_script

        for command in self._commands:
            command.load_arguments()
        say_script(shtab.complete(parser, shell=str(values)))
        parser.exit()
