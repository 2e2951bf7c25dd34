"""Conversations that OpenAI packed into an encrypted item, and wishes for one: skipped, shown, said in other words."""

from __future__ import annotations

from typing import Any

from doubles.loop import ANTHROPIC, CHAT, GEMINI, RESPONSES, DoubledSession, broken, harmless

PACKED = "codex/compaction"
HALF = "translation/stored-history"
ASKED = "codex/compaction-asked"
UNASKED = "translation/compaction-asked"


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


class Unpacked(DoubledSession):
    """A session that takes requests which ask for a compaction, which the reference refuses."""

    instead: tuple[dict[str, Any], ...] = ()
    """What stands in the place of the wish."""

    def before_request(self, body: dict[str, Any]) -> dict[str, Any]:
        items = [self.instead if item.get("type") == "compaction_trigger" else (item,) for item in body["input"]]
        return body | {"input": [item for some in items for item in some]}


@broken("", rule=UNASKED, case=ASKED, client=RESPONSES, upstream=ANTHROPIC)
class SkipsTheWishForACompaction(Unpacked):
    """Skips the wish for a compaction as an item that it does not know, and gives the model's next step back."""


@broken("", rule=UNASKED, case=ASKED, client=RESPONSES, upstream=CHAT)
class MakesABlankOfTheWish(Unpacked):
    """Makes a message without words of the wish for a compaction."""

    instead = ({"role": "user", "content": "(no content)"},)


@broken("", rule=UNASKED, case=ASKED, client=RESPONSES, upstream=GEMINI)
class TurnsTheWishIntoASeparator(Unpacked):
    """Puts a blank line in the place of the wish for a compaction."""

    instead = ({"role": "user", "content": "\n"},)


@harmless(ASKED, RESPONSES, ANTHROPIC, beside=UNASKED)
class AsksForASummary(Unpacked):
    """Asks the model for a summary in the place of the wish for a compaction."""

    instead = ({"role": "user", "content": "Sum up this conversation for a colleague who takes over."},)


@harmless(ASKED, RESPONSES, CHAT, beside=UNASKED)
class AsksForASummaryAsTheDeveloper(Unpacked):
    """Asks for a summary as the developer, with the words in a part."""

    instead = (
        {
            "type": "message",
            "role": "developer",
            "content": [{"type": "input_text", "text": "Write down what matters of the conversation above."}],
        },
    )
