"""What a translator remembers of calls by their ids: for each conversation by itself, or for all of them at once.

A provider's ids need not differ between two conversations: compatible vendors count calls from nought.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from doubles.draft import Draft
from doubles.loop import ANTHROPIC, CHAT, GEMINI, RESPONSES, StreamingSession, broken, harmless
from doubles.wire import Call
from toolcall_conformance import formats
from toolcall_conformance.basics.streaming import parse

MOVED = "ids/moved-provider"
ITEMS = "ids/seed"
BOTH = ("interleaved", "streamed-interleaved")


class RememberingCalls(StreamingSession):
    """Notes the calls of each reply by their ids, and puts what it knows of one back into the next request."""

    @property
    def memory(self) -> dict[str, Any]:
        """What is known of the calls."""
        return self.__dict__.setdefault("_own", {})  # type: ignore[no-any-return]

    def note(self, call: Call) -> None:
        """Remember a call of a reply."""
        self.memory[str(call.id)] = (call.name, call.arguments)

    def after_response(self, body: dict[str, Any]) -> dict[str, Any]:
        for call in Draft(body, self.route.client).calls:
            self.note(call)
        return body

    def stream(self, chunks: Iterable[bytes], /) -> Iterator[bytes]:
        chunks_read = []
        for chunk in super().stream(chunks):
            chunks_read.append(chunk)
            yield chunk
        body = formats.assemble(self.route.client, parse(b"".join(chunks_read))).body
        self.after_response(body or {})

    def after_request(self, body: dict[str, Any]) -> dict[str, Any]:
        calls = Draft(self.asked, self.route.client).calls
        for call, own in zip(Draft(body, self.route.upstream).calls, calls, strict=True):
            if str(own.id) in self.memory:
                self.restore(call, *self.memory[str(own.id)])
        return body

    def restore(self, call: Call, name: str, arguments: Any) -> None:
        """Put what is remembered into a call of the history."""
        del name
        call.arguments = arguments


class SharedByAll(RememberingCalls):
    """Has one memory for all conversations."""

    @property
    def memory(self) -> dict[str, Any]:
        return self.shared


@broken(*BOTH, rule="translation/arguments", case=MOVED, client=CHAT, upstream=ANTHROPIC)
class ArgumentsByIdForAll(SharedByAll):
    """Keeps the arguments of calls by their ids for all conversations, so that the last one's go to everybody."""


@broken(*BOTH, rule="translation/arguments", case=ITEMS, client=ANTHROPIC, upstream=RESPONSES)
class ArgumentsByIdOnce(SharedByAll):
    """Keeps the arguments of the first call that had an id, whoever comes later."""

    def note(self, call: Call) -> None:
        if str(call.id) not in self.memory:
            super().note(call)


@broken(*BOTH, rule="translation/call-name", case=MOVED, client=RESPONSES, upstream=CHAT)
class NamesByIdForAll(SharedByAll):
    """Keeps the names of tools by the ids of their calls for all conversations."""

    def restore(self, call: Call, name: str, arguments: Any) -> None:
        del arguments
        call.name = name


@broken("interleaved", rule="translation/state-changed", case=ITEMS, client=CHAT, upstream=GEMINI)
class SignaturesByIdForAll(SharedByAll):
    """Keeps signatures by the ids of calls for all conversations, since its clients do not send them back."""

    signatures: tuple[Any, ...] = ()

    def before_response(self, body: dict[str, Any]) -> dict[str, Any]:
        self.signatures = tuple(call.entry.get("thoughtSignature") for call in Draft(body, GEMINI).calls)
        return body

    def note(self, call: Call) -> None:
        """Nothing: see ``after_response``."""

    def after_response(self, body: dict[str, Any]) -> dict[str, Any]:
        for call, signature in zip(Draft(body, CHAT).calls, self.signatures, strict=False):
            self.shared[str(call.id)] = (signature, None)
        return body

    def restore(self, call: Call, name: str, arguments: Any) -> None:
        del arguments
        if name:
            call.entry["thoughtSignature"] = name


@harmless(
    MOVED, CHAT, ANTHROPIC, warns="translation/ids-returned", beside=("translation/arguments", "translation/call-name")
)
class CallsByIdInTheSession(RememberingCalls):
    """Keeps names and arguments of calls by their ids, in each conversation for itself."""

    def restore(self, call: Call, name: str, arguments: Any) -> None:
        call.name, call.arguments = name, arguments
