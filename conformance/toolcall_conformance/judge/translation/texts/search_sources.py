"""Titles and sources of search results, and references to tools: formats without a place for them write them as text.

They must arrive, in whatever words. So that they do not count as new text, they are removed from the output before it
is compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from toolcall_conformance.basics.findings import MISSING, Finding, Words
from toolcall_conformance.basics.jsonvalue import JSONError, parse
from toolcall_conformance.basics.reading import Reading, Result, Text, Value
from toolcall_conformance.basics.reading.model import Item
from toolcall_conformance.judge.translation.nearest import conversation_pointer
from toolcall_conformance.judge.translation.pair import Sides
from toolcall_conformance.judge.translation.texts.text_search import JoinedTexts


def remove_search_sources(sides: Sides) -> tuple[Sides, list[Finding]]:
    """Return the sides without the titles and sources that arrived, and findings for those that did not."""
    cited = [text for text in texts_of(sides.source) if text.labels]
    if not cited:
        return sides, []
    output_texts = list(texts_of(sides.output))
    written = {text.labels for text in output_texts}
    output_labels = {label for labels in written for label in labels}
    words = "\n".join([*(_plain_text(text.text) for text in output_texts), *_object_texts(sides.output)])
    places = OutputTexts(output_texts)
    lost: dict[tuple[str, ...], Finding] = {}
    for text in cited:
        missing = [label for label in text.labels if label not in output_labels and label not in words]
        if not missing and text.labels not in written:
            sides.accept("search-source-as-text", places.pointer_of(text), text.pointer, list(text.labels), text.text)
        if missing and text.labels not in lost:
            lost[text.labels] = sides.finding(
                "translation/search-source",
                places.pointer_of(text) or conversation_pointer(sides),
                want=Words(", ".join(missing)),
                got=MISSING,
                source=text.pointer,
            )
    labels = sorted({label for text in cited for label in text.labels}, key=len, reverse=True)
    max_letters = sides.corpus.equivalence("search-source-as-text").parameters["most_letters"]
    source_texts = {
        text.text.strip() for text in texts_of(sides.source) if not text.labels
    }  # somebody may name the tool
    texts = {
        id(text): _clean_text(text, labels, cited, max_letters)
        for text in output_texts
        if not text.labels and text.text.strip() not in source_texts
    }
    objects = {id(item): _clean_object(item, labels, cited, max_letters) for item in _result_objects(sides.output)}
    texts |= {id(text): None for text in output_texts if _is_tool_reference(text)}
    names: dict[int, Text | None] = {id(text): None for text in cited if _is_tool_reference(text)}
    settled = replace(
        sides, source=_replace_items(sides.source, names, {}), output=_replace_items(sides.output, texts, objects)
    )
    return settled, list(lost.values())


def _is_tool_reference(text: Text) -> bool:
    """Whether a text is a reference to a tool: its only label is its own text."""
    return text.labels == (text.text,)


def texts_of(reading: Reading) -> Iterator[Text]:
    """Yield all texts of the conversation, those of results included."""
    for turn in reading.turns:
        for item in turn.items:
            if isinstance(item, Text):
                yield item
            elif isinstance(item, Result):
                yield from (part for part in item.parts if isinstance(part, Text))


def _result_objects(reading: Reading) -> Iterator[Value]:
    """Yield the objects in results."""
    return (part for result in reading.results for part in result.parts if isinstance(part, Value))


def _object_texts(reading: Reading) -> Iterator[str]:
    """Yield the texts inside objects in results."""
    for item in _result_objects(reading):
        yield from map(_plain_text, _strings_inside(item.value))


class OutputTexts:
    """The texts of the output, to look up where it has the text of a search result."""

    def __init__(self, texts: Sequence[Text]) -> None:
        self._texts = texts
        self._search = JoinedTexts(_plain_text(text.text) for text in texts)

    def pointer_of(self, cited: Text) -> str:
        """Return the pointer of the first text that contains ``cited``; empty if none does."""
        number = self._search.first_with(cited.text.strip())
        return "" if number is None else self._texts[number].pointer


def _plain_text(text: str) -> str:
    """Return a text, or the texts inside it if it is a JSON object or array."""
    if text.lstrip()[:1] not in ("{", "["):
        return text
    try:
        return "\n".join(_strings_inside(parse(text)))
    except JSONError:
        return text


def _strings_inside(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for entry in value.values() if isinstance(value, dict) else value:
            yield from _strings_inside(entry)


def _clean_text(text: Text, labels: Sequence[str], cited: Sequence[Text], max_letters: int) -> Text | None:
    """Return a text without titles and sources and the few words around them; None if nothing remains."""
    rest = text_words = _plain_text(text.text)
    for label in labels:
        rest = rest.replace(label, "")
    count = sum(label in text_words for label in labels)
    contents = [citation.text.strip() for citation in cited if citation.text.strip() in rest]
    for content in contents:
        rest = rest.replace(content, "")
    if not count or sum(map(str.isalpha, rest)) > max_letters * count:
        return text
    return replace(text, text="\n".join(contents)) if contents else None


def _clean_object(item: Value, labels: Sequence[str], cited: Sequence[Text], max_letters: int) -> Value:
    """Return an object in a result with its texts cleaned."""

    def clean(value: Any) -> Any:
        if isinstance(value, str):
            cleaned = _clean_text(Text(value, item.pointer), labels, cited, max_letters)
            return "" if cleaned is None else cleaned.text
        if isinstance(value, dict):
            return {key: clean(entry) for key, entry in value.items()}
        return [clean(entry) for entry in value] if isinstance(value, list) else value

    return replace(item, value=clean(item.value))


def _replace_items(reading: Reading, texts: dict[int, Text | None], objects: dict[int, Value]) -> Reading:
    """Return a reading with texts replaced (None removes them), and objects in results replaced, by their ``id()``."""
    turns = []
    for turn in reading.turns:
        items: list[Item] = []
        for item in turn.items:
            if isinstance(item, Result):
                parts = (objects.get(id(part), texts.get(id(part), part)) for part in item.parts)
                items.append(replace(item, parts=tuple(part for part in parts if part is not None)))
            elif (replacement := texts.get(id(item), item)) is not None:
                items.append(replacement)
        turns.append(replace(turn, items=items))
    return replace(reading, turns=turns)
