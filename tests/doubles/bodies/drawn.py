"""Replies of a model that draws: the picture beside its words, where clients of other APIs look for it, or in words."""

from __future__ import annotations

from typing import Any

from doubles.body import ANTHROPIC, CHAT, GEMINI, RESPONSES, broken, harmless, need, warning
from doubles.draft import Draft

DRAWN = ("media/drawn-picture",)
TOLD = "[image/png"


def drawn(draft: Draft) -> dict[str, Any]:
    """The picture in the provider's reply."""
    parts = draft.source["candidates"][0]["content"]["parts"]
    picture: dict[str, Any] = need([part["inlineData"] for part in parts if "inlineData" in part])[0]
    return picture


def without(draft: Draft) -> Draft:
    """The reply without the picture, and without the words that stand for it."""
    drawn(draft)
    if draft.format == CHAT:
        del draft.messages[0]["images"]
    elif draft.format == ANTHROPIC:
        draft.body["content"] = [part for part in draft.body["content"] if not part["text"].startswith(TOLD)]
    else:
        message = draft.body["output"][0]
        message["content"] = [part for part in message["content"] if not part["text"].startswith(TOLD)]
    return draft


@broken("anthropic/block-type", check="response", target=ANTHROPIC, sources=[GEMINI], cases=DRAWN)
def drawn_picture_as_block(draft: Draft) -> None:
    """A picture of the model's is an image block, as users send them: replies have none."""
    picture = drawn(draft)
    source = {"type": "base64", "media_type": picture["mimeType"], "data": picture["data"]}
    without(draft).body["content"].append({"type": "image", "source": source})


@broken("translation/text-lost", check="response", target=(CHAT, RESPONSES), sources=[GEMINI], cases=DRAWN)
def drawn_picture_told_in_place_of_words(draft: Draft) -> None:
    """Of a reply with a picture only a remark about the picture arrives, in place of the words beside it."""
    need(without(draft).texts)[0].text = "[image/png]"


@broken("translation/media-moved", check="response", target=CHAT, sources=[GEMINI], cases=DRAWN)
def drawn_picture_twice(draft: Draft) -> None:
    """A picture of the model's is there twice."""
    drawn(draft)
    draft.messages[0]["images"] *= 2


@warning(
    {
        ANTHROPIC: "translation/media-unmentioned",
        CHAT: "translation/assistant-media-lost",
        RESPONSES: "translation/assistant-media-lost",
    },
    check="response",
    sources=[GEMINI],
    cases=DRAWN,
)
def drawn_picture_dropped(draft: Draft) -> None:
    """Of a reply with a picture only the words arrive."""
    without(draft)


@harmless(check="response", target=CHAT, sources=[GEMINI], cases=DRAWN, beside="translation/text-changed")
def drawn_picture_in_words(draft: Draft) -> None:
    """A remark tells of a picture, which the API itself has no place for."""
    message = without(draft).messages[0]
    message["content"] = f"{message['content']}\n[image/png, 68 bytes, not shown]"


@harmless(
    check="response",
    target=RESPONSES,
    sources=[GEMINI],
    cases=DRAWN,
    beside="translation/media-moved",
)
def drawn_picture_as_item(draft: Draft) -> None:
    """A picture of the model's is an item of OpenAI's own tool for pictures."""
    item = {"id": "ig_68", "type": "image_generation_call", "status": "completed", "result": drawn(draft)["data"]}
    without(draft).body["output"].append(item)


@harmless(
    check="response",
    target=ANTHROPIC,
    sources=[GEMINI],
    cases=DRAWN,
    beside=("anthropic/block-type", "translation/text-changed"),
)
def drawn_picture_in_other_words(draft: Draft) -> None:
    """The words for a picture stand in brackets behind the others, in the same block."""
    block = without(draft).body["content"][0]
    block["text"] = f"{block['text']}\n[image]"
