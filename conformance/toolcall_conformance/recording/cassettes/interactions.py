"""The HTTP exchanges of a cassette, and those of them that are exchanges with an API of the corpus."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit, urlunsplit

from toolcall_conformance.basics import jsonvalue
from toolcall_conformance.basics.streaming import dump
from toolcall_conformance.library import Corpus


class CassetteError(Exception):
    """A cassette that cannot be used; the message says which file, what is wrong, and what to do."""


@dataclass(frozen=True, slots=True)
class Interaction:
    """A request and its response. Bodies are decoded: without compression and base64.

    ``number`` is the place in the cassette, from 1; ``recorded_at`` is the cassette's date, or None. Header names are
    in lower case. ``case`` is the case of the corpus that our recorder played.
    """

    number: int
    method: str
    url: str
    request_headers: Mapping[str, str]
    request_body: bytes
    status: int
    response_headers: Mapping[str, str]
    response_body: bytes
    recorded_at: str | None = None
    case: str | None = None


@dataclass(frozen=True, slots=True)
class RecordedExchange:
    """One exchange with a provider, as it was recorded.

    It has a request and one of three: ``response`` (a JSON body), ``stream`` (the bytes of a stream of events), or
    ``error`` (``{"status", "headers", "body"}``). ``official``: the host is the provider's own. ``case`` is the case of
    the corpus that was recorded, or None; ``exchange`` is the number of the exchange in it, from 1.
    """

    path: Path
    number: int
    format: str
    model: str | None
    host: str
    official: bool
    date: str | None
    request: dict[str, Any]
    response: Any = None
    stream: bytes | None = None
    error: dict[str, Any] | None = None
    case: str | None = None
    exchange: int = 1


@dataclass(frozen=True, slots=True)
class SkippedInteraction:
    """An interaction that is not an exchange with these APIs; equal causes have an equal ``reason``.

    ``address``: method and URL, without the query, where they are the cause.
    """

    path: Path
    number: int
    reason: str
    address: str = ""


def identify(path: Path, interaction: Interaction, corpus: Corpus) -> RecordedExchange | SkippedInteraction:
    """Find the format of an interaction by its URL (``transport.json``: ``tails``) and its bodies."""
    address = urlsplit(interaction.url)
    match = _format(corpus, interaction.method, address.path)
    if match is None:
        request_line = f"{interaction.method} {urlunsplit((address.scheme, address.netloc, address.path, '', ''))}"
        return SkippedInteraction(
            path, interaction.number, f"another API: {interaction.method} {address.netloc}", request_line
        )
    name, model = match
    request = _json(interaction.request_body)
    if not isinstance(request, dict):
        return SkippedInteraction(path, interaction.number, "a request without a JSON object")
    containers = corpus.format(name)["containers"]["request"]
    if not any(key in request for key in containers):
        return SkippedInteraction(
            path, interaction.number, f"a request of {name} without {' or '.join(map(repr, containers))}"
        )
    host = (address.hostname or "").lower()
    about: dict[str, Any] = {
        "path": path,
        "number": interaction.number,
        "format": name,
        "model": model or _text(request.get("model")),
        "host": host,
        "official": any(fnmatch.fnmatch(host, pattern) for pattern in corpus.transports[name].get("hosts", ())),
        "date": interaction.recorded_at or interaction.response_headers.get("date"),
        "request": request,
        "case": interaction.case,
    }
    return _with_answer(interaction, about)


def _with_answer(interaction: Interaction, about: dict[str, Any]) -> RecordedExchange | SkippedInteraction:
    if not interaction.response_body.strip():
        return SkippedInteraction(
            about["path"], interaction.number, f"an answer without a body (status {interaction.status})"
        )
    if _is_stream(interaction):
        return RecordedExchange(**about, stream=interaction.response_body)
    answer = _json(interaction.response_body)
    if answer is _NO_JSON:
        encoding = interaction.response_headers.get("content-encoding")
        what = f"an answer compressed with {encoding}" if encoding else "an answer that is not JSON"
        return SkippedInteraction(about["path"], interaction.number, what)
    if interaction.status >= 400:
        return RecordedExchange(
            **about, error={"status": interaction.status, "headers": dict(interaction.response_headers), "body": answer}
        )
    if isinstance(answer, list) and all(isinstance(chunk, dict) for chunk in answer):
        # Gemini's stream without `alt=sse` is one array of the same chunks.
        return RecordedExchange(**about, stream=dump([{"data": chunk} for chunk in answer]))
    return RecordedExchange(**about, response=answer)


def _format(corpus: Corpus, method: str, path: str) -> tuple[str, str | None] | None:
    for name, transport in corpus.transports.items():
        for tail in transport.get("tails", ()):
            pattern = re.escape(tail).replace(re.escape("{model}"), "(?P<model>[^/:]+)")
            match = re.fullmatch(f"(?:.*/)?{pattern}/?", path)
            if match and method == transport["method"]:
                model = match.groupdict().get("model")
                return name, unquote(model) if model else None
    return None


def _is_stream(interaction: Interaction) -> bool:
    kind = interaction.response_headers.get("content-type", "")
    return "event-stream" in kind or re.match(rb"\s*(?:data|event|id|retry)?:", interaction.response_body) is not None


class _NoJSON:
    pass


_NO_JSON = _NoJSON()


def _json(body: bytes) -> Any:
    try:
        return jsonvalue.parse(body)
    except jsonvalue.JSONError:
        return _NO_JSON


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None
