"""Conversations that OpenAI packed into an encrypted item: skipped by a bridge, shown as it is, said to be missing."""

from __future__ import annotations

from typing import Any

from doubles.loop import ANTHROPIC, CHAT, GEMINI, RESPONSES, DoubledSession, broken, harmless

PACKED = "codex/compaction"
HALF = "translation/stored-history"


class Unpacking(DoubledSession):
    """A session that takes requests with a compaction, which the reference refuses."""

    def before_request(self, body: dict[str, Any]) -> dict[str, Any]:
        items = [self.instead(item) if item.get("type") == "compaction" else [item] for item in body["input"]]
        return body | {"input": [item for some in items for item in some]}

    def instead(self, packed: dict[str, Any]) -> list[dict[str, Any]]:
        """What stands in the place of a compaction."""
        raise NotImplementedError


@broken("", rule=HALF, case=PACKED, client=RESPONSES, upstream=ANTHROPIC)
class SkipsThePackedConversation(Unpacking):
    """Skips a compaction as an item that it does not know."""

    def instead(self, packed: dict[str, Any]) -> list[dict[str, Any]]:
        del packed
        return []


@broken("", rule=HALF, case=PACKED, client=RESPONSES, upstream=CHAT)
class ShowsThePackedConversation(Unpacking):
    """Shows a compaction as what the assistant said."""

    def instead(self, packed: dict[str, Any]) -> list[dict[str, Any]]:
        return [{"role": "assistant", "content": packed["encrypted_content"]}]


@broken("", rule=HALF, case=PACKED, client=RESPONSES, upstream=GEMINI)
class SaysNothingOfThePackedConversation(Unpacking):
    """Puts a text that stands for nothing into the place of a compaction."""

    def instead(self, packed: dict[str, Any]) -> list[dict[str, Any]]:
        del packed
        return [{"role": "assistant", "content": "(no content)"}]


@harmless(PACKED, RESPONSES, ANTHROPIC, beside=HALF)
class SaysThatThePackedConversationIsMissing(Unpacking):
    """Says in the place of a compaction what cannot be read."""

    def instead(self, packed: dict[str, Any]) -> list[dict[str, Any]]:
        del packed
        words = "[Earlier messages were packed by another provider, and cannot be read.]"
        return [{"role": "assistant", "content": words}]


@harmless(PACKED, RESPONSES, CHAT, beside=HALF)
class SummarisesThePackedConversation(Unpacking):
    """Puts the summary that it knows by the compaction in its place, for the developer to say."""

    def instead(self, packed: dict[str, Any]) -> list[dict[str, Any]]:
        del packed
        words = "So far: the ferry to Amrum waits for the fog to lift, and the crew has asked twice."
        return [{"role": "developer", "content": words}]
