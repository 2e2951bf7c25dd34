"""Texts of the output with words of the source's unknown items: items, blocks or parts that no reader knows.

APIs get new ones: Codex passes messages between agents as ``agent_message``
(https://github.com/openai/openai-python/blob/main/src/openai/types/beta/beta_response_input_item_param.py). In another
format it is unclear whose words they are, but they are not invented.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Any

from toolcall_conformance.basics.jsonvalue import resolve
from toolcall_conformance.basics.reading import Unknown
from toolcall_conformance.judge.translation.pair import Pair
from toolcall_conformance.judge.translation.texts.text_chunks import is_phrase
from toolcall_conformance.judge.translation.texts.white_space import squeeze


def texts_with_unknown(pair: Pair, texts: Iterable[str]) -> dict[str, str]:
    """Return those of the texts that have the words of an unknown item, each with the item's pointer.

    A few words may surround them.
    """
    parameters = pair.corpus.equivalence("unknown-item-as-text").parameters
    items = [item for turn in pair.source.turns for item in turn.items if isinstance(item, Unknown)]
    words_by_item = {
        item.pointer: {*_words_within(resolve(pair.source.body, item.pointer), parameters["unread_members"])}
        for item in items
    }
    if not any(words_by_item.values()):
        return {}
    pointers = {}
    for text in texts:
        key = squeeze(text)
        for pointer, words in words_by_item.items():
            item_words = {squeeze(word) for word in words}
            phrases = {squeeze(word) for word in words if is_phrase(pair.corpus, word.strip())}
            around = len(key) - sum(len(word) for word in phrases if word in key)
            if key in item_words or (any(word in key for word in phrases) and around <= parameters["around"]):
                pointers[text] = pointer
                break
    return pointers


def _words_within(value: Any, unread: Collection[str]) -> Iterator[str]:
    """Yield the texts inside a JSON value, without those of ``unread`` members."""
    if isinstance(value, dict):
        for key, entry in value.items():
            yield from _words_within(entry, unread) if key not in unread else ()
    elif isinstance(value, list):
        for entry in value:
            yield from _words_within(entry, unread)
    elif isinstance(value, str) and value.strip():
        yield value
