"""Exchanges that somebody captured: a request and its reply, from any kind of file."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from toolcall_conformance.basics.jsonvalue import JSONError
from toolcall_conformance.basics.jsonvalue import parse as parse_json
from toolcall_conformance.basics.streaming import parse
from toolcall_conformance.formats.recognition import recognise_body, recognise_events
from toolcall_conformance.library import Corpus


class UnreadableCaptureError(Exception):
    """A capture that cannot be read: what it is, and how to export it."""


@dataclass(frozen=True, slots=True)
class CapturedExchange:
    """One exchange. ``name`` is its place in the file (``entry 3``), ``time`` when it began, in seconds.

    ``request`` and ``reply`` are JSON values, None where they are not known; ``stream`` are a streamed reply's bytes.
    """

    name: str
    request: Any = None
    reply: Any = None
    stream: bytes | None = None
    url: str = ""
    status: int | None = None
    time: float | None = None

    @property
    def is_error(self) -> bool:
        """Whether the reply is an error."""
        return self.status is not None and self.status >= 400

    @property
    def error(self) -> dict[str, Any]:
        """The error, as the judge takes it."""
        return {"status": self.status, "body": self.reply}


@dataclass(frozen=True, slots=True)
class Capture:
    """The contents of a file. ``form`` is its kind; ``skipped`` counts what is no exchange, by reason."""

    form: str
    exchanges: Sequence[CapturedExchange]
    skipped: Mapping[str, int] = field(default_factory=dict)


def format_of(corpus: Corpus, exchange: CapturedExchange) -> str | None:
    """The format of an exchange, by its bodies and its address; None where they leave a choice, or show none."""
    names = [[kind.format for kind in recognise_body(corpus, exchange.request, ["request"])]]
    if exchange.stream is not None:
        events = [event["data"] for event in parse(exchange.stream)["events"]]
        names.append(recognise_events(corpus, events))
    elif exchange.reply is not None:
        directions = ["error"] if exchange.is_error else ["response"]
        names.append([kind.format for kind in recognise_body(corpus, exchange.reply, directions)])
    by_address = [
        name
        for name, transport in corpus.transports.items()
        if any(exchange.url.partition("?")[0].endswith(tail) for tail in transport.get("tails", ()))
    ]
    choices = [some for some in (*names, by_address) if some]
    if not choices:
        return None
    common = [name for name in choices[0] if all(name in some for some in choices)]
    if common:
        return common[0] if len(common) == 1 else None
    sure = {some[0] for some in names if len(some) == 1}
    if len(sure) == 1 and len([some for some in names if some]) > 1:
        return sure.pop()
    # A faulty body may look like another API's; the address is the client's own word.
    return (by_address or min(choices, key=len))[0]


def body_of(text: str) -> Any:
    """The JSON value of a body's text; None where it is none."""
    try:
        return parse_json(text)
    except JSONError:
        pass
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
