"""State of the provider, and replies that a client goes on from: kept of whole replies and not of streamed ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any
from unittest.mock import patch

from doubles.loop import ANTHROPIC, CHAT, GEMINI, RESPONSES, StreamingSession, broken, harmless
from doubles.sessions.reasoning import SENTINEL, signed
from doubles.sessions.stored import new_part
from toolcall_conformance.basics.contract import Route
from toolcall_reference.basics.store import Shelf
from toolcall_reference.sessions.state import StateMemory


class ForgettingState(StreamingSession):
    """Forgets the state of what was streamed, and has nothing that stands in for it."""

    forgot = False

    def forget(self) -> None:
        self.inner.memory.state_memory = StateMemory(Shelf())
        self.forgot = True

    def after_request(self, body: dict[str, Any]) -> dict[str, Any]:
        for part in signed(body) if self.forgot and self.route.upstream == GEMINI else ():
            if part["thoughtSignature"] == SENTINEL:
                del part["thoughtSignature"]
        return body


class StateOfWholeReplies(ForgettingState):
    """Keeps the provider's state of whole replies alone."""

    def stream(self, chunks: Iterable[bytes], /) -> Iterator[bytes]:
        yield from super().stream(chunks)
        self.forget()


@broken(
    "streamed", rule="gemini/signature-demanded", case="reasoning/recorded-shape", client=RESPONSES, upstream=GEMINI
)
class SignaturesOfWholeReplies(StateOfWholeReplies):
    """Keeps signatures of whole replies alone, and sends Gemini 3 its streamed calls back without."""


@broken(
    "streamed",
    rule=("anthropic/thinking-first", "translation/state-returned"),
    case="reasoning/seed",
    client=RESPONSES,
    upstream=ANTHROPIC,
)
class ThinkingOfWholeReplies(StateOfWholeReplies):
    """Keeps thinking of whole replies alone, and sends Anthropic its streamed calls back without."""


@broken("streamed", rule="translation/state-returned", case="reasoning/seed", client=ANTHROPIC, upstream=RESPONSES)
class ReasoningOfWholeReplies(StateOfWholeReplies):
    """Keeps encrypted reasoning of whole replies alone."""


@broken("streamed", rule="gemini/signature-demanded", case="reasoning/two-rounds", client=RESPONSES, upstream=GEMINI)
class StateOfTheLastStream(ForgettingState):
    """Begins its memory of signatures anew with every stream, in the middle of a turn."""

    def stream(self, chunks: Iterable[bytes], /) -> Iterator[bytes]:
        self.forget()
        yield from super().stream(chunks)


class KeepingStreams(StreamingSession):
    """Keeps replies for clients that go on from them, of a stream what ``kept`` says."""

    def kept(self, reply: dict[str, Any]) -> dict[str, Any]:
        """What is kept of a reply that was streamed."""
        raise NotImplementedError

    def stream(self, chunks: Iterable[bytes], /) -> Iterator[bytes]:
        keeper = self.inner.memory.reply_memory
        keep = keeper.keep_reply
        with patch.object(keeper, "keep_reply", lambda request, reply: keep(request, self.kept(reply))):
            yield from super().stream(chunks)


@broken("streamed-stored", rule="translation/stored-history", case="state/seed", client=RESPONSES, upstream=ANTHROPIC)
class KeepsWholeRepliesAlone(KeepingStreams):
    """Keeps no streamed replies, and takes a request that goes on from one for the beginning of a conversation."""

    def __init__(self, route: Route, shared: dict[str, Any]) -> None:
        super().__init__(route, shared)
        self.unkept: set[str] = set()

    def kept(self, reply: dict[str, Any]) -> dict[str, Any]:
        self.unkept.add(reply["id"])
        return reply

    def after_request(self, body: dict[str, Any]) -> dict[str, Any]:
        if self.asked.get("previous_response_id") in self.unkept:
            body["messages"] = body["messages"][new_part(body["messages"]) :]
        return body


@broken("streamed-stored", rule="translation/call-lost", case="state/parallel-calls", client=RESPONSES, upstream=CHAT)
class KeepsTheFirstItem(KeepingStreams):
    """Keeps of a streamed reply what was there when its first item was done."""

    def kept(self, reply: dict[str, Any]) -> dict[str, Any]:
        return reply | {"output": reply["output"][:1]}

    def before_request(self, body: dict[str, Any]) -> dict[str, Any]:
        if "previous_response_id" in body:
            body["input"] = [
                item for item in body["input"] if item.get("call_id") in (None, body["input"][0]["call_id"])
            ]
        return body


@harmless(
    "state/recorded-shape", RESPONSES, GEMINI, warns="translation/state-returned", beside="translation/state-returned"
)
class KeepsStreamedReplies(StreamingSession):
    """The reference as it is: a client goes on from streamed replies as from whole ones."""


@harmless("reasoning/two-rounds", RESPONSES, ANTHROPIC, warns="translation/state-returned")
class StateOfStreamsInTheSession(StreamingSession):
    """The reference as it is: the state of streams is put back by the session."""
