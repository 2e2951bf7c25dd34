"""Media of results that are lost, changed, exchanged or put where the provider does not take them."""

from __future__ import annotations

from typing import Any

from doubles.bodies.results import sounds_bad
from doubles.body import ANTHROPIC, CHAT, GEMINI, RESPONSES, broken, need
from doubles.draft import Draft, Skip
from doubles.pictures import Piece, client_pictures, pictures, pieces, result_media, text_part, tool_media

LOST = "translation/media-lost"
TWO = "binary/two-pictures"


@broken(LOST, target=(ANTHROPIC, RESPONSES, GEMINI))
def result_media_lost(draft: Draft) -> None:
    """Of results only the texts are left."""
    need(draft.source_format != CHAT)  # only some vendors read media there: to lose these breaks another rule
    media_pieces = [piece for piece in result_media(draft) if not piece.mime.startswith("audio/")]
    for piece in need(media_pieces):
        piece.remove()
        if not piece.holder:
            assert piece.result is not None
            _without_parts(piece)


def _without_parts(piece: Piece) -> None:
    assert piece.result is not None
    if piece.format == GEMINI:
        del piece.result.inner["parts"]
    else:
        piece.result.content = ""


@broken(LOST, target=(ANTHROPIC, RESPONSES, GEMINI), cases=("binary/recorded-shape",))
def second_picture_lost(draft: Draft) -> None:
    """Of several pictures in one result only the first is left."""
    media_pieces = result_media(draft)
    need(len(media_pieces) > 1)
    media_pieces[-1].remove()


@broken(LOST, target=(ANTHROPIC, RESPONSES))
def picture_as_base64_text(draft: Draft) -> None:
    """The bytes of a picture are text of its result."""
    need(draft.source_format != CHAT)  # as above
    for piece in result_media(draft):
        piece.holder[piece.place] = text_part(draft, piece.data)


@broken(LOST, target=GEMINI)
def picture_as_base64_in_response(draft: Draft) -> None:
    """The bytes of a picture are an entry of the response beside its text."""
    for piece in result_media(draft):
        assert piece.result is not None
        piece.remove()
        piece.result.inner.pop("parts", None)
        piece.result.content = {**piece.result.content, "image": piece.data}


@broken("translation/result-content", target=CHAT)
def picture_as_base64_in_tool_message(draft: Draft) -> None:
    """The bytes of a picture are the text of its tool message, where no picture can be."""
    piece = tool_media(draft)[-1]
    piece.remove()
    result = draft.results[-1]
    need(not sounds_bad(result))
    result.content = f"{result.content}\n{piece.data}"
    draft.tidy()


@broken("translation/results-linked", cases=(TWO,))
def pictures_exchanged(draft: Draft) -> None:
    """The pictures of two results changed places."""
    first, second = tool_media(draft)
    first.data, second.data = second.data, first.data


