"""Assembles streamed replies and checks them against the grammar of the API.

The states of a stream, and the events that lead from one to the next; pings and unknown events change nothing::

    BEFORE   message_start                                        -> MESSAGE
    MESSAGE  content_block_start | _delta | _stop                 -> MESSAGE
             message_delta with a stop_reason                     -> ENDING   (without one: MESSAGE)
    ENDING   message_delta                                        -> ENDING
             message_stop                                         -> ENDED
    any but ENDED: error                                          -> FAILED

    a block  (content_block_start) OPEN (content_block_delta)* (content_block_stop) CLOSED, one block at a time

https://platform.claude.com/docs/en/build-with-claude/streaming. After a breach we continue as the official SDK does: it
adds blocks at the end, and finds that of a delta by ``index``
(https://github.com/anthropics/anthropic-sdk-python/blob/main/src/anthropic/lib/streaming/_messages.py). In one thing we
do not: it passes over events without a name. Where no event has one it sees nothing at all, and so would the judge.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import Enum, auto
from typing import Any

from toolcall_conformance.formats.anthropic.parts import is_hosted
from toolcall_conformance.formats.anthropic.stream.blocks import StreamedBlock
from toolcall_conformance.formats.stream_machine import Machine, meant_number, rule_ids, wrong_number
from toolcall_conformance.jsonvalue import copied
from toolcall_conformance.reading.assembled import Assembled, StreamedCall


class MessageState(Enum):
    """How far the reply has come."""

    BEFORE = auto()
    MESSAGE = auto()
    ENDING = auto()
    ENDED = auto()
    FAILED = auto()


BLOCK_EVENTS = ("content_block_start", "content_block_delta", "content_block_stop")
EVENTS = ("message_start", *BLOCK_EVENTS, "message_delta", "message_stop", "error", "ping")

_RIGHT: dict[MessageState, tuple[str, ...]] = {
    MessageState.BEFORE: ("message_start", "error"),
    MessageState.MESSAGE: (*BLOCK_EVENTS, "message_delta", "error"),
    MessageState.ENDING: ("message_delta", "message_stop", "error"),
    MessageState.ENDED: (),
    MessageState.FAILED: (),
}

#: The ends at which a call may be cut short.
CUT = ("max_tokens", "model_context_window_exceeded", "refusal")

RULES = rule_ids(
    "anthropic",
    *("stream-data", "stream-done-marker", "stream-event-name", "stream-unknown"),
    *("stream-start", "stream-end", "stream-after-end", "stream-finish", "stream-finish-agrees"),
    *("stream-finish-last", "stream-block-index", "stream-block-open", "stream-block-closed", "stream-block-overlap"),
    *("stream-delta-kind", "stream-signature-once", "stream-arguments-json"),
    "stream-input-in-deltas",
)


def assemble(stream: Any) -> Assembled:
    """The message that a stream assembles to; never raises, whatever JSON it gets."""
    return _MessageMachine(RULES).run(stream)


class _MessageMachine(Machine):
    def __init__(self, ids: Iterable[str]) -> None:
        super().__init__(ids)
        self.state = MessageState.BEFORE
        self.message: dict[str, Any] | None = None
        self.blocks: list[StreamedBlock] = []
        self.reason_at = ""
        self.last_event = ""
        self._unnamed: list[str] = []

    def take(self, pointer: str, event: dict[str, Any]) -> None:
        """One event, by the type that its data says, else by its name."""
        if "data" not in event:
            return
        name, data = event.get("event"), event["data"]
        name = name if isinstance(name, str) and name else None
        if name == "ping" and not (isinstance(data, dict) and data.get("type") in EVENTS):
            return
        if not isinstance(data, dict):
            self._no_object(pointer, name, data)
            return
        kind = data.get("type") if isinstance(data.get("type"), str) else name
        if name is None:
            self._unnamed.append(pointer)
        elif name != kind or "type" not in data:
            said = f"the data has the type {kind}" if "type" in data else "the data has no type"
            self.report.add("stream-event-name", f"{pointer}/event", f"the event is called {name}, {said}")
        if kind not in EVENTS:
            self.report.add("stream-unknown", f"{pointer}/data", f"the API has no event {kind}")
        elif kind != "ping":
            self.last_event = pointer
            self._step(kind, f"{pointer}/data", data)

    def _no_object(self, pointer: str, name: str | None, data: Any) -> None:
        if name is None and data == "[DONE]":
            self.report.add("stream-done-marker", f"{pointer}/data")
        elif data != "":  # the SDK passes over an event without data
            self.report.add("stream-data", f"{pointer}/data", got=data)

    def _step(self, kind: str, pointer: str, data: dict[str, Any]) -> None:
        """One transition. An event out of place is reported, and then takes the effect that it has in the SDK."""
        if kind not in _RIGHT[self.state]:
            self._misplaced(kind, pointer)
        if self.state is MessageState.FAILED:
            return
        if kind == "error":
            self.state, self.error = MessageState.FAILED, copied(data)
        elif kind == "message_start":
            self._start(pointer, data)
        elif self.message is None:
            return
        elif kind == "content_block_start":
            self._open(pointer, data)
        elif kind == "message_delta":
            self._settle(pointer, data)
        elif kind == "message_stop":
            self.state = MessageState.ENDED
        else:
            self._on_block(kind, pointer, data)

    def _misplaced(self, kind: str, pointer: str) -> None:
        if self.state in (MessageState.ENDED, MessageState.FAILED):
            end = "message_stop" if self.state is MessageState.ENDED else "an error"
            self.report.add("stream-after-end", pointer, f"{kind} comes after {end}")
        elif kind == "message_start":
            self.report.add("stream-start", pointer, "the message is started twice")
        elif self.state is MessageState.BEFORE:
            if not self.report.has("stream-start"):
                self.report.add("stream-start", pointer, f"{kind} comes before message_start")
        elif kind == "message_stop":
            self.report.add(
                "stream-finish", pointer, "the message stops, and no message_delta has said its stop_reason"
            )
        else:
            self.report.add("stream-finish-last", pointer, f"{kind} comes after the stop_reason")

    def _start(self, pointer: str, data: dict[str, Any]) -> None:
        if self.message is not None:
            return
        message = data.get("message")
        self.message = copied(message) if isinstance(message, dict) else {}
        content = self.message.get("content")
        self.message["content"] = content = content if isinstance(content, list) else []
        # Where a container continues its run, the message starts with the content so far.
        self.blocks = [
            StreamedBlock(block, f"{pointer}/message/content/{place}", closed=True)
            for place, block in enumerate(content)
        ]
        self.state = MessageState.MESSAGE

    def _open(self, pointer: str, data: dict[str, Any]) -> None:
        if self._index(pointer, data, len(self.blocks)) != len(self.blocks):
            at = f"{pointer}/index" if "index" in data else pointer
            self.report.add("stream-block-index", at, want=len(self.blocks), got=data.get("index"))
        unfinished = [block for block in self.blocks if not block.closed]
        if unfinished:
            self.report.add(
                "stream-block-overlap", pointer, f"the block opened at {unfinished[-1].pointer} is still open"
            )
        block = StreamedBlock(copied(data.get("content_block")), pointer)
        if block.kind == "tool_use" and block.body.get("input"):
            self.report.once("stream-input-in-deltas", f"{pointer}/content_block/input", got=block.body["input"])
        self.blocks.append(block)
        assert self.message is not None
        self.message["content"].append(block.body)

    def _index(self, pointer: str, data: dict[str, Any], otherwise: int) -> int | None:
        """The index that an event says, or means: one of the wrong type is reported once, and is the likely one."""
        wrong = wrong_number("the index", data["index"]) if "index" in data else ""
        if not wrong:
            return meant_number(data.get("index"))
        self.report.once("stream-block-index", f"{pointer}/index", wrong, got=data["index"])
        meant = meant_number(data["index"])
        return otherwise if meant is None else meant

    def _on_block(self, kind: str, pointer: str, data: dict[str, Any]) -> None:
        at = f"{pointer}/index" if "index" in data else pointer
        where = self._index(pointer, data, len(self.blocks) - 1)
        if where is not None and -len(self.blocks) <= where < 0:
            self.report.add("stream-block-open", at, "the official SDK counts such an index from the end", got=where)
        elif where is None or not 0 <= where < len(self.blocks):
            self.report.add("stream-block-open", at, "no block of this index was started", got=data.get("index"))
            return
        block = self.blocks[where]
        stop = kind == "content_block_stop"
        if block.closed:
            self.report.add(
                "stream-block-open", at, "this block is stopped twice" if stop else "this block was stopped"
            )
        if stop:
            block.closed = True
        elif isinstance(data.get("delta"), dict):
            block.extend(f"{pointer}/delta", data["delta"], self.report)

    def _settle(self, pointer: str, data: dict[str, Any]) -> None:
        """A message_delta: every count is a total and takes the place of the one before."""
        assert self.message is not None
        delta, usage, message = data.get("delta"), data.get("usage"), self.message
        if isinstance(delta, dict):
            for key in ("stop_reason", "stop_sequence", "stop_details"):
                if key in delta:
                    message[key] = copied(delta[key])
            if delta.get("container") is not None:
                message["container"] = copied(delta["container"])
        if data.get("context_management") is not None:
            message["context_management"] = copied(data["context_management"])
        if isinstance(usage, dict):
            told = copied({key: count for key, count in usage.items() if count is not None})
            message["usage"] = (message["usage"] if isinstance(message.get("usage"), dict) else {}) | told
        if isinstance(delta, dict) and "stop_reason" in delta:
            self.reason_at = f"{pointer}/delta/stop_reason"
            if self.state is not MessageState.ENDED:
                self.state = MessageState.MESSAGE if delta["stop_reason"] is None else MessageState.ENDING

    def finish(self, pointer: str) -> Assembled:
        """What can only be said once nothing more comes."""
        if self._unnamed:
            self.report.add("stream-event-name", self._unnamed[0], f"{len(self._unnamed)} events have no name")
        del pointer
        if self.message is None and self.state is not MessageState.FAILED and not self.report.has("stream-start"):
            self.report.add("stream-start", "", "the stream has no message_start")
        elif self.message is not None and self.state in (MessageState.MESSAGE, MessageState.ENDING):
            self.report.add("stream-end", self.last_event, "nothing comes after this event, and no message_stop came")
        for block in self.blocks:
            self._close(block)
        if self.state is MessageState.ENDED:
            self._agree()
        return self.assembled(
            self.message,
            self._calls(),
            failed=self.state is MessageState.FAILED,
            whole=self.state is MessageState.ENDED,
            # What is left then is message_stop, which says nothing.
            said_how=self.state is MessageState.ENDING and all(block.closed for block in self.blocks),
        )

    def _close(self, block: StreamedBlock) -> None:
        whole = block.read_input()
        if self.state is MessageState.ENDED and self.message is not None:
            cut = self.message.get("stop_reason") in CUT and block is self.blocks[-1]
            if not block.closed:
                self.report.add("stream-block-closed", block.pointer)
            if not whole and not cut:
                self.report.add("stream-arguments-json", block.last, got="".join(block.fragments))

    def _agree(self) -> None:
        """A message may be cut, refused or paused amid its calls; the two normal endings must tell the truth."""
        assert self.message is not None
        reason = self.message.get("stop_reason")
        calls = any(block.kind == "tool_use" for block in self.blocks)
        hosted = any(is_hosted(block.kind) for block in self.blocks)
        if calls and reason == "end_turn":
            self.report.add("stream-finish-agrees", self.reason_at, "the reply has tool calls, but ended its turn")
        elif reason == "tool_use" and not calls and not hosted:
            self.report.add("stream-finish-agrees", self.reason_at, "the reply has no tool call")

    def _calls(self) -> Iterator[StreamedCall]:
        for block in self.blocks:
            if block.kind == "tool_use":
                identity, name = block.body.get("id"), block.body.get("name")
                yield StreamedCall(
                    block.pointer,
                    identity if isinstance(identity, str) else None,
                    name if isinstance(name, str) else None,
                    tuple(block.fragments),
                    closed=block.closed or self.state is MessageState.ENDED,
                )
