"""Faults in the grammar of the streams of Responses: the response, its items by id and place, and their texts."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

from doubles.stream import CALL_ALONE, ONE, PARALLEL, RESPONSES, TEXT, Event, broken, harmless, warning
from doubles.streams.handles import again, kind, typed, without_last

Events = Iterator[Event]

ADDED, DONE = "response.output_item.added", "response.output_item.done"
CLOSED_LATE = "https://github.com/BerriAI/litellm/pull/36356"
GROWS, GROWN = "response.function_call_arguments.delta", "response.function_call_arguments.done"


def is_call(event: Event) -> bool:
    """Whether an event adds a call, or says that it is done."""
    return kind(event) in (ADDED, DONE) and event["data"]["item"]["type"] == "function_call"


@broken("openai_responses/stream-item-id", layer="each")
def item_id_missing(event: Event) -> None:
    """Events about an item have no item_id."""
    event["data"].pop("item_id", None)


@broken("openai_responses/stream-item-id", spares=TEXT)
def item_id_is_the_call_id(events: Events) -> Events:
    """Fragments of arguments name their item by the call's id."""
    call = ""
    for event in events:
        call = event["data"]["item"]["call_id"] if is_call(event) else call
        if kind(event) in (GROWS, GROWN):
            event["data"]["item_id"] = call
        yield event


@broken("openai_responses/stream-identity", spares=TEXT, layer="each")
def item_id_drawn_anew(event: Event) -> None:
    """A call that is done has another id than the one that was added."""
    if is_call(event) and kind(event) == DONE:
        event["data"]["item"]["id"] = f"fc_{event['data']['output_index']:048d}"


@broken("openai_responses/stream-identity", spares=TEXT, layer="each")
def call_id_drawn_anew(event: Event) -> None:
    """A call that is done has another call_id than the one that was added."""
    if is_call(event) and kind(event) == DONE:
        event["data"]["item"]["call_id"] = f"call_{event['data']['output_index']:024d}"


@broken(
    "openai_responses/stream-identity",
    spares=TEXT,
    thread="https://github.com/vllm-project/vllm/pull/47916",
    layer="each",
)
def call_id_drawn_anew_at_the_end(event: Event) -> None:
    """The calls of the final response have other ids than those that were streamed."""
    if kind(event) == "response.completed":
        for place, item in enumerate(event["data"]["response"]["output"]):
            if item["type"] == "function_call":
                item["call_id"] = f"call_{place:024d}"


@broken("openai_responses/stream-end", follows="translation/finish-reason")
def response_without_end(events: Events) -> Events:
    """response.completed is left out."""
    return without_last(events)


@broken("openai_responses/stream-after-end")
def completed_twice(events: Events) -> Events:
    """response.completed comes twice."""
    for event in events:
        yield event
        if kind(event) == "response.completed":
            yield again(event)


@broken("openai_responses/stream-end", follows="translation/finish-reason")
def done_instead_of_completed(events: Events) -> Events:
    """The stream ends with [DONE], and has no response.completed."""
    yield from without_last(events)
    yield {"data": "[DONE]"}


@broken("openai_responses/stream-start")
def not_created(events: Events) -> Events:
    """There is no response.created."""
    return (event for event in events if kind(event) != "response.created")


@broken("openai_responses/stream-output-index", spares=TEXT, layer="each")
def output_index_always_zero(event: Event) -> None:
    """Every item has the output_index 0."""
    if "output_index" in event["data"]:
        event["data"]["output_index"] = 0


@broken("openai_responses/stream-output-index", layer="each")
def output_index_missing(event: Event) -> None:
    """Events have no output_index."""
    event["data"].pop("output_index", None)


@broken("openai_responses/stream-item-added", spares=TEXT)
def item_not_added(events: Events) -> Events:
    """Calls are done, with fragments before, and were never added."""
    return (event for event in events if not (is_call(event) and kind(event) == ADDED))


