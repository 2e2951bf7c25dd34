"""Pictures, sounds and files: lost, at the wrong place, and in other words or places that are as good."""

from __future__ import annotations

import copy
import itertools
import re
from collections.abc import Callable
from typing import Any

from doubles.body import ANTHROPIC, CHAT, GEMINI, RESPONSES, broken, harmless, need, warning
from doubles.draft import Draft
from doubles.pictures import (
    Piece,
    client_pictures,
    is_by_address,
    pictures,
    pieces,
    result_media,
    text_part,
    tool_media,
    url_alphabet,
    user_media,
)

USER_PICTURE = "binary/user-picture"


@broken("translation/media-lost", target=(CHAT, RESPONSES, GEMINI), at_home=(CHAT, RESPONSES))
def picture_lost(draft: Draft) -> None:
    """Pictures are gone."""
    need(draft.format != CHAT or not draft.captions)  # there those of results need not arrive
    need(len(client_pictures(draft)) == len(pictures(draft)))
    pruned, hit = _without_pictures(draft.body)
    need(hit)
    draft.body = pruned
    draft.tidy()


def _without_pictures(value: Any) -> tuple[Any, bool]:
    if isinstance(value, dict):
        members = {key: _without_pictures(entry) for key, entry in value.items()}
        return {key: entry for key, (entry, _) in members.items()}, any(hit for _, hit in members.values())
    if isinstance(value, list):
        entries = [entry for entry in value if not _is_picture(entry)]
        made_list = [_without_pictures(entry) for entry in entries]
        return [entry for entry, _ in made_list], len(entries) < len(value) or any(hit for _, hit in made_list)
    return value, False


def _is_picture(entry: Any) -> bool:
    if not isinstance(entry, dict) or is_by_address(entry):
        return False
    return entry.get("type") in ("image", "image_url", "input_image") or "inlineData" in entry


@broken("translation/media-moved", target=(CHAT, RESPONSES, GEMINI))
def picture_moved(draft: Draft) -> None:
    """A picture of an earlier turn stands in the last one."""
    key = "parts" if draft.format == GEMINI else "content"
    last = need(draft.messages)[-1]
    need(last.get("role") == "user")
    earlier = [piece for piece in user_media(draft) if piece.message is not last and _is_picture(piece.entry)]
    piece = need(earlier)[0]  # one that a tool showed is another fault
    piece.remove()
    _text_as_list(draft, last, key)
    last[key].append(piece.entry)


@broken("translation/media-moved", target=GEMINI, at_home=GEMINI)
def picture_in_turn_of_the_model(draft: Draft) -> None:
    """A picture that was shown to the model stands at the end of what the model said before."""
    before = {id(message): earlier for earlier, message in itertools.pairwise(draft.messages)}
    user_pieces = [piece for piece in pictures(draft) if piece.result is None and piece.message is not None]
    piece = need([piece for piece in user_pieces if before.get(id(piece.message), {}).get("role") == "model"])[0]
    piece.remove()
    before[id(piece.message)]["parts"].append(piece.entry)


def _text_as_list(draft: Draft, message: dict[str, Any], key: str) -> None:
    if isinstance(message[key], str):
        message[key] = [{"type": "text" if draft.format == CHAT else "input_text", "text": message[key]}]


@broken("translation/media-moved", target=(CHAT, RESPONSES, GEMINI))
def picture_in_two_turns(draft: Draft) -> None:
    """A picture stands in two turns."""
    key = "parts" if draft.format == GEMINI else "content"
    last = need(draft.messages)[-1]
    need(last.get("role") == "user" and len(draft.messages) > 1)
    pictures = [
        part
        for message in draft.messages[:-1]
        for part in (message[key] if message.get("role") == "user" and isinstance(message.get(key), list) else [])
        if _is_picture(part)
    ]
    _text_as_list(draft, last, key)
    last[key].append(copy.deepcopy(need(pictures)[0]))


@broken("translation/media-moved", target=(CHAT, RESPONSES, GEMINI))
def picture_doubled(draft: Draft) -> None:
    """Pictures are there twice."""
    need(_double(draft.body))


