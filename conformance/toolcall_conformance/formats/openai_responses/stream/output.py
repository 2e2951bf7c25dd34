"""The items of a streamed reply: the item of each event, and the comparison with the final output."""

from __future__ import annotations

from typing import Any

from toolcall_conformance.basics.findings import MISSING, Words
from toolcall_conformance.basics.jsonvalue import is_json, join
from toolcall_conformance.basics.reading.assembled import StreamedCall
from toolcall_conformance.formats.expected_values import INDEX, TEXT, intended_json_text, json_fault, object_with_values
from toolcall_conformance.formats.openai_responses.conversation import is_hosted
from toolcall_conformance.formats.openai_responses.stream import items as _items
from toolcall_conformance.formats.openai_responses.stream.events import FRAGMENTED_TEXTS, IDENTITY_KEYS, PART_EVENTS
from toolcall_conformance.formats.openai_responses.stream.items import StreamItem
from toolcall_conformance.formats.stream_machine import Report, integer_fault, intended_integer

ITEM_ADDED, ITEM_DONE = "response.output_item.added", "response.output_item.done"

RULES = (
    "stream-item-added",
    "stream-item-announced",
    "stream-output-index",
    "stream-item-id",
    "stream-item-done",
    "stream-item-order",
    "stream-item-closed",
    "stream-final-output",
    "stream-output-place",
    "stream-arguments-json",
    *_items.RULES,
)


