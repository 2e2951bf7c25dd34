"""Sources of an answer: dropped, put at other words, or said in another legal way."""

from __future__ import annotations

from typing import Any

from doubles.body import ANTHROPIC, CHAT, GEMINI, RESPONSES, SAME, broken, harmless, need, warning
from doubles.draft import Draft

CITED = ("citations/web-search",)
BESIDE = ("citations/then-call",)
IDENTITY = ("translation/identity", "translation/identity-spelling")


def _holder(draft: Draft) -> dict[str, Any]:
    """What holds the sources of a reply: the message, the part of a message, or the candidate."""
    if draft.format == CHAT:
        found = draft.body["choices"][0]["message"]
    elif draft.format == RESPONSES:
        parts = [part for item in draft.body["output"] for part in item.get("content", [])]
        found = next((part for part in parts if part.get("annotations")), {})
    else:
        found = draft.body["candidates"][0]
    return need(found if found.get("annotations") or found.get("groundingMetadata") else None)


def _places(draft: Draft) -> list[dict[str, Any]]:
    """The objects that say at which words a source stands."""
    holder = _holder(draft)
    if draft.format == GEMINI:
        return [support["segment"] for support in holder["groundingMetadata"]["groundingSupports"]]
    return [one["url_citation"] if draft.format == CHAT else one for one in holder["annotations"]]


def _keys(draft: Draft) -> tuple[str, str]:
    return ("startIndex", "endIndex") if draft.format == GEMINI else ("start_index", "end_index")


@warning("translation/citation-lost", check="response", target=(CHAT, RESPONSES, GEMINI), cases=CITED, at_home=())
def sources_dropped(draft: Draft) -> None:
    """The answer names no sources any more."""
    holder = _holder(draft)
    if draft.format == GEMINI:
        del holder["groundingMetadata"]
    else:
        holder["annotations"] = []


@warning("translation/citation-lost", check="response", target=CHAT, cases=CITED, at_home=())
def first_source_alone(draft: Draft) -> None:
    """Of several sources only the first arrives."""
    holder = _holder(draft)
    need(len({str(place.get("url")) for place in _places(draft)}) > 1)
    del holder["annotations"][1:]


@warning("translation/citation-lost", check="response", target=(CHAT, RESPONSES, GEMINI), cases=BESIDE, at_home=())
def sources_dropped_beside_call(draft: Draft) -> None:
    """A reply with a call is no answer, and its sources are not read."""
    need(draft.calls)
    sources_dropped(draft)


@broken(
    "translation/call-lost",
    check="response",
    target=(CHAT, RESPONSES, GEMINI),
    cases=BESIDE,
)
def call_beside_sources_dropped(draft: Draft) -> None:
    """A reply with sources is an answer, and its call is not read."""
    _holder(draft)
    for call in need(draft.calls):
        call.remove()
    draft.tidy()


@warning("translation/citation-place", check="response", sources=(GEMINI,), target=(CHAT, RESPONSES), cases=CITED)
def bytes_as_characters(draft: Draft) -> None:
    """Places that Gemini counts in bytes are taken for characters."""
    supports = draft.source["candidates"][0]["groundingMetadata"]["groundingSupports"]
    for place, support in zip(_places(draft), supports, strict=True):
        segment = support["segment"]
        need(segment["endIndex"] != place["end_index"])
        place["start_index"], place["end_index"] = segment.get("startIndex", 0), segment["endIndex"]


@warning("translation/citation-place", check="response", sources=(CHAT, RESPONSES), target=GEMINI, cases=CITED)
def characters_as_bytes(draft: Draft) -> None:
    """Places that OpenAI counts in characters are taken for bytes."""
    text = need(draft.texts)[0].text.encode()
    for segment in _places(draft):
        start, end = (len(text[: segment.get(key, 0)].decode("utf-8", "ignore")) for key in _keys(draft))
        need(start)
        segment |= {"startIndex": start, "endIndex": end, "text": text[start:end].decode("utf-8", "ignore")}


@warning("translation/citation-place", check="response", sources=(ANTHROPIC,), target=CHAT, cases=CITED)
def places_of_each_block(draft: Draft) -> None:
    """Places are those in Anthropic's block, though the blocks have become one text."""
    for place in _places(draft):
        need(place["start_index"])
        place["start_index"], place["end_index"] = 0, place["end_index"] - place["start_index"]


@broken(
    ("translation/text-changed", "translation/text-lost"),
    check="response",
    sources=(ANTHROPIC,),
    target=(CHAT, RESPONSES, GEMINI),
    cases=CITED,
)
def cited_blocks_dropped(draft: Draft) -> None:
    """Blocks with sources are of no known shape and left out."""
    cited = [block["text"] for block in draft.source["content"] if block.get("citations")]
    plain = need([block for block in draft.source["content"] if block["type"] == "text" and not block.get("citations")])
    del plain
    if draft.format == CHAT:
        for text in draft.texts:
            for words in cited:
                text.text = text.text.replace(words, "")
    elif draft.format == RESPONSES:
        for item in draft.body["output"]:
            if "content" in item:
                item["content"] = [part for part in item["content"] if part.get("text") not in cited]
    else:
        content = draft.body["candidates"][0]["content"]
        content["parts"] = [part for part in content["parts"] if part.get("text") not in cited]


@warning(IDENTITY, target=ANTHROPIC, sources=SAME, cases=CITED)
def sealed_index_dropped(draft: Draft) -> None:
    """On A→A the sources in the history lost their sealed index, without which the provider refuses them."""
    blocks = [block for message in draft.messages for block in message["content"] if isinstance(block, dict)]
    for one in need([one for block in blocks for one in block.get("citations", [])]):
        one.pop("encrypted_index")


@harmless(check="response", target=(CHAT, RESPONSES), cases=(*CITED, *BESIDE))
def source_of_whole_answer(draft: Draft) -> None:
    """A source is said of the whole answer."""
    for place in _places(draft):
        place["start_index"] = 0


@harmless(check="response", target=(CHAT, RESPONSES), cases=(*CITED, *BESIDE))
def source_without_place(draft: Draft) -> None:
    """A source says no words, as a vendor's do: from 0 to 0."""
    for place in _places(draft):
        place["start_index"] = place["end_index"] = 0


@harmless(check="response", target=CHAT, cases=CITED, warns="translation/text-invented", at_home=())
def sources_as_links(draft: Draft) -> None:
    """The sources stand as links behind the answer."""
    urls = list(dict.fromkeys(place["url"] for place in _places(draft)))
    _holder(draft)["annotations"] = []
    text = need(draft.texts)[-1]
    text.text += "\n\n" + "\n".join(urls)


@harmless(check="response", target=ANTHROPIC, sources=(CHAT, RESPONSES, GEMINI), cases=CITED)
def sources_left_out_for_anthropic(draft: Draft) -> None:
    """A client of Anthropic gets no sources: only Anthropic can seal them."""
    for block in need([block for block in draft.body["content"] if block.get("citations")]):
        del block["citations"]
