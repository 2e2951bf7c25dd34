"""User turns that a translator puts before or behind a conversation, where a format wants the user there."""

from __future__ import annotations

from toolcall_conformance.basics.reading import Reading, Text, Turn
from toolcall_conformance.judge.translation.pair import Pair


def anchors(pair: Pair) -> frozenset[str]:
    """Pointers of the output's texts that only stand where its format wants the user, and the source has the model."""
    anchor_names = pair.target.get("anchors", ()) if pair.is_request else ()
    pointers: set[str] = set()
    for name, place in (("first", 0), ("last", -1)):
        if name in anchor_names and _side(pair.source, place) == "assistant" and pair.output.turns:
            pointers |= _short_words(pair, pair.output.turns[place])
    return frozenset(pointers)


def _side(reading: Reading, place: int) -> str:
    """Whose turn is the first or the last; the system's are no turns here."""
    sides = [turn.side for turn in reading.turns if turn.side != "system"]
    return sides[place] if sides else ""


def _short_words(pair: Pair, turn: Turn) -> set[str]:
    """The texts of a user's turn that says nothing but some words of the translator's own."""
    longest = pair.corpus.equivalence("user-turn-anchor").parameters["longest"]
    source_texts = {item.text.strip() for each in pair.source.turns for item in each.items if isinstance(item, Text)}
    source_texts |= {text.text.strip() for text in pair.source.system}
    texts = [item for item in turn.items if isinstance(item, Text)]
    if turn.side != "user" or len(texts) != len(turn.items):
        return set()
    if sum(len(item.text) for item in texts) > longest or any(item.text.strip() in source_texts for item in texts):
        return set()
    return {item.pointer for item in texts}
