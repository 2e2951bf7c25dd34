"""Media in other spellings, at other places that are as good, and under other words."""

from __future__ import annotations

import re

from doubles.catalogue import ANTHROPIC, CHAT, GEMINI, RESPONSES, harmless, need
from doubles.draft import Draft
from doubles.pictures import Piece, inside, of_tools, pictures, pieces, text_part, url_alphabet


@harmless("base64-in-url-alphabet", check="request", target=GEMINI)
def base64_in_url_alphabet(draft: Draft) -> None:
    """The bytes stand in base64's alphabet for URLs, without padding."""
    for piece in need(pieces(draft)):
        piece.data = url_alphabet(piece.data)


@harmless("picture-with-detail", check="request", target=CHAT)
def picture_with_detail(draft: Draft) -> None:
    """Pictures say that their detail is as the provider likes."""
    for piece in pictures(draft):
        piece.entry["image_url"]["detail"] = "auto"


@harmless("file-under-another-name", check="request", target=(CHAT, RESPONSES))
def file_under_another_name(draft: Draft) -> None:
    """A file has a name of the translator's own."""
    for piece in need([piece for piece in pieces(draft) if piece.mime == "application/pdf"]):
        piece.entry.get("file", piece.entry)["filename"] = "attachment.pdf"


REMARKS = (
    "(see the image in the next message)",
    "[Image attached below]",
    "Binary content of type image/png was processed.",
    "<image omitted here: it follows>",
)


@harmless("placeholder-in-other-words", check="request", target=CHAT, sources=(ANTHROPIC, RESPONSES))
def placeholder_in_other_words(draft: Draft) -> None:
    """A tool message whose result is a picture alone says so in other words."""
    hit = [result for result in draft.results if re.fullmatch(r"\[image/[^\]]*\]", str(result.text))]
    for number, result in enumerate(need(hit)):
        result.text = REMARKS[(number + len(draft.results) + len(str(draft.source))) % len(REMARKS)]


@harmless("remark-beside-text", check="request", target=CHAT, sources=(ANTHROPIC, RESPONSES))
def remark_beside_text(draft: Draft) -> None:
    """A tool message says behind its text that the picture comes later."""
    of_tools(draft)
    result = need([result for result in draft.results if result.text and not str(result.text).startswith("[")])[0]
    need(len(draft.results) == 1)
    result.text = f"{result.text}\n\n[1 image attached in the next message]"


@harmless("caption-in-other-words", check="request", target=(CHAT, GEMINI), sources=(ANTHROPIC, RESPONSES))
def caption_in_other_words(draft: Draft) -> None:
    """A caption says in other words which call the picture comes from."""
    for caption in need(draft.captions):
        found = need(re.search(r"\(([^)]+)\)", caption.text))
        caption.text = f"Image returned by tool call {found[1]}"


@harmless("caption-by-number", check="request", target=(CHAT, GEMINI), sources=(ANTHROPIC, RESPONSES))
def caption_by_number(draft: Draft) -> None:
    """A caption says by its number which result the picture comes from."""
    ids = [result.id for result in draft.results]
    for caption in need(draft.captions):
        found = need(re.search(r"\(([^)]+)\)", caption.text))
        need(len(set(ids)) == len(ids) and found[1] in ids)
        caption.text = f"Image of tool result #{ids.index(found[1]) + 1}:"


@harmless("caption-by-label", check="request", target=CHAT, sources=(ANTHROPIC, RESPONSES))
def caption_by_label(draft: Draft) -> None:
    """A label stands in the tool message and before its picture."""
    for caption in need(draft.captions):
        found = need(re.search(r"\(([^)]+)\)", caption.text))
        result = need([result for result in draft.results if result.id == found[1]])[0]
        label = f"{found[1][-3:].lower()}7f3c"
        told = str(result.text)
        result.text = f"See file {label}." if told.startswith("[") else f"{told}\nSee file {label}."
        caption.text = f"This is file {label}:"


@harmless("picture-of-only-result-without-caption", check="request", target=CHAT, sources=(ANTHROPIC, RESPONSES))
def picture_of_only_result_without_caption(draft: Draft) -> None:
    """Behind the only result its picture stands without a caption."""
    need(len(draft.results) == 1)
    for caption in need(draft.captions):
        assert caption.blocks is not None
        caption.blocks.remove(caption.holder)


@harmless("a-message-for-each-picture", check="request", target=CHAT, sources=(ANTHROPIC, RESPONSES))
def a_message_for_each_picture(draft: Draft) -> None:
    """Behind all tool messages each picture has a user message of its own, its caption with it."""
    found = need(of_tools(draft))
    need(len(found) > 1 and len(draft.captions) == len(found))
    rows = found[0].holder
    first, rest = rows[:2], [rows[place : place + 2] for place in range(2, len(rows), 2)]
    at = next(index for index, message in enumerate(draft.messages) if message is found[0].message)
    rows[:] = first
    draft.messages[at + 1 : at + 1] = [{"role": "user", "content": pair} for pair in rest]


@harmless("media-in-content-of-their-own", check="request", target=GEMINI, sources=(ANTHROPIC, RESPONSES))
def media_in_content_of_their_own(draft: Draft) -> None:
    """Media stand in a content of the user behind that with the results."""
    result = need(draft.results)[-1]
    rest = result.holder[result.place + 1 :]
    need(any("inlineData" in part for part in rest))
    del result.holder[result.place + 1 :]
    at = next(index for index, message in enumerate(draft.messages) if message is result.message)
    draft.messages.insert(at + 1, {"role": "user", "parts": rest})


@harmless("picture-beside-its-result", check="request", target=(ANTHROPIC, RESPONSES, GEMINI))
def picture_beside_its_result(draft: Draft) -> None:
    """A picture stands behind the only result that it could come from, not in it."""
    need(len(draft.results) == 1)
    found = inside(draft)
    for piece in found:
        _beside(draft, piece)


def _beside(draft: Draft, piece: Piece) -> None:
    result = piece.result
    assert result is not None
    piece.remove()
    if draft.format == GEMINI:
        if not piece.holder:
            del result.inner["parts"]
    elif not piece.holder:
        result.content = "[image in the next message]"
    if draft.format == RESPONSES:
        draft.messages.append({"role": "user", "content": [piece.entry]})
    else:
        result.holder.append(piece.entry)


@harmless(
    "placeholder-for-sound-in-other-words", check="request", target=(ANTHROPIC, RESPONSES), cases=("binary/audio",)
)
def placeholder_for_sound_in_other_words(draft: Draft) -> None:
    """In place of a sound stands another remark that tells of it."""
    need([piece for piece in pieces(Draft(draft.source, draft.source_format)) if piece.mime.startswith("audio/")])
    hit = False
    for rows in _rows(draft.messages):
        for place, part in enumerate(rows):
            if isinstance(part, dict) and str(part.get("text")).startswith("[audio/"):
                rows[place] = text_part(draft, "[audio attachment not supported by this model]")
                hit = True
    need(hit)


def _rows(value: object) -> list[list[object]]:
    if isinstance(value, dict):
        return [found for entry in value.values() for found in _rows(entry)]
    return [value, *(found for entry in value for found in _rows(entry))] if isinstance(value, list) else []