def _double(value: Any) -> bool:
    """Put every picture of a body behind itself once more; whether there was any."""
    if isinstance(value, dict):
        return sum(_double(entry) for entry in value.values()) > 0
    if not isinstance(value, list):
        return False
    inner = sum(_double(entry) for entry in value) > 0
    doubled = [entry for entry in value for _ in range(2 if _is_picture(entry) else 1)]
    hit = len(doubled) > len(value)
    value[:] = doubled
    return inner or hit


LOST = "translation/media-by-convention-lost"


@broken("translation/media-dropped-silently", target=CHAT, sources=(ANTHROPIC, RESPONSES))
def result_picture_lost(draft: Draft) -> None:
    """The picture of a result is gone, where only a convention says where it may stand, and no text says so."""
    _without_captioned(draft)
    for result in draft.results:
        if str(result.text).startswith("["):
            result.text = ""


@warning(LOST, target=CHAT, sources=(ANTHROPIC, RESPONSES), cases=("binary/recorded-shape", "binary/two-pictures"))
def picture_told_only(draft: Draft) -> None:
    """In place of a picture its tool message says that there was one."""
    _without_captioned(draft)
    for result in draft.results:
        if str(result.text).startswith("["):
            result.text = "[image/png not shown]"


def _without_captioned(draft: Draft) -> None:
    for piece in tool_media(draft):
        piece.remove()
    for caption in draft.captions:
        assert caption.blocks is not None
        caption.blocks.remove(caption.holder)
    draft.tidy()


@warning("translation/media-unmentioned", target=(ANTHROPIC, RESPONSES), cases=("binary/audio",))
def sound_dropped(draft: Draft) -> None:
    """A sound is gone, and nothing says that there was one."""
    need([piece for piece in pieces(Draft(draft.source, draft.source_format)) if piece.mime.startswith("audio/")])
    for rows in _rows(draft.messages):
        rows[:] = [part for part in rows if not (isinstance(part, dict) and _is_remark(part.get("text")))]
    draft.tidy()


def _is_remark(text: Any) -> bool:
    return isinstance(text, str) and text.startswith("[audio/")


def _rows(value: Any) -> list[list[Any]]:
    if isinstance(value, dict):
        return [row for entry in value.values() for row in _rows(entry)]
    return [value, *(row for entry in value for row in _rows(entry))] if isinstance(value, list) else []


@warning(
    "translation/media-owner-unclear",
    target=(CHAT, GEMINI),
    sources=(ANTHROPIC, RESPONSES),
    cases=("binary/two-pictures",),
)
def captions_missing(draft: Draft) -> None:
    """Nothing says which of the results the pictures behind them come from."""
    for caption in need(draft.captions):
        assert caption.blocks is not None
        caption.blocks.remove(caption.holder)


@warning("translation/media-owner-unclear", target=CHAT, sources=(ANTHROPIC,), cases=(USER_PICTURE,))
def all_pictures_under_one_caption(draft: Draft) -> None:
    """All pictures are gathered under the caption of the tool's picture, the user's own, too."""
    tools, users = need(draft.captions and draft.body["messages"][-2:])
    tools["content"].append(users["content"].pop())


@harmless(target=CHAT, sources=(ANTHROPIC,), cases=(USER_PICTURE,))
def tool_picture_and_words_in_one_message(draft: Draft) -> None:
    """The picture of the tool and the user's words and picture behind it are one message."""
    tools, users = need(draft.captions and draft.body["messages"][-2:])
    tools["content"].extend(users["content"])
    draft.body["messages"].pop()


