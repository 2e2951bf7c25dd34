"""What bodies show of their format and direction: for options that are left out, and against wrong ones."""

from __future__ import annotations

import argparse
from typing import Any

from toolcall_conformance.basics.streaming import parse
from toolcall_conformance.cli.judge import input_files
from toolcall_conformance.cli.parser import UsageError
from toolcall_conformance.formats.recognition import DIRECTIONS, BodyKind, recognise_body, recognise_events
from toolcall_conformance.library import Corpus

_OPTIONS = {"response": "--response", "error": "--error", "stream": "--stream", "request": ""}


def complete_options(parsed: argparse.Namespace, corpus: Corpus) -> None:
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
    formats = {name: _formats(kinds, direction) for name, kinds in (("source", source), ("output", output))}
    from_source, from_output = ("client", "upstream") if direction == "request" else ("upstream", "client")
    if alone:
        from_source = "client"
    for end, place in ((from_source, "source"), *(() if alone else ((from_output, "output"),))):
        if getattr(parsed, end) is None:
            setattr(parsed, end, _only_format(formats[place], getattr(parsed, place), f"--{end}"))
            parsed.guessed.append(f"--{end} {getattr(parsed, end)}")
    if parsed.guessed:
        kind = _OPTIONS[direction or "request"]
        parsed.guessed = [
            f"judged as with {' '.join([*parsed.guessed, *([kind] if kind else [])])}, which the bodies show"
        ]


def _kinds(corpus: Corpus, name: str, direction: str | None) -> list[BodyKind]:
    data = input_files.read_bytes_of(name)
    if input_files.is_stream(data):
        events = [event["data"] for event in parse(data)["events"]]
        return [BodyKind(format_name, "stream") for format_name in recognise_events(corpus, events)]
    body: Any = input_files.body_in(corpus, name, data)
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


def _formats(kinds: list[BodyKind], direction: str | None) -> list[str]:
    fitting = [kind.format for kind in kinds if direction in (kind.direction, "stream")]
    return list(dict.fromkeys(fitting or [kind.format for kind in kinds]))


def _only_format(names: list[str], file: str, option: str) -> str:
    if len(names) == 1:
        return names[0]
    if not names:
        raise UsageError(f"{file}: no member shows which API's body it is; name the format with {option} FORMAT")
    raise UsageError(f"{file}: it may be a body of {' or '.join(names)}; name the format with {option} FORMAT")


def verify_kind(parsed: argparse.Namespace, corpus: Corpus, name: str, direction: str, source: Any) -> None:
    """Refuse a reply where a request is judged, or a request where a reply is. Raises UsageError."""
    if not isinstance(source, dict) or direction == "error":
        return
    other = "response" if direction == "request" else "request"
    if _has_container(corpus, name, direction, source) or not _has_container(corpus, name, other, source):
        return
    kind = "reply" if other == "response" else "request"
    advice = "add --response" if other == "response" else "leave out --response"
    source_name = "stdin" if parsed.source == "-" else parsed.source
    raise UsageError(f"{source_name}: this is a {kind} of {name}; {advice} to judge it as one")


def verify_same_kind(corpus: Corpus, names: tuple[str, str], source: Any, output: Any) -> None:
    """Refuse a request together with a reply. Raises UsageError."""
    kinds = [
        {kind.direction for kind in recognise_body(corpus, body, ["request", "response"])} for body in (source, output)
    ]
    if all(len(kind) == 1 for kind in kinds) and kinds[0] != kinds[1]:
        words = ["a request" if kind == {"request"} else "a reply" for kind in kinds]
        raise UsageError(
            f"{names[0]} is {words[0]} and {names[1]} {words[1]}: give a request and what became of it, or two replies"
        )


def swap_note(corpus: Corpus, direction: str, source: Any, output: Any, ends: tuple[str, str]) -> str | None:
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


def _has_container(corpus: Corpus, name: str, direction: str, body: dict[str, Any]) -> bool:
    return any(key in body for key in corpus.format(name).get("containers", {}).get(direction, ()))
