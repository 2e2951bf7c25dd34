"""The state machine of a stream: before ``response.created``, in the reply, ended, failed.

==========  ====================  ====================  =====================  ================
in          ``response.created``  other events          completed, incomplete  failed, error
==========  ====================  ====================  =====================  ================
``BEFORE``  ``OPEN``              ``OPEN``: too early   ``ENDED``: too early   ``FAILED``
``OPEN``    ``OPEN``              ``OPEN``              ``ENDED``              ``FAILED``
``ENDED``   after the end         after the end         after the end          after the end
``FAILED``  after the end         after the end         after the end          ``FAILED``
==========  ====================  ====================  =====================  ================

Where a stream breaks a rule, reading goes on as the official SDK's accumulator does; where that raises, as clients do
that only put fragments together.
https://github.com/openai/openai-python/blob/main/src/openai/lib/streaming/responses/_responses.py
"""

from __future__ import annotations

from enum import Enum
from typing import Any, Literal

from toolcall_conformance.formats.openai_responses.stream import items as _items
from toolcall_conformance.formats.openai_responses.stream.events import BEGINNING, PARTS, PIECES, TERMINAL, UNDER_WAY
from toolcall_conformance.formats.openai_responses.stream.items import Item
from toolcall_conformance.jsonvalue import JSONError, copied, join, parse
from toolcall_conformance.reading.assembled import Assembled, StreamedCall
from toolcall_conformance.rules.registry import Breach

RULES = (
    "openai_responses/stream-text",
    "openai_responses/stream-last-event",
    "openai_responses/stream-data",
    "openai_responses/stream-event-name",
    "openai_responses/stream-sequence",
    "openai_responses/stream-created",
    "openai_responses/stream-same-response",
    "openai_responses/stream-status",
    "openai_responses/stream-item-added",
    "openai_responses/stream-item-announced",
    "openai_responses/stream-output-index",
    "openai_responses/stream-item-id",
    "openai_responses/stream-item-done",
    "openai_responses/stream-item-closed",
    "openai_responses/stream-final-output",
    "openai_responses/stream-output-place",
    "openai_responses/stream-arguments-json",
    "openai_responses/stream-unfinished",
    "openai_responses/stream-after-end",
    "openai_responses/stream-no-marker",
    *_items.RULES,
)
"""The rules that a stream may be found to break here; shapes of single events are the schema's."""


class State(Enum):
    BEFORE = "before"
    OPEN = "open"
    ENDED = "ended"
    FAILED = "failed"


def assemble(stream: Any) -> Assembled:
    """Put a stream together; ``streaming.parse`` makes one of bytes. Never raises."""
    return _Machine().run(stream)


