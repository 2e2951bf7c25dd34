"""The items of a message as parts.

Every type of part may have members besides those of its schema. Used here: ``refusal`` and ``citations`` on a text,
``kind`` on the call of a free-text tool, ``error`` on what a tool that failed returned, ``filename`` and ``detail`` on
media, and ``state``, what only its provider can read, where it is wanted.
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
    """Writes the parts of one body. ``ids`` are the ids of calls as their source wrote them, by universal id."""

    spoken: Format
    losses: Losses
    ids: Mapping[str, str | None]
    state: bool = False

    def parts(self, items: list[Item]) -> list[Body]:
        """The parts of a message."""
        return [part for item in items for part in self._parts(item)]

    def _parts(self, item: Item) -> Iterator[Body]:
        if isinstance(item, Text):
            yield from self._text(item)
        elif isinstance(item, Media):
            yield media_part(item)
        elif isinstance(item, UniversalToolCall):
            yield self._call(item)
        elif isinstance(item, UniversalToolResult):
            yield self._result(item)
        elif isinstance(item, Hosted):
            steps = self.spoken.observer.decode_steps(item)
            yield from (self._kept(_step(step), item.value, item) for step in steps)
        else:
            yield from self._thought(item)

    def _kept(self, part: Body, state: Any, item: Hosted | Opaque) -> Body:
        """A part, with the block that it was made of where state is wanted and the block has some."""
        if isinstance(item, Opaque) or self.spoken.observer.is_sealed(item):
            if self.state:
                return {**part, STATE: {item.origin: state}}
            self.losses.add("signature", "state of the provider's; dropped", item.type)
        return part

    def _thought(self, item: Opaque) -> Iterator[Body]:
        texts = self.spoken.observer.reasoning_texts(item)
        if texts:
            yield self._kept({"type": "reasoning", "content": "\n\n".join(texts)}, item.value, item)
        else:
            # Nobody but the provider can read it; that it is there is told all the same.
            yield self._kept({"type": "generic", "generic_type": item.type}, item.value, item)

    def _signed(self, part: Body, item: Text | UniversalToolCall) -> Body:
        if item.raw_context and self.state:
            return {**part, STATE: dict(item.raw_context)}
        if item.raw_context:
            self.losses.add("signature", "state of the provider's; dropped", getattr(item, "name", ""))
        return part

    def _text(self, item: Text) -> Iterator[Body]:
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
        part = self._signed(part, item)
        if item.text or STATE in part:
            yield part

    def _call(self, call: UniversalToolCall) -> Body:
        part: Body = {"type": "tool_call"}
        if call.given_id:
            part["id"] = call.given_id
        part["name"] = call.name
        part["arguments"] = call.text if call.kind == "custom" or not call.readable else arguments_object(call)
        if call.kind == "custom":
            part["kind"] = call.kind
        return self._signed(part, call)

    def _result(self, result: UniversalToolResult) -> Body:
        part: Body = {"type": "tool_call_response"}
        wire_id = self.ids.get(result.tool_call_id, result.tool_call_id)
        if wire_id:
            part["id"] = wire_id
        part["response"] = self._response(result)
        if result.is_error:
            part["error"] = True
        if result.cached:
            self.losses.add("cache-control", "marks for the cache are dropped")
        return part

    def _response(self, result: UniversalToolResult) -> Any:
        if result.multimodal_parts:
            return self.parts(list(result.multimodal_parts))
        if isinstance(result.result, str) and self.spoken.provider.object_results:
            whole = parse_object(result.result)
            return whole or result.result
        return result.result


def _step(step: Step) -> Body:
    if isinstance(step, ServerCall):
        id_fields = {} if step.id is None else {"id": step.id}
        return {"type": "server_tool_call", **id_fields, "name": step.name, "server_tool_call": step.details}
    if isinstance(step, ServerResult):
        id_fields = {} if step.id is None else {"id": step.id}
        return {"type": "server_tool_call_response", **id_fields, "server_tool_call_response": step.details}
    return {"type": "generic", "generic_type": step.type, **step.members}


def media_part(item: Media) -> Body:
    """A part for media: ``blob`` has the bytes, ``uri`` an address, ``file`` the id under which a provider has them."""
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
