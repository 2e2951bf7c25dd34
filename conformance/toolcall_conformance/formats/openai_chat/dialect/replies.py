"""What compatible servers do to a whole reply."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from toolcall_conformance.formats.format import Habit
from toolcall_conformance.formats.openai_chat.dialect.events import object_of

Reply = dict[str, Any]


def _message(change: Callable[[dict[str, Any]], Any]) -> Habit:
    """A change in the message of each choice."""

    def changed(reply: Reply) -> Reply:
        for choice in reply.get("choices") or ():
            change(choice["message"])
        return reply

    return changed


def _call(change: Callable[[dict[str, Any]], Any]) -> Habit:
    """A change in each call of a function that has an id."""

    def changed(message: dict[str, Any]) -> None:
        for call in message.get("tool_calls") or ():
            if isinstance(call.get("function"), dict) and call.get("id"):
                change(call)

    return _message(changed)


def _without_arguments(change: Callable[[dict[str, Any]], Any]) -> Habit:
    """A change in the function of each call without arguments."""

    def changed(call: dict[str, Any]) -> None:
        if str(call["function"].get("arguments", "")).strip() == "{}":
            change(call["function"])

    return _call(changed)


def _object(call: dict[str, Any]) -> None:
    call["function"]["arguments"] = object_of(call["function"].get("arguments"))


def _beside_calls(change: Callable[[dict[str, Any]], Any]) -> Habit:
    """A change in a message of calls without any text."""

    def changed(message: dict[str, Any]) -> None:
        if message.get("tool_calls") and not message.get("content"):
            change(message)

    return _message(changed)


def _finish(reason: Any, *, was: tuple[str, ...]) -> Habit:
    def changed(reply: Reply) -> Reply:
        for choice in reply.get("choices") or ():
            if choice.get("finish_reason") in was:
                choice["finish_reason"] = reason
        return reply

    return changed


def _finish_calls(reply: Reply) -> Reply:
    """Calls are the reason, though there are none."""
    for choice in reply.get("choices") or ():
        if choice.get("finish_reason") == "stop" and not choice["message"].get("tool_calls"):
            choice["finish_reason"] = "tool_calls"
    return reply


def _no_object(reply: Reply) -> Reply:
    reply.pop("object", None)
    return reply


HABITS: Mapping[str, Habit] = {
    "arguments-object": _call(_object),
    "arguments-empty": _without_arguments(lambda function: function.update(arguments="")),
    "arguments-null": _without_arguments(lambda function: function.update(arguments=None)),
    "arguments-unsaid": _without_arguments(lambda function: function.pop("arguments")),
    "id-absent": _call(lambda call: call.pop("id")),
    "id-empty": _call(lambda call: call.update(id="")),
    "type-absent": _call(lambda call: call.pop("type", None)),
    "content-absent": _beside_calls(lambda message: message.pop("content", None)),
    "content-empty": _beside_calls(lambda message: message.update(content="")),
    "calls-empty": _message(lambda message: message.setdefault("tool_calls", [])),
    "calls-null": _message(lambda message: message.setdefault("tool_calls", None)),
    "finish-stop": _finish("stop", was=("tool_calls",)),
    "finish-calls": _finish_calls,
    "finish-empty": _finish("", was=("tool_calls", "stop")),
    "object-absent": _no_object,
}
