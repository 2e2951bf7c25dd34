"""Other notations of provider-run tools, both ways.

The convention has separate parts for them. The earlier proposals were: ``polymorphic``, where calls of the client and
of the provider are the same part with a typed member; ``unified``, where a call and its result are one part; and
``execution``, the same with other names.
https://github.com/open-telemetry/semantic-conventions/issues/2585
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from toolcall_reference.basics.errors import Refused
from toolcall_reference.conversation.intermediate import Body
from toolcall_reference.conversation.losses import Losses

_CALL, _ANSWER = "server_tool_call", "server_tool_call_response"
_CLIENTS = ("function", "custom")
_UNIFIED = {"type": "server_tool", "call": "tool_call", "answer": "tool_response"}
_EXECUTION = {"type": "server_tool_execution", "call": "request", "answer": "response"}
_RUNNING, _DONE = "in_progress", "completed"
_Conversion = Callable[[Sequence[Body], Losses], list[Body]]


def to_form(messages: Sequence[Body], form: str, losses: Losses | None = None) -> list[Body]:
    """The messages with server tools in a form of :data:`FORMS`. Raises LookupError for another name."""
    return _change_parts(messages, _get_form(form)[0], Losses() if losses is None else losses)


def from_form(messages: Sequence[Body], form: str, losses: Losses | None = None) -> list[Body]:
    """The messages with server tools in the convention's parts: the inverse of :func:`to_form`."""
    return _change_parts(messages, _get_form(form)[1], Losses() if losses is None else losses)


def _get_form(form_name: str) -> tuple[_Conversion, _Conversion]:
    if form_name not in FORMS:
        raise LookupError(f"no such form: {form_name!r} (known: {', '.join(FORMS)})")
    return FORMS[form_name]


def _change_parts(messages: Sequence[Body], change: _Conversion, losses: Losses) -> list[Body]:
    return [{**message, "parts": change(message["parts"], losses)} for message in messages]


def _without(part: Body, *keys: str) -> Body:
    return {key: value for key, value in part.items() if key not in keys}


def _to_polymorphic(parts: Sequence[Body], losses: Losses) -> list[Body]:
    del losses
    return [_to_typed(part) for part in parts]


def _to_typed(part: Body) -> Body:
    """A part in the polymorphic form, with a typed member."""
    kind = part.get("type")
    if kind == _CALL:
        return {**_without(part, _CALL), "type": "tool_call", "tool_call": part[_CALL]}
    if kind == _ANSWER:
        return {**_without(part, _ANSWER), "type": "tool_call_response", "response": part[_ANSWER]}
    if kind == "tool_call":
        arguments = {"arguments": part["arguments"]} if "arguments" in part else {}
        return {**_without(part, "arguments", "kind"), "tool_call": {"type": part.get("kind", "function"), **arguments}}
    if kind == "tool_call_response":
        return {**part, "response": {"type": "function", "result": part["response"]}}
    return part


def _from_polymorphic(parts: Sequence[Body], losses: Losses) -> list[Body]:
    del losses
    return [_from_typed(part) for part in parts]


def _from_typed(part: Body) -> Body:
    """A part of the polymorphic form in the convention's form."""
    kind = part.get("type")
    if kind not in ("tool_call", "tool_call_response"):
        return part
    member = "tool_call" if kind == "tool_call" else "response"
    details = part.get(member)
    if not isinstance(details, dict) or not isinstance(details.get("type"), str):
        raise Refused(f"the member {member} of a {kind} must be an object with a type")
    if details["type"] not in _CLIENTS:
        own_type = _CALL if kind == "tool_call" else _ANSWER
        return {**_without(part, member), "type": own_type, own_type: details}
    if kind == "tool_call_response":
        return {**part, "response": details.get("result")}
    special = {"kind": "custom"} if details["type"] == "custom" else {}
    arguments = {"arguments": details["arguments"]} if "arguments" in details else {}
    return {**_without(part, "tool_call"), **arguments, **special}


def _to_unified(parts: Sequence[Body], losses: Losses, names: Body) -> list[Body]:
    """Join every call with its result, at the place of the call; a result without a call is not changed."""
    pairs = dict(_pair_places(parts))
    for call, answer in pairs.items():
        if any(other not in pairs and other not in pairs.values() for other in range(call + 1, answer)):
            losses.add("order", "what stood between a call and its result stands behind both", parts[call].get("id"))
    return [
        _unified_part(part, parts[pairs[place]] if place in pairs else None, names)
        if part.get("type") == _CALL
        else part
        for place, part in enumerate(parts)
        if place not in pairs.values()
    ]


def _pair_places(parts: Sequence[Body]) -> Iterator[tuple[int, int]]:
    """The indexes of calls and of their results: by id; without ids, the next result of that type."""
    indexes: set[int] = set()
    for place, part in enumerate(parts):
        if part.get("type") != _CALL:
            continue
        at = next(
            (index for index in range(place + 1, len(parts)) if index not in indexes and _answers(parts[index], part)),
            None,
        )
        if at is not None:
            indexes.add(at)
            yield place, at


def _answers(part: Body, call: Body) -> bool:
    if part.get("type") != _ANSWER or part.get("id") != call.get("id"):
        return False
    return call.get("id") is not None or part[_ANSWER].get("type") == call[_CALL].get("type")


def _unified_part(call: Body, answer: Body | None, names: Body) -> Body:
    item = {**_without(call, _CALL), "type": names["type"], names["call"]: call[_CALL]}
    status = call[_CALL].get("status", _RUNNING)
    if answer is not None:
        item[names["answer"]] = answer[_ANSWER]
        status = answer[_ANSWER].get("status", _DONE)
    return item | ({"status": status} if names is _UNIFIED else {"execution_metadata": {"status": status}})


def _from_unified(parts: Sequence[Body], losses: Losses, names: Body) -> list[Body]:
    return [piece for part in parts for piece in _split_part(part, losses, names)]


def _split_part(part: Body, losses: Losses, names: Body) -> Iterator[Body]:
    """Split a unified part into call and result."""
    if part.get("type") != names["type"]:
        yield part
        return
    for key in part.get("execution_metadata", {}).keys() - {"status"}:
        losses.add("execution", "the convention's parts have no place for it; dropped", key)
    call, answer = names["call"], names["answer"]
    yield {**_without(part, call, answer, "status", "execution_metadata"), "type": _CALL, _CALL: part[call]}
    if answer in part:
        id_fields = {"id": part["id"]} if "id" in part else {}
        yield {"type": _ANSWER, **id_fields, _ANSWER: part[answer]}


FORMS: dict[str, tuple[_Conversion, _Conversion]] = {
    "polymorphic": (_to_polymorphic, _from_polymorphic),
    "unified": (
        lambda parts, losses: _to_unified(parts, losses, _UNIFIED),
        lambda parts, losses: _from_unified(parts, losses, _UNIFIED),
    ),
    "execution": (
        lambda parts, losses: _to_unified(parts, losses, _EXECUTION),
        lambda parts, losses: _from_unified(parts, losses, _EXECUTION),
    ),
}
"""By form: the conversion to it, and the inverse."""
