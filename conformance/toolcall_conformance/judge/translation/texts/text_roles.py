"""Texts whose role is the translator's: user turns that only anchor a conversation, user text promoted to system text.

System text amid a conversation may become user text (``late-system-text``), so both are compared as one side. The other
way round is reported here: the model would obey what it was only shown.
"""

from __future__ import annotations

from collections.abc import Iterator

from toolcall_conformance.basics.findings import Finding
from toolcall_conformance.basics.reading import Reading, Text, Turn
from toolcall_conformance.judge.translation.pair import Pair


def compare_promoted_texts(pair: Pair) -> Iterator[Finding]:
    """Report each text amid the output's conversation that is system text there and user text in the source."""
    promoted = _texts_of_side(pair.output, "system")
    if not promoted:
        return
    instructions = "\0".join(text.text for text in (*pair.source.system, *_texts_of_side(pair.source, "system")))
    user_texts = _texts_of_side(pair.source, "user")
    roles = pair.wire_words["roles"]
    for text in promoted:
        words = text.text.strip()
        origin = (
            next((user_text for user_text in user_texts if words in user_text.text), None)
            if words not in instructions
            else None
        )
        if origin is not None:
            want, got = roles["user"], roles["system"]
            yield pair.finding(
                "translation/text-role",
                text.pointer,
                f"text of {want} is text of {got}",
                want=want,
                got=got,
                source=origin.pointer,
            )


def _texts_of_side(reading: Reading, side: str) -> list[Text]:
    return [item for turn in reading.turns if turn.side == side for item in turn.items if isinstance(item, Text)]


def anchor_pointers(pair: Pair) -> frozenset[str]:
    """Return pointers of the output's texts that were added only because its format wants a user turn there.

    A turn is such an anchor where the source's conversation begins or ends with the assistant.
    """
    anchor_names = pair.target.get("anchors", ()) if pair.is_request else ()
    pointers: set[str] = set()
    for name, index in (("first", 0), ("last", -1)):
        if name in anchor_names and _side_of_turn(pair.source, index) == "assistant" and pair.output.turns:
            pointers |= _filler_texts(pair, pair.output.turns[index])
    return frozenset(pointers)


def _side_of_turn(reading: Reading, index: int) -> str:
    """Return the side of the first (0) or last (-1) turn, system turns apart; blank if there is none."""
    sides = [turn.side for turn in reading.turns if turn.side != "system"]
    return sides[index] if sides else ""


def _filler_texts(pair: Pair, turn: Turn) -> set[str]:
    """Return pointers of a user turn's texts if it has nothing but a few words that the source does not have."""
    longest = pair.corpus.equivalence("user-turn-anchor").parameters["longest"]
    source_texts = {item.text.strip() for each in pair.source.turns for item in each.items if isinstance(item, Text)}
    source_texts |= {text.text.strip() for text in pair.source.system}
    texts = [item for item in turn.items if isinstance(item, Text)]
    if turn.side != "user" or len(texts) != len(turn.items):
        return set()
    if sum(len(item.text) for item in texts) > longest or any(item.text.strip() in source_texts for item in texts):
        return set()
    return {item.pointer for item in texts}
