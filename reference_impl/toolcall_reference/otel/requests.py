"""A format's request from GenAI messages, as far as they are complete.

Messages have no settings and, unless they were made with ``state``, no opaque state, so that reasoning is lost. Steps
that another provider ran are dropped. Each of these is recorded as a loss.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from toolcall_reference import formats
from toolcall_reference.basics.errors import Refused
from toolcall_reference.basics.jsontext import as_list, as_object, as_text, dump
from toolcall_reference.conversation import history, media, results
from toolcall_reference.conversation.intermediate import (
    Body,
    Citation,
    Conversation,
    Hosted,
    Item,
    Media,
    Opaque,
    Text,
    Tool,
    Turn,
)
from toolcall_reference.conversation.losses import Losses
from toolcall_reference.conversation.pairing import Ledger
from toolcall_reference.conversation.target import Target
from toolcall_reference.formats import Format
from toolcall_reference.formats.observer import Block, ServerCall, ServerResult, Step
from toolcall_reference.otel.parts import STATE
from toolcall_reference.otel.tools import decode_definitions

_MEDIA_TYPES = ("blob", "uri", "file")
_SERVER_TYPES = ("server_tool_call", "server_tool_call_response", "generic")


def to_request(messages: Mapping[str, Any], format_name: str, model: str, losses: Losses | None = None) -> Body:
    """The request with ``input_messages``, ``system_instructions`` and ``tool_definitions``.

    ``losses`` is filled with what is missing in it. Raises Refused if a message does not match its schema, or a call or
    a result has no counterpart: a tracer may cut a history, but no provider accepts a cut one.
    """
    losses = Losses() if losses is None else losses
    wire_format = formats.get(format_name)
    conversation = _MessageReader(wire_format, losses).conversation(messages)
    history.check_pairing(conversation)
    target = Target(model, losses)
    declared = [(tool, _encode_declaration(tool, wire_format)) for tool in conversation.tools]
    conversation.tools = [tool for tool, declaration in declared if declaration is None]
    body = wire_format.encode_request(conversation, target)
    declarations = [declaration for _, declaration in declared if declaration is not None]
    if declarations:
        wire_format.provider.declare_hosted(body, declarations)
    return body


def _encode_declaration(tool: Tool, wire_format: Format) -> Body | None:
    """The provider's declaration of a tool that it runs; None for functions and other providers' tools."""
    return wire_format.observer.encode_declaration(tool.format) if tool.kind == "hosted" else None


class _MessageReader:
    """Decodes the messages of one body."""

    def __init__(self, wire_format: Format, losses: Losses) -> None:
        self._format, self._losses = wire_format, losses
        self._ledger = Ledger(wire_format.name)

    def conversation(self, messages: Mapping[str, Any]) -> Conversation:
        """The conversation of the messages."""
        conversation = Conversation()
        for part in as_list(messages.get("system_instructions"), "system_instructions"):
            conversation.system += _only_texts(self._decode_parts([as_object(part, "a part")], "system"))
        for message in as_list(messages.get("input_messages"), "input_messages"):
            self._decode_message(as_object(message, "a message"), conversation)
        tools = decode_definitions(as_list(messages.get("tool_definitions"), "tool_definitions"))
        return Conversation.of(conversation.turns, system=conversation.system, tools=tools)

    def _decode_message(self, message: Body, conversation: Conversation) -> None:
        """Add a message to the conversation: system texts at its beginning, else a turn."""
        role = as_text(message.get("role"), "role")
        parts = [as_object(part, "a part") for part in as_list(message.get("parts"), "parts")]
        side = role if role in ("assistant", "system") else "user"
        if message.get("name"):
            self._losses.add("name", "a message's author name is dropped", message["name"])
        if side == "assistant" and not (conversation.turns and conversation.turns[-1].side == "assistant"):
            self._ledger.new_batch()
        items = self._decode_parts(parts, side)
        if side == "system" and not conversation.turns:
            conversation.system += _only_texts(items)
        else:
            conversation.turns.append(Turn(side, items))

    def _decode_parts(self, parts: Sequence[Body], side: str) -> list[Item]:
        hosted = self._decode_hosted_parts(parts) if side != "system" else {}
        items: list[Item] = []
        for place, part in enumerate(parts):
            if part.get("type") in _SERVER_TYPES or _own_state(part, self._format):
                items += hosted.get(place, [])
            else:
                items += self._decode_part(part)
        return items

    def _decode_hosted_parts(self, parts: Sequence[Body]) -> dict[int, list[Item]]:
        """Provider-run steps and opaque state as items, by the index of their first part."""
        name = self._format.name
        items_by_place: dict[int, list[Item]] = {}
        places: list[int] = []
        steps: list[Step] = []
        for place, part in enumerate(parts):
            state = _own_state(part, self._format)
            if state is not None:
                item: Item = Opaque(name, str(part.get("type")), state)
                if part.get("type") in _SERVER_TYPES and part["type"] != "generic":
                    item = Hosted(name, str(part["type"]), state)
                items_by_place[place] = [item]
            elif part.get("type") == "generic" and part.keys() <= {"type", "generic_type"}:
                self._losses.add("reasoning", "only the provider can read it; dropped", part.get("generic_type"))
            elif part.get("type") in _SERVER_TYPES:
                places.append(place)
                steps.append(_decode_step(part))
        for step, body in self._format.observer.encode_steps(steps):
            step_place = next(place for place, candidate in zip(places, steps, strict=True) if candidate is step)
            items_by_place[step_place] = [Hosted(name, str(body.get("type")), body)]
        return items_by_place

    def _decode_part(self, part: Body) -> list[Item]:
        kind = part.get("type")
        if kind == "text":
            return [_decode_text(part)]
        if kind in _MEDIA_TYPES:
            return [_decode_media(part, self._format)]
        if kind == "tool_call":
            return [self._decode_call(part)]
        if kind == "tool_call_response":
            return [self._decode_result(part)]
        element = "reasoning" if kind == "reasoning" else "content"
        self._losses.add(element, "the part holds not enough to come back; dropped", kind)
        return []

    def _decode_call(self, part: Body) -> Item:
        name, given_id = as_text(part.get("name"), "name"), as_text(part.get("id"), "id") or None
        arguments = part.get("arguments")
        if part.get("kind") == "custom" and isinstance(arguments, str):
            call = self._ledger.enter_custom_call(given_id, name, arguments)
        elif isinstance(arguments, str):
            call = self._ledger.enter_call_text(given_id, name, arguments)
        else:
            call = self._ledger.enter_call(given_id, name, as_object(arguments, "arguments"))
        call.raw_context = dict(part.get(STATE) or {})
        return call

    def _decode_result(self, part: Body) -> Item:
        given_id = as_text(part.get("id"), "id") or None
        call = self._ledger.answer_call(given_id)
        if "response" not in part:
            raise Refused("a tool_call_response must have a response")
        result = results.from_parts(
            call.id if call else given_id or "",
            call.name if call else "",
            self._decode_response(part["response"]),
            is_error=part.get("error") is True,
            kind=call.kind if call else "function",
        )
        if isinstance(part["response"], dict):
            result.result, result.multimodal_parts = part["response"], []
        return result

    def _decode_response(self, response: Any) -> list[Text | Media]:
        if isinstance(response, list) and all(isinstance(part, dict) and "type" in part for part in response):
            return [item for part in response for item in self._decode_part(part) if isinstance(item, (Text, Media))]
        return [Text(response if isinstance(response, str) else dump(response))]


def _own_state(part: Body, wire_format: Format) -> Any:
    """A part's state of this provider; None if there is none. Calls and texts hold their state themselves."""
    state = part.get(STATE)
    if part.get("type") in ("text", "tool_call") or not isinstance(state, dict):
        return None
    return state.get(wire_format.name)