class Output:
    """The items of a streamed reply so far."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._items: list[StreamItem] = []
        self._items_by_index: dict[int, list[StreamItem]] = {}
        self._final_calls: list[StreamedCall] = []
        self._initial_count = 0
        self._furthest: StreamItem | None = None
        """Of the items that are done, and that no provider runs itself, the one with the highest index."""

    @property
    def item_bodies(self) -> list[dict[str, Any]]:
        """The items so far, in the order of their indexes."""
        return [item.body for item in self._ordered_items()]

    def streamed_calls(self, closed: bool) -> tuple[StreamedCall, ...]:
        """Return the calls that a client has to run; ``closed``: the reply ended in order, and so all calls did."""
        called = [item.streamed_call(closed) for item in self._ordered_items()]
        return (*(call for call in called if call is not None), *self._final_calls)

    def begin(self, response: dict[str, Any]) -> None:
        """Take response.created; items that its output has already keep their indexes."""
        output = response.get("output")
        self._initial_count = len(output) if isinstance(output, list) else 0

    def take(self, kind: str, data: dict[str, Any], pointer: str) -> None:
        """Take an event about an item; an event of an unknown type changes nothing."""
        data = self._convert_indexes(data, pointer)
        stem, _, last = kind.rpartition(".")
        if kind == "response.output_item.added":
            self._take_added(data, pointer)
        elif kind == "response.output_item.done":
            self._take_done(data, pointer)
        elif kind == "response.output_text.annotation.added":
            noted = self._concerned_item(data, pointer)
            if noted is not None:
                noted.add_annotation(data)
        elif stem in FRAGMENTED_TEXTS and last in ("delta", "done"):
            piece = FRAGMENTED_TEXTS[stem]
            item = self._concerned_item(data, pointer)
            if item is not None:
                index = data.get(piece.index_key) if piece.index_key else None
                take = item.add_fragment if last == "delta" else item.finish_text
                take(piece, index, data.get("delta" if last == "delta" else piece.key), pointer)
        elif stem in PART_EVENTS and last in ("added", "done"):
            item = self._concerned_item(data, pointer)
            part = data.get("part")
            if item is not None and isinstance(part, dict):
                list_key, index_key = PART_EVENTS[stem]
                take_part = item.open_part if last == "added" else item.close_part
                take_part(list_key, data.get(index_key), part, pointer)

    def _convert_indexes(self, data: dict[str, Any], pointer: str) -> dict[str, Any]:
        """Return an event with integer indexes; an index of the wrong type is reported, once per key."""
        for key in ("output_index", "content_index", "summary_index"):
            wrong = integer_fault(key, data[key]) if key in data else ""
            if wrong:
                rule = "stream-output-index" if key == "output_index" else "stream-part-index"
                number = intended_integer(data[key])
                want = INDEX if number is None else number
                self._report.add_once(rule, join(pointer, key), wrong, want=want, got=data[key])
                data = data | {key: number}
        return data

    def _take_added(self, data: dict[str, Any], pointer: str) -> None:
        """Add an item, and report an output_index that is missing or belongs to another item."""
        index: Any = data.get("output_index")
        item = data.get("item")
        if not _is_index(index):
            self._report_missing_index(data, pointer, len(self._items))
        elif earlier := self._items_by_index.get(index):
            message = f"the {earlier[0].subject} added at {earlier[0].pointer} has this output_index already"
            at, want = join(pointer, "output_index"), len(self._items)
            self._report.add("stream-output-index", at, message, want=want, got=index)
        elif isinstance(index, int) and index < self._initial_count:
            items = "one item" if self._initial_count == 1 else f"{self._initial_count} items"
            message = f"response.created has {items} already, one of them with this output_index"
            self._report.add(
                "stream-output-index", join(pointer, "output_index"), message, want=self._initial_count, got=index
            )
        if isinstance(item, dict) and not self._is_added_already(index, item):
            self._store_item(StreamItem(item, index if _is_index(index) else None, pointer, self._report))

    def _store_item(self, item: StreamItem) -> None:
        self._items.append(item)
        if item.index is not None:
            self._items_by_index.setdefault(item.index, []).append(item)

    def _is_added_already(self, index: Any, item: dict[str, Any]) -> bool:
        """Whether this item was added before and is still open."""
        earlier_item = self._known_item(index, item.get("id"))
        return earlier_item is not None and not earlier_item.closed and _is_same_item(earlier_item.body, item)

    def _take_done(self, data: dict[str, Any], pointer: str) -> None:
        """Close an item, and report one that was never added."""
        final_item = data.get("item")
        if not isinstance(final_item, dict):
            return
        index = data.get("output_index")
        item = self._known_item(index, final_item.get("id"))
        if not _is_index(index):
            self._report_missing_index(data, pointer, self._expected_index(item))
        if item is None:
            message = "the item is done and was never added"
            self._report.add_once(
                "stream-item-announced",
                pointer,
                message,
                want=Words(ITEM_ADDED),
                got=Words("response.output_item.done"),
            )
            item = StreamItem.from_whole(final_item, index if _is_index(index) else None, pointer, self._report)
            self._store_item(item)
            self._check_order(item, pointer)
            return
        if not item.closed:
            self._check_order(item, pointer)
        item.close(final_item, pointer)

    def _check_order(self, item: StreamItem, pointer: str) -> None:
        """Report an item that is done after one with a higher index.

        Steps that the provider runs may be parallel, and are done in any order.
        """
        if item.index is None or is_hosted(item.kind, item.body):
            return
        furthest = self._furthest
        if furthest is None or furthest.index is None or item.index > furthest.index:
            self._furthest = item
        elif item.index < furthest.index:
            message = f"the {furthest.subject} at output_index {furthest.index} is done already"
            want, got = Words(f"before the item at {furthest.index}"), Words("after it")
            self._report.add_once("stream-item-order", pointer, message, want=want, got=got, subject=item.subject)

    def _concerned_item(self, data: dict[str, Any], pointer: str) -> StreamItem | None:
        """Return the item of an event, and report a wrong index or id; None if there is no such item."""
        index, item_id = data.get("output_index"), data.get("item_id")
        item = self._known_item(index, item_id)
        if not _is_index(index) and self._may_concern_item(item, data):
            self._report_missing_index(data, pointer, self._expected_index(item))
        if item is None:
            self._report_stray(data, pointer)
        elif "item_id" not in data:
            want = item.body.get("id") or TEXT
            self._report.add_once("stream-item-id", pointer, "item_id is missing", want=want, got=MISSING)
        elif item_id != item.body.get("id"):
            want = item.body.get("id") or Words("the id of the item, which has none")
            at = join(pointer, "item_id")
            self._report.add_once("stream-item-id", at, want=want, got=item_id, subject=item.subject)
        return item

    def _may_concern_item(self, item: StreamItem | None, data: dict[str, Any]) -> bool:
        """Whether an event without an index may concern an item: ``item``, or an open one of the right type."""
        stem = str(data.get("type")).rpartition(".")[0]
        piece = FRAGMENTED_TEXTS.get(stem)
        open_items = (other for other in self._items if not other.closed)
        return item is not None or any(piece is None or other.kind in piece.items for other in open_items)

    def _report_stray(self, data: dict[str, Any], pointer: str) -> None:
        """Report an event of an item that was not added. Without an index no item would fit: the event has to go."""
        index = data.get("output_index")
        named = f"item_id {data.get('item_id')!r}" if index is None else f"output_index {index!r}"
        message = f"no item of {named} was added: {ITEM_ADDED} must be first, or this event must be left out"
        want = Words(ITEM_ADDED) if _is_index(index) or self._may_concern_item(None, data) else MISSING
        self._report.add_once("stream-item-added", pointer, message, want=want, got=data.get("type", MISSING))

    def _report_missing_index(self, data: dict[str, Any], pointer: str, want: Any) -> None:
        message = "output_index must be there, a whole number from 0 on"
        self._report.add_once("stream-output-index", pointer, message, want=want, got=data.get("output_index", MISSING))

    def _expected_index(self, item: StreamItem | None) -> Any:
        """Return the expected output_index of an event about ``item``, or about the first open item."""
        item = item or next((other for other in self._items if not other.closed), None)
        return INDEX if item is None or item.index is None else item.index

    def _known_item(self, index: Any, item_id: Any) -> StreamItem | None:
        """Return the item of an output_index, as the SDK does; by id if the index is missing or not unique."""
        placed = self._items_by_index.get(index, []) if _is_index(index) else []
        candidates = placed if _is_index(index) else self._items
        named = (item for item in reversed(candidates) if item_id is not None and item.body.get("id") == item_id)
        return next(named, placed[-1] if placed else None)

    def close(self, output: list[Any] | None, pointer: str) -> None:
        """Compare the final output with the streamed items; ids match them, not their places."""
        left = [
            (number, output_item) for number, output_item in enumerate(output or []) if isinstance(output_item, dict)
        ]
        for rank, item in enumerate(self._ordered_items()):
            match = next((entry for entry in left if _is_same_item(item.body, entry[1])), None)
            if match is None:
                if not item.closed:
                    message = "the reply ends, and this item was neither done nor is it in the reply"
                    got = MISSING
                    self._report.add_once(
                        "stream-item-done", pointer, message, want=Words(ITEM_DONE), got=got, subject=item.subject
                    )
                elif output is not None:
                    where = join(pointer, "output")
                    message = "the final output must have this item, which was streamed"
                    want, got = object_with_values(**_identity_members(item.body)), MISSING
                    self._report.add_once(
                        "stream-final-output", where, message, want=want, got=got, subject=item.subject
                    )
                continue
            left.remove(match)
            where = join(pointer, "output", match[0])
            if not item.closed:
                self._report.add_once(
                    "stream-item-closed", where, want=Words(ITEM_DONE), got=MISSING, subject=item.subject
                )
            if match[0] != rank or (item.index is not None and item.index != rank):
                place, other = Words(f"at place {item.index}"), Words(f"at place {match[0]}")
                self._report.add_once("stream-output-place", where, want=place, got=other, subject=item.subject)
            item.compare_final(match[1], where)
        for number, output_item in left:
            where = join(pointer, "output", number)
            message = "the reply has an item that was never added"
            self._report.add_once("stream-item-announced", where, message, want=Words(ITEM_ADDED), got=MISSING)
            call = StreamItem.from_whole(output_item, None, where, self._report).streamed_call(True)
            if call is not None:
                self._final_calls.append(call)

    def check_arguments(self) -> None:
        """Report calls of a completed reply whose arguments are no JSON."""
        for item in self._ordered_items():
            text = item.body.get("arguments")
            if item.kind != "function_call" or not isinstance(text, str) or item.body.get("status") == "incomplete":
                continue
            if not is_json(text):
                message, want = json_fault(text, "the joined fragments must be JSON"), intended_json_text(text)
                if not text.strip():
                    message, want = "a call without arguments must have {}", Words("{}")
                self._report.part_report(item.pointer).add(
                    "stream-arguments-json", item.pointer, message, want=want, got=text, subject=item.subject
                )

    def _ordered_items(self) -> list[StreamItem]:
        return sorted(self._items, key=lambda item: len(self._items) if item.index is None else item.index)


def _is_same_item(item: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether two objects are states of one item, by their type and ids; some servers leave ids out."""
    if item.get("type") != other.get("type"):
        return False
    keys = [key for key in ("call_id", "id") if item.get(key) is not None and other.get(key) is not None]
    return any(item[key] == other[key] for key in keys) if keys else True


def _identity_members(item: dict[str, Any]) -> dict[str, Any]:
    """Return the members that identify an item."""
    return {key: item[key] for key in IDENTITY_KEYS if key in item}


def _is_index(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
