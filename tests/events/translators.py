"""Event-level translators as users write them, and the SDKs' objects as the SDKs make them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from functools import cache
from typing import Any

import pytest

from toolcall_conformance import events
from toolcall_conformance.basics.contract import Route
from toolcall_conformance.basics.streaming import dump
from toolcall_conformance.basics.streaming.decoder import Decoder
from toolcall_reference import ReferenceTranslator

NAMED = ("anthropic", "openai_responses")


@cache  # and the SDKs are imported before any call is timed: that may take longer than a translator has
def constructors() -> dict[str, Callable[[Any], Any]]:
    """By format, what its SDK makes of the JSON of an event; as the SDKs themselves do, without validation."""
    openai = pytest.importorskip("openai._models", reason="the SDK is not installed (extra `dev`)")
    anthropic = pytest.importorskip("anthropic._models", reason="the SDK is not installed (extra `dev`)")
    google = pytest.importorskip("google.genai.types", reason="the SDK is not installed (extra `dev`)")
    from anthropic.types import RawMessageStreamEvent
    from openai.types.chat import ChatCompletionChunk
    from openai.types.responses import ResponseStreamEvent

    def of_anthropic(data: Any) -> Any:
        if data["type"] == "ping":
            return None
        return anthropic.construct_type(type_=RawMessageStreamEvent, value=data)

    return {
        "anthropic": of_anthropic,
        "openai_chat": lambda data: openai.construct_type(type_=ChatCompletionChunk, value=data),
        "openai_responses": lambda data: openai.construct_type(type_=ResponseStreamEvent, value=data),
        "gemini": google.GenerateContentResponse.model_validate,
    }


class Inner:
    """The reference's streams, by events: no bytes come in or go out."""

    def __init__(self, route: Route) -> None:
        self.route = route
        self.session: Any = ReferenceTranslator().open(route)
        self.construct: Callable[[Any], Any] | None = None

    def translate(self, upstream: Iterator[Any]) -> Iterator[Any]:
        decoder = Decoder()
        for piece in self.session.stream(self._bytes(upstream)):
            decoder.feed(piece)
            while (event := decoder.take()) is not None:
                if event["data"] != "[DONE]":
                    data = self.construct(event["data"]) if self.construct is not None else event["data"]
                    if data is not None:
                        yield data

    def _bytes(self, upstream: Iterator[Any]) -> Iterator[bytes]:
        for event in upstream:
            data = events.as_json(event)
            yield dump([{"event": data["type"], "data": data} if self.route.upstream in NAMED else {"data": data}])


class Sync:
    """A generator of dicts."""

    def __init__(self, route: Route) -> None:
        self.route = route
        self.inner = Inner(route)
        self.request, self.response = self.inner.session.request, self.inner.session.response

    @events.stream
    def stream(self, upstream: Any) -> Iterator[Any]:
        yield from self.inner.translate(upstream)


class Objects(Sync):
    """Objects of the SDKs in and out."""

    def __init__(self, route: Route) -> None:
        super().__init__(route)
        self.inner.construct = constructors()[route.client]

    def stream(self, chunks: Any) -> Any:
        return events.translated(chunks, self.route, self.inner.translate, constructors())


class ChatToAnthropic:
    """By callbacks: text, calls and finish reason of Chat's chunks as Anthropic's events, all objects of the SDKs."""

    def __init__(self) -> None:
        self.block: str | None = None
        self.count = 0
        self.reason = ""
        self.chunk: Any = None

    def event(self, chunk: Any) -> list[Any]:
        from anthropic import types

        output: list[Any] = []
        if self.chunk is None:
            message = types.Message(
                id=chunk.id,
                type="message",
                role="assistant",
                model=chunk.model,
                content=[],
                stop_reason=None,
                stop_sequence=None,
                usage=types.Usage(input_tokens=0, output_tokens=0),
            )
            output.append(types.RawMessageStartEvent(type="message_start", message=message))
        self.chunk = chunk
        for choice in chunk.choices:
            if choice.delta.content:
                output += self.open_block("text", types.TextBlock(type="text", text=""))
                output.append(self.delta(types.TextDelta(type="text_delta", text=choice.delta.content)))
            for call in choice.delta.tool_calls or ():
                if call.id:
                    block = types.ToolUseBlock(type="tool_use", id=call.id, name=call.function.name, input={})
                    output += self.open_block(call.id, block)
                if call.function.arguments:
                    output.append(
                        self.delta(types.InputJSONDelta(type="input_json_delta", partial_json=call.function.arguments))
                    )
            self.reason = choice.finish_reason or self.reason
        return output

    def finish(self) -> list[Any]:
        from anthropic import types
        from anthropic.types.raw_message_delta_event import Delta

        if not self.reason:
            return []
        reasons: Any = {"tool_calls": "tool_use", "stop": "end_turn", "length": "max_tokens"}
        usage = self.chunk.usage
        return [
            *self.close_block(),
            types.RawMessageDeltaEvent(
                type="message_delta",
                delta=Delta(stop_reason=reasons[self.reason], stop_sequence=None),
                usage=types.MessageDeltaUsage(
                    input_tokens=usage.prompt_tokens - usage.prompt_tokens_details.cached_tokens,
                    cache_read_input_tokens=usage.prompt_tokens_details.cached_tokens,
                    output_tokens=usage.completion_tokens,
                ),
            ),
            types.RawMessageStopEvent(type="message_stop"),
        ]

    def open_block(self, name: str, block: Any) -> list[Any]:
        from anthropic import types

        if self.block == name:
            return []
        output = self.close_block()
        self.block = name
        self.count += 1
        start = types.RawContentBlockStartEvent(type="content_block_start", index=self.count - 1, content_block=block)
        return [*output, start]

    def close_block(self) -> list[Any]:
        from anthropic import types

        if self.block is None:
            return []
        self.block = None
        return [types.RawContentBlockStopEvent(type="content_block_stop", index=self.count - 1)]

    def delta(self, delta: Any) -> Any:
        from anthropic import types

        return types.RawContentBlockDeltaEvent(type="content_block_delta", index=self.count - 1, delta=delta)


class Callbacks(Sync):
    """From Chat to Anthropic, by hand."""

    def stream(self, chunks: Any) -> Any:
        return events.translated(chunks, self.route, events.each(ChatToAnthropic()), constructors()["openai_chat"])


class Async(Sync):
    """An async generator, of dicts."""

    @events.stream
    async def stream(self, upstream: Any) -> AsyncIterator[Any]:
        handler, construct = ChatToAnthropic(), constructors()["openai_chat"]
        async for data in upstream:
            for event in handler.event(construct(data)):
                yield event.to_dict(mode="json")
        for event in handler.finish():
            yield event.to_dict(mode="json")


class AsyncCallbacks(Sync):
    """The same, with callbacks that are awaited."""

    def stream(self, chunks: Any) -> Any:
        inner = ChatToAnthropic()

        class Awaited:
            async def event(self, chunk: Any) -> Any:
                return inner.event(chunk)

            async def finish(self) -> Any:
                return inner.finish()

        return events.translated(chunks, self.route, events.each(Awaited()), constructors()["openai_chat"])
