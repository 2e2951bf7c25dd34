"""Sources of an answer: dropped, put at other words, or said in another legal way."""

from __future__ import annotations

from typing import Any

from doubles.body import ANTHROPIC, CHAT, GEMINI, RESPONSES, SAME, broken, harmless, need, warning
from doubles.draft import Draft, copied

CITED = ("citations/web-search",)
BESIDE = ("citations/then-call",)
IDENTITY = ("translation/identity", "translation/identity-spelling")


def _holder(draft: Draft) -> dict[str, Any]:
    """What holds the sources of a reply: the message, the part of a message, or the candidate."""
    if draft.format == CHAT:
        holder = draft.body["choices"][0]["message"]
    elif draft.format == RESPONSES:
        parts = [part for item in draft.body["output"] for part in item.get("content", [])]
        holder = next((part for part in parts if part.get("annotations")), {})
    else:
        holder = draft.body["candidates"][0]
    return need(holder if holder.get("annotations") or holder.get("groundingMetadata") else None)


def _places(draft: Draft) -> list[dict[str, Any]]:
    """The objects that say at which words a source stands."""
    holder = _holder(draft)
    if draft.format == GEMINI:
        return [support["segment"] for support in holder["groundingMetadata"]["groundingSupports"]]
    return [annotation["url_citation"] if draft.format == CHAT else annotation for annotation in holder["annotations"]]


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
    for citation in need([citation for block in blocks for citation in block.get("citations", [])]):
        citation.pop("encrypted_index")


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


@warning("translation/citation-title", check="response", target=(CHAT, RESPONSES), cases=CITED, at_home=())
def titles_of_the_next_page(draft: Draft) -> None:
    """Each source has the title of the one behind it."""
    places = _places(draft)
    titles = [place["title"] for place in places]
    need(len(set(titles)) > 1)
    for place, title in zip(places, [*titles[1:], titles[0]], strict=True):
        place["title"] = title


@warning("translation/citation-added", check="response", target=(CHAT, RESPONSES), cases=CITED, at_home=())
def source_made_up(draft: Draft) -> None:
    """A page that the provider never found is named beside the others."""
    annotations = _holder(draft)["annotations"]
    added = copied(annotations[0])
    (added["url_citation"] if draft.format == CHAT else added)["url"] = "https://example.com/made-up"
    annotations.append(added)


@warning("translation/citation-added", check="response", target=RESPONSES, cases=CITED, at_home=())
def title_for_a_page(draft: Draft) -> None:
    """A further source has the title of a page where its address belongs."""
    annotations = _holder(draft)["annotations"]
    added = copied(annotations[0])
    added["url"] = need(added.get("title"))
    annotations.append(added)


@warning("translation/citation-added", check="response", target=RESPONSES, cases=CITED, at_home=())
def address_cut_at_its_host(draft: Draft) -> None:
    """A further source has the address of a page as far as the name of its host."""
    annotations = _holder(draft)["annotations"]
    added = copied(annotations[0])
    added["url"] = added["url"].rpartition(".")[0]
    annotations.append(added)


@warning("translation/citation-added", check="response", target=(CHAT, RESPONSES), cases=BESIDE, at_home=())
def sources_told_twice(draft: Draft) -> None:
    """All sources come twice over."""
    annotations = _holder(draft)["annotations"]
    annotations.extend(copied(annotations))


@harmless(check="response", target=(CHAT, RESPONSES), cases=(*CITED, *BESIDE), at_home=())
def sources_in_another_order(draft: Draft) -> None:
    """Each source has its place, so their order says nothing."""
    _holder(draft)["annotations"].reverse()


@warning("translation/citation-place", check="response", target=GEMINI, cases=BESIDE, at_home=())
def words_of_another_place(draft: Draft) -> None:
    """The place of a source is right, and the words that stand beside it are others."""
    for place in _places(draft):
        place["text"] = "Elsewhere it rains."


@warning("{format}/annotation-shape", check="response", target=(CHAT, RESPONSES), cases=CITED, at_home=())
def place_in_camel_case(draft: Draft) -> None:
    """The end of a place has a key that nobody looks for."""
    for place in _places(draft):
        place["endIndex"] = place.pop("end_index")


@warning("gemini/reply-camel-case", check="response", target=GEMINI, cases=CITED, at_home=())
def page_numbers_in_snake_case(draft: Draft) -> None:
    """Which pages the words rest on stands under a key in snake_case."""
    for support in _holder(draft)["groundingMetadata"]["groundingSupports"]:
        support["grounding_chunk_indices"] = support.pop("groundingChunkIndices")


@warning("gemini/grounding-shape", check="response", target=GEMINI, cases=CITED, at_home=())
def supports_without_segment(draft: Draft) -> None:
    """Which pages support the answer is said, and not what of it."""
    for support in _holder(draft)["groundingMetadata"]["groundingSupports"]:
        del support["segment"]


@warning("anthropic/citation-shape", check="response", target=ANTHROPIC, cases=CITED, at_home=())
def citations_as_annotations(draft: Draft) -> None:
    """Citations are written as OpenAI's annotations."""
    cited = need([block for block in draft.body["content"] if block.get("citations")])
    for block in cited:
        block["citations"] = [
            {"type": "url_citation", "url": citation["url"], "title": citation["title"]}
            for citation in block["citations"]
        ]


@warning("translation/citation-added", check="response", target=ANTHROPIC, cases=CITED, at_home=())
def addresses_and_titles_exchanged(draft: Draft) -> None:
    """Each source has its title where its address belongs, and its address as a title."""
    for block in need([block for block in draft.body["content"] if block.get("citations")]):
        for citation in block["citations"]:
            citation["url"], citation["title"] = need(citation["title"]), citation["url"]


@harmless(check="response", target=ANTHROPIC, cases=CITED, at_home=())
def citation_of_a_document_beside_pages(draft: Draft) -> None:
    """A block says that it has no citations, and a citation of a document stands beside the pages."""
    for block in draft.body["content"]:
        if block["type"] == "text" and not block.get("citations"):
            block["citations"] = None
    cited = need([block for block in draft.body["content"] if block.get("citations")])
    place = {"type": "char_location", "document_index": 0, "document_title": None, "start_char_index": 0}
    cited[0]["citations"].append({**place, "end_char_index": 4, "cited_text": "Wyk.", "file_id": None})
