"""What the bodies themselves say of their formats and direction, where the command line does not."""

from __future__ import annotations

import argparse
from typing import Any

from toolcall_conformance.basics.streaming import parse
from toolcall_conformance.cli import captured
from toolcall_conformance.cli.common import UsageError
from toolcall_conformance.formats.recognition import DIRECTIONS, BodyKind, recognise_body, recognise_events
from toolcall_conformance.library import Corpus

_OPTIONS = {"response": "--response", "error": "--error", "stream": "--stream", "request": ""}


def complete(parsed: argparse.Namespace, corpus: Corpus) -> None:
    """Fill in ``--client``, ``--upstream`` and the direction from the bodies, and note what was guessed.

    The notes go into ``parsed.guessed``. Raises UsageError where the bodies leave a choice.
    """
    parsed.guessed = []
    alone = parsed.output is None
    if parsed.client is not None and (alone or parsed.upstream is not None):
        return
    if "-" in (parsed.source, parsed.output):
        raise UsageError("stdin is read only once: name its format with --client (and --upstream)")
    direction = next((name for name in ("response", "error", "stream") if getattr(parsed, name)), None)
    source, output = _kinds(corpus, parsed.source, direction), [] if alone else _kinds(corpus, parsed.output, direction)
    if direction is None:
        direction = _direction(source, output, alone=alone)
        if direction is not None and direction != "request":
            setattr(parsed, direction, True)
    formats = {name: _names(kinds, direction) for name, kinds in (("source", source), ("output", output))}
    from_source, from_output = ("client", "upstream") if direction == "request" else ("upstream", "client")
    if alone:
        from_source = "client"
    for end, place in ((from_source, "source"), *(() if alone else ((from_output, "output"),))):
        if getattr(parsed, end) is None:
            setattr(parsed, end, _one(formats[place], getattr(parsed, place), f"--{end}"))
            parsed.guessed.append(f"--{end} {getattr(parsed, end)}")
    if parsed.guessed:
        kind = _OPTIONS[direction or "request"]
        parsed.guessed = [
            f"judged as with {' '.join([*parsed.guessed, *([kind] if kind else [])])}, which the bodies show"
        ]


def _kinds(corpus: Corpus, name: str, direction: str | None) -> list[BodyKind]:
    data = captured.peek(name)
    if captured.is_stream(data):
        events = [event["data"] for event in parse(data)["events"]]
        return [BodyKind(name, "stream") for name in recognise_events(corpus, events)]
    body: Any = captured.peeked_body(corpus, name, data)
    if direction == "error" or (isinstance(body, dict) and {"status", "body"} == body.keys() - {"headers"}):
        inner = body.get("body") if isinstance(body, dict) else None
        return [BodyKind(kind.format, "error") for kind in recognise_body(corpus, inner, ["error"])]
    directions = (
        ["response"] if direction in ("response", "stream") else ["request"] if direction == "request" else DIRECTIONS
    )
    return recognise_body(corpus, body, directions)


def _direction(source: list[BodyKind], output: list[BodyKind], *, alone: bool) -> str | None:
    """The direction that both bodies can have."""
    if output and output[0].direction == "stream":
        return "stream"
    directions = [kind.direction for kind in source]
    if alone:
        return directions[0] if directions else None
    return next(
        (direction for direction in directions if direction in [kind.direction for kind in output]),
        directions[0] if directions else None,
    )


def _names(kinds: list[BodyKind], direction: str | None) -> list[str]:
    fitting = [kind.format for kind in kinds if direction in (kind.direction, "stream")]
    return list(dict.fromkeys(fitting or [kind.format for kind in kinds]))


def _one(names: list[str], file: str, option: str) -> str:
    if len(names) == 1:
        return names[0]
    if not names:
        raise UsageError(f"{file}: no member shows which API's body it is; name the format with {option} FORMAT")
    raise UsageError(f"{file}: it may be a body of {' or '.join(names)}; name the format with {option} FORMAT")
