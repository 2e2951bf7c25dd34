"""Writing Responses streams: what is said in pieces is said again whole, for each part, each item and the response.

The last item is closed only when something follows it: a reply that was cut short marks its last item as incomplete.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from toolcall_reference.conversation.intermediate import Body, Item, Media, Reply, Text, UniversalToolCall
from toolcall_reference.conversation.media import placeholder
from toolcall_reference.conversation.target import Target
from toolcall_reference.formats.openai_responses import namespaces, own_tools
from toolcall_reference.formats.openai_responses.api import IDS, NAME, NAMES
from toolcall_reference.formats.openai_responses.encode import (
    IN_PROGRESS,
    call_item,
    encode_body,
    encode_call,
    encode_finish,
    lose_item,
    message_item,
    text_part,
)
from toolcall_reference.formats.openai_responses.failures import encode_error_event
from toolcall_reference.streaming.deltas import (
    Delta,
    ItemClosed,
    ItemOpened,
    ItemPiece,
    ReplyEnded,
    ReplyStarted,
    WholeItem,
)

_DRAWN = -1
"""The place of a text that stands for media, which no delta has opened."""


@dataclass(slots=True)
class _Open:
    """An item of the output: ``item`` as it will be, ``pieces`` what its current part or its arguments hold so far."""

    index: int
    item: Body
    text: Text | None = None
    pieces: list[str] = field(default_factory=list)
    own: bool = False  # a call of a tool of OpenAI's own: said as a whole

    @property
    def where(self) -> Body:
        return {"item_id": self.item["id"], "output_index": self.index}

    @property
    def part(self) -> Body:
        return {"content_index": len(self.item["content"]), "item_id": self.item["id"], "output_index": self.index}

    @property
    def says(self) -> tuple[str, str]:
        """The name of the events of its arguments, and the key of the whole."""
        custom = self.item["type"] == "custom_tool_call"
        return ("custom_tool_call_input", "input") if custom else ("function_call_arguments", "arguments")


class StreamEncoder:
    """One stream: name and data of each event. ``whole_reply`` is the whole response, when it is there."""

    def __init__(self, target: Target) -> None:
        target.use_names(NAMES, [], [])
        declared = namespaces.declared_to(target)
        target.own_tools, target.namespaces = own_tools.declared(declared), namespaces.groups_of(declared)
        self.whole_reply: Body | None = None
        self._target = target
        self._reply = Reply("", [], "other")
        self._number = 0
        self._output: list[Body] = []
        self._open: dict[int, _Open] = {}
        self._last: _Open | None = None  # closed, but for what says so

    def encode_delta(self, delta: Delta, /) -> Iterator[tuple[str, Body]]:
        """The events that tell of ``delta``."""
        for kind, body in self._events(delta):
            yield kind, {"type": kind, **body, "sequence_number": self._number}
            self._number += 1

    def _events(self, delta: Delta) -> Iterable[tuple[str, Body]]:
        if isinstance(delta, ItemPiece):
            return self._grow(self._open[delta.place], delta.text)
        if isinstance(delta, ReplyStarted):
            self._reply = delta.reply
            reply = encode_body(self._reply, self._target, [], IN_PROGRESS)
            return [(kind, {"response": reply}) for kind in ("response.created", "response.in_progress")]
        if isinstance(delta, ItemOpened):
            if isinstance(delta.item, Text):
                return self._open_text(delta.place, delta.item)
            return self._open_call(delta.place, delta.item)
        if isinstance(delta, ItemClosed):
            return self._close(self._open.pop(delta.place), delta)
        if isinstance(delta, WholeItem):
            return self._whole(delta.item)
        if isinstance(delta, ReplyEnded):
            return self._end(delta.reply)
        error = encode_error_event(delta.failure)
        return [(error.pop("type"), error)]

    def _whole(self, item: Item) -> Iterator[tuple[str, Body]]:
        if isinstance(item, Media):
            yield from self._open_text(_DRAWN, Text(""))
            yield from self._grow(self._open[_DRAWN], placeholder(item, self._target.losses, NAME).text)
            yield from self._close(self._open.pop(_DRAWN), ItemClosed(_DRAWN, Text("")))
            return
        # What was closed last may still be the last, and cut; but a text behind this is no neighbour of it.
        if self._last is not None:
            self._last.text = None
        lose_item(item, self._target)

    def _end(self, reply: Reply) -> Iterator[tuple[str, Body]]:
        refused = any(part.get("type") == "refusal" for item in self._output for part in item.get("content", ()))
        end = encode_finish(reply, self._target, refused=refused)
        yield from self._settle("incomplete" if end["status"] == "incomplete" else "completed")
        self.whole_reply = encode_body(reply, self._target, self._output, end)
        yield f"response.{end['status']}", {"response": self.whole_reply}

    def _add(self, entry: _Open) -> tuple[str, Body]:
        self._output.append(entry.item)
        empty: Body = {"content": []} if "content" in entry.item else {entry.says[1]: ""}
        item = {**entry.item, "status": "in_progress", **empty}
        return "response.output_item.added", {"item": item, "output_index": entry.index}

    def _open_text(self, place: int, text: Text) -> Iterator[tuple[str, Body]]:
        entry = self._last
        if entry is not None and entry.text is not None and not entry.text.refusal and not text.refusal:
            self._last = None  # neighbours are parts of one message
        else:
            yield from self._settle()
            index = len(self._output)
            entry = _Open(index, message_item(self._reply.key, index, []))
            yield self._add(entry)
        entry.text, self._open[place] = text, entry
        yield "response.content_part.added", {**entry.part, "part": text_part("", refusal=text.refusal)}

    def _open_call(self, place: int, call: UniversalToolCall) -> Iterator[tuple[str, Body]]:
        yield from self._settle()
        index = len(self._output)
        wire_id = self._target.assign_next_id(call, IDS) or call.id
        if call.name in self._target.own_tools:
            self._open[place] = _Open(index, {"call_id": wire_id}, own=True)
            self._output.append(self._open[place].item)
            return
        item = call_item(self._reply.key, index, encode_call(call, {call.id: wire_id}, self._target))
        entry = self._open[place] = _Open(index, item)
        yield self._add(entry)

    def _grow(self, entry: _Open, piece: str) -> Iterable[tuple[str, Body]]:
        if entry.own:
            return ()
        entry.pieces.append(piece)
        if entry.text is None:
            return [(f"response.{entry.says[0]}.delta", {**entry.where, "delta": piece})]
        more: Body = {} if entry.text.refusal else {"logprobs": []}
        return [(f"response.{_kind(entry.text)}.delta", {**entry.part, "delta": piece, **more})]

    def _close(self, entry: _Open, delta: ItemClosed) -> Iterator[tuple[str, Body]]:
        self._target.lose_state(delta.item)
        yield from self._settle()
        if entry.own and isinstance(delta.item, UniversalToolCall):
            entry.item |= own_tools.call_item(delta.item, entry.item["call_id"])
            item = {**entry.item, "status": "in_progress"}
            yield "response.output_item.added", {"item": item, "output_index": entry.index}
        elif entry.text is not None:
            text, entry.pieces = "".join(entry.pieces), []
            part = text_part(text, refusal=entry.text.refusal, cited=entry.text)
            key = "refusal" if entry.text.refusal else "text"
            more: Body = {} if entry.text.refusal else {"logprobs": []}
            for number, annotation in enumerate(part.get("annotations", ())):
                annotation_fields = {"annotation_index": number, "annotation": annotation}
                yield "response.output_text.annotation.added", {**entry.part, **annotation_fields}
            yield f"response.{_kind(entry.text)}.done", {**entry.part, **more, key: text}
            yield "response.content_part.done", {**entry.part, "part": part}
            entry.item["content"].append(part)
        else:
            name, key = entry.says
            if not entry.pieces and key == "arguments":
                yield from self._grow(entry, "{}")
            entry.item[key] = "".join(entry.pieces)
            yield f"response.{name}.done", {**entry.where, key: entry.item[key]}
        self._last = entry

    def _settle(self, status: str = "completed") -> Iterator[tuple[str, Body]]:
        """Say of the item that was closed last that it is done."""
        entry, self._last = self._last, None
        if entry is not None:
            entry.item["status"] = status
            yield "response.output_item.done", {"item": entry.item, "output_index": entry.index}


def _kind(text: Text) -> str:
    return "refusal" if text.refusal else "output_text"
