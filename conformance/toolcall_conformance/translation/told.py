"""Calls and results of the source that the output tells as text: they are lost, but their text is not made up."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from toolcall_conformance.findings import MISSING
from toolcall_conformance.library import Corpus
from toolcall_conformance.reading import Call, Reading, Result, Text, Unreadable
from toolcall_conformance.translation.chunks import is_phrase, squeeze
from toolcall_conformance.translation.links import linked
from toolcall_conformance.translation.pair import Pair
from toolcall_conformance.translation.payload import Content, parsed_text

_NO_ARGUMENTS = json.dumps({})
"""What a text says beside the name of a tool if it tells of a call without arguments, and no id."""


@dataclass(frozen=True, slots=True)
class _Saying:
    """What a text says if it tells of a call or a result: all ``leaves``; if these are short, one of ``names``, too."""

    leaves: tuple[str, ...]
    names: tuple[str, ...]
    needed: str = ""

    def is_in(self, corpus: Corpus, text: str) -> bool:
        """Whether a text tells it, as it is or as JSON, with any words around it."""
        key = squeeze(text)
        if squeeze(self.needed) not in key or not all(_holds(key, leaf) for leaf in self.leaves):
            return False
        said = " ".join(self.leaves)
        return bool(said) and (is_phrase(corpus, said) or self.is_all_of(text) or self.is_named_in(text))

    def is_all_of(self, text: str) -> bool:
        """Whether a text says nothing else, as it is or as JSON."""
        bare = " ".join(_leaves(_value(text)))
        return squeeze(" ".join(self.leaves)) in (squeeze(text), squeeze(bare))

    def is_named_in(self, text: str) -> bool:
        return any(name in text for name in self.names)


@dataclass(slots=True)
class Told:
    """The lost calls and results by their pointers, with what a text that tells them says, and the output's texts."""

    corpus: Corpus
    lost: dict[str, _Saying] = field(default_factory=dict)
    texts: list[Text] = field(default_factory=list)

    @classmethod
    def of(cls, pair: Pair) -> Told:
        """What is lost of a pair; nothing is looked for where nothing is. ``pair.view(Told.of)`` asks once."""
        known, links = linked(pair)
        calls = pair.source.calls
        lost = {calls[left].pointer: _of_call(calls[left]) for left in pair.alignment.lost}
        for left, result in enumerate(known.source):
            if left not in links:
                lost[result.pointer] = _of_result(pair, result, known.before[left])
        return cls(pair.corpus, lost, list(_new_texts(pair)) if lost else [])

    def place_of(self, item: Call | Result) -> Text | None:
        """The text of the output that tells a lost call or result: one that says nothing else, or else that names it.

        A short result also stands inside texts that tell of a call.
        """
        saying = self.lost[item.pointer]
        found = [text for text in self.texts if saying.is_in(self.corpus, text.text)]
        found.sort(key=lambda text: (not saying.is_all_of(text.text), not saying.is_named_in(text.text)))
        return found[0] if found else None

    def tells(self, text: str) -> bool:
        """Whether a text tells anything that is lost, as a whole or in each of its lines."""
        lines = [line for line in text.splitlines() if line.strip()]
        return self._tell(text) or (len(lines) > 1 and all(map(self._tell, lines)))

    def _tell(self, text: str) -> bool:
        return any(saying.is_in(self.corpus, text) for saying in self.lost.values())


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
    said = [*content.texts, *([] if content.value is MISSING else _leaves(content.value))]
    call = pair.source.calls[result.call] if result.call is not None else None
    names = (result.id, result.name, call and call.id, call and call.name)
    return _Saying(tuple(text for text in said if text.strip()), tuple(name for name in names if name))


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


def _value(text: str) -> Any:
    """The JSON value that a text spells; any other text itself."""
    parsed = parsed_text(text)
    return text if parsed is None else parsed[0]


def _holds(key: str, leaf: str) -> bool:
    return any(squeeze(form) in key for form in _spellings(leaf))


def _spellings(leaf: str) -> Iterator[str]:
    """A text as it is, in JSON, and in JSON inside JSON."""
    yield leaf
    for ascii_only in (False, True):
        once = json.dumps(leaf, ensure_ascii=ascii_only)[1:-1]
        yield once
        yield json.dumps(once, ensure_ascii=ascii_only)[1:-1]
