"""The two requests before a reply, where the user of ``judge`` has them: the client's, and what became of it."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from toolcall_conformance.cli.judge import input_files
from toolcall_conformance.cli.parser import UsageError
from toolcall_conformance.formats.recognition import recognise_body
from toolcall_conformance.library import Corpus

if TYPE_CHECKING:
    from toolcall_conformance.judge import Requests

_CLIENT, _UPSTREAM = "--client-request", "--upstream-request"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options for the two requests."""
    parser.add_argument(
        _CLIENT, metavar="FILE", help="the client's request that the reply or stream answers, in the client's format"
    )
    parser.add_argument(
        _UPSTREAM,
        metavar="FILE",
        help="the request that the translator made of it: then renamed tools and changed tool schemas are known",
    )


def verify(parsed: argparse.Namespace) -> None:
    """Refuse requests where no translated reply or stream is judged, and an upstream's request alone.

    Raises UsageError.
    """
    if parsed.client_request is None and parsed.upstream_request is None:
        return
    if parsed.client_request is None:
        raise UsageError(f"{_UPSTREAM} alone tells nothing of what the client declared: add {_CLIENT} FILE")
    options = f"{_CLIENT} and {_UPSTREAM}" if parsed.upstream_request is not None else _CLIENT
    if parsed.output is None or not (parsed.response or parsed.stream):
        raise UsageError(f"{options}: these come before a reply; add --response or --stream, with SOURCE and OUTPUT")


def read(parsed: argparse.Namespace, corpus: Corpus, notes: list[str]) -> Requests:
    """The requests that the options name; ``notes`` get a sentence for each wrapper. Raises UsageError."""
    from toolcall_conformance.judge import Requests

    return Requests(
        _read_request(parsed.client_request, parsed.client, corpus, notes),
        _read_request(parsed.upstream_request, parsed.upstream, corpus, notes),
    )


def _read_request(name: str | None, wire_format: str, corpus: Corpus, notes: list[str]) -> Any:
    if name is None:
        return None
    body = input_files.body(name, corpus, notes)
    kinds = recognise_body(corpus, body, ["request", "response"])
    if not isinstance(body, dict) or (kinds and all(kind.direction != "request" for kind in kinds)):
        raise UsageError(f"{name}: this is no request; give the body of a request of {wire_format}")
    formats = [kind.format for kind in kinds if kind.direction == "request"]
    if formats and wire_format not in formats:
        raise UsageError(
            f"{name}: this is a request of {' or '.join(formats)}, and one of {wire_format} is wanted here"
        )
    return body
