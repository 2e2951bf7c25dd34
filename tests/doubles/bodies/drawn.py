"""Replies of a model that draws: the picture beside its words."""

from __future__ import annotations

from doubles.body import CHAT, GEMINI, RESPONSES, broken, need
from doubles.draft import Draft

DRAWN = "server_tools/picture-in-reply"


@broken(
    "translation/text-changed",
    check="response",
    target=(CHAT, RESPONSES),
    sources=[GEMINI],
    cases=[DRAWN],
    beside="translation/assistant-media-lost",
)
def picture_told_in_place_of_words(draft: Draft) -> None:
    """Of a reply with a picture only a remark about the picture arrives, in place of the words beside it."""
    parts = draft.source["candidates"][0]["content"]["parts"]
    need([part for part in parts if "inlineData" in part])
    need(draft.texts)[0].text = "[image/png]"
