"""The context of a translation besides its bodies: the formats at both ends, and the requests before a reply."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from toolcall_conformance.basics.contract import Route


@dataclass(frozen=True, slots=True)
class Ends:
    """The formats of the caller and of the provider. Unlike a :class:`Route` it need not know the models."""

    client: str
    upstream: str
    client_model: str | None = None
    upstream_model: str | None = None


AnyRoute = Route | Ends


@dataclass(frozen=True, slots=True)
class Requests:
    """The requests of the exchange that a reply belongs to, as far as they are known.

    ``client`` is the client's, ``upstream`` its translation. Both together show which tools the translator renamed, and
    how it changed their schemas; the first alone whether one tool was forced. ``seen`` is false of a translator that
    gets only replies: it has seen no request, so it knows no name and no schema.
    """

    client: Any = None
    upstream: Any = None
    seen: bool = True


UNKNOWN_REQUESTS: Final = Requests()
