"""Habits and faults in what stands around calls: the system prompt, texts."""

from __future__ import annotations

from typing import Any

from doubles.loop import ANTHROPIC, CHAT, RESPONSES, DoubledSession, broken, harmless

BLOCKS = "grep/system-blocks"


@harmless(BLOCKS, ANTHROPIC, RESPONSES, beside="translation/system-prompt")
class JoinsSystemBlocksWithBlanks(DoubledSession):
    """Joins the blocks of the system prompt with one blank."""

    def after_request(self, body: dict[str, Any]) -> dict[str, Any]:
        body["instructions"] = " ".join(block["text"] for block in self.asked["system"])
        return body


@broken(rule="translation/text-lost", case="write_file/dialect-stop-beside-calls", client=ANTHROPIC, upstream=CHAT)
class ForgetsTheTextBesideACall(DoubledSession):
    """Gives the client a reply's call without the words beside it: the provider never hears them again."""

    def after_response(self, body: dict[str, Any]) -> dict[str, Any]:
        if any(block["type"] == "tool_use" for block in body["content"]):
            body["content"] = [block for block in body["content"] if block["type"] != "text"]
        return body
