"""Reads one part of a content into items: https://ai.google.dev/api/caching#Part."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from toolcall_conformance.basics.reading import (
    Call,
    Hosted,
    Media,
    Node,
    Opaque,
    Reasoning,
    Residue,
    Result,
    Text,
    Unknown,
    Unreadable,
    Value,
    Waiver,
)
from toolcall_conformance.basics.reading.model import Item
from toolcall_conformance.formats.gemini.proto_json import entries

#: Fields of which a part has exactly one.
DATA_KEYS = (
    *("text", "functionCall", "functionResponse", "inlineData", "fileData"),
    *("toolCall", "toolResponse", "executableCode", "codeExecutionResult"),
)

#: Fields with the calls and results of Google's own tools.
HOSTED_KEYS = ("toolCall", "toolResponse", "executableCode", "codeExecutionResult")

#: Fields that describe the data of a part and matter to no tool.
METADATA_KEYS = (
    *("videoMetadata", "mediaResolution", "mediaProcessing", "partMetadata", "audioTranscription", "speechMetadata"),
    *("documentMetadata", "spreadsheetMetadata", "audioMetadata"),
)

#: Two documented values mean "this call is not from Gemini"; SDKs send them base64-encoded, too.
#: https://ai.google.dev/gemini-api/docs/thought-signatures
SIGNATURE_WAIVERS = {
    "skip_thought_signature_validator",
    "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I=",
    "context_engineering_is_the_way_to_go",
    "Y29udGV4dF9lbmdpbmVlcmluZ19pc190aGVfd2F5X3RvX2dv",
}

_FILES_API = ("https://generativelanguage.googleapis.com/", "files/")


@dataclass(slots=True)
class Counts:
    """The running numbers of calls, batches and result groups while a body is read, and the keys left unread."""

    calls: int = 0
    batch: int = -1
    group: int = -1
    residue: list[Residue] = field(default_factory=list)


def read_part(part: Node, counts: Counts) -> list[Item]:
    """Return the items of one part; results are not paired yet."""
    if isinstance(part.value, str):
        return [Text(part.value, part.pointer)] if part.value.strip() else []
    items: list[Item] = []
    thought = part.flag("thought") is True
    text = part.child("text")
    if isinstance(text.value, str) and text.value.strip():
        items.append(Reasoning(text.value, text.pointer) if thought else Text(text.value, text.pointer))
    call = part.child("functionCall")
    if call.is_object:
        items.append(read_call(call, counts))
    result = part.child("functionResponse")
    if result.is_object:
        items.append(read_result(result, counts))
    if part.has_more:
        _read_other_members(part, counts, items, text, thought=thought)
    if part.is_object:
        part.close(counts.residue)
        if not items and all(part.get(key) is None for key in (*DATA_KEYS, *METADATA_KEYS, "thoughtSignature")):
            items.append(Unknown(", ".join(part.value), part.pointer))
    return items


def _read_other_members(part: Node, counts: Counts, items: list[Item], text: Node, *, thought: bool) -> None:
    """Append the items of media, Google's own tools and the signature."""
    items.extend(read_media(part, counts))
    for key in HOSTED_KEYS:
        hosted = part.child(key)
        if hosted.is_object:
            name = hosted.get("toolType") or hosted.get("language")
            items.append(
                Hosted(key, _text_or_none(name), _text_or_none(hosted.get("id")), hosted.value, hosted.pointer)
            )
    signature = part.child("thoughtSignature")
    if isinstance(signature.value, str) and signature.value:
        called = next((item.ordinal for item in items if isinstance(item, Call)), None)
        if signature.value in SIGNATURE_WAIVERS:
            items.append(Waiver(signature.pointer, called))
        else:
            spoken = called is None and isinstance(text.value, str) and not thought
            ran = any(isinstance(item, Hosted) for item in items)
            items.append(Opaque(signature.value, signature.pointer, "gemini", call=called, on_text=spoken, on_step=ran))
    part.ignore(*METADATA_KEYS)


