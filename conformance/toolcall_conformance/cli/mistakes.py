"""What a user of ``judge`` probably meant: files in the wrong order, a reply without ``--response``."""

from __future__ import annotations

import argparse
from typing import Any

from toolcall_conformance.cli.common import UsageError
from toolcall_conformance.formats.recognition import recognise_body
from toolcall_conformance.library import Corpus


def verify_kind(parsed: argparse.Namespace, corpus: Corpus, name: str, direction: str, source: Any) -> None:
    """Refuse a reply where a request is judged, or a request where a reply is. Raises UsageError."""
    if not isinstance(source, dict) or direction == "error":
        return
    other = "response" if direction == "request" else "request"
    if _has(corpus, name, direction, source) or not _has(corpus, name, other, source):
        return
    what = "reply" if other == "response" else "request"
    advice = "add --response" if other == "response" else "leave out --response"
    source_name = "stdin" if parsed.source == "-" else parsed.source
    raise UsageError(f"{source_name}: this is a {what} of {name}; {advice} to judge it as one")


def verify_same_kind(corpus: Corpus, names: tuple[str, str], source: Any, output: Any) -> None:
    """Refuse a request beside a reply. Raises UsageError."""
    kinds = [
        {kind.direction for kind in recognise_body(corpus, body, ["request", "response"])} for body in (source, output)
    ]
    if all(len(kind) == 1 for kind in kinds) and kinds[0] != kinds[1]:
        words = ["a request" if kind == {"request"} else "a reply" for kind in kinds]
        raise UsageError(
            f"{names[0]} is {words[0]} and {names[1]} {words[1]}: give a request and what became of it, or two replies"
        )


def swapped(corpus: Corpus, direction: str, source: Any, output: Any, ends: tuple[str, str]) -> str | None:
    """A note where each file has the form of the other's format; ``ends`` are those of the source and the output."""
    of_source, of_output = ends
    if of_source == of_output:
        return None
    of_bodies = [{kind.format for kind in recognise_body(corpus, body, [direction])} for body in (source, output)]
    if of_source in of_bodies[0] or of_output not in of_bodies[0]:
        return None
    if of_output in of_bodies[1] or of_source not in of_bodies[1]:
        return None
    return f"SOURCE has the form of {of_output} and OUTPUT that of {of_source}: are the two files swapped?"


def _has(corpus: Corpus, name: str, direction: str, body: dict[str, Any]) -> bool:
    return any(key in body for key in corpus.format(name).get("containers", {}).get(direction, ()))
