"""Calls and results of the adapter contract as JSON values, for those who keep them or pass them on."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from .errors import Refused
from .intermediate import Body, Media, Text, UniversalToolCall, UniversalToolResult
from .jsontext import RAW_ARGUMENTS_KEY, as_list, as_object, as_text, dump

_CALL = ("given_id", "kind", "text", "readable", "raw_context", "form")
_MEDIA = ("kind", "mime", "data", "url", "file_id", "name", "detail", "vendor")


def call_to_json(call: UniversalToolCall) -> Body:
    """``id``, ``name`` and ``arguments``, and what else is needed to answer the call.

    Text that is no object stands in ``arguments`` under one key, ``_raw_arguments``.
    """
    said = asdict(call)
    arguments = call.arguments if call.readable else {RAW_ARGUMENTS_KEY: call.text}
    return {"id": call.id, "name": call.name, "arguments": arguments, **{key: said[key] for key in _CALL}}


def call_from_json(body: Any) -> UniversalToolCall:
    """The call that a JSON value says; Refused where it is none. Without ``given_id``, its id is its provider's."""
    said = as_object(body, "a call")
    call_id, name = as_text(said.get("id"), "a call's id"), as_text(said.get("name"), "a call's name")
    if not call_id or not name:
        raise Refused("a call needs an id and a name")
    found = UniversalToolCall(call_id, name, as_object(said.get("arguments"), "a call's arguments"), given_id=call_id)
    for key in _CALL:
        if key in said:
            setattr(found, key, said[key])
    if not found.readable:
        found.arguments = {}
    return found


def result_from_json(body: Any, files_of: str | None = None) -> UniversalToolResult:
    """The result that a JSON value says: ``tool_call_id``, ``name``, ``result``, ``is_error``, ``multimodal_parts``.

    ``files_of`` is whose file ids they name, see :attr:`Media.vendor`.
    """
    said = as_object(body, "a result")
    value = said.get("result")
    if not isinstance(value, (str, dict)):
        raise Refused(f"a result must be text or an object, not {type(value).__name__}")
    return UniversalToolResult(
        as_text(said.get("tool_call_id"), "tool_call_id"),
        as_text(said.get("name"), "a result's name"),
        value,
        said.get("is_error") is True,
        [_part(one, files_of) for one in as_list(said.get("multimodal_parts"), "multimodal_parts")],
    )


def _part(body: Any, files_of: str | None) -> Text | Media:
    said = as_object(body, "a part")
    if said.get("type") == "text":
        return Text(as_text(said.get("text"), "text"))
    if said.get("type") == "object":
        return Text(dump(as_object(said.get("value"), "a part's value")))
    if said.get("type") != "media":
        raise Refused(f"a part must be a text, an object or media, not {said.get('type')!r}")
    known = {"mime" if key == "mime_type" else key: value for key, value in said.items()}
    return Media(**{"kind": "file", "vendor": files_of, **{key: known[key] for key in _MEDIA if key in known}})
