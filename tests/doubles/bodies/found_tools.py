"""What a search of the client's own brings: references to tools, and pages with title and source."""

from __future__ import annotations

import json

from doubles.body import ANTHROPIC, CHAT, GEMINI, RESPONSES, broken, harmless, need
from doubles.draft import Draft
from doubles.wire import Result

REFERENCE = ("server_tools/tool-reference-in-result",)
DEFERRED = ("server_tools/tool-search",)
PAGES = ("server_tools/pages-in-result",)
OTHERS = (CHAT, RESPONSES, GEMINI)
NAMED = "translation/search-source"


def _say(draft: Draft, result: Result, text: str) -> None:
    result.content = {"output": text} if draft.format == GEMINI else text


def _first(draft: Draft) -> Result:
    """The result of the search."""
    return need(draft.results)[0]


@broken(NAMED, sources=(ANTHROPIC,), target=OTHERS, cases=REFERENCE)
def reference_dropped(draft: Draft) -> None:
    """A reference to a tool is no text and left out, so that the result is empty."""
    _say(draft, _first(draft), "")


@broken(NAMED, sources=(ANTHROPIC,), target=OTHERS, cases=REFERENCE)
def reference_not_supported(draft: Draft) -> None:
    """In place of a reference to a tool stands that such blocks are not supported."""
    _say(draft, _first(draft), "[block of type tool_reference is not supported]")


@harmless(sources=(ANTHROPIC,), target=OTHERS, cases=REFERENCE, beside=(NAMED, "translation/result-content"))
def reference_in_a_sentence(draft: Draft) -> None:
    """A reference to a tool is told in a sentence."""
    _say(draft, _first(draft), "Found, and ready to be called: convert_currency.")


@harmless(sources=(ANTHROPIC,), target=(CHAT, RESPONSES), cases=REFERENCE, beside=NAMED)
def reference_as_json(draft: Draft) -> None:
    """A reference to a tool stands as the JSON text of its block."""
    block = {"type": "tool_reference", "tool_name": "convert_currency"}
    _say(draft, _first(draft), json.dumps([block]))


@broken("translation/tool-lost", sources=(ANTHROPIC, RESPONSES), target=OTHERS, cases=DEFERRED)
def deferred_tool_not_declared(draft: Draft) -> None:
    """A tool that is to be loaded later is not declared, where nothing can load it."""
    need([tool for tool in draft.tools if tool.inner["name"] == "convert_currency"])[0].remove()


@broken(NAMED, sources=(ANTHROPIC,), target=OTHERS, cases=PAGES)
def pages_without_source(draft: Draft) -> None:
    """Of the pages of a result only the texts arrive."""
    _say(draft, _first(draft), "\n".join(text for _, _, text in _pages(draft)))


@harmless(sources=(ANTHROPIC,), target=OTHERS, cases=PAGES, beside=(NAMED, "translation/result-content"))
def pages_with_labels(draft: Draft) -> None:
    """Titles and sources stand behind words that say what they are."""
    texts = [f"Title: {title}\nSource: {source}\n{text}" for title, source, text in _pages(draft)]
    _say(draft, _first(draft), "\n\n".join(texts))


@harmless(sources=(ANTHROPIC,), target=(CHAT, RESPONSES), cases=PAGES, beside=(NAMED, "translation/result-content"))
def pages_in_pieces(draft: Draft) -> None:
    """Pages stand in several parts, which end anywhere: amid a title, an address, a sentence, or where a line does."""
    _say_in_parts(draft, _pieces(draft, _told(draft)))


@broken(NAMED, sources=(ANTHROPIC,), target=(CHAT, RESPONSES), cases=PAGES)
def pages_in_pieces_with_one_lost(draft: Draft) -> None:
    """Of the parts that pages are cut into the one with half a title is lost."""
    title = _pages(draft)[0][0]
    _say_in_parts(draft, [piece for piece in _pieces(draft, _told(draft)) if not title.endswith(piece.split("\n")[0])])


@broken("translation/result-content", sources=(ANTHROPIC,), target=(CHAT, RESPONSES), cases=PAGES)
def pages_in_pieces_with_more(draft: Draft) -> None:
    """Between the parts that pages are cut into stands one that nobody wrote."""
    first, *others = _pieces(draft, _told(draft))
    _say_in_parts(draft, [first, *others, "These pages are old, and the office tells of other hours now."])


def _told(draft: Draft) -> str:
    """All pages as one text."""
    return "\n".join("\n".join(page) for page in _pages(draft))


def _pieces(draft: Draft, content: str) -> list[str]:
    """A text, cut amid each title and each text of a page."""
    for title, _, text in _pages(draft):
        for words in (title, text):
            content = content.replace(words, words[: len(words) // 2] + "\0" + words[len(words) // 2 :])
    return content.split("\0")


def _say_in_parts(draft: Draft, pieces: list[str]) -> None:
    kind = "text" if draft.format == CHAT else "input_text"
    _first(draft).content = [{"type": kind, "text": piece} for piece in pieces]


def _pages(draft: Draft) -> list[tuple[str, str, str]]:
    """Title, source and text of each page that the client sent."""
    results = [block for message in draft.source["messages"] for block in message["content"] if "content" in block]
    pages = need([page for result in results for page in result["content"] if page["type"] == "search_result"])
    return [(page["title"], page["source"], page["content"][0]["text"]) for page in pages]