@warning("gemini/result-parts-model", sources=(ANTHROPIC, RESPONSES), cases=("binary/seed", "binary/two-pictures"))
def media_nested_for_old_model(draft: Draft) -> None:
    """Pictures stand in a functionResponse, for a model that takes none there."""
    media_pieces = [piece for piece in pieces(draft) if piece.result is None and not piece.mime.startswith("audio/")]
    results = need(draft.results)
    need(len(media_pieces) == len(results) and not any("parts" in result.inner for result in results))
    for piece, result in zip(media_pieces, results, strict=True):
        piece.remove()
        result.inner["parts"] = [piece.entry]
    for caption in draft.captions:
        assert caption.blocks is not None
        caption.blocks.remove(caption.holder)


@warning("gemini/results-first")
def media_before_results(draft: Draft) -> None:
    """A picture stands before the result that it comes from."""
    results = need(draft.results)
    need(len(results) == 1)
    beside = [piece for piece in pieces(draft) if piece.holder is results[0].holder]
    piece = need(beside)[0]
    piece.remove()
    piece.holder.insert(results[0].place, piece.entry)


@harmless(target=GEMINI, beside=("gemini/media-base64", "translation/media-lost"))
def base64_in_url_alphabet(draft: Draft) -> None:
    """The bytes stand in base64's alphabet for URLs, without padding."""
    for piece in need(pieces(draft)):
        piece.data = url_alphabet(piece.data)


@harmless(target=CHAT, beside=("openai_chat/image-url", "translation/media-lost"))
def picture_with_detail(draft: Draft) -> None:
    """Pictures say that their detail is as the provider likes."""
    for piece in pictures(draft):
        piece.entry["image_url"]["detail"] = "auto"


@harmless(target=(CHAT, RESPONSES), beside="translation/media-lost")
def file_under_another_name(draft: Draft) -> None:
    """A file has a name of the translator's own."""
    for piece in need([piece for piece in pieces(draft) if piece.mime == "application/pdf"]):
        piece.entry.get("file", piece.entry)["filename"] = "attachment.pdf"


@broken("openai_chat/file-name", target=CHAT, cases=("binary/pdf", "mcp_results/embedded-pdf"))
def document_without_a_name(draft: Draft) -> None:
    """The bytes of a PDF stand in a file without a filename."""
    for piece in need([piece for piece in pieces(draft) if piece.mime == "application/pdf"]):
        del piece.entry["file"]["filename"]


REMARKS = (
    "(see the image in the next message)",
    "[Image attached below]",
    "Binary content of type image/png was processed.",
    "<image omitted here: it follows>",
)


@harmless(
    target=CHAT, sources=(ANTHROPIC, RESPONSES), beside=("translation/result-content", "openai_chat/result-content")
)
def placeholder_in_other_words(draft: Draft) -> None:
    """A tool message whose result is a picture alone says so in other words."""
    hit = [result for result in draft.results if re.fullmatch(r"\[image/[^\]]*\]", str(result.text))]
    for number, result in enumerate(need(hit)):
        result.text = REMARKS[(number + len(draft.results) + len(str(draft.source))) % len(REMARKS)]


@harmless(target=CHAT, sources=(ANTHROPIC, RESPONSES), beside="translation/result-content")
def remark_beside_text(draft: Draft) -> None:
    """A tool message says behind its text that the picture comes later."""
    tool_media(draft)
    result = need([result for result in draft.results if result.text and not str(result.text).startswith("[")])[0]
    need(len(draft.results) == 1)
    result.text = f"{result.text}\n\n[1 image attached in the next message]"


@harmless(target=(CHAT, GEMINI), sources=(ANTHROPIC, RESPONSES), beside="translation/results-linked")
def caption_in_other_words(draft: Draft) -> None:
    """A caption says in other words which call the picture comes from."""
    for caption in need(draft.captions):
        match = need(re.search(r"\(([^)]+)\)", caption.text))
        caption.text = f"Image returned by tool call {match[1]}"


@harmless(target=(CHAT, GEMINI), sources=(ANTHROPIC, RESPONSES), beside="translation/results-linked")
def caption_by_number(draft: Draft) -> None:
    """A caption says by its number which result the picture comes from."""
    ids = [result.id for result in draft.results]
    for caption in need(draft.captions):
        match = need(re.search(r"\(([^)]+)\)", caption.text))
        need(len(set(ids)) == len(ids) and match[1] in ids)
        caption.text = f"Image of tool result #{ids.index(match[1]) + 1}:"


