"""The events of a stream, and which are allowed in each of its states.

https://platform.claude.com/docs/en/build-with-claude/streaming
"""

from __future__ import annotations

from enum import Enum, auto

from toolcall_conformance.basics.findings import OneOf


class MessageState(Enum):
    """The state of a streamed message."""

    BEFORE = auto()
    MESSAGE = auto()
    ENDING = auto()
    ENDED = auto()
    FAILED = auto()


BLOCK_EVENTS = ("content_block_start", "content_block_delta", "content_block_stop")
EVENT_TYPES = ("message_start", *BLOCK_EVENTS, "message_delta", "message_stop", "error", "ping")

ANY_EVENT_TYPE = OneOf(EVENT_TYPES)

ALLOWED_EVENTS: dict[MessageState, tuple[str, ...]] = {
    MessageState.BEFORE: ("message_start", "error"),
    MessageState.MESSAGE: (*BLOCK_EVENTS, "message_delta", "error"),
    MessageState.ENDING: ("message_delta", "message_stop", "error"),
    MessageState.ENDED: (),
    MessageState.FAILED: (),
}
