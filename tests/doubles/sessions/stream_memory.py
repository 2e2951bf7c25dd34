"""What a translator remembers of whole replies and forgets of streamed ones, or remembers wrongly; and what is no harm.

Each of these does right by every single body and stream, and by a conversation of whole replies.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from doubles import events
from doubles.draft import Draft
from doubles.events import Event
from doubles.loop import (
    ANTHROPIC,
    CHAT,
    GEMINI,
    RESPONSES,
    StreamingSession,
    broken,
    harmless,
    warning,
)
from doubles.sessions.ids import UNLINKED, OwnIds
from doubles.sessions.mcp import ByNumber
from doubles.wire import Call
from toolcall_conformance.basics.contract import Route

ABSENT = "ids/empty-and-absent"
"""Two rounds of two calls at once, with ordinary ids in all formats but Gemini's."""
ITEMS = "ids/seed"
CLEANED = "mcp/names-cleaned-alike"
RENAMED = ("translation/ids-kept", "translation/ids-returned")


class Minting(OwnIds, StreamingSession):
    """Gives the client ids of its own in streams as in whole replies, and the provider's back."""

    def __init__(self, route: Route, shared: dict[str, Any]) -> None:
        super().__init__(route, shared)
        self.now: dict[str, str] = {}
        """Of the stream under way, the client's id by the reference's: Responses names a call several times."""

    def own(self, call: Call) -> str:
        del call
        self.shared["made"] = self.shared.get("made", 0) + 1  # no two of a translator's are alike
        return f"call_{self.shared['made']:024d}"

    def stream(self, chunks: Iterable[bytes], /) -> Iterator[bytes]:
        self.now = {}
        yield from super().stream(chunks)

    def after_event(self, event: Event) -> Iterable[Event]:
        for call in events.calls(self.route.client, event):
            if call.id not in self.now:
                self.now[call.id] = self.own_streamed(call)
                self.learn(self.now[call.id], call.id)
            call.id = self.now[call.id]
        yield event

    def own_streamed(self, call: Call) -> str:
        """The client's id for a call of a stream."""
        return self.own(call)

    def learn(self, own: str, upstream_id: str) -> None:
        """Note whose id the client's id of a streamed call stands for."""
        self.known[own] = upstream_id


class Strict(Minting):
    """Knows ids of its own making by their form, and answers nothing where its map does not have one."""

    def given_on_result(self, own: str) -> Any:
        return self.known.get(own, "unknown") if own.startswith("call_0000") else own


@warning("streamed", rule="translation/ids-returned", case=ABSENT, client=CHAT, upstream=ANTHROPIC)
class FreshIdsInStreams(Minting):
    """Makes ids while it streams, and has no map for these: the provider hears of calls that it never made."""

    def after_response(self, body: dict[str, Any]) -> dict[str, Any]:
        return body

    def learn(self, own: str, upstream_id: str) -> None:
        pass


@broken("streamed", rule=UNLINKED[ANTHROPIC], case=ABSENT, client=RESPONSES, upstream=ANTHROPIC)
class MapOfWholeReplies(Strict):
    """Fills its map of ids where it translates whole replies, and nowhere else."""

    def learn(self, own: str, upstream_id: str) -> None:
        pass


@broken("streamed", rule=UNLINKED[CHAT], case=ABSENT, client=RESPONSES, upstream=CHAT)
class MapOfTheLastStream(Strict):
    """Begins its map of ids anew with every stream: in the third request the first results answer nothing."""

    def stream(self, chunks: Iterable[bytes], /) -> Iterator[bytes]:
        self.known = {}
        yield from super().stream(chunks)


@broken("streamed", rule="translation/results-linked", case=ABSENT, client=CHAT, upstream=RESPONSES)
class IdsFromAStack(Minting):
    """Takes the ids of calls that were streamed at once from the wrong end, so that their results change places."""

    def __init__(self, route: Route, shared: dict[str, Any]) -> None:
        super().__init__(route, shared)
        self.swapped: dict[str, str] = {}

    def stream(self, chunks: Iterable[bytes], /) -> Iterator[bytes]:
        yield from super().stream(chunks)
        self.swapped |= dict(zip(self.now.values(), reversed(self.now), strict=True))

    def given_on_result(self, own: str) -> Any:
        return self.swapped.get(own, self.given(own))


