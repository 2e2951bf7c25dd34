"""The command ``toolcall-conformance``: one module a subcommand, which is imported when it is called."""

from __future__ import annotations

import argparse
import errno
import io
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from toolcall_conformance.basics.format_names import format_names
from toolcall_conformance.cli.parser import USAGE, Parser, add_commands, add_completion


class _Version(argparse._VersionAction):  # noqa: SLF001 - shtab knows it by this class
    """Looks the version up only for ``--version``: that takes longer than to parse a command line."""

    def __call__(self, parser: argparse.ArgumentParser, *parsed: Any) -> None:
        from importlib import metadata

        self.version = f"{parser.prog} {metadata.version('toolcall-conformance')}"
        super().__call__(parser, *parsed)


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="toolcall-conformance",
        description="Judge translations of LLM tool calls between formats.",
        epilog="To run the suite: toolcall-conformance run SPEC, or in a Python project pytest --toolcall-translator "
        "SPEC toolcall:: where SPEC is package.module:attribute (a Python object), exec:COMMAND (a child process) or "
        "gateway:FILE.toml (an HTTP gateway). Formats: "
        f"{', '.join(format_names())}.",
    )
    parser.add_argument("--version", action=_Version, help="show program's version number and exit")
    parser.set_defaults(usage=USAGE)
    add_completion(parser, add_commands(parser))
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line and return its exit code: 0, 1 for a MUST finding or new failures, else for wrong usage."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        # Bodies and names may have lone surrogates. What is written goes out with a flush: argparse passes over a write
        # that fails.
        sys.stdout.reconfigure(errors="backslashreplace", write_through=False)
    parser = _parser()
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - until the process ends
    if sys.stdout is None:
        sys.stdout = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
        return _report_write_error(parser.prog, OSError(errno.EBADF, "it is closed"))
    try:
        parsed = parser.parse_args(arguments)
    except SystemExit as ended:  # after --help or --version, whose text may not have arrived
        raise SystemExit(ended.code or _flush(parser.prog)) from None
    except OSError as error:
        return _report_write_error(parser.prog, error)
    try:
        code: int = parsed.run(parsed)
    except Exception as error:
        if isinstance(error, OSError) and error.errno == errno.ENOSPC and error.filename is None:
            return _report_write_error(f"toolcall-conformance {parsed.command}", error)
        if not _is_user_error(error):
            raise
        from toolcall_conformance.cli.console import say_lines

        say_lines(f"toolcall-conformance {parsed.command}: {error}", error=True)
        return int(parsed.usage)
    return _flush(f"toolcall-conformance {parsed.command}", code)


def _flush(whose: str, code: int = 0) -> int:
    """The exit code, once all that was printed has arrived, or nobody reads it any more."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        from toolcall_conformance.cli.console import discard

        discard(sys.stdout)
    except OSError as error:
        return _report_write_error(whose, error)
    return code


def _report_write_error(whose: str, error: OSError) -> int:
    from toolcall_conformance.cli.console import discard, say_lines

    discard(sys.stdout)
    what = "send it to a file, or to /dev/null" if error.errno == errno.EBADF else "free some space"
    say_lines(f"{whose}: standard output could not be written ({error.strerror}); {what}", error=True)
    return USAGE


def _is_user_error(error: Exception) -> bool:
    """Whether an error is about the user's input or files; its message says what to do."""
    from toolcall_conformance.basics.settings_files import UnreadableFileError
    from toolcall_conformance.basics.settings_sources import SettingError
    from toolcall_conformance.cli.parser import UsageError
    from toolcall_conformance.library import CorpusError
    from toolcall_conformance.reports.files import ReportError

    error_types = (UsageError, CorpusError, ReportError, SettingError, UnreadableFileError, OSError)
    return isinstance(error, error_types)
