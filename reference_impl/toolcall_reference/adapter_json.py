"""Calls and results of the adapter contract as JSON values, to be stored or sent to another process."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from toolcall_reference.basics.errors import Refused
from toolcall_reference.basics.jsontext import RAW_ARGUMENTS_KEY, as_list, as_object, as_text, dump
from toolcall_reference.conversation.intermediate import Body, Media, Text, UniversalToolCall, UniversalToolResult

_CALL_KEYS = ("given_id", "kind", "text", "readable", "raw_context", "form")
_MEDIA_KEYS = ("kind", "mime", "data", "url", "file_id", "name", "detail", "vendor")


def call_to_json(call: UniversalToolCall) -> Body:
    """The call as JSON: ``id``, ``name``, ``arguments``, and the fields needed to answer it.

    Argument text that is not a JSON object is in ``arguments`` under the key ``_raw_arguments``.
    """
    fields = asdict(call)
    arguments = call.arguments if call.readable else {RAW_ARGUMENTS_KEY: call.text}
    return {"id": call.id, "name": call.name, "arguments": arguments, **{key: fields[key] for key in _CALL_KEYS}}


def call_from_json(body: Any) -> UniversalToolCall:
    """The call of a JSON value. Raises Refused if it is not one. Without ``given_id``, ``id`` is the provider's id."""
    content = as_object(body, "a call")
    call_id, name = as_text(content.get("id"), "a call's id"), as_text(content.get("name"), "a call's name")
    if not call_id or not name:
        raise Refused("a call needs an id and a name")
    call = UniversalToolCall(call_id, name, as_object(content.get("arguments"), "a call's arguments"), given_id=call_id)
    for key in _CALL_KEYS:
        if key in content:
            setattr(call, key, content[key])
    if not call.readable:
        call.arguments = {}
    return call


def result_from_json(body: Any, file_vendor: str | None = None) -> UniversalToolResult:
    """The result of a JSON value: ``tool_call_id``, ``name``, ``result``, ``is_error``, ``multimodal_parts``.

    ``file_vendor`` is the vendor of the file ids in it, see :attr:`Media.vendor`.
    """
    content = as_object(body, "a result")
    value = content.get("result")
    if not isinstance(value, (str, dict)):
        raise Refused(f"a result must be text or an object, not {type(value).__name__}")
    return UniversalToolResult(
        as_text(content.get("tool_call_id"), "tool_call_id"),
        as_text(content.get("name"), "a result's name"),
        value,
        content.get("is_error") is True,
        [_decode_part(part, file_vendor) for part in as_list(content.get("multimodal_parts"), "multimodal_parts")],
    )


def _decode_part(body: Any, file_vendor: str | None) -> Text | Media:
    content = as_object(body, "a part")
    if content.get("type") == "text":
        return Text(as_text(content.get("text"), "text"))
    if content.get("type") == "object":
        return Text(dump(as_object(content.get("value"), "a part's value")))
    if content.get("type") != "media":
        raise Refused(f"a part must be a text, an object or media, not {content.get('type')!r}")
    fields = {"mime" if key == "mime_type" else key: value for key, value in content.items()}
    return Media(
        **{"kind": "file", "vendor": file_vendor, **{key: fields[key] for key in _MEDIA_KEYS if key in fields}}
    )
