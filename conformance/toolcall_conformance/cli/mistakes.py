"""What a user of ``judge`` probably meant: files in the wrong order, a reply without ``--response``."""

from __future__ import annotations

import argparse
from typing import Any

from toolcall_conformance import formats
from toolcall_conformance.cli.common import UsageError
from toolcall_conformance.judge import Judge
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
    shown = "stdin" if parsed.source == "-" else parsed.source
    raise UsageError(f"{shown}: this is a {what} of {name}; {advice} to judge it as one")


def swapped(corpus: Corpus, direction: str, source: Any, output: Any, ends: tuple[str, str]) -> str | None:
    """A note where each file has the form of the other's format; ``ends`` are those of the source and the output."""
    of_source, of_output = ends
    if of_source == of_output:
        return None
    judge = Judge(corpus)
    if _fits(judge, of_source, direction, source) or not _fits(judge, of_output, direction, source):
        return None
    if _fits(judge, of_output, direction, output) or not _fits(judge, of_source, direction, output):
        return None
    return f"SOURCE has the form of {of_output} and OUTPUT that of {of_source}: are the two files swapped?"


def _has(corpus: Corpus, name: str, direction: str, body: dict[str, Any]) -> bool:
    return any(key in body for key in corpus.format(name).get("containers", {}).get(direction, ()))


def _fits(judge: Judge, name: str, direction: str, body: Any) -> bool:
    has = (
        name in formats.names()
        and isinstance(body, dict)
        and (direction == "error" or _has(judge.corpus, name, direction, body))
    )
    return has and not any(found.is_must for found in judge.body(name, direction, body).findings)