def read_call(node: Node, counts: Counts) -> Call:
    """Read a functionCall. Absent ``args`` are an empty object; a string is not decoded: Gemini does not either."""
    args = node.child("args")
    arguments = args.value
    if arguments is None or (isinstance(arguments, str) and not arguments.strip()):
        arguments = {}
    elif isinstance(arguments, str):
        arguments = Unreadable(arguments)
    name, call_id = node.child("name"), node.child("id")
    node.ignore("partialArgs", "willContinue")
    node.close(counts.residue)
    counts.calls += 1
    return Call(
        ordinal=counts.calls - 1,
        batch=counts.batch,
        name=_text_or_none(name.value),
        arguments=arguments,
        id=_id_or_none(call_id.value),
        pointer=node.pointer,
        name_pointer=name.pointer if "name" in node else None,
        arguments_pointer=args.pointer if "args" in node else None,
        id_pointer=call_id.pointer if _id_or_none(call_id.value) else None,
    )


def read_result(node: Node, counts: Counts) -> Result:
    """Read a functionResponse: its ``response`` as a Value, then the media in its ``parts``."""
    response = node.child("response")
    parts: list[Any] = []
    if isinstance(response.value, str):
        parts = [Text(response.value, response.pointer)] if response.value.strip() else []
    elif response.value is not None:
        parts = [Value(response.value, response.pointer)]
    for part in entries(node.child("parts")):
        parts.extend(read_media(part, counts))
        part.ignore(*METADATA_KEYS)
        part.close(counts.residue)
    name, result_id = node.child("name"), node.child("id")
    node.ignore("willContinue", "scheduling")
    node.close(counts.residue)
    return Result(
        call=None,
        id=_id_or_none(result_id.value),
        name=_text_or_none(name.value),
        parts=tuple(parts),
        error=is_error(response.value),
        pointer=node.pointer,
        group=counts.group,
        content_pointer=_member_pointer(node, "response"),
        id_pointer=_member_pointer(node, "id") if _id_or_none(result_id.value) else None,
        name_pointer=_member_pointer(node, "name"),
    )


def is_error(response: Any) -> bool | None:
    """Whether a response reports a failure: by details under ``error``, or by a true ``is_error``. None if unknown.

    An ``error`` that is null, false or empty has no details, so it does not count; but an empty text as the only member
    is the response of a failed tool without a message.
    """
    if not isinstance(response, dict):
        return None
    marks = [response[key] for key in ("is_error", "isError") if isinstance(response.get(key), bool)]
    if response.get("error") or True in marks or response == {"error": ""}:
        return True
    return False if marks else None


def read_media(part: Node, counts: Counts) -> Iterator[Media]:
    """Yield the media of a part, inline or by reference."""
    inline = part.child("inlineData")
    if inline.is_object:
        mime, data = inline.text("mimeType"), inline.text("data")
        if data is not None and data.startswith("data:") and "," in data:
            data = data.partition(",")[2]
        yield Media(media_kind(mime), mime, inline.pointer, data=data or "")
        inline.ignore("displayName")
        inline.close(counts.residue)
    file = part.child("fileData")
    if file.is_object:
        mime, uri = file.text("mimeType"), file.text("fileUri") or ""
        mine = uri.startswith(_FILES_API)
        yield Media(media_kind(mime), mime, file.pointer, url=None if mine else uri, file_id=uri if mine else None)
        file.ignore("displayName")
        file.close(counts.residue)


def media_kind(mime: str | None) -> str:
    """Return the kind of media of a MIME type."""
    major = (mime or "").partition("/")[0].lower()
    if major in ("image", "audio", "video"):
        return major
    return "document" if major in ("application", "text") else "file"


def _text_or_none(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _id_or_none(value: Any) -> str | None:
    """Return an id, or None: in proto-JSON an empty string is the same as an absent one."""
    return value if isinstance(value, str) and value else None


def _member_pointer(node: Node, key: str) -> str | None:
    return node.child(key).pointer if key in node else None
