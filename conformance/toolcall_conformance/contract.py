"""What a translator implements: sessions on a route, one small protocol an operation.

Nothing here needs to be imported by a translator: classes are matched by shape, and :class:`Unsupported` and
:class:`Refused` are recognised by class name anywhere in an exception's MRO.
"""

from __future__ import annotations

from collections.abc import Awaitable
from dataclasses import dataclass
from typing import Any, Protocol

Body = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Route:
    """One conversation's way: what the caller speaks, what the model provider speaks."""

    client: str
    upstream: str
    client_model: str
    upstream_model: str
    stream: bool = False

    def __str__(self) -> str:
        return f"{self.client}-to-{self.upstream}"


class Unsupported(Exception):  # noqa: N818 - named for what it says, recognised by this very name
    """The translator does not do this route or this operation."""


class Refused(Exception):  # noqa: N818 - see above
    """The translator does not take this input; the message says why."""


class RequestTranslator(Protocol):
    """Translates a client request into an upstream request."""

    def request(self, body: Body, /) -> Body | Awaitable[Body]: ...


class ResponseTranslator(Protocol):
    """Translates an upstream reply into a client reply."""

    def response(self, body: Body, /) -> Body | Awaitable[Body]: ...


class Translator(Protocol):
    """Opens sessions; raises :class:`Unsupported` for a route that it does not do."""

    def open(self, route: Route, /) -> RequestTranslator | ResponseTranslator: ...
