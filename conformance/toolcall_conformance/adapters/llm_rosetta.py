"""llm-rosetta (https://github.com/Oaklight/llm-rosetta), judged in process. Copy this file to adapt your own library.

Run it with ``pytest --toolcall-translator toolcall_conformance.adapters.llm_rosetta:Translator toolcall::``.
"""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator
from typing import Any

import llm_rosetta
from llm_rosetta import ConversionPipeline
from llm_rosetta._vendor.httpclient import CaseInsensitiveDict, StreamingResponse
from llm_rosetta.gateway import proxy
from llm_rosetta.gateway.transport import SSE_FORMATTERS
from llm_rosetta.gateway.transport.http import HttpUpstreamStream

from toolcall_conformance.basics.contract import Route, Unsupported

# Our names for the formats, and theirs.
THEIR_NAMES = {
    "anthropic": "anthropic",
    "gemini": "google",
    "openai_chat": "openai_chat",
    "openai_responses": "openai_responses",
}


class Session:
    """One conversation. Their pipeline lives for one exchange: a request, then its reply.

    Their gateway keeps state of the provider's calls in a store from one exchange to the next, and so does this.
    """

    def __init__(self, route: Route) -> None:
        self._route = route
        self._kept = proxy.ProviderMetadataStore()
        self._pipeline = self._new_pipeline()

    def _new_pipeline(self) -> ConversionPipeline:
        return ConversionPipeline(
            THEIR_NAMES[self._route.client],
            THEIR_NAMES[self._route.upstream],
            upstream_model=self._route.upstream_model,
            force_conversion=False,  # as in their `convert`: a body passes through if both formats are the same
            google_output_format="rest",
        )

    def request(self, body: dict[str, Any]) -> dict[str, Any]:
        """Translate a request as their gateway does: it sets the model first and removes internal notes last."""
        self._pipeline = self._new_pipeline()
        named = (
            body
            if self._route.client == self._route.upstream == "gemini"
            else {**body, "model": self._route.upstream_model}
        )
        produced: dict[str, Any] = self._pipeline.convert_request(named, on_ir_ready=self._kept.inject_into_request)
        if self._route.upstream == "gemini":
            produced.pop("model", None)  # their transport puts it into the URL
        # Their gateway asks for the stream, and for its token counts, when the body is translated.
        flagged = proxy._inject_stream_flags(  # noqa: SLF001 - what their server calls
            THEIR_NAMES[self._route.upstream], produced, stream=self._route.stream
        )
        stripped: dict[str, Any] = _without_notes(flagged)
        return stripped

    def response(self, body: dict[str, Any]) -> dict[str, Any]:
        """Translate the reply to the last request."""
        produced: dict[str, Any] = self._pipeline.convert_response(body, on_ir_ready=self._kept.cache_from_response)
        return produced

    async def stream(self, chunks: AsyncIterable[bytes]) -> AsyncIterator[bytes]:
        """Translate the streamed reply to the last request, as their gateway does from socket to socket.

        Their code parses the bytes, translates and frames each event, and reports failures. Ours only replaces the
        two sockets.
        """
        client: Any = THEIR_NAMES[self._route.client]
        written = proxy._stream_event_generator(  # noqa: SLF001 - what their server calls
            source_provider=client,
            stream=HttpUpstreamStream(_streaming_response(chunks)),
            processor=self._pipeline.create_stream_processor(on_ir_event=self._kept.cache_from_stream_event),
            model=self._route.upstream_model,
            format_sse=SSE_FORMATTERS[client],
        )
        async for text in written:
            yield text.encode()


class _Reader:
    """The reading end of a socket that delivers ``chunks``."""

    def __init__(self, chunks: AsyncIterable[bytes]) -> None:
        self._chunks = aiter(chunks)

    async def read(self, size: int) -> bytes:
        """Return the next bytes; empty only at the end."""
        del size  # an upper limit
        async for chunk in self._chunks:
            if chunk:
                return chunk
        return b""


def _streaming_response(chunks: AsyncIterable[bytes]) -> StreamingResponse:
    """Make the streaming reply of their HTTP client."""
    headers = CaseInsensitiveDict({"Content-Type": "text/event-stream"})
    reader: Any = _Reader(chunks)
    writer: Any = None  # nothing to close
    return StreamingResponse._from_async(  # noqa: SLF001 - their only constructor for it
        200, headers, "", reader, writer, is_chunked=False, content_length=None, timeout=60
    )


def _without_notes(value: Any) -> Any:
    """Remove the key under which their converters keep internal notes."""
    if isinstance(value, dict):
        return {key: _without_notes(entry) for key, entry in value.items() if key != "_provider_metadata"}
    if isinstance(value, list):
        return [_without_notes(entry) for entry in value]
    return value


class Translator:
    """What ``--toolcall-translator`` names: something with an ``open``."""

    name = "llm-rosetta"
    version = llm_rosetta.__version__

    def open(self, route: Route) -> Session:
        if not {route.client, route.upstream} <= THEIR_NAMES.keys():
            raise Unsupported(f"llm-rosetta has no converter for {route}")
        return Session(route)
