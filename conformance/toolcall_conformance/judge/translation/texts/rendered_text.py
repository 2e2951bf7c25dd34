"""Calls and results of the source that the output tells as text: they are lost, but their text is not made up."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from toolcall_conformance.basics.findings import MISSING
from toolcall_conformance.basics.reading import Call, Reading, Result, Text, Unreadable
from toolcall_conformance.judge.translation.pair import Pair
from toolcall_conformance.judge.translation.results.failures import without_prefix
from toolcall_conformance.judge.translation.results.links import linked
from toolcall_conformance.judge.translation.results.payload import Content, parsed_text
from toolcall_conformance.judge.translation.texts.text_chunks import is_phrase, squeeze
from toolcall_conformance.judge.translation.texts.text_search import Holders
from toolcall_conformance.library import Corpus

_NO_ARGUMENTS = json.dumps({})
"""What a text says beside the name of a tool if it tells of a call without arguments, and no id."""

# Not in the middle of a word or a number; scripts that write words without blanks have no such borders.
_BORDERED = r"(?:(?<![A-Za-z0-9_])|(?![A-Za-z0-9_])){}(?:(?![A-Za-z0-9_])|(?<![A-Za-z0-9_]))"


@dataclass(frozen=True, slots=True)
class _Saying:
    """What a text says if it tells of a call or a result: all ``leaves``; if these are short, one of ``names``, too."""

    leaves: tuple[str, ...]
    names: tuple[str, ...]
    needed: str = ""

    @property
    def whole(self) -> str:
        """All leaves as one text."""
        return " ".join(self.leaves)


class _Heard:
    """Texts, and which of them tell one of the sayings: as it is or as JSON, with any words around it."""

    def __init__(self, corpus: Corpus, texts: Sequence[str], sayings: Collection[_Saying]) -> None:
        self._corpus = corpus
        self._texts = texts
        keys = [squeeze(text) for text in texts]
        leaves = dict.fromkeys(leaf for saying in sayings for leaf in saying.leaves)
        self._forms = {leaf: [*dict.fromkeys(map(squeeze, _spellings(leaf)))] for leaf in leaves}
        needed = (squeeze(saying.needed) for saying in sayings)
        self._saying = Holders(keys, itertools.chain(needed, *self._forms.values()))
        self._naming = Holders(texts, (name for saying in sayings for name in saying.names))
        self._wholes: dict[str, set[int]] = {}
        for number, (key, text) in enumerate(zip(keys, texts, strict=True)):
            for words in {key, *map(squeeze, _unwrapped(corpus, text))}:
                self._wholes.setdefault(words, set()).add(number)
        self._telling: dict[tuple[tuple[str, ...], str], tuple[frozenset[int], frozenset[int]]] = {}

    def best(self, saying: _Saying) -> int | None:
        """The number of the text that says nothing else, or else that names it: of equals, the first."""
        only, telling = self._of(saying)
        for numbers, enough in ((only, True), (telling, is_phrase(self._corpus, saying.whole))):
            if numbers:
                named = [min(both) for name in saying.names if (both := numbers & self._naming.of(name))]
                if named or enough:
                    return min(named or numbers)
        return None

    def all(self, saying: _Saying) -> Iterator[frozenset[int]]:
        """The numbers of all texts that tell it, in parts."""
        only, telling = self._of(saying)
        yield only
        if is_phrase(self._corpus, saying.whole):
            yield telling
        else:
            yield from (telling & self._naming.of(name) for name in saying.names)

    def any_of(self, sayings: Iterable[_Saying], texts: Sequence[str]) -> set[str]:
        """Those of its ``texts`` that tell any of the sayings."""
        return {texts[number] for saying in sayings for part in self.all(saying) for number in part}

    def _of(self, saying: _Saying) -> tuple[frozenset[int], frozenset[int]]:
        """The texts with all that a saying needs but for names: those that say nothing else, and all."""
        mark = saying.leaves, saying.needed
        if mark not in self._telling:
            numbers = self._holding(saying) if saying.whole else frozenset()
            self._telling[mark] = numbers & self._wholes.get(squeeze(saying.whole), set()), numbers
        return self._telling[mark]

    def _holding(self, saying: _Saying) -> frozenset[int]:
        numbers = self._saying.of(squeeze(saying.needed))
        for leaf in dict.fromkeys(saying.leaves):
            numbers &= frozenset().union(*map(self._saying.of, self._forms[leaf]))
            if not is_phrase(self._corpus, leaf):
                numbers = frozenset(number for number in numbers if _stands_alone(leaf, self._texts[number]))
        return numbers


@dataclass(slots=True)
class TextualizedCalls:
    """The lost calls and results by their pointers, with what a text that tells them says, and the output's texts."""

    corpus: Corpus
    lost: dict[str, _Saying]
    texts: list[Text]
    heard: _Heard

    @classmethod
    def of(cls, pair: Pair) -> TextualizedCalls:
        """What is lost of a pair; nothing is looked for where nothing is. ``pair.view(Told.of)`` asks once."""
        results, links = linked(pair)
        calls = pair.source.calls
        lost = {calls[left].pointer: _of_call(calls[left]) for left in pair.alignment.lost}
        for left, result in enumerate(results.source):
            if left not in links:
                lost[result.pointer] = _of_result(pair, result, results.before[left])
        texts = list(_new_texts(pair)) if lost else []
        return cls(pair.corpus, lost, texts, _Heard(pair.corpus, [text.text for text in texts], lost.values()))

    def place_of(self, item: Call | Result) -> Text | None:
        """The text of the output that tells a lost call or result: one that says nothing else, or else that names it.

        A short result also stands inside texts that tell of a call.
        """
        number = self.heard.best(self.lost[item.pointer])
        return None if number is None else self.texts[number]

    def telling(self, texts: Iterable[str]) -> set[str]:
        """Those of the texts that tell anything that is lost, as a whole or in each of their lines."""
        if not self.lost:
            return set()
        lines = {text: [line for line in text.splitlines() if line.strip()] for text in texts}
        sayings, source_texts = set(self.lost.values()), [text.text for text in self.texts]
        others = list(dict.fromkeys(itertools.chain(lines, *lines.values())).keys() - set(source_texts))
        tell = self.heard.any_of(sayings, source_texts) | _Heard(self.corpus, others, sayings).any_of(sayings, others)
        return {text for text, own in lines.items() if text in tell or (len(own) > 1 and tell.issuperset(own))}


