"""The items of a message as parts.

Parts may have members in addition to those of their schema. Used here: ``refusal`` and ``citations`` of a text,
``kind`` of a free-text tool's call, ``error`` of an error result, ``filename`` and ``detail`` of media, and ``state``,
the opaque state, if it is requested.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from toolcall_reference.basics.jsontext import parse_object
from toolcall_reference.conversation.intermediate import (
    Body,
    Hosted,
    Item,
    Media,
    Opaque,
    Text,
    UniversalToolCall,
    UniversalToolResult,
)
from toolcall_reference.conversation.losses import Losses
from toolcall_reference.conversation.pairing import arguments_object
from toolcall_reference.formats import Format
from toolcall_reference.formats.observer import ServerCall, ServerResult, Step

STATE = "state"


@dataclass(frozen=True, slots=True)
class Writer:
    """Encodes the parts of one body. ``ids`` are the source's call ids by universal id."""

    wire_format: Format
    losses: Losses
    ids: Mapping[str, str | None]
    state: bool = False

    def parts(self, items: list[Item]) -> list[Body]:
        """The parts of a message."""
        return [part for item in items for part in self._item_parts(item)]

    def _item_parts(self, item: Item) -> Iterator[Body]:
        if isinstance(item, Text):
            yield from self._encode_text(item)
        elif isinstance(item, Media):
            yield media_part(item)
        elif isinstance(item, UniversalToolCall):
            yield self._encode_call(item)
        elif isinstance(item, UniversalToolResult):
            yield self._encode_result(item)
        elif isinstance(item, Hosted):
            steps = self.wire_format.observer.decode_steps(item)
            yield from (self._with_state(_encode_step(step), item.value, item) for step in steps)
        else:
            yield from self._encode_reasoning(item)

    def _with_state(self, part: Body, state: Any, item: Hosted | Opaque) -> Body:
        """The part, with the block that it was made of if state is requested and the block has some; else a loss."""
        if isinstance(item, Opaque) or self.wire_format.observer.is_sealed(item):
            if self.state:
                return {**part, STATE: {item.origin: state}}
            self.losses.add("signature", "state of the provider's; dropped", item.type)
        return part

    def _encode_reasoning(self, item: Opaque) -> Iterator[Body]:
        texts = self.wire_format.observer.reasoning_texts(item)
        if texts:
            yield self._with_state({"type": "reasoning", "content": "\n\n".join(texts)}, item.value, item)
        else:
            # Only the provider can read it; the part records that it exists.
            yield self._with_state({"type": "generic", "generic_type": item.type}, item.value, item)

    def _with_signature(self, part: Body, item: Text | UniversalToolCall) -> Body:
        if item.raw_context and self.state:
            return {**part, STATE: dict(item.raw_context)}
        if item.raw_context:
            self.losses.add("signature", "state of the provider's; dropped", getattr(item, "name", ""))
        return part

    def _encode_text(self, item: Text) -> Iterator[Body]:
        if item.cached:
            self.losses.add("cache-control", "marks for the cache are dropped")
        part: Body = {"type": "text", "content": item.text}
        if item.refusal:
            part["refusal"] = True
        if item.citations:
            part["citations"] = [
                {key: value for key, value in asdict(citation).items() if value not in (None, "") and key != "seal"}
                for citation in item.citations
            ]
        part = self._with_signature(part, item)
        if item.text or STATE in part:
            yield part

    def _encode_call(self, call: UniversalToolCall) -> Body:
        part: Body = {"type": "tool_call"}
        if call.given_id:
            part["id"] = call.given_id
        part["name"] = call.name
        part["arguments"] = call.text if call.kind == "custom" or not call.readable else arguments_object(call)
        if call.kind == "custom":
            part["kind"] = call.kind
        return self._with_signature(part, call)

    def _encode_result(self, result: UniversalToolResult) -> Body:
        part: Body = {"type": "tool_call_response"}
        wire_id = self.ids.get(result.tool_call_id, result.tool_call_id)
        if wire_id:
            part["id"] = wire_id
        part["response"] = self._encode_response(result)
        if result.is_error:
            part["error"] = True
        if result.cached:
            self.losses.add("cache-control", "marks for the cache are dropped")
        return part

    def _encode_response(self, result: UniversalToolResult) -> Any:
        if result.multimodal_parts:
            return self.parts(list(result.multimodal_parts))
        if isinstance(result.result, str) and self.wire_format.provider.object_results:
            whole = parse_object(result.result)
            return whole or result.result
        return result.result


def _encode_step(step: Step) -> Body:
    if isinstance(step, ServerCall):
        id_fields = {} if step.id is None else {"id": step.id}
        return {"type": "server_tool_call", **id_fields, "name": step.name, "server_tool_call": step.details}
    if isinstance(step, ServerResult):
        id_fields = {} if step.id is None else {"id": step.id}
        return {"type": "server_tool_call_response", **id_fields, "server_tool_call_response": step.details}
    return {"type": "generic", "generic_type": step.type, **step.members}


def media_part(item: Media) -> Body:
    """The part of media: ``blob`` with its bytes, ``uri`` with an address, or ``file`` with a provider's file id."""
    part: Body = {"type": "blob", "modality": "document" if item.kind == "file" else item.kind}
    if item.mime is not None:
        part["mime_type"] = item.mime
    if item.data is not None:
        part["content"] = item.data
    else:
        address = item.url if item.url is not None else item.file_id or ""
        by_address = item.url is not None or "://" in address
        part |= {"type": "uri", "uri": address} if by_address else {"type": "file", "file_id": address}
    if item.name is not None:
        part["filename"] = item.name
    if item.detail is not None:
        part["detail"] = item.detail
    return part
