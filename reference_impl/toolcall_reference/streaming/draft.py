"""A reply as a decoder reads it from a stream: texts and calls are opened once, grow, and are closed once."""

from __future__ import annotations

from dataclasses import dataclass, field

from toolcall_reference.basics.jsontext import dump, joined
from toolcall_reference.conversation.failures import Failure
from toolcall_reference.conversation.intermediate import Body, Citation, Item, Reply, Text, UniversalToolCall
from toolcall_reference.conversation.pairing import Ledger
from toolcall_reference.streaming.deltas import Closed, Delta, Ended, Failed, Grown, Opened, Started, Whole


@dataclass(slots=True)
class OpenCall:
    """A call whose arguments are coming; ``pieces`` is what came."""

    place: int
    call: UniversalToolCall
    pieces: list[str] = field(default_factory=list)
    begun: bool = False
    closed: bool = False

    @property
    def text(self) -> str:
        """The argument text so far."""
        return "".join(self.pieces)


class Halves:
    """Fragments that end in half a surrogate pair: the half waits for the other one, which the next brings.

    JSON can say a half by itself, and UTF-8 cannot: https://www.rfc-editor.org/rfc/rfc8259#section-8.2
    """

    def __init__(self) -> None:
        self._waiting: dict[int, str] = {}

    def whole(self, place: int, piece: str) -> str:
        """What can be told of the text at ``place`` now."""
        if piece.isascii() and place not in self._waiting:
            return piece
        piece = joined((self._waiting.pop(place, ""), piece))
        if "\ud800" <= piece[-1:] <= "\udbff":
            self._waiting[place], piece = piece[-1], piece[:-1]
        return piece

    def left(self, place: int) -> str:
        """The half that nothing more came for."""
        return self._waiting.pop(place, "")


class Draft:
    """One reply being read. A decoder tells it what it sees, and takes the deltas.

    One text is open at a time, and any number of calls. Arguments are held until their call is closed: only then is it
    known what they say.
    """

    def __init__(self, format_name: str) -> None:
        self.refused = False
        self.calls: list[OpenCall] = []
        self.ended = False
        self.begun = False
        """Whether an item of the reply has begun."""
        self._format = format_name
        self._ledger = Ledger(format_name)
        self._deltas: list[Delta] = []
        self._reply: Reply | None = None
        self._text: tuple[int, Text, object] | None = None
        self._places = 0
        self._halves = Halves()

    def take(self) -> list[Delta]:
        """What has happened since this was asked last."""
        deltas, self._deltas = self._deltas, []
        return deltas

    @property
    def started(self) -> bool:
        """Whether the reply has begun."""
        return self._reply is not None

    @property
    def reply(self) -> Reply:
        """The reply, which must have begun."""
        assert self._reply is not None
        return self._reply

    def start(self, reply: Reply) -> None:
        """The reply begins."""
        self._reply, self._ledger = reply, Ledger(self._format, reply.key)
        self._deltas.append(Started(reply))

    def _place(self) -> int:
        self.begun = True
        self._places += 1
        return self._places - 1

    def text(self, piece: str, *, key: object = None, refusal: bool = False) -> None:
        """A piece of text. Another ``key``, or turning to a refusal, makes it another text."""
        if not piece:
            return
        if self._text is not None and (self._text[2] != key or self._text[1].refusal != refusal):
            self.close_text()
        if self._text is None:
            self._text = (self._place(), Text("", refusal=refusal), key)
            self._deltas.append(Opened(*self._text[:2]))
        self.refused = self.refused or refusal
        self._grown(self._text[0], self._halves.whole(self._text[0], piece))

    def _grown(self, place: int, piece: str) -> None:
        if piece:
            self._deltas.append(Grown(place, piece))

    def sign_text(self, state: dict[str, object]) -> None:
        """The text that is open, or one of no words, is complete and carries ``state``."""
        place, text, _ = self._text or (self._place(), Text(""), None)
        if self._text is None:
            self._deltas.append(Opened(place, text))
        text.raw_context = state
        self._text = (place, text, None)
        self.close_text()

    def cite(self, citations: list[Citation]) -> bool:
        """The text that is open rests on these pages; whether there is one."""
        if self._text is not None:
            self._text[1].citations = [*self._text[1].citations, *citations]
        return self._text is not None

    def close_text(self) -> None:
        """What is said next is another text."""
        if self._text is not None:
            self._grown(self._text[0], self._halves.left(self._text[0]))
            self._deltas.append(Closed(*self._text[:2]))
            self._text = None

    def open_call(self, given_id: str | None, name: str, kind: str = "function", *, beside: bool = False) -> OpenCall:
        """A call begins; what is said after it is another text. ``beside``: the text before it may still be cited."""
        if not beside:
            self.close_text()
        call = OpenCall(self._place(), self._ledger.open(given_id, name, kind))
        self.calls.append(call)
        self._deltas.append(Opened(call.place, call.call))
        return call

    def grow(self, call: OpenCall, piece: str) -> None:
        """A piece of a call's argument text. White space before the JSON says nothing, and is not passed on."""
        piece = "" if call.closed else self._halves.whole(call.place, piece)
        self._add(call, piece)

    def _add(self, call: OpenCall, piece: str) -> None:
        if piece:
            call.pieces.append(piece)
            call.begun = call.begun or bool(piece.strip()) or call.call.kind == "custom"
            if call.begun:
                self._deltas.append(Grown(call.place, piece))

    def complete(self, call: OpenCall, text: str) -> None:
        """The whole argument text, of which the beginning may have come in pieces."""
        if text.startswith(call.text):
            self._halves.left(call.place)  # the whole text has it
            self.grow(call, text[len(call.text) :])

    def close_call(self, call: OpenCall) -> None:
        """The call is complete."""
        if not call.closed:
            self._add(call, self._halves.left(call.place))
            self._ledger.fill(call.call, call.text)
            self._closed(call)

    def close_call_with(self, call: OpenCall, arguments: Body) -> None:
        """The call is complete; its arguments came as an object, which is the draft's now."""
        text = dump(arguments)
        self.grow(call, text)
        if call.text == text:
            self._ledger.fill_with(call.call, arguments, text)
        else:  # halves of a character met in it
            self._ledger.fill(call.call, call.text)
        self._closed(call)

    def _closed(self, call: OpenCall) -> None:
        call.closed, call.pieces = True, []
        self._deltas.append(Closed(call.place, call.call))

    def close(self) -> None:
        """Everything that is open is complete."""
        self.close_text()
        for call in self.calls:
            self.close_call(call)

    def whole(self, item: Item) -> None:
        """An item that came whole."""
        self.begun = True
        self.close_text()
        self._deltas.append(Whole(item))

    def end(self) -> None:
        """The source says that the reply is complete."""
        self.close()
        self.ended = True
        self._deltas.append(Ended(self.reply))

    def fail(self, failure: Failure) -> None:
        """The source says that there will be no more."""
        self.ended = True
        self._deltas.append(Failed(failure))
