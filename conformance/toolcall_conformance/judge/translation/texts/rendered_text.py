"""What the output renders as text: calls and results, which are lost that way, and documents of plain text.

The text is not made up by the translator. Where a format takes no such file, its own guide says to send the words
(https://developers.openai.com/api/docs/guides/file-inputs).
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from toolcall_conformance.basics.findings import MISSING
from toolcall_conformance.basics.reading import Call, Reading, Result, Text, Unreadable
from toolcall_conformance.judge.translation.media.media_places import match_media, media_of_both
from toolcall_conformance.judge.translation.pair import Pair
from toolcall_conformance.judge.translation.results.failures import texts_after_prefix
from toolcall_conformance.judge.translation.results.links import link_results
from toolcall_conformance.judge.translation.results.payload import Content, document_text, parse_text
from toolcall_conformance.judge.translation.texts.text_chunks import is_phrase
from toolcall_conformance.judge.translation.texts.text_search import PieceSearch
from toolcall_conformance.judge.translation.texts.white_space import squeeze
from toolcall_conformance.library import Corpus

_EMPTY_OBJECT = json.dumps({})
"""What a text has in addition to the tool's name if it renders a call without arguments, and no id."""

# Not in the middle of a word or a number; scripts that write words without blanks have no such borders.
_WHOLE_WORDS = r"(?:(?<![A-Za-z0-9_])|(?![A-Za-z0-9_])){}(?:(?![A-Za-z0-9_])|(?<![A-Za-z0-9_]))"


@dataclass(frozen=True, slots=True)
class _Wording:
    """What a text contains if it renders a call or a result: all ``leaves``, and one of ``names`` if these are short.

    ``required``: a text that it must contain in any case, such as the name of a called tool.
    """

    leaves: tuple[str, ...]
    names: tuple[str, ...]
    required: str = ""

    @property
    def joined_leaves(self) -> str:
        """All leaves as one text."""
        return " ".join(self.leaves)


class _RenderedTexts:
    """Texts, and which of them render which wordings: as they are or as JSON, with any words around them."""

    def __init__(self, corpus: Corpus, texts: Sequence[str], wordings: Collection[_Wording]) -> None:
        self._corpus = corpus
        self._texts = texts
        keys = [squeeze(text) for text in texts]
        leaves = dict.fromkeys(leaf for wording in wordings for leaf in wording.leaves)
        self._forms = {leaf: [*dict.fromkeys(map(squeeze, _notations(leaf)))] for leaf in leaves}
        needed = (squeeze(wording.required) for wording in wordings)
        self._saying = PieceSearch(keys, itertools.chain(needed, *self._forms.values()))
        self._naming = PieceSearch(texts, (name for wording in wordings for name in wording.names))
        self._wholes: dict[str, set[int]] = {}
        for number, (key, text) in enumerate(zip(keys, texts, strict=True)):
            for words in {key, *map(squeeze, _unwrapped_texts(corpus, text))}:
                self._wholes.setdefault(words, set()).add(number)
        self._telling: dict[tuple[tuple[str, ...], str], tuple[frozenset[int], frozenset[int]]] = {}

    def best_text(self, wording: _Wording) -> int | None:
        """Return the number of the text that renders a wording and nothing else, else of one that names it, or None.

        Of equally good texts it is the first.
        """
        only, telling = self._numbers(wording)
        for numbers, enough in ((only, True), (telling, is_phrase(self._corpus, wording.joined_leaves))):
            if numbers:
                named = [min(both) for name in wording.names if (both := numbers & self._naming.texts_with(name))]
                if named or enough:
                    return min(named or numbers)
        return None

    def text_numbers(self, wording: _Wording) -> Iterator[frozenset[int]]:
        """Yield the numbers of all texts that render a wording, in parts."""
        only, telling = self._numbers(wording)
        yield only
        if is_phrase(self._corpus, wording.joined_leaves):
            yield telling
        else:
            yield from (telling & self._naming.texts_with(name) for name in wording.names)

    def texts_with_any(self, wordings: Iterable[_Wording], texts: Sequence[str]) -> set[str]:
        """Return those of the ``texts`` that render any of the wordings."""
        return {texts[number] for wording in wordings for part in self.text_numbers(wording) for number in part}

    def _numbers(self, wording: _Wording) -> tuple[frozenset[int], frozenset[int]]:
        """Return the texts with all that a wording requires but its names: those with nothing else, and all of them."""
        mark = wording.leaves, wording.required
        if mark not in self._telling:
            numbers = self._numbers_with_leaves(wording) if wording.joined_leaves else frozenset()
            self._telling[mark] = numbers & self._wholes.get(squeeze(wording.joined_leaves), set()), numbers
        return self._telling[mark]

    def _numbers_with_leaves(self, wording: _Wording) -> frozenset[int]:
        """Return the numbers of the texts that contain all leaves and the required text."""
        numbers = self._saying.texts_with(squeeze(wording.required))
        for leaf in dict.fromkeys(wording.leaves):
            numbers &= frozenset().union(*map(self._saying.texts_with, self._forms[leaf]))
            if not is_phrase(self._corpus, leaf):
                numbers = frozenset(number for number in numbers if _has_whole_words(leaf, self._texts[number]))
        return numbers


