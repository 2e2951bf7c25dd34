"""What ``judge --diff GOLDEN`` prints: where an output differs from the golden file, but for accepted differences."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

from toolcall_conformance.basics.visible_text import pluralize
from toolcall_conformance.cli import captured
from toolcall_conformance.cli.common import UsageError
from toolcall_conformance.judge.bodies import find_golden_differences
from toolcall_conformance.library import Corpus


def add_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--diff",
        metavar="GOLDEN",
        help="also print where OUTPUT differs from GOLDEN, a body of its format: by path, without accepted differences",
    )


def lines(parsed: argparse.Namespace, corpus: Corpus, direction: str, output: Any) -> Iterator[str]:
    """The differences, a line each. Raises UsageError where the golden cannot be read."""
    if direction == "error" or parsed.stream:
        raise UsageError("--diff compares requests and whole replies; leave it out for errors and streams")
    name = parsed.client if direction == "response" or parsed.output is None else parsed.upstream
    differences = find_golden_differences(corpus, name, direction, captured.body(parsed.diff, corpus), output)
    where = f"in {pluralize(len(differences), 'place')}" if differences else "in nothing that counts"
    yield f"differs from {parsed.diff}: {where}"
    yield from (f"    {difference}" for difference in differences)
