"""Habits about replies that are not streamed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from toolcall_conformance.formats.format import Habit
from toolcall_conformance.formats.openai_chat.dialect.events import arguments_object

Reply = dict[str, Any]


def _change_messages(change: Callable[[dict[str, Any]], Any]) -> Habit:
    """Return a habit that changes the message of each choice."""

    def apply(reply: Reply) -> Reply:
        for choice in reply.get("choices") or ():
            change(choice["message"])
        return reply

    return apply


def _change_calls(change: Callable[[dict[str, Any]], Any]) -> Habit:
    """Return a habit that changes each function call with an id."""

    def apply(message: dict[str, Any]) -> None:
        for call in message.get("tool_calls") or ():
            if isinstance(call.get("function"), dict) and call.get("id"):
                change(call)

    return _change_messages(apply)


def _change_empty_calls(change: Callable[[dict[str, Any]], Any]) -> Habit:
    """Return a habit that changes the function of each call without arguments."""

    def apply(call: dict[str, Any]) -> None:
        if str(call["function"].get("arguments", "")).strip() == "{}":
            change(call["function"])

    return _change_calls(apply)


def _parse_arguments(call: dict[str, Any]) -> None:
    call["function"]["arguments"] = arguments_object(call["function"].get("arguments"))


def _change_call_messages(change: Callable[[dict[str, Any]], Any]) -> Habit:
    """Return a habit that changes messages with calls and without text."""

    def apply(message: dict[str, Any]) -> None:
        if message.get("tool_calls") and not message.get("content"):
            change(message)

    return _change_messages(apply)


def _change_finish_reason(reason: Any, *, was: tuple[str, ...]) -> Habit:
    def apply(reply: Reply) -> Reply:
        for choice in reply.get("choices") or ():
            if choice.get("finish_reason") in was:
                choice["finish_reason"] = reason
        return reply

    return apply


def _set_calls_reason(reply: Reply) -> Reply:
    """Give calls as the finish reason of a reply without calls."""
    for choice in reply.get("choices") or ():
        if choice.get("finish_reason") == "stop" and not choice["message"].get("tool_calls"):
            choice["finish_reason"] = "tool_calls"
    return reply


def _drop_object_key(reply: Reply) -> Reply:
    reply.pop("object", None)
    return reply


HABITS: Mapping[str, Habit] = {
    "arguments-object": _change_calls(_parse_arguments),
    "arguments-empty": _change_empty_calls(lambda function: function.update(arguments="")),
    "arguments-null": _change_empty_calls(lambda function: function.update(arguments=None)),
    "arguments-unsaid": _change_empty_calls(lambda function: function.pop("arguments")),
    "id-absent": _change_calls(lambda call: call.pop("id")),
    "id-empty": _change_calls(lambda call: call.update(id="")),
    "type-absent": _change_calls(lambda call: call.pop("type", None)),
    "content-absent": _change_call_messages(lambda message: message.pop("content", None)),
    "content-empty": _change_call_messages(lambda message: message.update(content="")),
    "calls-empty": _change_messages(lambda message: message.setdefault("tool_calls", [])),
    "calls-null": _change_messages(lambda message: message.setdefault("tool_calls", None)),
    "finish-stop": _change_finish_reason("stop", was=("tool_calls",)),
    "finish-calls": _set_calls_reason,
    "finish-empty": _change_finish_reason("", was=("tool_calls", "stop")),
    "object-absent": _drop_object_key,
}
