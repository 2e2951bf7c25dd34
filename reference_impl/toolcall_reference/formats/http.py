"""How an API is spoken over HTTP: its addresses, its headers, and which of them concern a client."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Http:
    """``{model}`` stands in addresses, ``{key}`` in ``key_form``. Names of headers are in lower case."""

    base_url: str
    """What the API's own SDK takes as its base URL."""

    root: str
    """The path of ``base_url``, which one may leave out of another server's URL."""

    path: str
    """Where it is asked, below the base URL."""

    served: tuple[str, ...]
    """The paths at which clients of this API ask, below the root of a server."""

    key_header: str
    key_form: str
    key_variables: tuple[str, ...]
    """The environment variables in which its SDK looks for the key."""

    key_query: str | None = None
    """The parameter of the query in which it takes the key as well."""

    stream_key: str | None = "stream"
    """The key of a request that asks for a stream; None where the path does."""

    stream_path: str | None = None
    """Where streams are asked for, if not at ``path``; with its query."""

    stream_served: tuple[str, ...] = ()
    """The paths at which its clients ask for streams, if not at ``served``."""

    event_query: tuple[str, str] | None = None
    """What the query says where a client wants events; without it, a stream is one JSON array."""

    headers: Mapping[str, str] = field(default_factory=dict)
    """The headers that each request needs beside the key."""

    passed: tuple[str, ...] = ()
    """How the headers begin that a client sends to this API beside, and that only this API understands."""

    of_key: tuple[str, ...] = ()
    """The headers that say on whose behalf a key is used: they go where the key goes."""

    told: tuple[str, ...] = ()
    """How the headers begin that tell a client of its limits."""

    request_id: str | None = None
    """The header of a reply that names the request."""