@broken(LOST, target=(ANTHROPIC, RESPONSES, GEMINI), at_home=(ANTHROPIC, RESPONSES))
def picture_bytes_cut(draft: Draft) -> None:
    """The end of a picture is gone."""
    piece = client_pictures(draft)[-1]
    piece.data = piece.data[: len(piece.data) // 8 * 4]


@broken(LOST)
def picture_type_changed(draft: Draft) -> None:
    """A picture is declared as what it is not."""
    for piece in pictures(draft):
        piece.mime = {"image/png": "image/jpeg"}.get(piece.mime, "image/png")


@broken({ANTHROPIC: "anthropic/media-raw-base64", GEMINI: "gemini/media-base64"}, sources=(CHAT, RESPONSES))
def data_url_kept(draft: Draft) -> None:
    """The prefix of a data URL is left in the data."""
    for piece in pictures(draft):
        piece.data = f"data:{piece.mime};base64,{piece.data}"


@broken({CHAT: "openai_chat/image-url", RESPONSES: "openai_responses/image-url-form"}, sources=(ANTHROPIC, GEMINI))
def data_url_missing(draft: Draft) -> None:
    """Where an address belongs the bare base64 stands."""
    for piece in pictures(draft):
        piece.raw = piece.data


@broken({ANTHROPIC: "anthropic/image-type", RESPONSES: "openai_responses/image-url-form", CHAT: LOST})
def document_as_picture(draft: Draft) -> None:
    """A PDF is sent as a picture."""
    for piece in need([piece for piece in pieces(draft) if piece.mime == "application/pdf"]):
        url = f"data:application/pdf;base64,{piece.data}"
        image: dict[str, Any] = {"type": "input_image", "image_url": url}
        if draft.format == ANTHROPIC:
            image = {"type": "image", "source": piece.entry["source"]}
        elif draft.format == CHAT:
            image = {"type": "image_url", "image_url": {"url": url}}
        piece.holder[piece.place] = image


@broken(LOST, target=(CHAT, GEMINI), sources=(CHAT, GEMINI))
def sound_lost(draft: Draft) -> None:
    """A sound that both formats have words for is gone."""
    for piece in need([piece for piece in pieces(draft) if piece.mime.startswith("audio/")]):
        piece.remove()
    draft.tidy()


@broken(
    {
        ANTHROPIC: ("anthropic/result-blocks", "anthropic/block-type"),
        RESPONSES: ("openai_responses/result-part-type", "openai_responses/content-part-type"),
    },
    cases=("binary/audio",),
)
def sound_in_a_made_up_block(draft: Draft) -> None:
    """A sound stands in a block that the format does not have."""
    _for_sound(draft, {"type": "audio", "source": {"type": "base64", "media_type": "audio/wav", "data": "UklGRg=="}})


@broken("openai_responses/file-type", cases=("binary/audio",))
def sound_as_file(draft: Draft) -> None:
    """A sound is sent as a file, of which the provider does not take that type."""
    _for_sound(draft, {"type": "input_file", "filename": "a.wav", "file_data": "data:audio/wav;base64,UklGRg=="})


def _for_sound(draft: Draft, entry: dict[str, Any]) -> None:
    for holder in _lists(draft.messages):
        for place, part in enumerate(holder):
            if isinstance(part, dict) and str(part.get("text", "")).startswith("[audio/"):
                holder[place] = entry
                return
    raise Skip


def _lists(value: Any) -> list[list[Any]]:
    if isinstance(value, dict):
        return [content for entry in value.values() for content in _lists(entry)]
    return [value, *(content for entry in value for content in _lists(entry))] if isinstance(value, list) else []


@broken("openai_chat/results-follow-calls", cases=(TWO,))
def pictures_between_tool_messages(draft: Draft) -> None:
    """Each picture follows its own tool message, so that the next one is cut off from its call."""
    first = need(draft.results)[0]
    holder = tool_media(draft)[0].holder
    moved, holder[:2] = holder[:2], []
    draft.messages.insert(first.place + 1, {"role": "user", "content": moved})


@broken("anthropic/results-first")
def picture_before_results(draft: Draft) -> None:
    """A picture stands before the results in their message."""
    piece = result_media(draft)[0]
    assert piece.result is not None
    piece.remove()
    piece.result.holder.insert(0, piece.entry)
    if not piece.holder:
        piece.result.content = "[image]"


@broken("translation/result-content", target=(ANTHROPIC, RESPONSES, GEMINI), cases=("binary/bytes-as-text",))
def text_made_a_file(draft: Draft) -> None:
    """A text that is a data URL was taken for a file."""
    result = need(draft.results)[0]
    text, mark, url = _words(result).rpartition("data:")
    need(mark)
    mime, _, data = url.rstrip('"}').partition(";base64,")
    if draft.format == GEMINI:
        result.content = {"output": text.strip()}
        result.holder.insert(result.place + 1, {"inlineData": {"mimeType": mime, "data": data}})
    elif draft.format == ANTHROPIC:
        source = {"type": "base64", "media_type": "application/pdf", "data": data}
        result.content = [text_part(draft, text), {"type": "document", "source": source}]
    else:
        file = {"type": "input_file", "filename": "session.bin", "file_data": f"data:{mime};base64,{data}"}
        result.content = [text_part(draft, text), file]


def _words(result: Any) -> str:
    content = result.content
    if isinstance(content, dict):
        return str(next(iter(content.values())))
    return content if isinstance(content, str) else "\n".join(part["text"] for part in content)
