"""Ids of replies and calls: the shortest that there is, and one of nothing but blanks."""

from __future__ import annotations

from typing import Any

from doubles.border import borders

border = borders(__name__)

NAMED = "says a letter for its id"
BLANK = "says a blank for its id"
CALLED = "/choices/0/message/tool_calls/0"


def everywhere(pointers: tuple[str, ...], value: str) -> dict[str, Any]:
    """One value at several places."""
    return dict.fromkeys(pointers, value)


def pair(rule: str, fault: str, what: str, *pointers: str, example: str = "", past: str = " ") -> None:
    """The id at all the places where it stands: a letter, and a blank."""
    at, over = everywhere(pointers, "x"), everywhere(pointers, past)
    border(rule, fault, f"{what} {NAMED}", at, past=over, says=f"{what} {BLANK}", example=example)


CHUNKS = tuple(f"/events/{place}/data/id" for place in range(5))
CHAT_STREAM, RESPONSES_STREAM = "openai_chat/stream-call-id", "openai_responses/stream-identity"
ITEMS = ("/events/2/data/item", "/events/6/data/item", "/events/7/data/response/output/0")

pair("anthropic/reply-id-blank", "reply-of-one-letter", "A reply", "/id")
pair(
    "anthropic/reply-id-blank",
    "stream-of-one-letter",
    "A stream",
    "/events/0/data/message/id",
    example="anthropic/stream-start",
)
pair("openai_chat/reply-id-blank", "reply-of-one-letter", "A reply", "/id")
pair("openai_chat/reply-id-blank", "call-of-one-letter", "A call", f"{CALLED}/id", past="\t")
pair("openai_chat/reply-id-blank", "stream-of-one-letter", "A stream", *CHUNKS, example=CHAT_STREAM)
pair("gemini/reply-id-blank", "reply-of-one-letter", "A reply", "/responseId")
pair(
    "gemini/reply-id-blank",
    "call-of-one-letter",
    "A call",
    "/candidates/0/content/parts/0/functionCall/id",
    example="gemini/call-args-object",
    past="\u00a0",
)
pair(
    "gemini/reply-id-blank",
    "stream-of-one-letter",
    "A stream",
    *(f"/events/{place}/data/responseId" for place in range(2)),
    example="gemini/stream-candidate-once",
)
pair("openai_responses/reply-id-blank", "reply-of-one-letter", "A reply", "/id")
pair("openai_responses/reply-id-blank", "call-of-one-letter", "A call", "/output/0/call_id", past="\n")
pair(
    "openai_responses/reply-id-blank",
    "stream-of-one-letter",
    "A stream",
    *(f"/events/{place}/data/response/id" for place in (0, 1, 7)),
    example=RESPONSES_STREAM,
)
border(
    "openai_responses/reply-id-blank",
    "message-of-one-letter",
    f"A message {NAMED}",
    {"/output/0/id": "x"},
    past={"/output/0/id": ""},
    says="A message says the empty text for its id",
    example="openai_responses/reply-message",
)
pair(
    "openai_responses/reply-id-blank",
    "streamed-call-of-one-letter",
    "A call of a stream",
    *(f"{item}/call_id" for item in ITEMS),
    example=RESPONSES_STREAM,
)
border(
    "gemini/reply-id-blank",
    "ids-that-are-null",
    "A reply and its call have null for an id, as they need none",
    {"/responseId": None, "/candidates/0/content/parts/0/functionCall/id": None},
    past={"/responseId": ""},
    says="A reply has the empty text for an id",
    example="gemini/call-args-object",
)