@broken("openai_responses/stream-item-added", follows="openai_responses/stream-fragments", spares=TEXT)
def item_added_late(events: Events) -> Events:
    """A call is added behind its first fragment."""
    item_event = None
    for event in events:
        if is_call(event) and kind(event) == ADDED:
            item_event = event
            continue
        yield event
        if item_event is not None:
            yield item_event
            item_event = None


@broken("openai_responses/stream-after-done", spares=TEXT)
def fragment_after_item(events: Events) -> Events:
    """The last fragment of a call comes once more when the item is done."""
    last = None
    for event in events:
        yield event
        last = event if kind(event) == GROWS else last
        if is_call(event) and kind(event) == DONE and last is not None:
            yield again(last)


@broken("openai_responses/stream-after-done")
def item_done_twice(events: Events) -> Events:
    """Items are done when they are, and once more with the response."""
    done = []
    for event in events:
        if kind(event) == DONE:
            done.append(event)
        elif kind(event) == "response.completed":
            yield from map(again, done)
        yield event


@broken("openai_responses/stream-part-added")
def part_not_added(events: Events) -> Events:
    """Texts come without a content_part.added."""
    return (event for event in events if kind(event) != "response.content_part.added")


@broken("openai_responses/stream-part-index", layer="each")
def content_index_missing(event: Event) -> None:
    """Pieces of a text do not say which part they belong to."""
    if kind(event).startswith("response.output_text"):
        event["data"].pop("content_index", None)


@broken("openai_responses/stream-delta-kind", spares=TEXT)
def text_for_arguments(events: Events) -> Events:
    """The fragments of arguments come as pieces of a text."""
    for event in events:
        if kind(event) == GROWS:
            data = {key: value for key, value in event["data"].items() if key != "type"}
            event = typed("response.output_text.delta", **data, content_index=0, logprobs=[])
        yield event


@broken("openai_responses/stream-fragments", spares=TEXT)
def first_fragment_lost(events: Events) -> Events:
    """The first fragment of a call is dropped, with the event that added the item upstream."""
    fresh = False
    for event in events:
        fresh = fresh or (is_call(event) and kind(event) == ADDED)
        if fresh and kind(event) == GROWS:
            fresh = False
            continue
        yield event


@broken("openai_responses/stream-fragments", spares=TEXT, layer="each")
def arguments_said_with_added(event: Event) -> None:
    """A call is added with `{}` for its arguments, and fragments follow."""
    if is_call(event) and kind(event) == ADDED:
        event["data"]["item"]["arguments"] = "{}"


@broken("openai_responses/stream-fragments", spares=TEXT)
def snapshot_as_fragment(events: Events) -> Events:
    """The whole arguments come as one more fragment before they are done."""
    for event in events:
        if kind(event) == GROWN:
            more = {key: value for key, value in event["data"].items() if key not in ("type", "arguments")}
            yield typed(GROWS, **more, delta=event["data"]["arguments"])
        yield event


@broken(("openai_responses/stream-fragments", "openai_responses/stream-wholes-agree"), spares=TEXT, layer="each")
def done_with_nothing(event: Event) -> None:
    """function_call_arguments.done says the empty text."""
    if kind(event) == GROWN:
        event["data"]["arguments"] = ""


@broken(("openai_responses/stream-wholes-agree", "openai_responses/stream-arguments-json"), spares=TEXT, layer="each")
def item_done_with_nothing(event: Event) -> None:
    """A call that is done has the arguments with which it was added: none."""
    if is_call(event) and kind(event) == DONE:
        event["data"]["item"]["arguments"] = ""


@broken(
    "openai_responses/stream-final-output", thread="https://github.com/sgl-project/sglang/issues/12652", layer="each"
)
def final_output_empty(event: Event) -> None:
    """response.completed has no output."""
    if kind(event) == "response.completed":
        event["data"]["response"]["output"] = []