def _new_texts(pair: Pair) -> Iterator[Text]:
    """The texts of the output that the source does not have: what the model said of a result tells no result."""
    old = {squeeze(text.text) for text in _texts(pair.source)}
    yield from (text for text in _texts(pair.output) if squeeze(text.text) not in old)


def _texts(reading: Reading) -> Iterator[Text]:
    yield from reading.system
    yield from (item for turn in reading.turns for item in turn.items if isinstance(item, Text))


def _of_call(call: Call) -> _Saying:
    arguments = call.arguments.raw if isinstance(call.arguments, Unreadable) else call.arguments
    leaves, name = tuple(_leaves(arguments)), call.name or ""
    names = [call.id, name if leaves else _NO_ARGUMENTS]
    return _Saying(leaves or (name,), tuple(each for each in names if each), name)


def _of_result(pair: Pair, result: Result, content: Content) -> _Saying:
    texts = [*content.texts, *([] if content.value is MISSING else _leaves(content.value))]
    call = pair.source.calls[result.call] if result.call is not None else None
    names = (result.id, result.name, call and call.id, call and call.name)
    return _Saying(tuple(text for text in texts if text.strip()), tuple(name for name in names if name))


def _leaves(value: Any) -> Iterator[str]:
    """The values inside a JSON value that are neither object nor array, as text; those of keys do not count."""
    if isinstance(value, dict):
        for entry in value.values():
            yield from _leaves(entry)
    elif isinstance(value, list):
        for entry in value:
            yield from _leaves(entry)
    elif isinstance(value, str):
        if value.strip():
            yield value
    else:
        yield json.dumps(value)


def _unwrapped(corpus: Corpus, text: str) -> Iterator[str]:
    """What a text may say and nothing else: what it spells as JSON or as blocks, and what follows words of failure."""
    value = _value(text)
    for once in [value, _value(value)] if isinstance(value, str) else [value]:
        blocks = (
            [block.get("text") if isinstance(block, dict) else None for block in once] if isinstance(once, list) else []
        )
        words = " ".join(_leaves(blocks if blocks and None not in blocks else once))
        yield words
        yield from without_prefix(corpus, words)


def _stands_alone(leaf: str, text: str) -> bool:
    """Whether a short text stands in another one as words of its own: ``41`` is no part of ``msg_1795884121``."""
    return any(
        re.search(_BORDERED.format(r"\s*".join(map(re.escape, spelled.split()))), text)
        for spelled in dict.fromkeys(_spellings(leaf))
    )


def _value(text: str) -> Any:
    """The JSON value that a text spells; any other text itself."""
    parsed = parsed_text(text)
    return text if parsed is None else parsed[0]


def _spellings(leaf: str) -> Iterator[str]:
    """A text as it is, in JSON, and in JSON inside JSON."""
    yield leaf
    for ascii_only in (False, True):
        once = json.dumps(leaf, ensure_ascii=ascii_only)[1:-1]
        yield once
        yield json.dumps(once, ensure_ascii=ascii_only)[1:-1]
