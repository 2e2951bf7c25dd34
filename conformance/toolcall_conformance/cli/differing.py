"""What ``judge --diff GOLDEN`` prints: where an output differs from the golden file, but for accepted differences."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

from toolcall_conformance.cli import captured
from toolcall_conformance.cli.common import UsageError
from toolcall_conformance.judge import Ends, Judge
from toolcall_conformance.library import Corpus
from toolcall_conformance.reports.explain import Difference, all_differences


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
    found = differing(corpus, direction, name, captured.body(parsed.diff, corpus), output)
    yield f"differs from {parsed.diff}: {f'in {len(found)} places' if found else 'in nothing that counts'}"
    yield from (f"    {one}" for one in found)


def differing(corpus: Corpus, direction: str, name: str, golden: Any, output: Any) -> list[Difference]:
    """Where two bodies of a format differ, but for what each provider makes anew, and what equivalences allow."""
    told = corpus.format(name)
    new = {f"/{key}" for key in (*told.get("generated_keys", ()), *told.get("time_keys", ()))}
    judge = Judge(corpus, tolerated=True)
    accepted = (judge.response if direction == "response" else judge.request)(
        golden, output, Ends(name, name), captured=True
    ).tolerated
    places = {place for one in accepted for place in (one.pointer, one.source_pointer) if place}
    return [
        one
        for one in all_differences(golden, output)
        if one.pointer not in new and not any(_overlap(one.pointer, place) for place in places)
    ]


def _overlap(one: str, other: str) -> bool:
    """Whether one of two places is the other, or inside it."""
    return one == other or one.startswith(f"{other}/") or other.startswith(f"{one}/")
