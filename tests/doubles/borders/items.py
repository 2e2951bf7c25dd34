"""Streams of Responses: items and parts that come in turn, at once, or without fragments."""

from __future__ import annotations

import copy
from typing import Any

from doubles.border import BYTES, GONE, borders
from doubles.borders.order import numbered, order, put, replaced, typed

border = borders(__name__)

CALL, MESSAGE = "fc_68f2c1d1b3e48193905d7ac4f08e6b12", "msg_68f2c1d1c59c8193b7e2406d9f1a83c5"
RESPONSE = "/events/7/data/response"


def fragment(text: str) -> dict[str, Any]:
    """A fragment of the arguments of the first call."""
    kind = "response.function_call_arguments.delta"
    return typed(kind, sequence_number=0, item_id=CALL, output_index=0, delta=text)


def arguments(text: str) -> dict[str, str]:
    """The arguments of the call at all the places where they stand."""
    return {
        "/events/3/data/delta": text,
        "/events/4/data/delta": "",
        "/events/5/data/arguments": text,
        "/events/6/data/item/arguments": text,
        f"{RESPONSE}/output/0/arguments": text,
    }


def two_parts(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The part of the message comes twice, and so it stands in the message."""
    again = copy.deepcopy(events[3:8])
    for event in again:
        event["data"]["content_index"] = 1
    output = copy.deepcopy([*events[:8], *again, *events[8:]])
    for message in (output[-2]["data"]["item"], output[-1]["data"]["response"]["output"][0]):
        message["content"] *= 2
    return numbered(copy.deepcopy(output))


def done_again(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The event that ends the first text comes twice."""
    place = next(place for place, event in enumerate(events) if event["event"] == "response.output_text.done")
    return numbered(copy.deepcopy([*events[: place + 1], *events[place:]]))


border(
    "openai_responses/stream-after-done",
    "empty-fragment-before-done",
    "An empty fragment comes before the whole text",
    {"/events": put(5, fragment(""))},
    past={"/events": order(0, 1, 2, 3, 4, 6, 5, 7, 8)},
    says="An empty fragment comes behind the whole text",
)
border(
    "openai_responses/stream-done-again",
    "text-done-in-each-part",
    "The same text is done in each of two parts",
    {"/events": two_parts},
    past={"/events": done_again},
    says="The text of a part is done again, with the same words",
)
border(
    "openai_responses/stream-arguments-json",
    "arguments-of-nothing",
    "The arguments of a call are the text of an empty object",
    arguments("{}"),
    past=arguments("{"),
    says="The arguments of a call are half the text of an empty object",
    follows="openai_responses/arguments-json",
)
NOTE = {"type": "url_citation", "url": "https://example.org", "title": "A", "start_index": 0, "end_index": 2}
border(
    "openai_responses/stream-delta-kind",
    "annotation-in-a-text",
    "An annotation comes in the part of a text",
    {
        "/events": put(
            6,
            typed(
                "response.output_text.annotation.added",
                sequence_number=0,
                item_id=MESSAGE,
                output_index=0,
                content_index=0,
                annotation_index=0,
                annotation=NOTE,
            ),
        ),
        "/events/8/data/part/annotations": [NOTE],
        "/events/9/data/item/content/0/annotations": [NOTE],
        "/events/10/data/response/output/0/content/0/annotations": [NOTE],
    },
    past={
        "/events/6": typed(
            "response.refusal.delta",
            sequence_number=6,
            item_id=MESSAGE,
            output_index=0,
            content_index=0,
            delta="No.",
        )
    },
    says="A refusal comes in the part of a text",
    example="openai_responses/stream-part",
)
border(
    "openai_responses/stream-delta-shape",
    "empty-fragment",
    "A fragment is the empty text",
    {"/events": put(5, fragment(""))},
    past={"/events/5/data/delta": None},
    says="A fragment is null",
)
border(
    "openai_responses/stream-error-shape",
    "error-without-a-word",
    "The message of an error is empty, and it has no code",
    {"/events/4/data/message": "", "/events/4/data/code": None},
    past={"/events/4/data/message": GONE},
)
border(
    "openai_responses/stream-final-output",
    "incomplete-with-its-item",
    "An incomplete reply has its item",
    {
        "/events/7/event": "response.incomplete",
        "/events/7/data/type": "response.incomplete",
        f"{RESPONSE}/status": "incomplete",
        f"{RESPONSE}/incomplete_details": {"reason": "max_output_tokens"},
    },
    past={f"{RESPONSE}/output": []},
    says="An incomplete reply has no item, though one was done",
)
border(
    "openai_responses/stream-item-added",
    "both-items-added-first",
    "Two items are added before anything else comes of either",
    {"/events": order(0, 1, 2, 6, 3, 4, 5, 7, 8, 9, 10)},
    past={"/events": order(0, 1, 2, 4, 5, 6, 7, 3, 8, 9, 10)},
    says="The second item is added behind its fragment",
    example="openai_responses/stream-output-index",
)
border(
    "openai_responses/stream-item-added-shape",
    "item-without-a-status",
    "An item that is added does not say its status",
    {"/events/2/data/item/status": GONE},
    past={"/events/2/data/item/name": GONE},
)
border(
    "openai_responses/stream-item-added-shape",
    "message-without-a-status",
    "A message that is added does not say its status",
    {"/events/2/data/item/status": GONE},
    past={"/events/2/data/item/role": None},
    example="openai_responses/stream-part",
)
border(
    "openai_responses/stream-part",
    "part-without-annotations",
    "A part that is done does not have its annotations",
    {"/events/7/data/part/annotations": GONE},
    past={"/events/7/data/part/type": None},
)
border(
    "openai_responses/stream-item-done",
    "not-done-but-in-the-output",
    "An item is not done, and stands in the final output",
    {"/events": order(0, 1, 2, 3, 4, 5, 6, 7, 9)},
    past={"/events/8/data/response/output": []},
    says="An item is neither done nor in the final output",
    warns="openai_responses/stream-item-closed",
    follows="openai_responses/finish-agrees",
)
border(
    "openai_responses/stream-item-done-shape",
    "done-without-a-status",
    "An item that is done does not say its status",
    {"/events/6/data/item/status": GONE},
    past={"/events/6/data/item/call_id": GONE},
    warns="openai_responses/stream-item-done-status",
    follows="openai_responses/stream-identity",
)
border(
    "openai_responses/stream-item-done-shape",
    "part-with-a-text",
    "A message that is done has its part, without a list of what was likely",
    {"/events/8/data/item/content/0/logprobs": None},
    past={"/events/8/data/item/content/0/text": None},
    says="A message that is done has null for the text of its part",
    example="openai_responses/stream-part",
)
border(
    "openai_responses/stream-item-done-shape",
    "part-with-a-type",
    "A message that is done has its part, with a member that nobody knows",
    {
        "/events/8/data/item/content/0/x_rank": 1,
        "/events/9/data/response/output/0/content/0/x_rank": 1,
    },
    past={"/events/8/data/item/content/0/type": None},
    says="A message that is done has null for the type of its part",
    example="openai_responses/stream-part",
)
border(
    "openai_responses/stream-item-done-status",
    "status-when-done-alone",
    "A call says its status when it is done, and not when it was added",
    {"/events/2/data/item/status": GONE},
    past={"/events/6/data/item/status": None},
    says="A call says its status in the final response, and null when it is done",
)
border(
    "openai_responses/stream-item-done-shape",
    "done-with-more-than-it-had",
    "An item that is done says a status that it did not say before",
    {"/events/2/data/item/status": GONE},
    past={"/events/6/data/item/name": ""},
    follows="openai_responses/stream-identity",
)
border(
    "openai_responses/stream-output-index",
    "items-in-turn",
    "The events of two items come in turn, each with its number",
    {"/events": order(0, 1, 2, 6, 3, 7, 4, 8, 5, 9, 10)},
    past={f"/events/{place}/data/output_index": 0 for place in (3, 5, 7, 9)},
    says="The events of two items come in turn, under one number",
)
border(
    "openai_responses/stream-part",
    "empty-part",
    "A part that is added has its type and an empty text",
    {"/events/3/data/part": {"type": "output_text", "text": ""}},
    past={"/events/3/data/part/text": GONE},
)
border(
    "openai_responses/stream-part-added",
    "part-of-one-fragment",
    "One fragment with the whole text comes right behind the part",
    {"/events/4/data/delta": "On main.", "/events": order(0, 1, 2, 3, 4, 6, 7, 8, 9)},
    past={"/events": order(0, 1, 2, 4, 3, 5, 6, 7, 8)},
    says="The only fragment of a part comes right before the part",
    follows="openai_responses/stream-part-index",
)
border(
    "openai_responses/stream-part-index",
    "two-parts",
    "A message has two parts, with the numbers 0 and 1",
    {"/events": two_parts},
    past={f"/events/{place}/data/content_index": 2 for place in (8, 9, 10, 11, 12)},
    says="A message has two parts, with the numbers 0 and 2",
    follows=("openai_responses/stream-part-added", "openai_responses/stream-fragments"),
)
border(
    "openai_responses/stream-response",
    "response-with-no-more-than-its-id",
    "The response of an event in between has its id and its status alone",
    {"/events/1/data/response": {"id": "resp_68f2c1d07a4c8193a1b5e0c9d2746f3e", "status": "in_progress"}},
    past={"/events/1/data/response/id": GONE},
    follows="openai_responses/stream-same-id",
)
border(
    "openai_responses/stream-same-id",
    "same-id-at-another-time",
    "The response of the last event was made at another time, and has the same id",
    {f"{RESPONSE}/created_at": 1763719201},
    past={f"{RESPONSE}/id": "resp_68f2c1d07a4c8193a1b5e0c9d2746f3E"},
    says="The id of the last event differs in the case of one letter",
)
border(
    "openai_responses/stream-text",
    "sign-for-a-character-unread",
    "A text has the sign that stands for a character that nobody could read",
    {
        "/events/4/data/delta": "\ufffd ",
        "/events/6/data/text": "\ufffd main.",
        "/events/7/data/part/text": "\ufffd main.",
        "/events/8/data/item/content/0/text": "\ufffd main.",
        "/events/9/data/response/output/0/content/0/text": "\ufffd main.",
    },
    past={BYTES: replaced},
    says="Half a character stands in a text",
)
