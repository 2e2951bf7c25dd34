"""One item of a streamed reply, from ``output_item.added`` to ``output_item.done``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from toolcall_conformance.basics.findings import MISSING, NOT_KNOWN, Words
from toolcall_conformance.basics.jsonvalue import append_text, deep_copy, equal, join, join_text
from toolcall_conformance.basics.reading.assembled import StreamedCall
from toolcall_conformance.formats.openai_responses.conversation import BUILTIN_CALL_KEYS, is_hosted, item_type
from toolcall_conformance.formats.openai_responses.stream.events import (
    CALL_TYPES,
    FRAGMENTED_TEXTS,
    IDENTITY_KEYS,
    PART_EVENTS,
    FragmentedText,
    StreamedText,
    TextPlace,
    fragmented_texts,
    place_label,
)
from toolcall_conformance.formats.openai_responses.stream.restatements import (
    Restatement,
    annotation_changes,
    beginning_changes,
    item_changes,
    part_changes,
)
from toolcall_conformance.formats.stream_machine import Report, missing_if_null

RULES = (
    "stream-delta-kind",
    "stream-part-added",
    "stream-summary-part",
    "stream-part-index",
    "stream-fragments",
    "stream-wholes-agree",
    "stream-after-done",
    "stream-done-again",
    "stream-done-events",
    "stream-identity",
    "stream-item-restated",
)


_SAME_TEXT: Final = Words("the same text in all events")
"""The expected value if events differ and it is unknown which is right: fragments may belong to another item."""


class StreamItem:
    """An item so far. ``index`` is its output_index, or None."""

    def __init__(self, item: dict[str, Any], index: int | None, pointer: str, report: Report) -> None:
        self.body: dict[str, Any] = deep_copy(item)
        self.index = index
        self.pointer = pointer
        self.closed = False
        self._places = [pointer]
        self._report = report.part_report(pointer)
        self._texts: dict[TextPlace, StreamedText] = {}
        self._parts: dict[TextPlace, bool] = {}  # whether the part was closed
        self._annotations: list[tuple[Any, Any, Any]] = []  # part, number and content of each annotation
        for place, text in fragmented_texts(item):
            # The fragments of an item continue the text that it began with.
            if text:
                self._streamed_text(place).fragments.append(text)

    @classmethod
    def from_whole(cls, item: dict[str, Any], index: int | None, pointer: str, report: Report) -> StreamItem:
        """Make an item that came complete, without events before."""
        output_item = cls({}, index, pointer, report)
        output_item.body, output_item.closed = deep_copy(item), True
        for place, text in fragmented_texts(item):
            output_item._streamed_text(place).text = text
        return output_item

    @property
    def kind(self) -> str:
        return item_type(self.body)

    @property
    def subject(self) -> str:
        named = self.body.get("name")
        return f"{self.kind} {named or 'without a name'}" if isinstance(named, str) else self.kind

    def open_part(self, list_key: str, index: Any, part: Any, pointer: str) -> None:
        """Take an added part. The official SDK appends it, whatever its index."""
        if not self._check_open(pointer) or not _is_index(index):
            return
        entries = self._part_list(list_key)
        if index != len(entries):
            before = "one part precedes" if len(entries) == 1 else f"{len(entries)} parts precede"
            message = f"the part has the index {index}, and {before} it"
            self._report_once("stream-part-index", pointer, message, len(entries), index)
        self._store_part(list_key, index, part)
        self._parts[list_key, index] = False
        text = next((part[key] for key in ("text", "refusal") if isinstance(part.get(key), str)), "")
        if text:
            self._streamed_text((list_key, index)).fragments.append(text)

    def close_part(self, list_key: str, index: Any, part: Any, pointer: str) -> None:
        """Take a done part, and compare its text with the fragments."""
        if not self._check_open(pointer) or not _is_index(index):
            return
        place = (list_key, index)
        if place not in self._parts:
            self._report_unopened_part(list_key, pointer)
        elif self._parts[place]:
            entries = self._part_list(list_key)
            alike = index < len(entries) and equal(entries[index], part)
            event_type = next(f"{stem}.done" for stem, (key, _) in PART_EVENTS.items() if key == list_key)
            self._report_repeated_done(pointer, "the part is done twice", event_type, alike=alike)
        self._parts[place] = True
        for key, value in part.items():
            if key in ("text", "refusal") and isinstance(value, str):
                self._check_whole_text(place, value, join(pointer, "part", key))
        self._store_part(list_key, index, part)

    def add_annotation(self, data: dict[str, Any]) -> None:
        """Take an annotation, which has to be in its part when that is done."""
        self._annotations.append((data.get("content_index"), data.get("annotation_index"), data.get("annotation")))

    def add_fragment(self, piece: FragmentedText, index: Any, text: Any, pointer: str) -> None:
        """Take a fragment; it counts even after the whole text."""
        if not self._check_open(pointer):
            return
        place = self._text_place(piece, index, pointer)
        if place is None or not isinstance(text, str):
            return
        streamed_text = self._streamed_text(place)
        if streamed_text.done:
            self._report_once("stream-after-done", pointer, "a fragment follows the whole text", MISSING, text)
        streamed_text.fragments.append(text)
        holder, key = self._text_holder(place, piece)
        so_far = holder.get(key)
        holder[key] = append_text(so_far if isinstance(so_far, str) else "", text)

    def finish_text(self, piece: FragmentedText, index: Any, text: Any, pointer: str) -> None:
        """Take the whole text."""
        if not self._check_open(pointer):
            return
        place = self._text_place(piece, index, pointer)
        if place is None or not isinstance(text, str):
            return
        streamed_text = self._streamed_text(place)
        if streamed_text.done:
            # Clients run arguments when they are done; a repeated text only shows the same again.
            alike = piece.list_key is not None and text == streamed_text.text
            event_type = next(f"{stem}.done" for stem, each in FRAGMENTED_TEXTS.items() if each is piece)
            self._report_repeated_done(pointer, "the text is done twice", event_type, alike=alike)
        streamed_text.done = True
        self._check_whole_text(place, text, join(pointer, piece.key), silent=piece.may_be_whole)
        holder, key = self._text_holder(place, piece)
        holder[key] = text

    def _report_repeated_done(self, pointer: str, message: str, event_type: str, *, alike: bool) -> None:
        """Report a second done event: with the same content (``alike``), or with another."""
        self._report_once("stream-done-again" if alike else "stream-after-done", pointer, message, MISSING, event_type)

    def close(self, item: dict[str, Any], pointer: str) -> None:
        """Take output_item.done with the whole item."""
        if self.closed:
            self._report_once("stream-after-done", pointer, "the item is done twice", MISSING, self.kind)
        self.closed = True
        self.compare(item, join(pointer, "item"))
        self._report_restatement(beginning_changes(self.body, item, join(pointer, "item")))
        self._report_restatement(self._part_changes(item, join(pointer, "item")))
        self._report_restatement(annotation_changes(self._annotations, item, join(pointer, "item")))
        for place, text in self._texts.items():
            if text.fragments and any(text.fragments) and not text.done and place[0] != "summary":
                message, want = (
                    f"{place_label(place)} was sent in fragments and never as done",
                    self._done_events(place),
                )
                self._report_once("stream-done-events", pointer, message, want, MISSING)
        for place, closed in self._parts.items():
            if not closed:
                message = f"{place_label(place)} was added and never done"
                stems = [stem for stem, (list_key, _) in PART_EVENTS.items() if list_key == place[0]]
                want = Words(" or ".join(f"{stem}.done" for stem in stems))
                self._report_once("stream-done-events", pointer, message, want, MISSING)
        self.body = deep_copy(item)

    def _done_events(self, place: TextPlace) -> Any:
        """Return the events that may have the whole text."""
        pieces = ((stem, piece) for stem, piece in FRAGMENTED_TEXTS.items() if self.kind in piece.items)
        fitting_stems = (stem for stem, piece in pieces if (piece.list_key or piece.key) == place[0])
        return Words(" or ".join(f"{stem}.done" for stem in fitting_stems))

    def compare(self, item: dict[str, Any], pointer: str) -> None:
        """Compare a later state of the item with the state so far."""
        self._places.append(pointer)
        for key in IDENTITY_KEYS:
            before, after = self.body.get(key), item.get(key)
            if before != after and (before is not None or self._is_late_member(key)):
                place = join(pointer, key) if key in item else pointer
                want = Words(f"the {key} from the beginning") if before is None else before
                self._report_once("stream-identity", place, f"the {key} of an item changes", want, after)
        for (key, index), whole in fragmented_texts(item):
            where = join(pointer, key) if index < 0 else join(pointer, key, index)
            silent = key != "content" or self.kind != "message"
            self._check_whole_text((key, index), whole, where, silent=silent)

    def _is_late_member(self, key: str) -> bool:
        """Whether a member that the item began without was due then; for tool calls a rule of their own reports it.

        The official SDK compares the call_id of every item that has one, and raises.
        """
        return key == "call_id" and self.kind not in CALL_TYPES

    def compare_final(self, item: dict[str, Any], pointer: str) -> None:
        """Compare the item in the final reply with its state when it was done."""
        self.compare(item, pointer)
        if self.closed:
            self._report_restatement(item_changes(self.body, item, pointer))

    def _part_changes(self, item: dict[str, Any], pointer: str) -> Iterator[Restatement]:
        """Yield what a done item restates of its parts otherwise than when they were done."""
        for (key, index), closed in self._parts.items():
            before, after = self.body.get(key), item.get(key)
            if closed and isinstance(before, list) and isinstance(after, list) and index < min(len(before), len(after)):
                yield from part_changes(before[index], after[index], join(pointer, key, index))

    def _report_restatement(self, changes: Iterator[Restatement]) -> None:
        change = next(changes, None)
        if change is not None:
            want = Words(f"as before: {change.want}") if isinstance(change.want, str) else change.want
            self._report_once("stream-item-restated", change.pointer, "", want, change.got)

    def streamed_call(self, closed: bool) -> StreamedCall | None:
        """Return the item as a call; None if no client has to run it."""
        if is_hosted(self.kind, self.body):
            return None
        if self.kind in BUILTIN_CALL_KEYS:
            name: Any = self.kind.removesuffix("_call")
            streamed_text = StreamedText()
        elif self.kind in CALL_TYPES:
            name = self.body.get("name")
            streamed_text = self._texts.get(
                ("arguments" if self.kind == "function_call" else "input", -1), StreamedText()
            )
        else:
            return None
        call_id = self.body.get("call_id")
        return StreamedCall(
            self.pointer,
            call_id if isinstance(call_id, str) else None,
            name if isinstance(name, str) else None,
            tuple(streamed_text.fragments),
            streamed_text.text,
            self.closed or closed,
            tuple(self._places),
        )

    def _text_place(self, piece: FragmentedText, index: Any, pointer: str) -> TextPlace | None:
        """Return the place of a text, or None if the item cannot have such a text."""
        if self.kind not in piece.items:
            message = f"a {self.kind or 'thing without a type'} has no such text"
            self._report_once("stream-delta-kind", pointer, message, Words(" or ".join(sorted(piece.items))), self.kind)
            return None
        if piece.list_key is None:
            return (piece.key, -1)
        if not _is_index(index):
            message = f"{piece.index_key} must be there, a whole number from 0 on"
            want = max(0, len(self._part_list(piece.list_key)) - 1)
            self._report_once("stream-part-index", pointer, message, want, index)
            return None
        entries = self.body.get(piece.list_key)
        if not isinstance(entries, list) or not 0 <= index < len(entries):
            self._report_unopened_part(piece.list_key, pointer)
        elif isinstance(entries[index], dict) and entries[index].get("type") not in (piece.part, None):
            kind = entries[index].get("type")
            self._report_once("stream-delta-kind", pointer, f"the part is a {kind}", Words(piece.part), kind)
            return None
        return (piece.list_key, index)

    def _report_unopened_part(self, list_key: str, pointer: str) -> None:
        """Report a part that was not added: the SDK stores the parts of messages, and raises for an unknown one."""
        if list_key == "summary" or self.kind == "message":
            stem = "reasoning_summary_part" if list_key == "summary" else "content_part"
            message = "the part of this event was not added before"
            want, is_content = Words(f"response.{stem}.added"), self.kind == "message"
            self._report_once(
                "stream-part-added" if is_content else "stream-summary-part", pointer, message, want, MISSING
            )

    def _check_open(self, pointer: str) -> bool:
        """Return whether the item is open; report an event after its end, which does not change it any more."""
        self._places.append(pointer)
        if self.closed:
            self._report_once("stream-after-done", pointer, "the item is done already", MISSING, self.kind)
        return not self.closed

    def _check_whole_text(self, place: TextPlace, text: str, pointer: str, *, silent: bool = True) -> None:
        streamed_text = self._streamed_text(place)
        whole = join_text(streamed_text.fragments)
        if streamed_text.text is None:
            streamed_text.text = text
            if whole != text and (streamed_text.fragments or not silent):
                self._report_once("stream-fragments", pointer, "", _SAME_TEXT, text)
        elif streamed_text.text != text:
            self._report_once("stream-wholes-agree", pointer, "", streamed_text.text or _SAME_TEXT, text)

    def _streamed_text(self, place: TextPlace) -> StreamedText:
        return self._texts.setdefault(place, StreamedText())

    def _part_list(self, list_key: str) -> list[Any]:
        entries = self.body.get(list_key)
        if not isinstance(entries, list):
            entries = self.body[list_key] = []
        return entries

    def _store_part(self, list_key: str, index: int, part: Any) -> None:
        """Store a part at its index; one past the end is appended."""
        entries = self._part_list(list_key)
        if 0 <= index < len(entries):
            entries[index] = deep_copy(part)
        else:
            entries.append(deep_copy(part))

    def _text_holder(self, place: TextPlace, piece: FragmentedText) -> tuple[dict[str, Any], str]:
        """Return the object with the text, created if it is absent, and the text's key."""
        if piece.list_key is None:
            return self.body, piece.key
        entries = self._part_list(piece.list_key)
        index = place[1] if 0 <= place[1] < len(entries) else len(entries)
        if index == len(entries):
            entries.append({"type": piece.part, piece.key: ""})
        if not isinstance(entries[index], dict):
            entries[index] = {"type": piece.part}
        entry: dict[str, Any] = entries[index]
        return entry, piece.key

    def _report_once(
        self, slug: str, pointer: str, message: str = "", want: Any = NOT_KNOWN, got: Any = NOT_KNOWN
    ) -> None:
        """Report one finding per rule and item: a fault of one fragment is mostly in all."""
        self._report.add_once(
            slug, pointer, message, want=missing_if_null(want), got=missing_if_null(got), subject=self.subject
        )


def _is_index(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