@broken(
    "openai_responses/stream-final-output",
    follows="translation/call-lost",
    spares=TEXT,
    thread="https://github.com/sgl-project/sglang/issues/12652",
    layer="each",
)
def final_output_without_calls(event: Event) -> None:
    """response.completed has the message, and not the calls."""
    if kind(event) == "response.completed":
        output = event["data"]["response"]["output"]
        output[:] = [item for item in output if item["type"] != "function_call"]


@broken("openai_responses/stream-item-done", follows="translation/call-lost", spares=TEXT)
def item_lost_at_the_end(events: Events) -> Events:
    """The last call is added, and neither done nor in the final response."""
    for event in events:
        last = event["data"].get("output_index") == 3
        if kind(event) == "response.completed":
            del event["data"]["response"]["output"][3:]
        if not (last and kind(event) in (GROWN, DONE)):
            yield event


@broken("openai_responses/stream-status", follows="translation/finish-reason", layer="each")
def completed_in_progress(event: Event) -> None:
    """response.completed has a response that is in progress."""
    if kind(event) == "response.completed":
        event["data"]["response"]["status"] = "in_progress"


@broken("openai_responses/stream-same-id", layer="each")
def response_id_drawn_anew(event: Event) -> None:
    """The response has another id when it is completed."""
    if kind(event) == "response.completed":
        event["data"]["response"]["id"] = "resp_" + "0" * 48


@broken(
    "openai_responses/stream-type",
    follows=("openai_responses/stream-end", "translation/target-format"),
    layer="each",
)
def types_in_the_names_only(event: Event) -> None:
    """The type of an event is in its event: line only."""
    del event["data"]["type"]


@broken(
    "openai_responses/stream-item-done-shape", follows="openai_responses/stream-identity", spares=TEXT, layer="each"
)
def call_done_without_call_id(event: Event) -> None:
    """A call that is done has no call_id."""
    if is_call(event) and kind(event) == DONE:
        del event["data"]["item"]["call_id"]


@broken("openai_responses/stream-item-added-shape", follows="openai_responses/stream-item-id", layer="each")
def item_added_without_id(event: Event) -> None:
    """Items are added without an id."""
    if kind(event) == ADDED:
        del event["data"]["item"]["id"]


@broken("openai_responses/stream-delta-shape", spares=TEXT, layer="each")
def delta_as_object(event: Event) -> None:
    """A fragment of arguments stands in an object, as in Anthropic."""
    if kind(event) == GROWS:
        event["data"]["delta"] = {"partial_json": event["data"]["delta"]}


@broken("openai_responses/stream-response", follows="translation/finish-reason", layer="each")
def response_not_there(event: Event) -> None:
    """response.completed has the id of the response, and not the response."""
    if kind(event) == "response.completed":
        event["data"]["response"] = event["data"]["response"]["id"]


@broken("openai_responses/stream-part", case=ONE, spares=CALL_ALONE, layer="each")
def part_without_text(event: Event) -> None:
    """A part is added without a text."""
    if kind(event) == "response.content_part.added":
        del event["data"]["part"]["text"]


@broken("openai_responses/stream-data")
def no_json(events: Events) -> Events:
    """A line tells in words that the stream has begun."""
    yield {"data": "stream started"}
    yield from events


@warning("openai_responses/stream-sequence", layer="each")
def sequence_constant(event: Event) -> None:
    """Every event has the sequence_number 0."""
    event["data"]["sequence_number"] = 0


@warning("openai_responses/stream-sequence", thread="https://github.com/BerriAI/litellm/pull/28899", layer="each")
def sequence_missing(event: Event) -> None:
    """Events have no sequence_number."""
    event["data"].pop("sequence_number", None)


@warning("openai_responses/stream-item-closed", thread="https://github.com/sgl-project/sglang/issues/12652")
def item_never_done(events: Events) -> Events:
    """There is no output_item.done; the final response has the items."""
    return (event for event in events if kind(event) != DONE)


