"""Finds the API at a method and a path, by the corpus's ``transport.json`` files."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, quote, unquote


@dataclass(frozen=True, slots=True)
class Address:
    """The API that a request addressed: its format, the model if the path names it, and whether it is a stream.

    ``stream`` is None if the body says so and not the path.
    """

    format: str
    model: str | None = None
    stream: bool | None = None


class Addresses:
    """The addresses of all formats; ``transports`` is the content of their ``transport.json``, by format."""

    def __init__(self, transports: Mapping[str, Mapping[str, Any]]) -> None:
        self._transports = transports
        self._patterns: list[tuple[str, re.Pattern[str], str, bool | None]] = []
        for name, transport in transports.items():
            streamed = transport["stream"].get("path")
            is_stream = False if streamed else None
            for path in (transport["path"], *transport.get("also", ())):
                self._patterns.append((transport["method"], _compile_template(path), name, is_stream))
            if streamed:
                for path in (streamed.partition("?")[0], *transport["stream"].get("also", ())):
                    self._patterns.append((transport["method"], _compile_template(path), name, True))

    def find_api(self, method: str, path: str) -> Address | None:
        """Find the API at a path below the upstream's root; None if there is none."""
        for expected_method, pattern, name, stream in self._patterns:
            match = pattern.fullmatch(path)
            if match and method == expected_method:
                model = match.groupdict().get("model")
                return Address(name, unquote(model) if model is not None else None, stream)
        return None

    def request_path(self, format_name: str, model: str, *, stream: bool = False) -> str:
        """Return the path of a client's request to ``model``, with its query if it has one."""
        transport = self._transports[format_name]
        template = transport["stream"].get("path", transport["path"]) if stream else transport["path"]
        return str(template).replace("{model}", quote(model, safe=""))

    def request_headers(self, format_name: str, key: str) -> dict[str, str]:
        """Return the headers that a client sends, with its key."""
        return {name: text.replace("{key}", key) for name, text in self._transports[format_name]["headers"].items()}

    def missing_headers(self, format_name: str, headers: Mapping[str, str], query: str) -> list[str]:
        """List the headers that the API requires and ``headers`` (names in lower case) lacks.

        The query may hold the key if the API takes it there (``transport.json``: ``key_query``).
        """
        transport = self._transports[format_name]
        in_query = transport.get("key_query") in dict(parse_qsl(query))
        other = {name for name in transport.get("key_headers", ()) if headers.get(name)}
        return [
            name
            for name, text in transport["headers"].items()
            if not headers.get(name) and not ("{key}" in text and (in_query or other))
        ]

    def asks_for_stream(self, format_name: str, address: Address, query: str, body: Any) -> bool:
        """Whether a request asks for a stream as this format's API demands."""
        stream = self._transports[format_name]["stream"]
        if "path" in stream:
            parameters = parse_qsl(stream["path"].partition("?")[2])
            return address.stream is True and set(parameters) <= set(parse_qsl(query))
        # Objects in the patch are options, which a client need not choose.
        marks = {key: value for key, value in stream["body"].items() if not isinstance(value, dict)}
        return isinstance(body, dict) and all(body.get(key) == value for key, value in marks.items())

    def array_framing(self, format_name: str, address: Address) -> Mapping[str, Any] | None:
        """The array framing of streams whose address asks for a stream and whose query for no events, or None."""
        framing: Mapping[str, Any] | None = self._transports[format_name]["stream"].get("array")
        return framing if address.stream is True else None

    def stream_type(self, format_name: str) -> str:
        """Return the content type of a stream."""
        return str(self._transports[format_name]["stream"].get("content_type", "text/event-stream"))

    def has_stream_path(self, format_name: str) -> bool:
        """Whether the API has a path of its own for streams, instead of a setting in the body."""
        return "path" in self._transports[format_name]["stream"]

    def describe(self, format_name: str, *, stream: bool = False) -> str:
        """Return ``POST /v1/messages`` for a sentence; with ``stream``, how to ask for a stream."""
        transport = self._transports[format_name]
        if stream and "path" in transport["stream"]:
            return f"{transport['method']} {transport['stream']['path']}"
        patch = f" with {json.dumps(transport['stream']['body'])}" if stream else ""
        return f"{transport['method']} {transport['path']}{patch}"


def _compile_template(template: str) -> re.Pattern[str]:
    """Make an expression of a path template; a model may hold no slash, as in Google's own mapping."""
    return re.compile(re.escape(template).replace(re.escape("{model}"), "(?P<model>[^/:]+)"))
