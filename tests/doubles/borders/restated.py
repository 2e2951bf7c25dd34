"""Streams of Responses that tell a thing more than once: left out or null in one place, and otherwise in another."""

from __future__ import annotations

from typing import Any

from doubles.border import GONE, borders
from doubles.borders.order import numbered, typed

border = borders(__name__)

ITEM, RESPONSE = "openai_responses/stream-item-restated", "openai_responses/stream-response-restated"
TEXT = "openai_responses/stream-part-lists"
MESSAGE_ENDED = "/events/9/data/response"
CREATED, BEGUN, ENDED = (f"/events/{place}/data/response" for place in (0, 1, 7))
DONE, FINAL = "/events/6/data/item", f"{ENDED}/output/0"
PART, MESSAGE, WHOLE = "/events/7/data/part", "/events/8/data/item", "/events/9/data/response/output/0"
NOTE = {"type": "url_citation", "url": "https://example.com/", "title": "Example", "start_index": 0, "end_index": 2}
LIKELY = {"token": "On", "bytes": [79, 110], "logprob": -0.1, "top_logprobs": []}


def noted(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The text of the message gets an annotation, which stands in the message when it is done."""
    place = {"item_id": events[2]["data"]["item"]["id"], "output_index": 0, "content_index": 0}
    kind = "response.output_text.annotation.added"
    event = typed(kind, sequence_number=0, **place, annotation_index=0, annotation=dict(NOTE))
    for part in (
        events[7]["data"]["part"],
        events[8]["data"]["item"]["content"][0],
        events[9]["data"]["response"]["output"][0]["content"][0],
    ):
        part["annotations"] = [dict(NOTE)]
    return numbered([*events[:6], event, *events[6:]])


NOTED, NOTED_WHOLE = "/events/9/data/item/content/0", "/events/10/data/response/output/0/content/0"

border(
    ITEM,
    "namespace-of-the-added-item",
    "An item says a namespace when it is added, and leaves it out later",
    {"/events/2/data/item/namespace": "files"},
    past={f"{DONE}/namespace": "folders"},
    says="An item says another namespace when it is done than when it was added",
)
border(
    ITEM,
    "namespace-of-the-final-item",
    "An item says null for its namespace when it is done, and leaves it out in the final response",
    {f"{DONE}/namespace": None},
    past={f"{DONE}/namespace": "files"},
    says="An item says a namespace when it is done, and none in the final response",
)
border(
    ITEM,
    "logprobs-of-the-part",
    "A part has null for its logprobs when it is done, and the item a list",
    {f"{PART}/logprobs": None, f"{MESSAGE}/content/0/logprobs": [LIKELY], f"{WHOLE}/content/0/logprobs": [LIKELY]},
    past={f"{PART}/logprobs": []},
    says="A part has no logprobs when it is done, and the item has some",
    example=TEXT,
)
border(
    ITEM,
    "annotation-of-the-item",
    "An annotation comes in an event of its own, the item that is done leaves annotations out, and the final one says "
    "the same with a null beside it",
    {"/events": noted, f"{NOTED}/annotations": GONE, f"{NOTED_WHOLE}/annotations/0/x_rank": None},
    past={f"{NOTED}/annotations": []},
    says="An annotation comes in an event of its own, and the item that is done has none",
    example=TEXT,
    warns="openai_responses/reply-content-part",
)
border(
    ITEM,
    "annotation-of-the-part",
    "A part that is done has an annotation without a title, and the item the same with null for it",
    {
        "/events": noted,
        "/events/6/data/annotation/title": GONE,
        "/events/8/data/part/annotations/0/title": GONE,
        f"{NOTED}/annotations/0/title": None,
        f"{NOTED_WHOLE}/annotations/0/title": None,
    },
    past={f"{NOTED}/annotations/0/title": "Example", f"{NOTED_WHOLE}/annotations/0/title": "Example"},
    says="A part that is done has an annotation without a title, and the item the same with one",
    example=TEXT,
    warns="openai_responses/annotation-shape",
)
border(
    RESPONSE,
    "created-with-the-least",
    "response.created has only what each response has, and says another time",
    {
        f"{ENDED}/instructions": "Be brief.",
        f"{ENDED}/metadata": {"run": "7"},
        f"{ENDED}/service_tier": "default",
        f"{CREATED}/service_tier": "auto",
        f"{CREATED}/created_at": 1763719199,
        f"{CREATED}/metadata": None,
    },
    past={f"{CREATED}/metadata": {"run": "8"}},
    says="response.created has other metadata than the final response",
)
border(
    RESPONSE,
    "format-with-more-at-the-end",
    "What the answer must be is told in the final response, and before with null or not at all",
    {
        f"{BEGUN}/text": {"format": {"type": "text"}, "verbosity": None},
        f"{ENDED}/text": {"format": {"type": "text"}},
    },
    past={f"{ENDED}/text/verbosity": "medium"},
    says="The answer must be of some length by the final response, and of any by an event under way",
)
border(
    RESPONSE,
    "tools-with-more-under-way",
    "An event under way tells the tools, and response.created says null for them",
    {
        f"{CREATED}/tools": None,
        f"{BEGUN}/tools": [{"type": "function", "name": "read_file", "parameters": {"type": "object"}, "strict": True}],
        f"{ENDED}/tools": [{"type": "function", "name": "read_file", "parameters": {"type": "object"}, "strict": True}],
    },
    past={f"{BEGUN}/tools": []},
    says="An event under way tells no tools, and the final response some",
)
border(
    RESPONSE,
    "tool-told-with-null",
    "A tool is told without a description, and in the final response with null for it",
    {
        f"{CREATED}/tools": [{"type": "function", "name": "read_file", "parameters": None, "strict": True}],
        f"{BEGUN}/tools": [{"type": "function", "name": "read_file", "parameters": None, "strict": True}],
        f"{ENDED}/tools": [{"type": "function", "name": "read_file", "description": None, "strict": True}],
    },
    past={f"{CREATED}/tools/0/name": GONE},
    says="A tool has no name in response.created, and one in the final response",
)
border(
    TEXT,
    "part-without-lists",
    "A part that is added has no annotations, and null for its logprobs",
    {"/events/3/data/part/annotations": GONE, "/events/3/data/part/logprobs": None},
    past={"/events/3/data/part/annotations": ""},
    says="The annotations of a part that is added are a text",
)
border(
    TEXT,
    "done-part-without-lists",
    "A part that is done has no annotations, and null for its logprobs",
    {f"{PART}/annotations": GONE, f"{PART}/logprobs": None},
    past={f"{PART}/logprobs": {}},
    says="The logprobs of a part that is done are an object",
)
border(
    TEXT,
    "delta-without-logprobs",
    "A piece of a text has no logprobs",
    {"/events/4/data/logprobs": GONE},
    past={"/events/4/data/logprobs": {}},
    says="The logprobs of a piece of a text are an object",
)
border(
    TEXT,
    "whole-text-without-logprobs",
    "A text that is done has no logprobs",
    {"/events/6/data/logprobs": GONE},
    past={"/events/6/data/logprobs": "[]"},
    says="The logprobs of a text that is done are a text",
)
border(
    TEXT,
    "final-part-without-logprobs",
    "A part of the final response has null for its logprobs",
    {f"{WHOLE}/content/0/logprobs": None},
    past={f"{WHOLE}/content/0/logprobs": {}},
    says="The logprobs of a part of the final response are an object",
)
border(
    "openai_responses/stream-sequence",
    "numbers-in-tens",
    "The numbers of events begin at 10 and grow by 10",
    {f"/events/{place}/data/sequence_number": 10 * place + 10 for place in range(10)},
    past={"/events/4/data/sequence_number": 40},
    says="An event has the number of the one before",
)
border(
    "openai_responses/stream-sequence",
    "a-number-left-out",
    "The numbers of events have a gap",
    {"/events/9/data/sequence_number": 11},
    past={"/events/9/data/sequence_number": GONE},
    says="The last event has no number",
)
border(
    "openai_responses/stream-final-list",
    "output-told-at-the-end-alone",
    "response.created says null for its output, and an event under way leaves it out",
    {"/events/0/data/response/output": None, "/events/1/data/response/output": GONE},
    past={f"{MESSAGE_ENDED}/output": None},
    says="The final response says null for its output",
)
border(
    "openai_responses/stream-response-time",
    "time-with-a-fraction",
    "The time of a response has a fraction, and an event under way says null for it",
    {"/events/0/data/response/created_at": 1763719200.5, "/events/1/data/response/created_at": None},
    past={"/events/1/data/response/created_at": "1763719200"},
    says="An event under way says the time as a text",
)