@dataclass(slots=True)
class TextualizedCalls:
    """The lost calls and results, by pointer, with the wording that a text rendering them has.

    ``texts`` are the output's texts that the source does not have.
    """

    corpus: Corpus
    lost: dict[str, _Wording]
    texts: list[Text]
    renderings: _RenderedTexts

    @classmethod
    def of(cls, pair: Pair) -> TextualizedCalls:
        """Collect what a pair has lost. ``pair.view(TextualizedCalls.of)`` does so once for all comparisons."""
        results, links = link_results(pair)
        calls = pair.source.calls
        lost = {calls[left].pointer: _wording_of_call(calls[left]) for left in pair.alignment.lost}
        for left, result in enumerate(results.source):
            if left not in links:
                lost[result.pointer] = _wording_of_result(pair, result, results.before[left])
        texts = list(_new_texts(pair)) if lost else []
        return cls(pair.corpus, lost, texts, _RenderedTexts(pair.corpus, [text.text for text in texts], lost.values()))

    def rendering_of(self, item: Call | Result) -> Text | None:
        """Return the output's text that renders a lost call or result; one with nothing else is preferred.

        A short result is also part of texts that render a call.
        """
        number = self.renderings.best_text(self.lost[item.pointer])
        return None if number is None else self.texts[number]

    def renderings_among(self, texts: Iterable[str]) -> set[str]:
        """Return those of the texts that render anything lost, as a whole or in each of their lines."""
        if not self.lost:
            return set()
        lines = {text: [line for line in text.splitlines() if line.strip()] for text in texts}
        wordings, source_texts = set(self.lost.values()), [text.text for text in self.texts]
        others = list(dict.fromkeys(itertools.chain(lines, *lines.values())).keys() - set(source_texts))
        tell = self.renderings.texts_with_any(wordings, source_texts) | _RenderedTexts(
            self.corpus, others, wordings
        ).texts_with_any(wordings, others)
        return {text for text, own in lines.items() if text in tell or (len(own) > 1 and tell.issuperset(own))}


def _new_texts(pair: Pair) -> Iterator[Text]:
    """Yield the output's texts that the source does not have: what the model said of a result does not render it."""
    old = {squeeze(text.text) for text in _texts(pair.source)}
    yield from (text for text in _texts(pair.output) if squeeze(text.text) not in old)


def _texts(reading: Reading) -> Iterator[Text]:
    yield from reading.system
    yield from (item for turn in reading.turns for item in turn.items if isinstance(item, Text))


def _wording_of_call(call: Call) -> _Wording:
    arguments = call.arguments.raw if isinstance(call.arguments, Unreadable) else call.arguments
    leaves, name = tuple(_leaf_texts(arguments)), call.name or ""
    names = [call.id, name if leaves else _EMPTY_OBJECT]
    return _Wording(leaves or (name,), tuple(each for each in names if each), name)


def _wording_of_result(pair: Pair, result: Result, content: Content) -> _Wording:
    texts = [*content.texts, *([] if content.value is MISSING else _leaf_texts(content.value))]
    call = pair.source.calls[result.call] if result.call is not None else None
    names = (result.id, result.name, call and call.id, call and call.name)
    return _Wording(tuple(text for text in texts if text.strip()), tuple(name for name in names if name))


def _leaf_texts(value: Any) -> Iterator[str]:
    """Yield as text the values inside a JSON value that are neither object nor array; keys do not count."""
    if isinstance(value, dict):
        for entry in value.values():
            yield from _leaf_texts(entry)
    elif isinstance(value, list):
        for entry in value:
            yield from _leaf_texts(entry)
    elif isinstance(value, str):
        if value.strip():
            yield value
    else:
        yield json.dumps(value)


def _unwrapped_texts(corpus: Corpus, text: str) -> Iterator[str]:
    """Yield what a text says apart from its wrapping: JSON, blocks of content, words that announce a failure."""
    value = _parse_or_text(text)
    for once in [value, _parse_or_text(value)] if isinstance(value, str) else [value]:
        blocks = (
            [block.get("text") if isinstance(block, dict) else None for block in once] if isinstance(once, list) else []
        )
        words = " ".join(_leaf_texts(blocks if blocks and None not in blocks else once))
        yield words
        yield from texts_after_prefix(corpus, words)


def _has_whole_words(leaf: str, text: str) -> bool:
    """Whether a short text is in another one as words of its own: ``41`` is no part of ``msg_1795884121``."""
    return any(
        re.search(_WHOLE_WORDS.format(r"\s*".join(map(re.escape, notation.split()))), text)
        for notation in dict.fromkeys(_notations(leaf))
    )


def _parse_or_text(text: str) -> Any:
    """Return the JSON value that a text spells, or the text if it spells none."""
    parsed = parse_text(text)
    return text if parsed is None else parsed[0]


def _notations(leaf: str) -> Iterator[str]:
    """Yield a text as it is, in JSON, and in JSON inside JSON."""
    yield leaf
    for ascii_only in (False, True):
        once = json.dumps(leaf, ensure_ascii=ascii_only)[1:-1]
        yield once
        yield json.dumps(once, ensure_ascii=ascii_only)[1:-1]


def texts_with_documents(pair: Pair, texts: Iterable[str]) -> set[str]:
    """Return those of the texts that contain a document which the output has in no other form.

    A title or tags may surround the document's words.
    """
    source, output = media_of_both(pair)
    matches = match_media(source, output)
    decoded = (document_text(pair.corpus, piece.media) for index, piece in enumerate(source) if index not in matches)
    documents = [words for text in decoded if text and (words := squeeze(text))]
    if not documents:
        return set()
    around = pair.corpus.equivalence("text-document-as-text").parameters["around"]
    squeezed_texts = ((text, squeeze(text)) for text in texts)
    return {
        text
        for text, words in squeezed_texts
        if any(document in words and len(words) - len(document) <= around for document in documents)
    }
