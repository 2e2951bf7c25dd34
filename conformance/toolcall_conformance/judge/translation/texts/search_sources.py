"""Titles and sources of search results, and names of tools that were found: elsewhere they are said as text.

They must arrive, in whatever words; so that these are not taken for something new, they are taken out of the output
before it is compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from toolcall_conformance.basics.findings import MISSING, Finding, Words
from toolcall_conformance.basics.jsonvalue import JSONError, parse
from toolcall_conformance.basics.reading import Reading, Result, Text, Value
from toolcall_conformance.basics.reading.model import Item
from toolcall_conformance.judge.translation.nearest import container
from toolcall_conformance.judge.translation.pair import Sides
from toolcall_conformance.judge.translation.texts.joined_search import FirstHolding


def settle(sides: Sides) -> tuple[Sides, list[Finding]]:
    """The bodies without the titles and sources that arrived, and the findings on those that did not."""
    cited = [text for text in texts_of(sides.source) if text.labels]
    if not cited:
        return sides, []
    output_texts = list(texts_of(sides.output))
    written = {text.labels for text in output_texts}
    output_labels = {label for labels in written for label in labels}
    words = "\n".join([*(_plain(text.text) for text in output_texts), *_in_objects(sides.output)])
    places = OutputTexts(output_texts)
    lost: dict[tuple[str, ...], Finding] = {}
    for text in cited:
        missing = [label for label in text.labels if label not in output_labels and label not in words]
        if not missing and text.labels not in written:
            sides.accept("search-source-as-text", places.place_of(text), text.pointer, list(text.labels), text.text)
        if missing and text.labels not in lost:
            lost[text.labels] = sides.finding(
                "translation/search-source",
                places.place_of(text) or container(sides),
                want=Words(", ".join(missing)),
                got=MISSING,
                source=text.pointer,
            )
    labels = sorted({label for text in cited for label in text.labels}, key=len, reverse=True)
    most = sides.corpus.equivalence("search-source-as-text").parameters["most_letters"]
    own = {text.text.strip() for text in texts_of(sides.source) if not text.labels}  # somebody may name the tool
    texts = {
        id(text): _cleaned(text, labels, cited, most)
        for text in output_texts
        if not text.labels and text.text.strip() not in own
    }
    objects = {id(item): _cleaned_object(item, labels, cited, most) for item in _objects(sides.output)}
    texts |= {id(text): None for text in output_texts if _is_name(text)}
    names: dict[int, Text | None] = {id(text): None for text in cited if _is_name(text)}
    settled = replace(sides, source=_with(sides.source, names, {}), output=_with(sides.output, texts, objects))
    return settled, list(lost.values())


def _is_name(text: Text) -> bool:
    """Whether a text is nothing but what it is named by: a reference to a tool."""
    return text.labels == (text.text,)


def texts_of(reading: Reading) -> Iterator[Text]:
    """All texts of the conversation, those of results included."""
    for turn in reading.turns:
        for item in turn.items:
            if isinstance(item, Text):
                yield item
            elif isinstance(item, Result):
                yield from (part for part in item.parts if isinstance(part, Text))


def _objects(reading: Reading) -> Iterator[Value]:
    return (part for result in reading.results for part in result.parts if isinstance(part, Value))


def _in_objects(reading: Reading) -> Iterator[str]:
    """The texts in results that are objects."""
    for item in _objects(reading):
        yield from map(_plain, _leaves(item.value))


class OutputTexts:
    """The texts of the output, to look up where it says the text of a search result."""

    def __init__(self, texts: Sequence[Text]) -> None:
        self._texts = texts
        self._holding = FirstHolding(_plain(text.text) for text in texts)

    def place_of(self, cited: Text) -> str:
        """The pointer of the first text that has ``cited`` in it; empty where none has."""
        number = self._holding.of(cited.text.strip())
        return "" if number is None else self._texts[number].pointer


def _plain(text: str) -> str:
    """A text; of the JSON text of an object or array the texts in it."""
    if text.lstrip()[:1] not in ("{", "["):
        return text
    try:
        return "\n".join(_leaves(parse(text)))
    except JSONError:
        return text


def _leaves(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for entry in value.values() if isinstance(value, dict) else value:
            yield from _leaves(entry)


def _cleaned(text: Text, labels: Sequence[str], cited: Sequence[Text], most: int) -> Text | None:
    """A text of the output without titles and sources and the few words around them; None where nothing is left."""
    rest = text_words = _plain(text.text)
    for label in labels:
        rest = rest.replace(label, "")
    count = sum(label in text_words for label in labels)
    contents = [citation.text.strip() for citation in cited if citation.text.strip() in rest]
    for content in contents:
        rest = rest.replace(content, "")
    if not count or sum(map(str.isalpha, rest)) > most * count:
        return text
    return replace(text, text="\n".join(contents)) if contents else None


def _cleaned_object(item: Value, labels: Sequence[str], cited: Sequence[Text], most: int) -> Value:
    """A result that is an object, its texts cleaned."""

    def inside(value: Any) -> Any:
        if isinstance(value, str):
            cleaned = _cleaned(Text(value, item.pointer), labels, cited, most)
            return "" if cleaned is None else cleaned.text
        if isinstance(value, dict):
            return {key: inside(entry) for key, entry in value.items()}
        return [inside(entry) for entry in value] if isinstance(value, list) else value

    return replace(item, value=inside(item.value))


def _with(reading: Reading, texts: dict[int, Text | None], objects: dict[int, Value]) -> Reading:
    """A reading with other texts, and other objects in its results."""
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
