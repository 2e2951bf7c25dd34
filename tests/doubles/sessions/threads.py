"""Message threads of Anthropic: a client that continues one sends its new messages alone, without system and tools."""

from __future__ import annotations

from typing import Any

from doubles.loop import ANTHROPIC, CHAT, GEMINI, RESPONSES, DoubledSession, broken, harmless
from toolcall_conformance.basics.contract import Route

THREAD = "state/message-thread"
HALF = "translation/stored-history"


class KeepsThreads(DoubledSession):
    """A session that keeps the conversation, and what every request of a thread would say again."""

    def __init__(self, route: Route, shared: dict[str, Any]) -> None:
        super().__init__(route, shared)
        self.kept: list[Any] = []
        self.of_the_thread: dict[str, Any] = {}

    @property
    def continues(self) -> bool:
        """Whether the client's last request continues a thread."""
        return bool(self.asked.get("thread", {}).get("type") == "continue")

    def before_request(self, body: dict[str, Any]) -> dict[str, Any]:
        if self.continues:
            body = {**self.of_the_thread, **body, "messages": [*self.kept, *body["messages"]]}
        self.of_the_thread = {key: body[key] for key in ("system", "tools") if key in body}
        self.kept = list(body["messages"])
        del body["thread"]
        return body

    def after_response(self, body: dict[str, Any]) -> dict[str, Any]:
        self.kept.append({"role": "assistant", "content": body["content"]})
        return body


@broken("stored", rule=HALF, case=THREAD, client=ANTHROPIC, upstream=CHAT)
class AnswersWithoutTheThread(KeepsThreads):
    """Drops the thread from a question that continues it: all that is sent is a legal request."""

    def after_request(self, body: dict[str, Any]) -> dict[str, Any]:
        if self.continues and body["messages"][-1]["role"] == "user":
            body["messages"] = body["messages"][-1:]
        return body


@broken("stored", rule=HALF, case=THREAD, client=ANTHROPIC, upstream=GEMINI)
class SendsTheResultsOfAThreadAlone(KeepsThreads):
    """Drops the thread, and sends the results alone."""

    def after_request(self, body: dict[str, Any]) -> dict[str, Any]:
        if self.continues:
            body["contents"] = body["contents"][-1:]
        return body


@harmless(THREAD, ANTHROPIC, RESPONSES, beside=HALF)
class KeepsThreadsItself(KeepsThreads):
    """Keeps the conversation of a thread, and sends the whole of it."""


@harmless(THREAD, ANTHROPIC, CHAT, beside=HALF)
class RefusesThreads(DoubledSession):
    """Refuses every request that continues a thread, as the reference does."""


@harmless(THREAD, ANTHROPIC, ANTHROPIC, beside=(HALF, "anthropic/result-of-known-call"))
class LeavesTheThreadToAnthropic(DoubledSession):
    """Passes the thread on to the provider that keeps it."""