class _Machine:
    def __init__(self) -> None:
        self._state = State.BEFORE
        self._breaches: list[tuple[str, Breach]] = []
        self._told: set[str] = set()
        self._response: dict[str, Any] | None = None
        self._items: list[Item] = []
        self._final: dict[str, Any] | None = None
        self._final_calls: list[StreamedCall] = []
        self._error: Any = None
        self._sequence: int | None = None

    def run(self, stream: Any) -> Assembled:
        events = stream.get("events") if isinstance(stream, dict) else None
        for number, event in enumerate(events if isinstance(events, list) else []):
            if isinstance(event, dict):
                self._event(event, join("/events", number))
        if isinstance(stream, dict):
            self._framing(stream)
        if self._state in (State.BEFORE, State.OPEN):
            self._complain("stream-unfinished", Breach("/events" if isinstance(events, list) else ""))
        called = [item.call(self._state is State.ENDED) for item in self._ordered()]
        return Assembled(
            body=self._body(),
            end=self._how_it_ended(),
            calls=(*(call for call in called if call is not None), *self._final_calls),
            error=self._error,
            breaches=tuple(self._breaches),
        )

    def _event(self, event: dict[str, Any], pointer: str) -> None:
        data = event.get("data")
        place = join(pointer, "data") if "data" in event else pointer
        if isinstance(data, str) and data.startswith("[DONE]"):
            self._once("stream-no-marker", Breach(place))
            return
        if not isinstance(data, dict):
            self._complain("stream-data", Breach(place))
            return
        kind = data["type"] if isinstance(data.get("type"), str) else ""
        if event.get("event") != kind:
            where = join(pointer, "event") if "event" in event else pointer
            self._once("stream-event-name", Breach(where, want=kind, got=event.get("event", "")))
        self._number(data, place)
        # An error of another form says so by its key alone, and SDKs raise at it.
        failing = kind == "error" or (bool(data.get("error")) and not kind.startswith("response."))
        if self._state in (State.ENDED, State.FAILED):
            self._after_the_end(kind, failing, data, place)
        elif failing:
            self._state = State.FAILED
            self._take_error(data)
        elif kind in TERMINAL:
            self._terminal(kind, data, place)
        elif kind in UNDER_WAY:
            self._under_way(kind, data, place)
        else:
            self._about_items(kind, data, place)

    def _number(self, data: dict[str, Any], pointer: str) -> None:
        number = data.get("sequence_number")
        if not isinstance(number, int) or isinstance(number, bool):
            self._once("stream-sequence", Breach(pointer, "the event has no sequence_number"))
            return
        if self._sequence is not None and number <= self._sequence:
            message = f"the number {number} comes after {self._sequence}"
            self._once("stream-sequence", Breach(join(pointer, "sequence_number"), message, got=number))
        self._sequence = number

    def _after_the_end(self, kind: str, failing: bool, data: dict[str, Any], pointer: str) -> None:
        if self._state is State.FAILED and (failing or kind == "response.failed"):
            # An error event and response.failed may both tell of one failure.
            self._take_error(data)
        elif failing or kind.startswith("response."):
            self._once("stream-after-end", Breach(pointer))

    def _take_error(self, data: dict[str, Any]) -> None:
        if isinstance(data.get("response"), dict):
            said = data["response"].get("error")
        elif data.get("error"):
            said = data["error"]
        else:
            said = {key: value for key, value in data.items() if key not in ("type", "sequence_number")}
        if self._error is None and said is not None:
            self._error = {"error": said}

    def _under_way(self, kind: str, data: dict[str, Any], pointer: str) -> None:
        if kind != BEGINNING:
            self._begun(pointer)
        self._state = State.OPEN
        response = data.get("response")
        if not isinstance(response, dict):
            return
        place = join(pointer, "response")
        self._same_response(response, place)
        if response.get("status") in ("completed", "failed", "incomplete", "cancelled"):
            self._once("stream-status", Breach(join(place, "status"), want="in_progress", got=response["status"]))
        if self._response is None:
            self._response = copied(response)

    def _begun(self, pointer: str) -> None:
        """The official SDK raises at any event before response.created."""
        if self._state is State.BEFORE:
            self._once("stream-created", Breach(pointer))
            self._state = State.OPEN

    def _same_response(self, response: dict[str, Any], pointer: str) -> None:
        known = self._response.get("id") if self._response is not None else None
        if known is not None and response.get("id") != known:
            where = join(pointer, "id") if "id" in response else pointer
            self._once("stream-same-response", Breach(where, want=known, got=response.get("id", "")))

    def _about_items(self, kind: str, data: dict[str, Any], pointer: str) -> None:
        stem, _, last = kind.rpartition(".")
        if not kind.startswith("response."):
            return  # a keep-alive, or something new
        self._begun(pointer)
        if kind == "response.output_item.added":
            self._added(data, pointer)
        elif kind == "response.output_item.done":
            self._done(data, pointer)
        elif stem in PIECES and last in ("delta", "done"):
            piece = PIECES[stem]
            item = self._concerned(data, pointer)
            if item is not None:
                index = data.get(piece.index_key) if piece.index_key else None
                take = item.fragment if last == "delta" else item.done
                take(piece, index, data.get("delta" if last == "delta" else piece.key), pointer)
        elif stem in PARTS and last in ("added", "done"):
            item = self._concerned(data, pointer)
            part = data.get("part")
            if item is not None and isinstance(part, dict):
                list_key, index_key = PARTS[stem]
                take_part = item.open_part if last == "added" else item.close_part
                take_part(list_key, data.get(index_key), part, pointer)

    def _added(self, data: dict[str, Any], pointer: str) -> None:
        index, item = data.get("output_index"), data.get("item")
        if not _is_index(index):
            self._once("stream-output-index", Breach(pointer, "output_index is missing, or no number"))
        elif any(known.index == index for known in self._items):
            message = f"an item with the output_index {index} was added before"
            self._complain("stream-output-index", Breach(join(pointer, "output_index"), message, got=index))
        if isinstance(item, dict) and not self._is_open(index, item):
            self._items.append(Item(item, index if _is_index(index) else None, pointer, self._complain_of))

    def _is_open(self, index: Any, item: dict[str, Any]) -> bool:
        """Whether this very item was added before; then it is not another one."""
        known = self._known(index, item.get("id"))
        return known is not None and not known.closed and _same(known.said, item)

    def _done(self, data: dict[str, Any], pointer: str) -> None:
        said = data.get("item")
        if not isinstance(said, dict):
            return
        index = data.get("output_index")
        if not _is_index(index):
            self._once("stream-output-index", Breach(pointer, "output_index is missing, or no number"))
        item = self._known(index, said.get("id"))
        if item is None:
            self._once("stream-item-announced", Breach(pointer, "the item is done and was never added"))
            self._items.append(Item.whole(said, index if _is_index(index) else None, pointer, self._complain_of))
            return
        item.close(said, pointer)

    def _concerned(self, data: dict[str, Any], pointer: str) -> Item | None:
        """The item that an event is about."""
        index, item_id = data.get("output_index"), data.get("item_id")
        item = self._known(index, item_id)
        if not _is_index(index):
            self._once("stream-output-index", Breach(pointer, "output_index is missing, or no number"))
        if item is None:
            self._once("stream-item-added", Breach(pointer))
        elif "item_id" not in data:
            self._once("stream-item-id", Breach(pointer, "item_id is missing"))
        elif item_id != item.said.get("id"):
            breach = Breach(join(pointer, "item_id"), want=item.said.get("id"), got=item_id, subject=item.subject)
            self._once("stream-item-id", breach)
        return item

    def _known(self, index: Any, item_id: Any) -> Item | None:
        """By the output_index, as the SDK does it; by the id where that is missing, or has been given twice."""
        placed = [item for item in self._items if item.index is not None and item.index == index]
        found = placed if _is_index(index) else self._items
        named = [item for item in found if item_id is not None and item.said.get("id") == item_id]
        return named[-1] if named else placed[-1] if placed else None

    def _terminal(self, kind: str, data: dict[str, Any], pointer: str) -> None:
        self._begun(pointer)
        self._state = State.FAILED if kind == "response.failed" else State.ENDED
        response = data.get("response")
        if self._state is State.FAILED:
            self._take_error(data)
        if not isinstance(response, dict):
            self._close_items(None, pointer)
            return
        place = join(pointer, "response")
        self._same_response(response, place)
        self._final = copied(response)
        if response.get("status") != TERMINAL[kind]:
            where = join(place, "status") if "status" in response else place
            self._once("stream-status", Breach(where, want=TERMINAL[kind], got=response.get("status", "")))
        if self._state is State.ENDED:
            output = response.get("output")
            self._close_items(output if isinstance(output, list) else None, place)
        if kind == "response.completed":
            self._check_arguments()

    def _close_items(self, output: list[Any] | None, pointer: str) -> None:
        """Hold the output of the reply against the items that came, each found by what it is, not by its place."""
        left = [(number, said) for number, said in enumerate(output or []) if isinstance(said, dict)]
        for rank, item in enumerate(self._ordered()):
            found = next((entry for entry in left if _same(item.said, entry[1])), None)
            if found is None:
                if not item.closed:
                    self._once("stream-item-done", Breach(pointer, subject=item.subject))
                elif output is not None:
                    where = join(pointer, "output")
                    self._once("stream-final-output", Breach(where, subject=item.subject))
                continue
            left.remove(found)
            where = join(pointer, "output", found[0])
            if not item.closed:
                self._once("stream-item-closed", Breach(where, subject=item.subject))
            if found[0] != rank or (item.index is not None and item.index != rank):
                self._once("stream-output-place", Breach(where, want=item.index, got=found[0], subject=item.subject))
            item.compare(found[1], where)
        for number, said in left:
            where = join(pointer, "output", number)
            self._once("stream-item-announced", Breach(where, "the reply has an item that was never added"))
            call = Item.whole(said, None, where, self._complain_of).call(True)
            if call is not None:
                self._final_calls.append(call)

    def _check_arguments(self) -> None:
        for item in self._ordered():
            text = item.said.get("arguments")
            if item.kind != "function_call" or not isinstance(text, str) or item.said.get("status") == "incomplete":
                continue
            try:
                parse(text)
            except JSONError:
                message = "a call without arguments has {}" if not text.strip() else "the arguments are no JSON"
                breach = Breach(item.pointer, message, got=text, subject=item.subject)
                self._complain("stream-arguments-json", breach)

    def _framing(self, stream: dict[str, Any]) -> None:
        if stream.get("broken"):
            self._complain("stream-text", Breach("/broken", str(stream["broken"])))
        rest = stream.get("rest")
        if isinstance(rest, str) and any(line and not line.startswith(":") for line in rest.split("\n")):
            self._complain("stream-last-event", Breach("/rest", got=rest))

    def _ordered(self) -> list[Item]:
        return sorted(self._items, key=lambda item: len(self._items) if item.index is None else item.index)

    def _body(self) -> dict[str, Any] | None:
        """The reply that the stream ended with, else the one that it began with and what has come of its items."""
        streamed = [item.said for item in self._ordered()]
        if self._final is not None:
            # Some servers leave the output out here, or empty; what was streamed is the reply all the same.
            return self._final if self._final.get("output") else self._final | {"output": streamed}
        if self._response is None and not streamed:
            return None
        return (self._response or {"object": "response"}) | {"output": streamed}

    def _how_it_ended(self) -> Literal["whole", "failed", "open"]:
        if self._state is State.FAILED:
            return "failed"
        return "whole" if self._state is State.ENDED else "open"

    def _once(self, slug: str, breach: Breach) -> None:
        """For what a translator does in every event, if it does it: told of the first."""
        if slug not in self._told:
            self._told.add(slug)
            self._complain(slug, breach)

    def _complain(self, slug: str, breach: Breach) -> None:
        self._complain_of(f"openai_responses/{slug}", breach)

    def _complain_of(self, rule_id: str, breach: Breach) -> None:
        self._breaches.append((rule_id, breach))


def _same(item: dict[str, Any], other: dict[str, Any]) -> bool:
    """One item told twice: the ids say so, of a call its own one too. DeepSeek and others send items without ids."""
    if item.get("type") != other.get("type"):
        return False
    keys = [key for key in ("call_id", "id") if item.get(key) is not None and other.get(key) is not None]
    return any(item[key] == other[key] for key in keys) if keys else True


def _is_index(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
