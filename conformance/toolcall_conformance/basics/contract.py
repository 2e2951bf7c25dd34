"""The protocols that a translator implements: it opens sessions on routes; each operation is one small protocol.

A translator needs to import nothing from here. Classes are matched by shape; :class:`Unsupported` and
:class:`Refused` are recognised by their class names anywhere in an exception's MRO.
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
    """The formats of one conversation: the client's and the provider's, with the models of both."""

    client: str
    upstream: str
    client_model: str
    upstream_model: str
    stream: bool = False

    def __str__(self) -> str:
        return f"{self.client}-to-{self.upstream}"


class Unsupported(Exception):  # noqa: N818 - recognised by this name
    """The translator does not support this route or this operation."""


class Refused(Exception):  # noqa: N818 - see above
    """The translator refuses this input; the message says why."""


class RequestTranslator(Protocol):
    """Translates a client request into an upstream request."""

    def request(self, body: Body, /) -> Body | Awaitable[Body]: ...


class ResponseTranslator(Protocol):
    """Translates an upstream reply into a client reply."""

    def response(self, body: Body, /) -> Body | Awaitable[Body]: ...


class StreamTranslator(Protocol):
    """Translates an upstream's stream, bytes in any pieces, into the client's. ``chunks`` can also be read async."""

    def stream(self, chunks: Iterable[bytes], /) -> Iterable[bytes] | AsyncIterable[bytes]: ...


class ErrorTranslator(Protocol):
    """Translates an upstream's error, by HTTP status and body, into the client's."""

    def error(self, status: int, body: Body, /) -> tuple[int, Body] | Awaitable[tuple[int, Body]]: ...


class ErrorTranslatorWithHeaders(Protocol):
    """As ErrorTranslator, with the reply's headers (names in lower case), and the client's headers in the result.

    A translator that takes headers is expected to pass ``Retry-After`` on.
    """

    def error(
        self, status: int, body: Body, headers: Headers, /
    ) -> tuple[int, Body, Headers] | Awaitable[tuple[int, Body, Headers]]: ...


class FusedTranslator(Protocol):
    """Translates a request, sends it to the provider and translates the reply, in one call.

    ``upstream_url`` is the root of the upstream's API, without a slash at the end: Anthropic's Messages are at
    ``{upstream_url}/v1/messages``, Gemini's models at ``{upstream_url}/v1beta/models/…``. For an error of the provider
    it returns what ``error`` would return: ``(status, body)`` or ``(status, body, headers)``.

    If ``route.stream`` is true, the body asks for a stream as its API does (``"stream": true``; Gemini's body does not
    say so). The result is then the client's stream as bytes in any pieces: a generator, or anything that ``for`` or
    ``async for`` can read while it arrives. Gemini's streams are at
    ``{upstream_url}/v1beta/models/…:streamGenerateContent?alt=sse``. An upstream that breaks off closes its connection;
    the library may raise, send an error event, or just end. A library that does not stream raises Unsupported.
    """

    def exchange(self, body: Body, upstream_url: str, /) -> Exchanged | Awaitable[Exchanged]: ...


class ToolCallAdapter(Protocol):
    """Turns a reply of one format into tool calls, and results into messages of that format.

    Its session is opened on the route with the same format on both ends. A call is an object with ``id``, ``name`` and
    ``arguments`` (an object), and may have keys of its own. A result is ``{"tool_call_id", "name", "result",
    "is_error"}``; ``result`` is a text or an object. Where a result is more than one text it also has
    ``multimodal_parts``, in order: ``{"type": "text", "text"}``, ``{"type": "object", "value"}`` or ``{"type": "media",
    "kind", "mime_type"}`` with ``data`` (standard base64), ``url`` or ``file_id``. A call of a free-text tool may say
    so by ``kind``, ``"custom"``; its arguments are an object of one key.
    """

    def tool_calls(self, reply: Body, /) -> list[Body] | Awaitable[list[Body]]: ...

    def tool_results(self, calls: list[Body], results: list[Body], /) -> list[Body] | Awaitable[list[Body]]:
        """The entries to append to the conversation, after the reply: messages, items or contents.

        ``calls`` are those that ``tool_calls`` returned, ``results`` may come in any order.
        """


class McpBridge(Protocol):
    """Turns what an MCP server sends into one format. Its session is opened as that of :class:`ToolCallAdapter`."""

    def mcp_tools(self, listed: Body, /) -> list[Body] | Awaitable[list[Body]]:
        """The ``tools`` of a request for the result of ``tools/list``."""

    def mcp_result(self, call: Body, result: Body, /) -> list[Body] | Awaitable[list[Body]]:
        """The entries to append to the conversation, after the reply with ``call``, for a ``CallToolResult``."""


class Instrumentation(Protocol):
    """Tells OpenTelemetry what was said in one format. Its session is opened as that of :class:`ToolCallAdapter`."""

    def otel(self, request: Body, reply: Body, /) -> Body | Awaitable[Body]:
        """``input_messages``, ``output_messages``, ``system_instructions`` and ``tool_definitions``."""


class Translator(Protocol):
    """Opens sessions; raises :class:`Unsupported` for a route that it does not support."""

    def open(
        self, route: Route, /
    ) -> (
        RequestTranslator
        | ResponseTranslator
        | StreamTranslator
        | ErrorTranslator
        | ErrorTranslatorWithHeaders
        | FusedTranslator
        | ToolCallAdapter
        | McpBridge
        | Instrumentation
    ): ...
