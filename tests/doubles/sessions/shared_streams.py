"""What a translator keeps of the stream that it reads: for each stream by itself, or for all of them at once.

While one stream is read after the other all are right. ``ArgumentsOfAllStreams`` gives no output while it collects, so
it shows only where its source is cut into turns: tests/checks/test_concurrent_streams.py plays it as a library that
sends.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator
from typing import Any

from doubles.events import Event
from doubles.loop import ANTHROPIC, CHAT, StreamingSession, broken, harmless

CASE = "parallel/three-tools"


class HoldingArguments(StreamingSession):
    """Collects the arguments of a call and hands them on when the call is whole; begins anew with each stream."""

    @property
    def buffer(self) -> dict[str, Any]:
        """What is kept of the stream."""
        return self.__dict__.setdefault("_own", {})  # type: ignore[no-any-return]

    def stream(self, chunks: Iterable[bytes], /) -> Iterator[bytes]:
        self.buffer.clear()
        yield from super().stream(chunks)

    def before_event(self, event: Event) -> Iterable[Event]:
        data = event["data"]
        delta = data.get("delta", {})
        if delta.get("type") == "input_json_delta":
            self.buffer["text"] = self.buffer.get("text", "") + delta["partial_json"]
            self.buffer["event"] = copy.deepcopy(event)
            return
        if data.get("type") == "content_block_stop" and "event" in self.buffer:
            whole = self.buffer.pop("event")
            whole["data"]["index"] = data["index"]
            whole["data"]["delta"]["partial_json"] = self.buffer.pop("text")
            yield whole
        yield event


class ArgumentsOfAllStreams(HoldingArguments):
    """Collects the arguments of calls in one buffer for all streams."""

    @property
    def buffer(self) -> dict[str, Any]:
        return self.shared


@harmless(CASE, CHAT, ANTHROPIC, beside="translation/arguments")
class ArgumentsOfEachStream(HoldingArguments):
    """Collects the arguments of calls in a buffer of the stream."""


class CountingCalls(StreamingSession):
    """Numbers the calls of a stream as they come, and a fragment as the call that came last."""

    @property
    def counted(self) -> dict[str, Any]:
        """Holds the number of the last call."""
        return self.__dict__.setdefault("_counted", {})  # type: ignore[no-any-return]

    def stream(self, chunks: Iterable[bytes], /) -> Iterator[bytes]:
        self.counted["last"] = -1
        yield from super().stream(chunks)

    def after_event(self, event: Event) -> Iterable[Event]:
        data = event["data"]
        for choice in data.get("choices", ()) if isinstance(data, dict) else ():
            for fragment in choice["delta"].get("tool_calls", ()):
                self.counted["last"] += "id" in fragment
                fragment["index"] = max(self.counted["last"], 0)
        yield event


@broken(
    "concurrent",
    rule="openai_chat/stream-call-own-index",
    case=CASE,
    client=CHAT,
    upstream=ANTHROPIC,
    check="stream",
)
class CallsCountedForAllStreams(CountingCalls):
    """Numbers the calls of all streams by one counter, which each new stream sets back."""

    @property
    def counted(self) -> dict[str, Any]:
        return self.shared


@harmless(CASE, CHAT, ANTHROPIC, beside="translation/arguments")
class CallsCountedForEachStream(CountingCalls):
    """Numbers the calls of a stream by a counter of the stream."""


@harmless(CASE, CHAT, ANTHROPIC, warns="translation/stream-at-once", beside="translation/arguments")
class OneStreamBehindTheOther(StreamingSession):
    """Reads a stream to its end before it gives anything."""

    def stream(self, chunks: Iterable[bytes], /) -> Iterator[bytes]:
        yield b"".join(super().stream(chunks))
