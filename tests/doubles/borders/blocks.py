"""Streams of Anthropic: what may stand between blocks, and how a stream may begin and end."""

from __future__ import annotations

from doubles.border import BYTES, GONE, borders
from doubles.borders.order import order, put, replaced, typed, unfinished

border = borders(__name__)

PING = typed("ping")


def delta(index: int, kind: str, **fields: object) -> dict[str, object]:
    """A delta of a block."""
    return typed("content_block_delta", index=index, delta={"type": kind, **fields})


border(
    "anthropic/stream-after-end",
    "ping-behind-the-end",
    "A ping comes behind the end",
    {"/events/-": PING},
    past={"/events/6": typed("message_stop")},
    says="The end comes twice",
)
border(
    "anthropic/stream-block-closed",
    "block-of-a-call-without-input",
    "The block of a call is stopped behind one empty fragment",
    {"/events": order(0, 1, 2, 5, 6, 7)},
    past={"/events": order(0, 1, 2, 4, 5)},
)
border(
    "anthropic/stream-block-index",
    "second-block-before-the-first-stops",
    "The second block starts before the first one stops",
    {"/events": lambda entries: order(0, 1, 2, 3, 4, 6, 5, *range(7, len(entries)))(entries)},
    past={"/events/5/data/index": 2},
    warns="anthropic/stream-block-overlap",
    says="The second block has the number 2 when it starts",
    follows=("anthropic/stream-block-open", "anthropic/stream-block-closed"),
)
border(
    "anthropic/stream-block-open",
    "ping-in-a-block",
    "A ping stands between the last fragment of a block and its stop",
    {"/events": put(5, PING)},
    past={"/events": order(0, 1, 2, 3, 6, 4, 5, 7, 8)},
    says="The last fragment of a block comes behind its stop",
    follows=("anthropic/stream-arguments-json", "anthropic/call-input-object"),
)
border(
    "anthropic/stream-delta-kind",
    "citation-in-a-text",
    "A citation comes in the block of a text",
    {
        "/events": put(
            3,
            delta(
                0,
                "citations_delta",
                citation={
                    "type": "char_location",
                    "cited_text": "Rain.",
                    "document_index": 0,
                    "document_title": None,
                    "start_char_index": 0,
                    "end_char_index": 5,
                },
            ),
        )
    },
    past={"/events/3": delta(0, "thinking_delta", thinking="Rain.")},
    says="A thought comes in the block of a text",
    example="anthropic/stream-end",
)
border(
    "anthropic/stream-end",
    "error-in-place-of-the-end",
    "An error comes in place of the end",
    {"/events/5": typed("error", error={"type": "api_error", "message": "Internal server error"})},
    past={"/events/5": GONE},
)
border(
    "anthropic/stream-error-shape",
    "error-without-words",
    "The message of an error is empty",
    {"/events/1/data/error": {"type": "overloaded_error", "message": ""}},
    past={"/events/1/data/error/message": GONE},
)
border(
    "anthropic/stream-finish-agrees",
    "cut-in-a-stream",
    "A reply with a call was cut, and says so",
    {"/events/6/data/delta/stop_reason": "max_tokens"},
    past={"/events/6/data/delta/stop_reason": "end_turn"},
    follows="anthropic/finish-agrees-with-calls",
)
border(
    "anthropic/stream-last-event",
    "comment-behind-the-last-blank-line",
    "A comment without a blank line stands behind the last event",
    {BYTES: lambda data: data + b": bye\n"},
    past={BYTES: lambda data: unfinished(data.removesuffix(b": bye\n"))},
    follows="anthropic/stream-end",
)
border(
    "anthropic/stream-message-start-shape",
    "counts-of-nought-at-the-start",
    "The first token counts are 0",
    {"/events/0/data/message/usage": {"input_tokens": 0, "output_tokens": 0}},
    past={"/events/0/data/message/usage": GONE},
    follows="anthropic/usage-shape",
)
THOUGHT = (
    typed("content_block_start", index=1, content_block={"type": "thinking", "thinking": "", "signature": ""}),
    delta(1, "thinking_delta", thinking="It is autumn."),
    delta(1, "signature_delta", signature="EqoBCkgIBRABGAIiQL8Y3w=="),
    typed("content_block_stop", index=1),
)
border(
    "anthropic/stream-signature-once",
    "a-signature-for-each-thought",
    "Two blocks of thinking have a signature each",
    {"/events": put(5, *THOUGHT), **{f"/events/{place}/data/index": 2 for place in (9, 10, 11)}},
    past={"/events": put(8, delta(1, "signature_delta", signature="GAIiQL8Y3w=="))},
    says="The second block of thinking has two signatures",
)
border(
    "anthropic/stream-start",
    "ping-before-the-start",
    "A ping comes before the start",
    {"/events": put(0, PING)},
    past={"/events": order(0, 1, 1, 2, 3, 4, 5, 6)},
    says="The start comes twice",
)
border(
    "anthropic/stream-text",
    "sign-for-an-unread-character",
    "A text has the sign that stands for a character that nobody could read",
    {"/events/2/data/delta/text": "It rains in \ufffdvora. 🌧"},
    past={BYTES: replaced},
    says="Half a character stands in a text",
)
border(
    "anthropic/stream-delta-type",
    "delta-of-a-new-type",
    "A delta has a type that nobody knows, and a piece that no documented delta has",
    {"/events": put(3, delta(0, "progress_delta", progress=1))},
    past={"/events/3/data/delta/partial_json": ""},
    says="A delta has a type that nobody knows, and the empty piece of a call's input",
)
border(
    "gemini/stream-after-end",
    "nothing-but-an-error",
    "The only event is an error",
    {"/events/0": GONE},
    past={"/events/-": {"data": {"candidates": [{"content": {"role": "model", "parts": [{"text": "Rain."}]}}]}}},
    says="A text comes behind an error",
)
border(
    "gemini/stream-event-name",
    "name-of-an-event-in-a-text",
    "A text tells how events are named",
    {"/events/0/data/candidates/0/content/parts/0/text": "\nevent: message\n"},
    past={"/events/0/event": "message"},
)
border(
    "gemini/stream-last-event",
    "blank-lines-at-the-end",
    "Two more blank lines stand behind the last event",
    {BYTES: lambda data: data + b"\n\n"},
    past={BYTES: unfinished},
    follows="gemini/stream-finish",
)
border(
    "gemini/stream-text",
    "sign-for-a-lost-character",
    "A text has the sign that stands for a character that nobody could read",
    {"/events/0/data/candidates/0/content/parts/0/text": "\ufffdvora 🌧 "},
    past={BYTES: replaced},
    says="Half a character stands in a text",
)

CODE = "srvtoolu_01Nw5TzQ8kXc3VbR7hLp2JdY"
RESULT = {
    "type": "code_execution_tool_result",
    "tool_use_id": CODE,
    "content": {"type": "code_execution_result", "stdout": "19", "stderr": "", "return_code": 0, "content": []},
}
border(
    "anthropic/stream-finish-agrees",
    "answered-call-of-code-in-a-stream",
    "A stream that is over has a call that its code made, and the result of the code behind it",
    {
        "/events/1/data/content_block/caller": {"type": "code_execution_20250825", "tool_id": CODE},
        "/events": put(
            6,
            typed("content_block_start", index=1, content_block=RESULT),
            typed("content_block_stop", index=1),
        ),
        "/events/8/data/delta/stop_reason": "end_turn",
    },
    past={"/events/1/data/content_block/caller": {"type": "direct"}},
    says="A stream that is over has a call of the model's own, and the result of its code",
    follows="anthropic/finish-agrees-with-calls",
)
