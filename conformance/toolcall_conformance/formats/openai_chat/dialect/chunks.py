"""Habits about the chunks of a stream: roles, contents, empty lists, its end, and its usage."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from toolcall_conformance.formats.format import Habit
from toolcall_conformance.formats.openai_chat.dialect.events import Events, choices, entries, first_choice

_DONE = "[DONE]"


def _change_deltas(change: Callable[[dict[str, Any]], Any]) -> Habit:
    def apply(events: Events) -> Events:
        for choice in choices(events):
            change(choice["delta"])
        return events

    return apply


def _change_later_deltas(change: Callable[[dict[str, Any]], Any]) -> Habit:
    """Return a habit that changes each delta but the first, which has the role."""

    def apply(events: Events) -> Events:
        for place, choice in enumerate(choices(events)):
            if place:
                change(choice["delta"])
        return events

    return apply


def _set_content_of_calls(value: Any) -> Callable[[dict[str, Any]], Any]:
    return lambda delta: delta.setdefault("content", value) if delta.get("tool_calls") else None


def _change_finish_reason(reason: Any, *, calls: bool) -> Habit:
    """Return a habit that changes the finish reason of a normal end, with calls or without."""

    def apply(events: Events) -> Events:
        if any(entries(events)) is calls and events[-1].get("data") == _DONE:
            for choice in choices(events):
                if choice.get("finish_reason") == ("tool_calls" if calls else "stop"):
                    choice["finish_reason"] = reason
        return events

    return apply


def _blank_finish_reason(reason: Any) -> Habit:
    """Return a habit that replaces the finish reason of a normal end by a blank one."""

    def apply(events: Events) -> Events:
        ends = {choice.get("finish_reason") for choice in choices(events)} - {None, ""}
        if ends <= {"stop", "tool_calls"} and len(ends) == 1 and events[-1].get("data") == _DONE:
            for choice in choices(events):
                if choice.get("finish_reason"):
                    choice["finish_reason"] = reason
        return events

    return apply


def _blank_earlier_reasons(events: Events) -> Events:
    for choice in choices(events):
        if choice.get("finish_reason") is None:
            choice["finish_reason"] = ""
    return events


def _move_finish_reason(events: Events) -> Events:
    """Move the finish reason into the last chunk with content, and drop its own chunk."""
    placed = [(place, choice) for place, event in enumerate(events) if (choice := first_choice(event)) is not None]
    ending = next((number for number, (_, choice) in enumerate(placed) if choice.get("finish_reason")), 0)
    if not ending or any(placed[ending][1]["delta"].values()):
        return events
    place, choice = placed[ending]
    placed[ending - 1][1]["finish_reason"] = choice["finish_reason"]
    usage = events[place]["data"].get("usage")
    if usage:
        events[placed[ending - 1][0]]["data"]["usage"] = usage
    return [*events[:place], *events[place + 1 :]]


def _usage_position(events: Events) -> int | None:
    """Return the position of the chunk that holds only the usage; None if there is none."""
    places = (place for place, event in enumerate(events) if isinstance(event.get("data"), dict))
    return next(
        (at for at in places if events[at]["data"].get("usage") and not events[at]["data"].get("choices")), None
    )


def _move_usage(events: Events) -> Events:
    """Move the usage into the chunk with the finish reason."""
    place = _usage_position(events)
    ending = next((event for event in events if (choice := first_choice(event)) and choice.get("finish_reason")), None)
    if place is None or ending is None:
        return events
    ending["data"]["usage"] = events[place]["data"]["usage"]
    return [*events[:place], *events[place + 1 :]]


def _repeat_usage(events: Events) -> Events:
    """Give each chunk the usage so far, and the last chunk the whole usage."""
    place = _usage_position(events)
    if place is None:
        return events
    usage = events[place]["data"]["usage"]
    for number, event in enumerate(events[:place]):
        if isinstance(event.get("data"), dict):
            completion_tokens = min(number, usage.get("completion_tokens", 0))
            so_far = {
                **usage,
                "completion_tokens": completion_tokens,
                "total_tokens": usage.get("prompt_tokens", 0) + completion_tokens,
            }
            event["data"]["usage"] = so_far
    return events


def _add_zero_usage(events: Events) -> Events:
    """Give each chunk before the usage a usage of zeros."""
    place = _usage_position(events)
    for event in events[: place or 0]:
        if isinstance(event.get("data"), dict):
            event["data"]["usage"] = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
    return events


def _set_choices_null(events: Events) -> Events:
    place = _usage_position(events)
    if place is not None:
        events[place]["data"]["choices"] = None
    return events


def _insert_null_record(events: Events) -> Events:
    """Insert a record that is null before the last choice."""
    placed = [place for place, event in enumerate(events) if first_choice(event) is not None]
    return [*events[: placed[-1]], {"data": None}, *events[placed[-1] :]] if len(placed) > 1 else events


def _change_ids(events: Events) -> Events:
    """Give each chunk an id of its own."""
    for place, event in enumerate(events):
        if isinstance(event.get("data"), dict) and event["data"].get("id"):
            event["data"]["id"] = f"{event['data']['id'][:-2]}{place:02}"
    return events


def _drop_object_key(events: Events) -> Events:
    for event in events:
        if isinstance(event.get("data"), dict):
            event["data"].pop("object", None)
    return events


def _drop_done_marker(events: Events) -> Events:
    finished = any(choice.get("finish_reason") for choice in choices(events))
    return events[:-1] if events and events[-1].get("data") == _DONE and finished else events


HABITS: Mapping[str, Habit] = {
    "role-everywhere": _change_later_deltas(lambda delta: delta.setdefault("role", "assistant")),
    "role-empty": _change_later_deltas(lambda delta: delta.setdefault("role", "")),
    "role-null": _change_later_deltas(lambda delta: delta.setdefault("role", None)),
    "content-null": _change_deltas(_set_content_of_calls(None)),
    "content-empty": _change_deltas(_set_content_of_calls("")),
    "calls-empty": _change_deltas(lambda delta: delta.setdefault("tool_calls", [])),
    "calls-null": _change_deltas(lambda delta: delta.setdefault("tool_calls", None)),
    "finish-early": _move_finish_reason,
    "finish-stop": _change_finish_reason("stop", calls=True),
    "finish-calls": _change_finish_reason("tool_calls", calls=False),
    "finish-empty": _blank_finish_reason(""),
    "finish-null": _blank_finish_reason(None),
    "finish-empty-before": _blank_earlier_reasons,
    "usage-with-finish": _move_usage,
    "usage-everywhere": _repeat_usage,
    "usage-zero": _add_zero_usage,
    "choices-null": _set_choices_null,
    "record-null": _insert_null_record,
    "ids-of-chunks": _change_ids,
    "object-absent": _drop_object_key,
    "done-absent": _drop_done_marker,
}
