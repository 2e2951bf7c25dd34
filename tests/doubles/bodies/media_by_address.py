"""Media by their address or by a provider's id: lost, without the address, or in a shape of another format."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from doubles.body import ANTHROPIC, CHAT, GEMINI, RESPONSES, broken, harmless, need, warning
from doubles.draft import Draft
from doubles.pictures import is_by_address, text_part

LINK = "translation/media-link-lost"
PICTURE = "media/image-by-url"
IN_RESULT = "media/result-image-by-url"
UPLOADED = "media/document-uploaded"
NATIVE = (ANTHROPIC, RESPONSES, GEMINI)


def _parts(value: Any) -> Iterator[tuple[list[Any], dict[str, Any]]]:
    """The media of a body that are somewhere else, with the lists that hold them."""
    if isinstance(value, list):
        for entry in value:
            if isinstance(entry, dict) and is_by_address(entry):
                yield value, entry
            yield from _parts(entry)
    elif isinstance(value, dict):
        for entry in value.values():
            yield from _parts(entry)


@warning(LINK, cases=(PICTURE,))
def linked_picture_dropped(draft: Draft) -> None:
    """A picture that the user shows by its address is gone."""
    for parts, part in need(list(_parts(draft.body))):
        parts.remove(part)


@warning(LINK, target=NATIVE, sources=NATIVE, cases=(IN_RESULT,))
def linked_picture_of_result_dropped(draft: Draft) -> None:
    """A picture that a tool returned by its address is gone."""
    for parts, part in need(list(_parts(draft.body))):
        parts.remove(part)


@harmless(cases=(PICTURE,))
def linked_picture_as_text(draft: Draft) -> None:
    """The address of a picture is told in words."""
    for parts, part in need(list(_parts(draft.body))):
        address = "https://scans.example.org/maps/1743/gotland.png"
        parts[parts.index(part)] = text_part(draft, f"[image/png: {address}]")


@broken(
    {
        ANTHROPIC: "anthropic/image-source",
        CHAT: ("openai_chat/image-url", "openai_chat/user-part"),
        RESPONSES: ("openai_responses/image-source", "openai_responses/image-url-string"),
        GEMINI: ("gemini/media-uri", "gemini/shape"),
    },
    cases=(PICTURE,),
)
def picture_without_address(draft: Draft) -> None:
    """A picture lost its address: nothing says where it is."""
    for _, part in need(list(_parts(draft.body))):
        if draft.format == ANTHROPIC:
            del part["source"]["url"]
        elif draft.format == GEMINI:
            del part["fileData"]["fileUri"]
        elif draft.format == CHAT:
            del part["image_url"]["url"]
        else:
            del part["image_url"]


@broken(
    {ANTHROPIC: "anthropic/document-source", RESPONSES: "openai_responses/file-source"},
    cases=("media/document-by-url",),
)
def document_without_address(draft: Draft) -> None:
    """A document lost its address: nothing says where it is."""
    for _, part in need(list(_parts(draft.body))):
        if draft.format == ANTHROPIC:
            del part["source"]["url"]
        else:
            del part["file_url"]


@broken({CHAT: "openai_chat/file-part"}, sources=(RESPONSES,), cases=(UPLOADED,))
def file_unnamed(draft: Draft) -> None:
    """A file that was uploaded is not named at all."""
    for _, part in need(list(_parts(draft.body))):
        del part["file"]


@broken("openai_responses/image-url-string", target=RESPONSES, cases=(PICTURE,))
def picture_address_in_object(draft: Draft) -> None:
    """The address of a picture stands in an object, as in Chat."""
    for _, part in need(list(_parts(draft.body))):
        part["image_url"] = {"url": part["image_url"]}


@broken("openai_chat/result-text-only", target=CHAT, sources=(ANTHROPIC, RESPONSES), cases=(IN_RESULT,))
def linked_picture_in_tool_message(draft: Draft) -> None:
    """A picture of a result stands in the tool message, which takes text alone."""
    result = need(draft.results)[0]
    address = {"url": "https://plots.example.net/14/0702.jpg"}
    result.entry["content"] = [{"type": "text", "text": "taken at 7:02"}, {"type": "image_url", "image_url": address}]


@harmless(
    target=RESPONSES, cases=(PICTURE,), beside=("openai_responses/image-source", "openai_responses/image-url-string")
)
def picture_in_detail(draft: Draft) -> None:
    """A picture by its address is to be looked at in detail."""
    for _, part in need(list(_parts(draft.body))):
        part["detail"] = "high"


@harmless(target=ANTHROPIC, sources=(GEMINI,), cases=("media/document-by-url",), beside="anthropic/document-source")
def document_with_title(draft: Draft) -> None:
    """A document by its address has a title."""
    for _, part in need(list(_parts(draft.body))):
        part["title"] = "1811-03.pdf"


@harmless(target=CHAT, sources=(RESPONSES,), cases=(UPLOADED,), beside="openai_chat/file-part")
def file_named(draft: Draft) -> None:
    """A file that was uploaded has its name beside its id."""
    for _, part in need(list(_parts(draft.body))):
        part["file"]["filename"] = "deed.pdf"


@harmless(target=GEMINI, cases=(PICTURE,), beside="gemini/media-uri")
def address_without_type(draft: Draft) -> None:
    """A picture by its address does not say its type, which Gemini takes from the address."""
    for _, part in need(list(_parts(draft.body))):
        need(part["fileData"].pop("mimeType", None))


@warning(LINK, target=GEMINI, sources=(ANTHROPIC, CHAT, RESPONSES), cases=(PICTURE, IN_RESULT))
def picture_typed_as_document(draft: Draft) -> None:
    """A picture by its address has the MIME type of a document."""
    for _, part in need(list(_parts(draft.body))):
        part["fileData"]["mimeType"] = "application/pdf"


@harmless(target=GEMINI, sources=(ANTHROPIC, CHAT, RESPONSES), cases=(PICTURE, IN_RESULT), beside="gemini/media-uri")
def picture_of_any_bytes(draft: Draft) -> None:
    """The type of a picture by its address is that of any bytes: the source does not say it."""
    for _, part in need(list(_parts(draft.body))):
        part["fileData"]["mimeType"] = "application/octet-stream"