def _decode_step(part: Body) -> Step:
    step_id = part.get("id")
    if part["type"] == "server_tool_call":
        return ServerCall(as_text(part.get("name"), "name"), _step_details(part, "server_tool_call"), step_id)
    if part["type"] == "server_tool_call_response":
        return ServerResult(_step_details(part, "server_tool_call_response"), step_id)
    members = {key: value for key, value in part.items() if key not in ("type", "generic_type")}
    return Block(as_text(part.get("generic_type"), "generic_type"), members)


def _step_details(part: Body, key: str) -> Body:
    details = as_object(part.get(key), key)
    if not isinstance(details.get("type"), str):
        raise Refused(f"{key} must be an object with a type")
    return details


def _only_texts(items: Sequence[Item]) -> list[Text]:
    return [item for item in items if isinstance(item, Text)]


def _decode_text(part: Body) -> Text:
    cited = [Citation(**citation) for citation in part.get("citations") or ()]
    return Text(
        as_text(part.get("content"), "content"),
        refusal=part.get("refusal") is True,
        raw_context=dict(part.get(STATE) or {}),
        citations=cited,
    )


def _decode_media(part: Body, wire_format: Format) -> Media:
    mime = part.get("mime_type")
    kind = str(part.get("modality") or media.media_kind(mime))
    item = Media(kind, mime, name=part.get("filename"), detail=part.get("detail"))
    if part["type"] == "blob":
        item.data = as_text(part.get("content"), "content")
    elif part["type"] == "uri":
        item.url = as_text(part.get("uri"), "uri")
    else:
        item.file_id, item.vendor = as_text(part.get("file_id"), "file_id"), wire_format.provider.file_vendor
    return item
