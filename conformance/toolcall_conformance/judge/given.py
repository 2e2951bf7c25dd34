"""What is known of a translation besides its bodies: the formats at both ends, and the requests before a reply."""

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

    ``client`` is the client's, ``upstream`` what the translator made of it. Both together tell which tools the
    translator renamed, and how it changed their schemas; the first alone whether one tool was forced. ``seen`` is false
    of a translator that is given replies alone: it made neither, and knows of no name and no schema.
    """

    client: Any = None
    upstream: Any = None
    seen: bool = True


UNKNOWN: Final = Requests()