@warning("openai_responses/stream-done-events")
def arguments_never_done(events: Events) -> Events:
    """There is no function_call_arguments.done."""
    return (event for event in events if kind(event) != GROWN)


@warning("openai_responses/stream-event-name")
def names_of_another_kind(events: Events) -> Events:
    """Every event is called message."""
    for event in events:
        yield {"event": "message", "data": event["data"]}


@warning("openai_responses/stream-output-place", layer="each")
def items_counted_from_one(event: Event) -> None:
    """Items are counted from 1."""
    if "output_index" in event["data"]:
        event["data"]["output_index"] += 1


@warning("openai_responses/stream-item-restated", layer="each")
def items_done_in_progress(event: Event) -> None:
    """An item that is done is still in progress, and completed in the final response."""
    if kind(event) == DONE:
        event["data"]["item"]["status"] = "in_progress"


@warning("openai_responses/stream-item-restated", spares=CALL_ALONE, layer="each")
def parts_done_of_another_type(event: Event) -> None:
    """A part that is done says that it is a plain text."""
    if kind(event) == "response.content_part.done":
        event["data"]["part"]["type"] = "text"


@warning("openai_responses/stream-part-lists", spares=CALL_ALONE, layer="each")
def annotations_by_number(event: Event) -> None:
    """The annotations of parts that are added are an object, with their numbers as keys."""
    if kind(event) == "response.content_part.added":
        event["data"]["part"]["annotations"] = {}


@warning("openai_responses/stream-response-restated", layer="each")
def created_by_another_model(event: Event) -> None:
    """response.created names another model than the final response."""
    if kind(event) == "response.created":
        event["data"]["response"]["model"] += "-turbo"


def renumbered(events: Events) -> Events:
    """The events with their numbers in the order in which they come."""
    for number, event in enumerate(events):
        event["data"]["sequence_number"] = number
        yield event


@warning("openai_responses/stream-item-order", case=ONE, spares=CALL_ALONE, thread=CLOSED_LATE)
def message_done_last(events: Events) -> Events:
    """The message before a call is done when the reply ends."""

    def moved() -> Events:
        message: int | None = None
        late: list[Event] = []
        for event in events:
            if kind(event) == ADDED and event["data"]["item"]["type"] == "message":
                message = event["data"]["output_index"]
            of_message = message is not None and event["data"].get("output_index") == message
            if kind(event) == "response.completed":
                yield from late
            if of_message and kind(event).endswith(".done"):
                late.append(event)
            else:
                yield event

    yield from renumbered(moved())


@warning("openai_responses/stream-item-order", case=PARALLEL, spares=CALL_ALONE)
def calls_done_from_the_last(events: Events) -> Events:
    """Calls are done in the opposite order when the reply ends."""

    def turned() -> Events:
        late: list[Event] = []
        for event in events:
            if kind(event) == "response.completed":
                yield from reversed(late)
            if is_call(event) and kind(event) == DONE:
                late.append(event)
            else:
                yield event

    yield from renumbered(turned())


@harmless(client=RESPONSES, case=PARALLEL)
def calls_interleaved(events: Events) -> Events:
    """Calls are open at once, and their fragments come in turns; they are done in their order."""

    def woven() -> Events:
        calls: dict[int, list[Event]] = {}
        for event in events:
            place = event["data"].get("output_index")
            if kind(event) == ADDED and event["data"]["item"]["type"] == "function_call":
                calls[place] = []
            if kind(event) == "response.completed":
                for group in zip_longest(*([call for call in each if kind(call) != DONE] for each in calls.values())):
                    yield from (call for call in group if call is not None)
                yield from (each[-1] for each in calls.values())
            if place in calls:
                calls[place].append(event)
            else:
                yield event

    yield from renumbered(woven())
