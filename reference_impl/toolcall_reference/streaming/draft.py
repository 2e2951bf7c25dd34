"""A reply as a decoder reads it from a stream: texts and calls are opened once, grow, and are closed once."""

from __future__ import annotations

from dataclasses import dataclass, field

from toolcall_reference.basics.jsontext import dump, joined
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
    """A call whose arguments are coming; ``pieces`` is what came."""

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
    """Fragments that end in half a surrogate pair: the half waits for the other one, which the next brings.

    JSON can say a half by itself, and UTF-8 cannot: https://www.rfc-editor.org/rfc/rfc8259#section-8.2
    """

    def __init__(self) -> None:
        self._waiting: dict[int, str] = {}

    def add(self, place: int, piece: str) -> str:
        """What can be told of the text at ``place`` now."""
        if piece.isascii() and place not in self._waiting:
            return piece
        piece = joined((self._waiting.pop(place, ""), piece))
        if "\ud800" <= piece[-1:] <= "\udbff":
            self._waiting[place], piece = piece[-1], piece[:-1]
        return piece

    def flush(self, place: int) -> str:
        """The half that nothing more came for."""
        return self._waiting.pop(place, "")


class Draft:
    """One reply being read. A decoder tells it what it sees, and takes the deltas.

    One text is open at a time, and any number of calls. Arguments are held until their call is closed: only then is it
    known what they say.
    """

    def __init__(self, format_name: str) -> None:
        self.has_refusal = False
        self.calls: list[OpenCall] = []
        self.is_ended = False
        self.has_items = False
        """Whether an item of the reply has begun."""
        self._format = format_name
        self._ledger = Ledger(format_name)
        self._deltas: list[Delta] = []
        self._reply: Reply | None = None
        self._text: tuple[int, Text, object] | None = None
        self._places = 0
        self._halves = SurrogateJoiner()

    def take_deltas(self) -> list[Delta]:
        """What has happened since this was asked last."""
        deltas, self._deltas = self._deltas, []
        return deltas

    @property
    def is_started(self) -> bool:
        """Whether the reply has begun."""
        return self._reply is not None

    @property
    def reply(self) -> Reply:
        """The reply, which must have begun."""
        assert self._reply is not None
        return self._reply

    def start_reply(self, reply: Reply) -> None:
        """The reply begins."""
        self._reply, self._ledger = reply, Ledger(self._format, reply.key)
        self._deltas.append(ReplyStarted(reply))

    def _new_place(self) -> int:
        self.has_items = True
        self._places += 1
        return self._places - 1

    def add_text(self, piece: str, *, key: object = None, refusal: bool = False) -> None:
        """A piece of text. Another ``key``, or turning to a refusal, makes it another text."""
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
        """The text that is open, or one of no words, is complete and carries ``state``."""
        place, text, _ = self._text or (self._new_place(), Text(""), None)
        if self._text is None:
            self._deltas.append(ItemOpened(place, text))
        text.raw_context = state
        self._text = (place, text, None)
        self.close_text()

    def cite_text(self, citations: list[Citation]) -> bool:
        """The text that is open rests on these pages; whether there is one."""
        if self._text is not None:
            self._text[1].citations = [*self._text[1].citations, *citations]
        return self._text is not None

    def close_text(self) -> None:
        """What is said next is another text."""
        if self._text is not None:
            self._emit_piece(self._text[0], self._halves.flush(self._text[0]))
            self._deltas.append(ItemClosed(*self._text[:2]))
            self._text = None

    def open_call(self, given_id: str | None, name: str, kind: str = "function", *, beside: bool = False) -> OpenCall:
        """A call begins; what is said after it is another text. ``beside``: the text before it may still be cited."""
        if not beside:
            self.close_text()
        call = OpenCall(self._new_place(), self._ledger.open_call(given_id, name, kind))
        self.calls.append(call)
        self._deltas.append(ItemOpened(call.place, call.call))
        return call

    def grow_call(self, call: OpenCall, piece: str) -> None:
        """A piece of a call's argument text. White space before the JSON says nothing, and is not passed on."""
        piece = "" if call.is_closed else self._halves.add(call.place, piece)
        self._add_arguments(call, piece)

    def _add_arguments(self, call: OpenCall, piece: str) -> None:
        if piece:
            call.pieces.append(piece)
            call.has_text = call.has_text or bool(piece.strip()) or call.call.kind == "custom"
            if call.has_text:
                self._deltas.append(ItemPiece(call.place, piece))

    def complete_call(self, call: OpenCall, text: str) -> None:
        """The whole argument text, of which the beginning may have come in pieces."""
        if text.startswith(call.text):
            self._halves.flush(call.place)  # the whole text has it
            self.grow_call(call, text[len(call.text) :])

    def close_call(self, call: OpenCall) -> None:
        """The call is complete."""
        if not call.is_closed:
            self._add_arguments(call, self._halves.flush(call.place))
            self._ledger.fill_from_text(call.call, call.text)
            self._emit_closed(call)

    def close_call_with(self, call: OpenCall, arguments: Body) -> None:
        """The call is complete; its arguments came as an object, which is the draft's now."""
        text = dump(arguments)
        self.grow_call(call, text)
        if call.text == text:
            self._ledger.fill_from_object(call.call, arguments, text)
        else:  # halves of a character met in it
            self._ledger.fill_from_text(call.call, call.text)
        self._emit_closed(call)

    def _emit_closed(self, call: OpenCall) -> None:
        call.is_closed, call.pieces = True, []
        self._deltas.append(ItemClosed(call.place, call.call))

    def close_all(self) -> None:
        """Everything that is open is complete."""
        self.close_text()
        for call in self.calls:
            self.close_call(call)

    def add_item(self, item: Item) -> None:
        """An item that came whole."""
        self.has_items = True
        self.close_text()
        self._deltas.append(WholeItem(item))

    def end_reply(self) -> None:
        """The source says that the reply is complete."""
        self.close_all()
        self.is_ended = True
        self._deltas.append(ReplyEnded(self.reply))

    def fail_reply(self, failure: Failure) -> None:
        """The source says that there will be no more."""
        self.is_ended = True
        self._deltas.append(ReplyFailed(failure))
