"""Addresses: the API that a client's path belongs to, and the URL of a provider."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote, unquote

from toolcall_reference import formats
from toolcall_reference.conversation.intermediate import Body
from toolcall_reference.formats import Format


@dataclass(frozen=True, slots=True)
class AddressedRequest:
    """The content of an address: the client's format, the model if named, and whether it asks for a stream.

    ``stream`` is None if the body decides. ``events`` is False if the stream is to be one JSON array.
    """

    client: Format
    model: str | None = None
    stream: bool | None = None
    events: bool = True

    def wants_stream(self, body: Body) -> bool:
        """Whether the client wants a stream."""
        key = self.client.http.stream_key
        return self.stream if self.stream is not None else key is not None and body.get(key) is True


class ServedPaths:
    """The paths that the gateway serves for clients of all formats."""

    def __init__(self) -> None:
        self._patterns: list[tuple[re.Pattern[str], Format, bool | None]] = []
        for client in map(formats.get, formats.names()):
            http = client.http
            is_stream = False if http.stream_served_paths else None
            self._patterns += [(_path_pattern(path), client, is_stream) for path in http.served_paths]
            self._patterns += [(_path_pattern(path), client, True) for path in http.stream_served_paths]

    def find(self, path: str, query: Mapping[str, str]) -> AddressedRequest | None:
        """Parse a raw path (``%2F`` is not a slash); None if it is not served."""
        for pattern, client, stream in self._patterns:
            match = pattern.fullmatch(path)
            if match is not None:
                model = match.groupdict().get("model")
                event_query = client.http.event_query
                events = not stream or event_query is None or query.get(event_query[0]) == event_query[1]
                return AddressedRequest(client, None if model is None else unquote(model), stream, events)
        return None

    @property
    def paths(self) -> list[str]:
        """All served paths, as templates."""
        transports = [formats.get(name).http for name in formats.names()]
        return [path for http in transports for path in (http.served_paths[0], *http.stream_served_paths[:1])]


def _path_pattern(template: str) -> re.Pattern[str]:
    return re.compile(re.escape(template).replace(re.escape("{model}"), "(?P<model>.+)"))


def upstream_address(upstream: Format, base_url: str, model: str, *, stream: bool) -> str:
    """The URL of a provider's model."""
    template = (upstream.http.stream_path if stream else None) or upstream.http.path
    return base_url + template.replace("{model}", quote(model, safe=""))


def normalize_base_url(upstream: Format, url: str) -> str:
    """Normalize a base URL: a user may omit the API's own root path, or write the whole address."""
    http = upstream.http
    url = url.rstrip("/").removesuffix(http.path)
    if not url.partition("://")[2].partition("/")[2]:
        return url + http.root
    # Where the API's own URL has no path, its version begins each address.
    return url if http.root else url.removesuffix("/" + http.path.split("/")[1])
