"""The command ``toolcall-conformance``: one module a subcommand."""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Sequence
from importlib import metadata
from typing import NoReturn

from toolcall_conformance import formats
from toolcall_conformance.cli import (
    adapters,
    badge,
    completion,
    corpus,
    diff,
    explain,
    judge,
    listing,
    losses,
    merge,
    mutate,
    new_adapter,
    record,
    report,
    schema,
    smoke,
)
from toolcall_conformance.cli.common import USAGE, UsageError
from toolcall_conformance.cli.console import say_lines
from toolcall_conformance.library import CorpusError
from toolcall_conformance.reports.files import ReportError
from toolcall_conformance.settings_files import UnreadableFileError
from toolcall_conformance.settings_sources import SettingError


class _Parser(argparse.ArgumentParser):
    """Exits with 4 for wrong usage, as pytest does, or with a subcommand's own code; 1 means a failing verdict."""

    code = USAGE

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        say_lines(f"{self.prog}: {message}", error=True)
        self.exit(self.code)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="toolcall-conformance",
        description="Judge translations of LLM tool calls between formats.",
        epilog="To run the suite: pytest --toolcall-translator SPEC toolcall:: where SPEC is package.module:attribute "
        "(a Python object), exec:COMMAND (a child process) or gateway:FILE.toml (an HTTP gateway). Formats: "
        f"{', '.join(formats.names())}.",
    )
    version = metadata.version("toolcall-conformance")
    parser.add_argument("--version", action="version", version=f"toolcall-conformance {version}")
    completion.add_argument(parser)
    parser.set_defaults(usage=USAGE)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for module in (judge, explain, listing, losses, schema, corpus, new_adapter, adapters, smoke, record, mutate):
        module.add_parser(commands)
    for module in (report, merge, diff, badge):  # on reports
        module.add_parser(commands)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line and return its exit code: 0, 1 for a MUST finding or new failures, else for wrong usage."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # bodies and names may have lone surrogates
    parsed = _parser().parse_args(arguments)
    try:
        code: int = parsed.run(parsed)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader (head, less) has closed the pipe; Python's own flush at exit must not complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (UsageError, CorpusError, ReportError, SettingError, UnreadableFileError, OSError) as error:
        say_lines(f"toolcall-conformance {parsed.command}: {error}", error=True)
        return int(parsed.usage)
    return code
