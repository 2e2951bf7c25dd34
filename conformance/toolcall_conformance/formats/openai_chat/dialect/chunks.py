"""What compatible servers do to the chunks of a stream: roles, contents and empty lists, its end, and its counts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from toolcall_conformance.formats.format import Habit
from toolcall_conformance.formats.openai_chat.dialect.events import Events, choice_of, choices, entries

_DONE = "[DONE]"


def _each_delta(change: Callable[[dict[str, Any]], Any]) -> Habit:
    def changed(events: Events) -> Events:
        for choice in choices(events):
            change(choice["delta"])
        return events

    return changed


def _behind_first(change: Callable[[dict[str, Any]], Any]) -> Habit:
    """A change in each delta but the first, which has the role."""

    def changed(events: Events) -> Events:
        for place, choice in enumerate(choices(events)):
            if place:
                change(choice["delta"])
        return events

    return changed


def _beside_calls(value: Any) -> Callable[[dict[str, Any]], Any]:
    return lambda delta: delta.setdefault("content", value) if delta.get("tool_calls") else None


def _finish(reason: Any, *, calls: bool) -> Habit:
    """Another reason at the normal end of a reply: with calls, or without."""

    def changed(events: Events) -> Events:
        if any(entries(events)) is calls and events[-1].get("data") == _DONE:
            for choice in choices(events):
                if choice.get("finish_reason") == ("tool_calls" if calls else "stop"):
                    choice["finish_reason"] = reason
        return events

    return changed


def _blank(reason: Any) -> Habit:
    """No reason at a normal end, but a blank one."""

    def changed(events: Events) -> Events:
        ends = {choice.get("finish_reason") for choice in choices(events)} - {None, ""}
        if ends <= {"stop", "tool_calls"} and len(ends) == 1 and events[-1].get("data") == _DONE:
            for choice in choices(events):
                if choice.get("finish_reason"):
                    choice["finish_reason"] = reason
        return events

    return changed


def _blank_before(events: Events) -> Events:
    for choice in choices(events):
        if choice.get("finish_reason") is None:
            choice["finish_reason"] = ""
    return events


def _finish_early(events: Events) -> Events:
    """The reason is in the last chunk that says something; a chunk of its own is left out."""
    placed = [(place, choice) for place, event in enumerate(events) if (choice := choice_of(event)) is not None]
    ending = next((number for number, (_, choice) in enumerate(placed) if choice.get("finish_reason")), 0)
    if not ending or any(placed[ending][1]["delta"].values()):
        return events
    place, choice = placed[ending]
    placed[ending - 1][1]["finish_reason"] = choice["finish_reason"]
    usage = events[place]["data"].get("usage")
    if usage:
        events[placed[ending - 1][0]]["data"]["usage"] = usage
    return [*events[:place], *events[place + 1 :]]


def _usage_place(events: Events) -> int | None:
    """Where the chunk is that has nothing but the counts."""
    places = (place for place, event in enumerate(events) if isinstance(event.get("data"), dict))
    return next(
        (at for at in places if events[at]["data"].get("usage") and not events[at]["data"].get("choices")), None
    )


def _usage_with_finish(events: Events) -> Events:
    """The counts are in the chunk that has the reason, and no chunk follows it."""
    place = _usage_place(events)
    ending = next((event for event in events if (choice := choice_of(event)) and choice.get("finish_reason")), None)
    if place is None or ending is None:
        return events
    ending["data"]["usage"] = events[place]["data"]["usage"]
    return [*events[:place], *events[place + 1 :]]


def _usage_everywhere(events: Events) -> Events:
    """Each chunk has the counts so far, and the last chunk has the whole ones."""
    place = _usage_place(events)
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


def _usage_zero(events: Events) -> Events:
    """Each chunk before the counts has some of zeros."""
    place = _usage_place(events)
    for event in events[: place or 0]:
        if isinstance(event.get("data"), dict):
            event["data"]["usage"] = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
    return events


def _null_choices(events: Events) -> Events:
    place = _usage_place(events)
    if place is not None:
        events[place]["data"]["choices"] = None
    return events


def _null_record(events: Events) -> Events:
    """A record that is null comes before the last choice."""
    placed = [place for place, event in enumerate(events) if choice_of(event) is not None]
    return [*events[: placed[-1]], {"data": None}, *events[placed[-1] :]] if len(placed) > 1 else events


def _other_ids(events: Events) -> Events:
    """Each chunk has an id of its own."""
    for place, event in enumerate(events):
        if isinstance(event.get("data"), dict) and event["data"].get("id"):
            event["data"]["id"] = f"{event['data']['id'][:-2]}{place:02}"
    return events


def _no_object(events: Events) -> Events:
    for event in events:
        if isinstance(event.get("data"), dict):
            event["data"].pop("object", None)
    return events


def _not_done(events: Events) -> Events:
    finished = any(choice.get("finish_reason") for choice in choices(events))
    return events[:-1] if events and events[-1].get("data") == _DONE and finished else events


HABITS: Mapping[str, Habit] = {
    "role-everywhere": _behind_first(lambda delta: delta.setdefault("role", "assistant")),
    "role-empty": _behind_first(lambda delta: delta.setdefault("role", "")),
    "role-null": _behind_first(lambda delta: delta.setdefault("role", None)),
    "content-null": _each_delta(_beside_calls(None)),
    "content-empty": _each_delta(_beside_calls("")),
    "calls-empty": _each_delta(lambda delta: delta.setdefault("tool_calls", [])),
    "calls-null": _each_delta(lambda delta: delta.setdefault("tool_calls", None)),
    "finish-early": _finish_early,
    "finish-stop": _finish("stop", calls=True),
    "finish-calls": _finish("tool_calls", calls=False),
    "finish-empty": _blank(""),
    "finish-null": _blank(None),
    "finish-empty-before": _blank_before,
    "usage-with-finish": _usage_with_finish,
    "usage-everywhere": _usage_everywhere,
    "usage-zero": _usage_zero,
    "choices-null": _null_choices,
    "record-null": _null_record,
    "ids-of-chunks": _other_ids,
    "object-absent": _no_object,
    "done-absent": _not_done,
}