@harmless(
    target=CHAT, sources=(ANTHROPIC, RESPONSES), beside=("translation/results-linked", "translation/result-content")
)
def caption_by_label(draft: Draft) -> None:
    """A label stands in the tool message and before its picture."""
    for caption in need(draft.captions):
        match = need(re.search(r"\(([^)]+)\)", caption.text))
        result = need([result for result in draft.results if result.id == match[1]])[0]
        label = f"{match[1][-3:].lower()}7f3c"
        text = str(result.text)
        result.text = f"See file {label}." if text.startswith("[") else f"{text}\nSee file {label}."
        caption.text = f"This is file {label}:"


@harmless(target=CHAT, sources=(ANTHROPIC, RESPONSES), beside="translation/results-linked")
def picture_of_only_result_without_caption(draft: Draft) -> None:
    """Behind the only result its picture stands without a caption."""
    need(len(draft.results) == 1)
    for caption in need(draft.captions):
        assert caption.blocks is not None
        caption.blocks.remove(caption.holder)


@harmless(
    target=CHAT,
    sources=(ANTHROPIC, RESPONSES),
    beside=("translation/media-moved", "translation/media-dropped-silently"),
)
def a_message_for_each_picture(draft: Draft) -> None:
    """Behind all tool messages each picture has a user message of its own, its caption with it."""
    media_pieces = need(tool_media(draft))
    need(len(media_pieces) > 1 and len(draft.captions) == len(media_pieces))
    rows = media_pieces[0].holder
    first, rest = rows[:2], [rows[place : place + 2] for place in range(2, len(rows), 2)]
    at = next(index for index, message in enumerate(draft.messages) if message is media_pieces[0].message)
    rows[:] = first
    draft.messages[at + 1 : at + 1] = [{"role": "user", "content": pair} for pair in rest]


@harmless(target=GEMINI, sources=(ANTHROPIC, RESPONSES), beside=("translation/media-moved", "gemini/results-complete"))
def media_in_content_of_their_own(draft: Draft) -> None:
    """Media stand in a content of the user behind that with the results."""
    result = need(draft.results)[-1]
    rest = result.holder[result.place + 1 :]
    need(any("inlineData" in part for part in rest))
    del result.holder[result.place + 1 :]
    at = next(index for index, message in enumerate(draft.messages) if message is result.message)
    draft.messages.insert(at + 1, {"role": "user", "parts": rest})


@harmless(target=(ANTHROPIC, RESPONSES, GEMINI), beside="translation/media-moved")
def picture_beside_its_result(draft: Draft) -> None:
    """A picture stands behind the only result that it could come from, not in it."""
    need(len(draft.results) == 1)
    media_pieces = result_media(draft)
    for piece in media_pieces:
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


@harmless(target=(ANTHROPIC, RESPONSES), cases=("binary/audio",), beside="translation/media-lost")
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


@harmless(target=(ANTHROPIC, RESPONSES), sources=(CHAT,), cases=("binary/audio",), beside="translation/text-changed")
def placeholder_for_sound_joined(draft: Draft) -> None:
    """What stands in place of a sound is joined to the text before it, with nothing between."""
    _join(draft, lambda text: text)


@broken("translation/text-changed", target=(ANTHROPIC, RESPONSES), sources=(CHAT,), cases=("binary/audio",))
def remark_joined(draft: Draft) -> None:
    """A remark that is about no sound is joined to the text before it."""
    _join(draft, lambda _: "[answer in one word]")


def _join(draft: Draft, render: Callable[[str], str]) -> None:
    hit = False
    for rows in _rows(draft.messages):
        for place in range(len(rows) - 1, 0, -1):
            left, right = rows[place - 1], rows[place]
            if isinstance(right, dict) and str(right.get("text")).startswith("[audio/") and "text" in left:
                left["text"] += render(right["text"])
                del rows[place]
                hit = True
    need(hit)
