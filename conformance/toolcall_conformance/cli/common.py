"""Shared by the subcommands: usage errors, suggestions, the corpus."""

from __future__ import annotations

import argparse
import difflib
from collections.abc import Collection
from pathlib import Path

from toolcall_conformance.cli.settings import CommandSettings
from toolcall_conformance.library import Corpus


class UsageError(Exception):
    """Something on the command line is wrong; the message says what and what to do."""


def did_you_mean(wrong: str, names: Collection[str]) -> str:
    """Suggest the names closest to ``wrong``, or all of up to ten names; an empty string if none is close."""
    close = difflib.get_close_matches(wrong, sorted(names), n=3, cutoff=0.5)
    if close:
        return f"; did you mean {' or '.join(close)}?"
    return f"; there are {', '.join(sorted(names))}" if len(names) <= 10 else ""


def add_corpus(parser: argparse.ArgumentParser) -> None:
    """The option for private cases."""
    parser.add_argument(
        "--corpus",
        metavar="DIR",
        type=Path,
        action="append",
        default=[],
        help="a folder of private cases; may be given several times",
    )


def corpus_of(parsed: argparse.Namespace) -> Corpus:
    """The corpus with the private folders that the settings name. Raises SettingError, UnreadableFileError."""
    return CommandSettings(parsed).corpus()