@broken("streamed", rule=UNLINKED[RESPONSES], case=ITEMS, client=CHAT, upstream=RESPONSES)
class ItemIdsFromEvents(StreamingSession):
    """Remembers a streamed call by the id of its item, as most events name it, and answers that."""

    def __init__(self, route: Route, shared: dict[str, Any]) -> None:
        super().__init__(route, shared)
        self.items: dict[str, str] = {}

    def before_event(self, event: Event) -> Iterable[Event]:
        self.items |= {call.id: call.entry["id"] for call in events.calls(RESPONSES, event)}
        yield event

    def after_request(self, body: dict[str, Any]) -> dict[str, Any]:
        for result in Draft(body, RESPONSES).results:
            result.id = self.items.get(result.id, result.id)
        return body


@broken("streamed", rule="anthropic/call-ids-unique", case=ABSENT, client=CHAT, upstream=ANTHROPIC)
class IndexesForIds(Minting):
    """Makes ids of the indexes of a stream, which begin again with the next."""

    def own_streamed(self, call: Call) -> str:
        return f"call_{call.entry['index']}"


@broken("streamed", rule="gemini/result-names-call", case=ABSENT, client=CHAT, upstream=GEMINI)
class NamesOfWholeReplies(StreamingSession):
    """Remembers for a result which tool was called, of calls in whole replies."""

    def __init__(self, route: Route, shared: dict[str, Any]) -> None:
        super().__init__(route, shared)
        self.streamed: set[str] = set()

    def after_event(self, event: Event) -> Iterable[Event]:
        self.streamed |= {call.id for call in events.calls(CHAT, event)}
        yield event

    def after_request(self, body: dict[str, Any]) -> dict[str, Any]:
        for result, client_result in zip(Draft(body, GEMINI).results, Draft(self.asked, CHAT).results, strict=True):
            if client_result.id in self.streamed:
                result.inner["name"] = "unknown"
        return body


@broken("streamed", rule="translation/call-name", case=CLEANED, client=GEMINI, upstream=ANTHROPIC)
class NamesRestoredInTheFirstStream(StreamingSession):
    """Restores names by a map that the first stream uses up."""

    streams = 0

    def stream(self, chunks: Iterable[bytes], /) -> Iterator[bytes]:
        self.streams += 1
        return super().stream(chunks)

    def after_event(self, event: Event) -> Iterable[Event]:
        for call in events.calls(GEMINI, event) if self.streams > 1 else ():
            call.name = str(self.inner._names.target_name(call.name))
        yield event


@broken("streamed", rule="translation/arguments", case=ABSENT, client=CHAT, upstream=ANTHROPIC)
class CallsAsTheyOpen(StreamingSession):
    """Plays the provider's own calls back to it as it remembers them: as their blocks open, the arguments empty."""

    def __init__(self, route: Route, shared: dict[str, Any]) -> None:
        super().__init__(route, shared)
        self.opened: dict[str, Any] = {}

    def before_event(self, event: Event) -> Iterable[Event]:
        self.opened |= {call.id: call.arguments for call in events.calls(ANTHROPIC, event)}
        yield event

    def after_request(self, body: dict[str, Any]) -> dict[str, Any]:
        for call in Draft(body, ANTHROPIC).calls:
            call.arguments = self.opened.get(call.id, call.arguments)
        return body


@broken("streamed", rule="translation/crashed", case=ABSENT, client=ANTHROPIC, upstream=CHAT)
class OneStreamASession(StreamingSession):
    """Has one accumulator a session, which the first stream closes."""

    closed = False

    def stream(self, chunks: Iterable[bytes], /) -> Iterator[bytes]:
        if self.closed:
            raise RuntimeError("the accumulator is closed")
        yield from super().stream(chunks)
        self.closed = True


@harmless(ABSENT, CHAT, ANTHROPIC, warns=RENAMED, beside="translation/results-linked")
class MintsIdsAndMapsThem(Minting):
    """Makes ids of its own, in streams and in whole replies, and has one map for both."""


@harmless(CLEANED, GEMINI, ANTHROPIC, beside="translation/call-name")
class NumbersNamesInStreams(ByNumber, StreamingSession):
    """Numbers the tools whose names the provider does not take, and restores them as they are streamed."""

    def before_event(self, event: Event) -> Iterable[Event]:
        for call in events.calls(self.route.upstream, event):
            call.name = self.sent(self.back(call.name))
        yield event
