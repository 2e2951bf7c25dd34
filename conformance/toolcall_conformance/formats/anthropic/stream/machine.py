"""Assembles streamed replies and checks them against the grammar of the API.

The states of a stream, and the events that lead from one to the next; pings and unknown events change nothing::

    BEFORE   message_start                                        -> MESSAGE
    MESSAGE  content_block_start | _delta | _stop                 -> MESSAGE
             message_delta with a stop_reason                     -> ENDING   (without one: MESSAGE)
    ENDING   message_delta                                        -> ENDING
             message_stop                                         -> ENDED
    any but ENDED: error                                          -> FAILED

    a block  (content_block_start) OPEN (content_block_delta)* (content_block_stop) CLOSED, one block at a time

https://platform.claude.com/docs/en/build-with-claude/streaming. After a breach the machine continues as the official
SDK does: it appends blocks, and finds the block of a delta by ``index``
(https://github.com/anthropics/anthropic-sdk-python/blob/main/src/anthropic/lib/streaming/_messages.py). With one
exception: the SDK ignores events without a name, so it sees nothing of a stream without names, and so would the judge.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from toolcall_conformance.basics.findings import MISSING, Words, one_of
from toolcall_conformance.basics.jsonvalue import deep_copy
from toolcall_conformance.basics.reading.assembled import Assembled, StreamedCall
from toolcall_conformance.formats.anthropic.parts import is_hosted, waiting_calls
from toolcall_conformance.formats.anthropic.stream.blocks import StreamedBlock
from toolcall_conformance.formats.anthropic.stream.events import (
    ALLOWED_EVENTS,
    ANY_EVENT_TYPE,
    EVENT_TYPES,
    MessageState,
)
from toolcall_conformance.formats.expected_values import (
    OBJECT,
    intended_json_text,
    intended_object,
    json_fault,
    object_of_type,
)
from toolcall_conformance.formats.stream_machine import Machine, integer_fault, intended_integer, rule_ids

#: The stop reasons of replies whose last call may be cut.
CUT_REASONS = ("max_tokens", "model_context_window_exceeded", "refusal")

RULES = rule_ids(
    "anthropic",
    *("stream-data", "stream-done-marker", "stream-event-name", "stream-unknown"),
    *("stream-start", "stream-end", "stream-after-end", "stream-finish", "stream-finish-agrees"),
    *("stream-finish-last", "stream-block-index", "stream-block-open", "stream-block-closed", "stream-block-overlap"),
    *("stream-delta-kind", "stream-delta-type", "stream-signature-once", "stream-arguments-json"),
    *("stream-input-in-deltas", "stream-byte-order-mark"),
)


def assemble(stream: Any) -> Assembled:
    """Assemble the message of a stream. Never raises, whatever JSON it gets."""
    return _MessageMachine(RULES).run(stream)


class _MessageMachine(Machine):
    def __init__(self, ids: Iterable[str]) -> None:
        super().__init__(ids)
        self.state = MessageState.BEFORE
        self.message: dict[str, Any] | None = None
        self.blocks: list[StreamedBlock] = []
        self._open_blocks: dict[int, None] = {}  # the numbers of the blocks that are open, in their order
        self._misnumbered: dict[int, int] = {}  # by wrong index, the number of the last block that started with it
        self._reported_misnumbered: set[int] = set()  # the blocks whose later events were reported for that index
        self._reported_continuations: set[tuple[int, int | None]] = set()  # a block, and the index it continues with
        self.reason_pointer = ""
        self.last_event_pointer = ""
        self._unnamed_events: list[tuple[str, Any]] = []

    def check_aside(self, line: str) -> None:
        if line.startswith("\ufeff") and len(line) > 1:
            self.report.add("stream-byte-order-mark", "/aside", want=line.removeprefix("\ufeff"), got=line)

    def take(self, pointer: str, event: dict[str, Any]) -> None:
        """Take an event, by the type in its data, else by its name."""
        if "data" not in event:
            return
        name, data = event.get("event"), event["data"]
        name = name if isinstance(name, str) and name else None
        if name == "ping" and not (isinstance(data, dict) and data.get("type") in EVENT_TYPES):
            return
        if not isinstance(data, dict):
            self._check_object(pointer, name, data)
            return
        kind = data.get("type") if isinstance(data.get("type"), str) else name
        if name is None:
            self._unnamed_events.append((pointer, kind))
        elif not isinstance(data.get("type"), str):
            has = "no text for it" if "type" in data else "none"
            message = f"the data of this event must have the type {name}; it has {has}"
            at = f"{pointer}/data/type" if "type" in data else f"{pointer}/data"
            self.report.add("stream-event-name", at, message, want=name, got=data.get("type", MISSING))
        elif name != kind:
            message = "the event must have the name that is the type of its data"
            self.report.add("stream-event-name", f"{pointer}/event", message, want=kind, got=name)
        if kind not in EVENT_TYPES:
            self.report.add(
                "stream-unknown", f"{pointer}/data", f"the API has no event {kind}", want=ANY_EVENT_TYPE, got=kind
            )
        elif kind != "ping":
            self.last_event_pointer = pointer
            self._take_event(kind, f"{pointer}/data", data)

    def _check_object(self, pointer: str, name: str | None, data: Any) -> None:
        if name is None and data == "[DONE]":
            self.report.add("stream-done-marker", f"{pointer}/data", want=MISSING, got=data)
        elif data != "":  # the SDK passes over an event without data
            want = MISSING if data == "[DONE]" else intended_object(data, object_of_type(name) if name else OBJECT)
            message = json_fault(data, "the data of this event must be a JSON object")
            self.report.add("stream-data", f"{pointer}/data", message, want=want, got=data)

    def _take_event(self, kind: str, pointer: str, data: dict[str, Any]) -> None:
        """Make one transition. An event out of place is reported, and has the effect that it has in the SDK."""
        if kind not in ALLOWED_EVENTS[self.state]:
            self._report_misplaced(kind, pointer)
        if self.state is MessageState.FAILED:
            return
        if kind == "error":
            self.state, self.error = MessageState.FAILED, deep_copy(data)
        elif kind == "message_start":
            self._start_message(pointer, data)
        elif self.message is None:
            return
        elif kind == "content_block_start":
            self._open_block(pointer, data)
        elif kind == "message_delta":
            self._take_message_delta(pointer, data)
        elif kind == "message_stop":
            self.state = MessageState.ENDED
        else:
            self._take_block_event(kind, pointer, data)

    def _report_misplaced(self, kind: str, pointer: str) -> None:
        """Report an event that is not allowed in the current state, by the rule for that state."""
        if self.state in (MessageState.ENDED, MessageState.FAILED):
            end = "message_stop" if self.state is MessageState.ENDED else "an error"
            self.report.add("stream-after-end", pointer, f"{kind} follows {end}", want=MISSING, got=kind)
        elif kind == "message_start":
            self.report.add("stream-start", pointer, "the message is started twice", want=MISSING, got=kind)
        elif self.state is MessageState.BEFORE:
            if not self.report.has_breach("stream-start"):
                message = f"{kind} precedes message_start"
                self.report.add("stream-start", pointer, message, want=Words("message_start"), got=Words(kind))
        elif kind == "message_stop":
            message = "a message_delta with the stop_reason must come before message_stop"
            self.report.add("stream-finish", pointer, message, want=Words("message_delta"), got=Words(kind))
        else:
            want, got = Words("message_delta or message_stop"), Words(kind)
            self.report.add("stream-finish-last", pointer, f"{kind} follows the stop_reason", want=want, got=got)

    def _start_message(self, pointer: str, data: dict[str, Any]) -> None:
        """Take message_start; a second one is ignored, as in the SDK."""
        if self.message is not None:
            return
        message = data.get("message")
        self.message = deep_copy(message) if isinstance(message, dict) else {}
        content = self.message.get("content")
        self.message["content"] = content = content if isinstance(content, list) else []
        # Where a container continues its run, the message starts with the content so far.
        self.blocks = [
            StreamedBlock(block, f"{pointer}/message/content/{place}", closed=True)
            for place, block in enumerate(content)
        ]
        self.state = MessageState.MESSAGE

    def _open_block(self, pointer: str, data: dict[str, Any]) -> None:
        """Open a block at the end, and report a wrong index or an open block before it."""
        index = self._read_index(pointer, data, len(self.blocks))
        if index is not None:
            self._misnumbered.pop(index, None)
        if index != len(self.blocks):
            if index is not None:
                self._misnumbered[index] = len(self.blocks)
            at = f"{pointer}/index" if "index" in data else pointer
            message = f"number of blocks that were started before this one: {len(self.blocks)}"
            got = data.get("index", MISSING)
            self.report.add("stream-block-index", at, message, want=len(self.blocks), got=got)
        if self._open_blocks:
            last = self.blocks[next(reversed(self._open_blocks))]
            message = f"the block opened at {last.pointer} must be stopped before another starts"
            want, got = Words("content_block_stop"), Words("content_block_start")
            self.report.add("stream-block-overlap", pointer, message, want=want, got=got)
        block = StreamedBlock(deep_copy(data.get("content_block")), pointer)
        if block.kind == "tool_use" and block.body.get("input"):
            at = f"{pointer}/content_block/input"
            self.report.add_once("stream-input-in-deltas", at, want={}, got=block.body["input"])
        self._open_blocks[len(self.blocks)] = None
        self.blocks.append(block)
        assert self.message is not None
        self.message["content"].append(block.body)

    def _read_index(self, pointer: str, data: dict[str, Any], otherwise: int) -> int | None:
        """Return the index of an event. One of the wrong type is reported once; ``otherwise`` is its likely value."""
        wrong = integer_fault("the index", data["index"]) if "index" in data else ""
        if not wrong:
            return intended_integer(data.get("index"))
        number = intended_integer(data["index"])
        number = otherwise if number is None else number
        self.report.add_once("stream-block-index", f"{pointer}/index", wrong, want=number, got=data["index"])
        return number

    def _take_block_event(self, kind: str, pointer: str, data: dict[str, Any]) -> None:
        """Take a delta or the stop of a block, found by index as in the SDK, and report what is wrong."""
        at = f"{pointer}/index" if "index" in data else pointer
        where = self._read_index(pointer, data, len(self.blocks) - 1)
        is_open = where is not None and where in self._open_blocks
        got, want = data.get("index", MISSING), MISSING if is_open else one_of(self._open_blocks, MISSING)
        misled = where is not None and self._is_misnumbered(where, at)
        if where is not None and -len(self.blocks) <= where < 0:
            message = "the official SDK counts such an index from the end"
            self.report.add("stream-block-open", at, message, want=want, got=got)
        elif misled and where is not None and where >= len(self.blocks):
            where = self._misnumbered[where]
        elif (continued := self._continued_block(where, kind, data.get("delta"))) is not None:
            self._report_continuation(continued, where, at)
            where = continued
        elif where is None or not 0 <= where < len(self.blocks):
            if want is MISSING and where is not None:
                want, got = object_of_type("content_block_start", index=where), MISSING
            message = f"no block of this index was started: a content_block_start must precede the {kind}"
            self.report.add("stream-block-open", at, message, want=want, got=got)
            return
        block = self.blocks[where]
        stop = kind == "content_block_stop"
        if block.closed and not misled:
            message = "this block is stopped twice" if stop else "this block was stopped; nothing may be added to it"
            if not stop and want is MISSING:
                want = Words("before its content_block_stop")
            self.report.add("stream-block-open", at, message, want=want, got=got)
        if stop:
            block.closed = True
            self._open_blocks.pop(where % len(self.blocks), None)
        elif isinstance(data.get("delta"), dict):
            block.delta_pointers.append(f"{pointer}/delta")
            block.add_delta(f"{pointer}/delta", data["delta"], self.report, is_meant_for_it=not misled)

    def _continued_block(self, where: int | None, kind: str, delta: Any) -> int | None:
        """Return the number of the open block that an event of an unknown index continues; None if it does not fit."""
        if where is None or where < len(self.blocks) or not self._open_blocks:
            return None
        number = next(reversed(self._open_blocks))
        fits = kind == "content_block_stop" or (isinstance(delta, dict) and self.blocks[number].accepts(delta))
        return number if fits else None

    def _report_continuation(self, number: int, index: int | None, pointer: str) -> None:
        """Report, once per block and index, that it continues with an index that no block has."""
        if (number, index) not in self._reported_continuations:
            self._reported_continuations.add((number, index))
            message = (
                f"the block started at {self.blocks[number].pointer} has the number {number}, and goes on at {index}"
            )
            self.report.add("stream-block-open", pointer, message, want=number, got=index)

    def _is_misnumbered(self, index: int, pointer: str) -> bool:
        """Whether an event has the wrong index with which its block started: then it belongs to that block.

        It is reported once per block. The SDK adds it to the block of this number, and raises if there is none.
        """
        number = self._misnumbered.get(index)
        if number is None or self.blocks[number].closed:
            return False
        if number not in self._reported_misnumbered:
            self._reported_misnumbered.add(number)
            start = self.blocks[number].pointer
            message = f"this and what follows for the block started at {start} must have its number, {number}"
            self.report.add("stream-block-index", pointer, message, want=number, got=index)
        return True

    def _take_message_delta(self, pointer: str, data: dict[str, Any]) -> None:
        """Take a message_delta. Its counts are totals: they replace the earlier ones."""
        assert self.message is not None
        delta, usage, message = data.get("delta"), data.get("usage"), self.message
        if isinstance(delta, dict):
            for key in ("stop_reason", "stop_sequence", "stop_details"):
                if key in delta:
                    message[key] = deep_copy(delta[key])
            if delta.get("container") is not None:
                message["container"] = deep_copy(delta["container"])
        if data.get("context_management") is not None:
            message["context_management"] = deep_copy(data["context_management"])
        if isinstance(usage, dict):
            counts = deep_copy({key: count for key, count in usage.items() if count is not None})
            message["usage"] = (message["usage"] if isinstance(message.get("usage"), dict) else {}) | counts
        if isinstance(delta, dict) and "stop_reason" in delta:
            self.reason_pointer = f"{pointer}/delta/stop_reason"
            if self.state is not MessageState.ENDED:
                self.state = MessageState.MESSAGE if delta["stop_reason"] is None else MessageState.ENDING

    def finish(self, pointer: str) -> Assembled:
        """Report what only the end shows, and return the assembled message."""
        if self._unnamed_events:
            at, kind = self._unnamed_events[0]
            count = len(self._unnamed_events)
            events = "an event has" if count == 1 else f"{count} events have"
            message = f"{events} no name; each must have the name that is the type of its data"
            self.report.add("stream-event-name", at, message, want=kind or ANY_EVENT_TYPE, got=MISSING)
        del pointer
        if (
            self.message is None
            and self.state is not MessageState.FAILED
            and not self.report.has_breach("stream-start")
        ):
            want = Words("message_start")
            self.report.add("stream-start", "", "the stream has no message_start", want=want, got=MISSING)
        elif self.message is not None and self.state in (MessageState.MESSAGE, MessageState.ENDING):
            message = "nothing follows this event; a message_stop must end the stream"
            self.report.add("stream-end", self.last_event_pointer, message, want=Words("message_stop"), got=MISSING)
        for index, block in enumerate(self.blocks):
            self._finish_block(index, block)
        if self.state is MessageState.ENDED:
            self._check_stop_reason()
        return self.assembled_stream(
            self.message,
            self._streamed_calls(),
            failed=self.state is MessageState.FAILED,
            is_complete=self.state is MessageState.ENDED,
            # Only message_stop is missing, which has no content.
            has_stop_reason=self.state is MessageState.ENDING and all(block.closed for block in self.blocks),
        )

    def _finish_block(self, index: int, block: StreamedBlock) -> None:
        """Parse a block's input, and report a missing stop or incomplete JSON if the message ended."""
        whole = block.parse_input()
        if self.state is MessageState.ENDED and self.message is not None:
            cut = self.message.get("stop_reason") in CUT_REASONS and block is self.blocks[-1]
            if not block.closed:
                want = {"type": "content_block_stop", "index": index}
                message = "a content_block_stop must end this block"
                self.report.add("stream-block-closed", block.pointer, message, want=want, got=MISSING)
            if not whole and not cut:
                text = "".join(block.fragments)
                message = json_fault(text, "the joined fragments must be one JSON object")
                report = self.report.part_report(block.pointer)
                report.add(
                    "stream-arguments-json",
                    block.last_fragment_pointer,
                    message,
                    want=intended_json_text(text),
                    got=text,
                )

    def _check_stop_reason(self) -> None:
        """Report a normal stop reason that does not fit the calls; other ends fit any calls."""
        assert self.message is not None
        reason = self.message.get("stop_reason")
        calls = any(block.kind == "tool_use" for block in self.blocks)
        hosted = any(is_hosted(block.kind) for block in self.blocks)
        if reason == "end_turn" and waiting_calls([block.body for block in self.blocks]):
            message = "the reply has tool calls, but ended its turn"
            self.report.add("stream-finish-agrees", self.reason_pointer, message, want="tool_use", got=reason)
        elif reason == "tool_use" and not calls and not hosted:
            message = "no tool call precedes it: the calls are missing, or the reason is wrong"
            self.report.add("stream-finish-agrees", self.reason_pointer, message, want="end_turn", got=reason)

    def _streamed_calls(self) -> Iterator[StreamedCall]:
        for block in self.blocks:
            if block.kind == "tool_use":
                identity, name = block.body.get("id"), block.body.get("name")
                yield StreamedCall(
                    block.pointer,
                    identity if isinstance(identity, str) else None,
                    name if isinstance(name, str) else None,
                    tuple(block.fragments),
                    closed=block.closed or self.state is MessageState.ENDED,
                    pointers=(f"{block.pointer}/content_block", *block.delta_pointers),
                )
