"""Writing Responses streams: content in pieces is repeated whole, for each part, each item and the response.

The last item is ended only when something follows it: a reply that was cut short marks its last item as incomplete.
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

_MEDIA_PLACE = -1
"""The place of a text that replaces media and that no delta has opened."""


@dataclass(slots=True)
class _OpenItem:
    """An open item of the output: ``item`` is its final form, ``pieces`` the text so far of its part or arguments."""

    index: int
    item: Body
    text: Text | None = None
    pieces: list[str] = field(default_factory=list)
    is_own_tool: bool = False  # a call of a tool that OpenAI defines: written whole

    @property
    def where(self) -> Body:
        return {"item_id": self.item["id"], "output_index": self.index}

    @property
    def part(self) -> Body:
        return {"content_index": len(self.item["content"]), "item_id": self.item["id"], "output_index": self.index}

    @property
    def argument_event(self) -> tuple[str, str]:
        """The name of its argument events, and the key of the whole arguments."""
        custom = self.item["type"] == "custom_tool_call"
        return ("custom_tool_call_input", "input") if custom else ("function_call_arguments", "arguments")


class StreamEncoder:
    """Encodes one stream as named events. ``whole_reply`` is the response once it is complete."""

    def __init__(self, target: Target) -> None:
        target.use_names(NAMES, [], [])
        declared = namespaces.client_declarations(target)
        target.own_tools, target.namespaces = own_tools.own_tool_names(declared), namespaces.places_by_name(declared)
        self.whole_reply: Body | None = None
        self._target = target
        self._reply = Reply("", [], "other")
        self._number = 0
        self._output: list[Body] = []
        self._open_items: dict[int, _OpenItem] = {}
        self._last_closed: _OpenItem | None = None  # closed, but its done event is not written yet
        self._undone_items: list[_OpenItem] = []  # closed items whose done events wait for items before them

    def encode_delta(self, delta: Delta, /) -> Iterator[tuple[str, Body]]:
        """The events of ``delta``."""
        for kind, body in self._encode_events(delta):
            yield kind, {"type": kind, **body, "sequence_number": self._number}
            self._number += 1

    def _encode_events(self, delta: Delta) -> Iterable[tuple[str, Body]]:
        if isinstance(delta, ItemPiece):
            return self._encode_piece(self._open_items[delta.place], delta.text)
        if isinstance(delta, ReplyStarted):
            self._reply = delta.reply
            reply = encode_body(self._reply, self._target, [], IN_PROGRESS)
            return [(kind, {"response": reply}) for kind in ("response.created", "response.in_progress")]
        if isinstance(delta, ItemOpened):
            if isinstance(delta.item, Text):
                return self._open_text(delta.place, delta.item)
            return self._open_call(delta.place, delta.item)
        if isinstance(delta, ItemClosed):
            return self._close_item(self._open_items.pop(delta.place), delta)
        if isinstance(delta, WholeItem):
            return self._encode_whole_item(delta.item)
        if isinstance(delta, ReplyEnded):
            return self._encode_end(delta.reply)
        error = encode_error_event(delta.failure)
        return [(error.pop("type"), error)]

    def _encode_whole_item(self, item: Item) -> Iterator[tuple[str, Body]]:
        if isinstance(item, Media):
            yield from self._open_text(_MEDIA_PLACE, Text(""))
            yield from self._encode_piece(
                self._open_items[_MEDIA_PLACE], placeholder(item, self._target.losses, NAME).text
            )
            yield from self._close_item(self._open_items.pop(_MEDIA_PLACE), ItemClosed(_MEDIA_PLACE, Text("")))
            return
        # The last closed item may still be the final one; but a following text is no longer its neighbour.
        if self._last_closed is not None:
            self._last_closed.text = None
        lose_item(item, self._target)

    def _encode_end(self, reply: Reply) -> Iterator[tuple[str, Body]]:
        refused = any(part.get("type") == "refusal" for item in self._output for part in item.get("content", ()))
        end = encode_finish(reply, self._target, refused=refused)
        yield from self._end_last_item("incomplete" if end["status"] == "incomplete" else "completed")
        self.whole_reply = encode_body(reply, self._target, self._output, end)
        yield f"response.{end['status']}", {"response": self.whole_reply}

    def _add_item(self, entry: _OpenItem) -> tuple[str, Body]:
        self._output.append(entry.item)
        empty: Body = {"content": []} if "content" in entry.item else {entry.argument_event[1]: ""}
        item = {**entry.item, "status": "in_progress", **empty}
        return "response.output_item.added", {"item": item, "output_index": entry.index}

    def _open_text(self, place: int, text: Text) -> Iterator[tuple[str, Body]]:
        """Open a text as a part of the last message if that is its neighbour, else of a new message."""
        entry = self._last_closed
        if entry is not None and entry.text is not None and not entry.text.refusal and not text.refusal:
            self._last_closed = None  # neighbours are parts of one message
        else:
            yield from self._end_last_item()
            index = len(self._output)
            entry = _OpenItem(index, message_item(self._reply.key, index, []))
            yield self._add_item(entry)
        entry.text, self._open_items[place] = text, entry
        yield "response.content_part.added", {**entry.part, "part": text_part("", refusal=text.refusal)}

    def _open_call(self, place: int, call: UniversalToolCall) -> Iterator[tuple[str, Body]]:
        yield from self._end_last_item()
        index = len(self._output)
        wire_id = self._target.assign_next_id(call, IDS) or call.id
        if call.name in self._target.own_tools:
            self._open_items[place] = _OpenItem(index, {"call_id": wire_id}, is_own_tool=True)
            self._output.append(self._open_items[place].item)
            return
        item = call_item(self._reply.key, index, encode_call(call, {call.id: wire_id}, self._target))
        entry = self._open_items[place] = _OpenItem(index, item)
        yield self._add_item(entry)

    def _encode_piece(self, entry: _OpenItem, piece: str) -> Iterable[tuple[str, Body]]:
        if entry.is_own_tool:
            return ()
        entry.pieces.append(piece)
        if entry.text is None:
            return [(f"response.{entry.argument_event[0]}.delta", {**entry.where, "delta": piece})]
        more: Body = {} if entry.text.refusal else {"logprobs": []}
        return [(f"response.{_event_kind(entry.text)}.delta", {**entry.part, "delta": piece, **more})]

    def _close_item(self, entry: _OpenItem, delta: ItemClosed) -> Iterator[tuple[str, Body]]:
        """Close an item: write what completes its text, its arguments, or a call of an API-defined tool."""
        self._target.lose_state(delta.item)
        yield from self._end_last_item(still_open=entry)
        if entry.is_own_tool and isinstance(delta.item, UniversalToolCall):
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
            yield f"response.{_event_kind(entry.text)}.done", {**entry.part, **more, key: text}
            yield "response.content_part.done", {**entry.part, "part": part}
            entry.item["content"].append(part)
        else:
            name, key = entry.argument_event
            if not entry.pieces and key == "arguments":
                yield from self._encode_piece(entry, "{}")
            entry.item[key] = "".join(entry.pieces)
            yield f"response.{name}.done", {**entry.where, key: entry.item[key]}
        self._last_closed = entry

    def _end_last_item(
        self, status: str = "completed", *, still_open: _OpenItem | None = None
    ) -> Iterator[tuple[str, Body]]:
        """Write the done event of the item that was closed last, after those of the items before it in the output.

        Clients such as Codex take the items in the order in which they are done.
        """
        entry, self._last_closed = self._last_closed, None
        if entry is not None:
            entry.item["status"] = status
            self._undone_items.append(entry)
        open_items = [*self._open_items.values(), *([still_open] if still_open is not None else [])]
        first_open = min((item.index for item in open_items), default=len(self._output))
        done = sorted((item for item in self._undone_items if item.index < first_open), key=lambda item: item.index)
        self._undone_items = [item for item in self._undone_items if item.index >= first_open]
        for item in done:
            yield "response.output_item.done", {"item": item.item, "output_index": item.index}


def _event_kind(text: Text) -> str:
    return "refusal" if text.refusal else "output_text"
