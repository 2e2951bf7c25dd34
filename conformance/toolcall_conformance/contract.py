"""What a translator implements: sessions on a route, one small protocol an operation.

Nothing here needs to be imported by a translator: classes are matched by shape, and :class:`Unsupported` and
:class:`Refused` are recognised by class name anywhere in an exception's MRO.
"""

from __future__ import annotations

from collections.abc import AsyncIterable, Awaitable, Iterable
from dataclasses import dataclass
from typing import Any, Protocol

Body = dict[str, Any]
Headers = dict[str, str]
Chunks = Iterable[bytes] | AsyncIterable[bytes]
Exchanged = Body | Chunks | tuple[int, Body] | tuple[int, Body, Headers]


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


class StreamTranslator(Protocol):
    """Translates an upstream's stream, bytes in any pieces, into the client's. ``chunks`` may be read async as well."""

    def stream(self, chunks: Iterable[bytes], /) -> Iterable[bytes] | AsyncIterable[bytes]: ...


class ErrorTranslator(Protocol):
    """Translates an upstream's error, by HTTP status and body, into the client's."""

    def error(self, status: int, body: Body, /) -> tuple[int, Body] | Awaitable[tuple[int, Body]]: ...


class ErrorTranslatorWithHeaders(Protocol):
    """The same, with the reply's headers (names in lower case) as a third argument, and the client's as a third result.

    ``Retry-After`` is a header: who takes headers is expected to hand it on.
    """

    def error(
        self, status: int, body: Body, headers: Headers, /
    ) -> tuple[int, Body, Headers] | Awaitable[tuple[int, Body, Headers]]: ...


class FusedTranslator(Protocol):
    """Translates, sends and translates back in one call: the library speaks to the provider itself.

    ``upstream_url`` is the root under which the upstream's API lies, without a slash at the end: Anthropic's Messages
    are at ``{upstream_url}/v1/messages``, Gemini's models at ``{upstream_url}/v1beta/models/…``. What the provider
    answered with an error comes back as ``error`` would give it, ``(status, body)`` or ``(status, body, headers)``.

    Where ``route.stream`` is true the body asks for a stream as its API has it (``"stream": true``; Gemini's does not
    say so), and what comes back is the client's stream, bytes in any pieces: a generator or anything else to be read by
    ``for`` or ``async for``, as it comes. Streams of Gemini are at
    ``{upstream_url}/v1beta/models/…:streamGenerateContent?alt=sse``. An upstream that breaks off closes its connection;
    the library may raise, write an error event, or just end. A library that does not stream raises Unsupported.
    """

    def exchange(self, body: Body, upstream_url: str, /) -> Exchanged | Awaitable[Exchanged]: ...


class Translator(Protocol):
    """Opens sessions; raises :class:`Unsupported` for a route that it does not do."""

    def open(
        self, route: Route, /
    ) -> (
        RequestTranslator
        | ResponseTranslator
        | StreamTranslator
        | ErrorTranslator
        | ErrorTranslatorWithHeaders
        | FusedTranslator
    ): ...
