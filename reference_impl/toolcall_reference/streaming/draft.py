"""The draft of a reply that a decoder reads from a stream; it turns what the decoder reads into deltas."""

from __future__ import annotations

from dataclasses import dataclass, field

from toolcall_reference.basics.jsontext import dump, join_pieces
from toolcall_reference.conversation.failures import Failure
from toolcall_reference.conversation.intermediate import Body, Citation, Item, Reply, Text, UniversalToolCall
from toolcall_reference.conversation.pairing import Ledger
from toolcall_reference.streaming.deltas import (
    Delta,
    ItemClosed,
    ItemOpened,
    ItemPiece,
    ReplyEnded,
    ReplyFailed,
    ReplyStarted,
    WholeItem,
)


@dataclass(slots=True)
class OpenCall:
    """A call whose arguments arrive; ``pieces`` are those so far."""

    place: int
    call: UniversalToolCall
    pieces: list[str] = field(default_factory=list)
    has_text: bool = False
    is_closed: bool = False

    @property
    def text(self) -> str:
        """The argument text so far."""
        return "".join(self.pieces)


class SurrogateJoiner:
    """Holds back half a surrogate pair at the end of a piece until the next piece brings the other half.

    JSON can hold half a pair, UTF-8 cannot: https://www.rfc-editor.org/rfc/rfc8259#section-8.2
    """

    def __init__(self) -> None:
        self._waiting: dict[int, str] = {}

    def add(self, place: int, piece: str) -> str:
        """Add a piece of the text at ``place``. Returns what can be written now."""
        if piece.isascii() and place not in self._waiting:
            return piece
        piece = join_pieces((self._waiting.pop(place, ""), piece))
        if "\ud800" <= piece[-1:] <= "\udbff":
            self._waiting[place], piece = piece[-1], piece[:-1]
        return piece

    def flush(self, place: int) -> str:
        """The half that is still held back; empty if there is none."""
        return self._waiting.pop(place, "")


class Draft:
    """A reply that is being read: a decoder reports what it reads, and takes the deltas.

    One text is open at a time, and any number of calls. Arguments are collected until their call is closed and they can
    be parsed.
    """

    def __init__(self, format_name: str) -> None:
        self.has_refusal = False
        self.calls: list[OpenCall] = []
        self.is_ended = False
        self.has_items = False
        """Whether the reply has any item."""
        self._format = format_name
        self._ledger = Ledger(format_name)
        self._deltas: list[Delta] = []
        self._reply: Reply | None = None
        self._text: tuple[int, Text, object] | None = None
        self._places = 0
        self._halves = SurrogateJoiner()

    def take_deltas(self) -> list[Delta]:
        """The deltas since the last time."""
        deltas, self._deltas = self._deltas, []
        return deltas

    @property
    def is_started(self) -> bool:
        """Whether the reply has started."""
        return self._reply is not None

    @property
    def reply(self) -> Reply:
        """The reply, which must have started."""
        assert self._reply is not None
        return self._reply

    def start_reply(self, reply: Reply) -> None:
        """Start the reply."""
        self._reply, self._ledger = reply, Ledger(self._format, reply.key)
        self._deltas.append(ReplyStarted(reply))

    def _new_place(self) -> int:
        self.has_items = True
        self._places += 1
        return self._places - 1

    def add_text(self, piece: str, *, key: object = None, refusal: bool = False) -> None:
        """Add a piece of text. Another ``key``, or a change of ``refusal``, begins another text."""
        if not piece:
            return
        if self._text is not None and (self._text[2] != key or self._text[1].refusal != refusal):
            self.close_text()
        if self._text is None:
            self._text = (self._new_place(), Text("", refusal=refusal), key)
            self._deltas.append(ItemOpened(*self._text[:2]))
        self.has_refusal = self.has_refusal or refusal
        self._emit_piece(self._text[0], self._halves.add(self._text[0], piece))

    def _emit_piece(self, place: int, piece: str) -> None:
        if piece:
            self._deltas.append(ItemPiece(place, piece))

    def sign_text(self, state: dict[str, object]) -> None:
        """Close the open text, or an empty one, with the opaque ``state``."""
        place, text, _ = self._text or (self._new_place(), Text(""), None)
        if self._text is None:
            self._deltas.append(ItemOpened(place, text))
        text.raw_context = state
        self._text = (place, text, None)
        self.close_text()

    def cite_text(self, citations: list[Citation]) -> bool:
        """Add citations to the open text. Returns whether there is one."""
        if self._text is not None:
            self._text[1].citations = [*self._text[1].citations, *citations]
        return self._text is not None

    def close_text(self) -> None:
        """Close the open text, if any."""
        if self._text is not None:
            self._emit_piece(self._text[0], self._halves.flush(self._text[0]))
            self._deltas.append(ItemClosed(*self._text[:2]))
            self._text = None

    def open_call(
        self, given_id: str | None, tool_name: str, kind: str = "function", *, keep_text: bool = False
    ) -> OpenCall:
        """Open a call, and close the open text. ``keep_text``: the text stays open, and may still be cited."""
        if not keep_text:
            self.close_text()
        call = OpenCall(self._new_place(), self._ledger.open_call(given_id, tool_name, kind))
        self.calls.append(call)
        self._deltas.append(ItemOpened(call.place, call.call))
        return call

    def grow_call(self, call: OpenCall, piece: str) -> None:
        """Add a piece of a call's argument text. White space before the JSON is dropped."""
        piece = "" if call.is_closed else self._halves.add(call.place, piece)
        self._add_arguments(call, piece)

    def _add_arguments(self, call: OpenCall, piece: str) -> None:
        if piece:
            call.pieces.append(piece)
            call.has_text = call.has_text or bool(piece.strip()) or call.call.kind == "custom"
            if call.has_text:
                self._deltas.append(ItemPiece(call.place, piece))

    def complete_call(self, call: OpenCall, text: str) -> None:
        """Set the whole argument text, whose beginning may have arrived in pieces."""
        if text.startswith(call.text):
            self._halves.flush(call.place)  # the whole text contains it
            self.grow_call(call, text[len(call.text) :])

    def close_call(self, call: OpenCall) -> None:
        """Close a call and parse its arguments."""
        if not call.is_closed:
            self._add_arguments(call, self._halves.flush(call.place))
            self._ledger.fill_from_text(call.call, call.text)
            self._emit_closed(call)

    def close_call_with(self, call: OpenCall, arguments: Body) -> None:
        """Close a call whose arguments are an object; the draft owns the object from now on."""
        text = dump(arguments)
        self.grow_call(call, text)
        if call.text == text:
            self._ledger.fill_from_object(call.call, arguments, text)
        else:  # it joined two halves of a character
            self._ledger.fill_from_text(call.call, call.text)
        self._emit_closed(call)

    def _emit_closed(self, call: OpenCall) -> None:
        call.is_closed, call.pieces = True, []
        self._deltas.append(ItemClosed(call.place, call.call))

    def close_all(self) -> None:
        """Close the open text and all open calls."""
        self.close_text()
        for call in self.calls:
            self.close_call(call)

    def add_item(self, item: Item) -> None:
        """Add a whole item, and close the open text."""
        self.has_items = True
        self.close_text()
        self._deltas.append(WholeItem(item))

    def end_reply(self) -> None:
        """End the reply normally."""
        self.close_all()
        self.is_ended = True
        self._deltas.append(ReplyEnded(self.reply))

    def fail_reply(self, failure: Failure) -> None:
        """End the reply with a failure."""
        self.is_ended = True
        self._deltas.append(ReplyFailed(failure))
