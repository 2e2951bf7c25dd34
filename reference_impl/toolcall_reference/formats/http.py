"""The HTTP side of an API: its addresses, its headers, and the headers that a client needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Http:
    """Addresses hold ``{model}``, ``key_form`` holds ``{key}``. Header names are in lower case."""

    base_url: str
    """The base URL as the API's own SDK takes it."""

    root: str
    """The path of ``base_url``; a user may leave it out of another server's URL."""

    path: str
    """The path of requests, below the base URL."""

    served_paths: tuple[str, ...]
    """The paths that clients of this API request, below a server's root."""

    key_header: str
    key_form: str
    key_variables: tuple[str, ...]
    """The environment variables from which its SDK takes the key."""

    key_query: str | None = None
    """The query parameter that may hold the key instead of the header."""

    stream_key: str | None = "stream"
    """The request's key that asks for a stream; None if the path does."""

    stream_path: str | None = None
    """The path and query of stream requests, if they differ from ``path``."""

    stream_served_paths: tuple[str, ...] = ()
    """The paths of stream requests, if they differ from ``served_paths``."""

    event_query: tuple[str, str] | None = None
    """The query key and value that ask for server-sent events; without them a stream is one JSON array."""

    headers: Mapping[str, str] = field(default_factory=dict)
    """The headers that each request needs in addition to the key."""

    passed_headers: tuple[str, ...] = ()
    """Prefixes of the optional request headers that only this API understands."""

    key_owner_headers: tuple[str, ...] = ()
    """The headers that name the owner of a key, such as an organization. They go where the key goes."""

    limit_headers: tuple[str, ...] = ()
    """Prefixes of the reply headers that state a client's rate limits."""

    request_id_header: str | None = None
    """The reply header with the request's id."""
