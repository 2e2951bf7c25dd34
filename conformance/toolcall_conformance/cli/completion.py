"""``toolcall-conformance --print-completion SHELL``: what a shell needs to complete our command."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any, Final

from toolcall_conformance.cli.parser import CommandParser

SHELLS: Final = ("bash", "zsh", "tcsh")


def add_argument(parser: argparse.ArgumentParser, commands: Sequence[CommandParser]) -> None:
    """The option; its script knows the options of all these subcommands."""
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
            command.fill()
        say_script(shtab.complete(parser, shell=str(values)))
        parser.exit()
