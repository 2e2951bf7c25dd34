"""Compaction: a provider packs a conversation into an encrypted item, and the client asks for it and sends it back.

Such an item stands for all that was said before it, and only its own provider can read it. Another provider needs the
conversation itself, a summary of it, or at least words that say what is missing. A request that ends with the wish for
such an item is not an ordinary one: its client takes nothing else for an answer. What the words are nobody but the
translator can know, so that they need only be there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from toolcall_conformance.basics.findings import MISSING, Finding, Words
from toolcall_conformance.basics.reading import Reading, Text
from toolcall_conformance.judge.translation.nearest import conversation_pointer
from toolcall_conformance.judge.translation.pair import Sides
from toolcall_conformance.judge.translation.results.placeholders import is_empty_placeholder
from toolcall_conformance.judge.translation.texts.white_space import squeeze

KIND: Final = "compaction"
OF_WORDS: Final = frozenset(
    f"translation/{rule}" for rule in ("text-invented", "text-duplicated", "system-added", "text-moved")
)
"""What is no fault of a text that a translator puts in the place of what only the other provider can read."""


@dataclass(frozen=True, slots=True)
class Unread:
    """The findings about what the output does without, and the rules that do not apply to words in its place."""

    findings: tuple[Finding, ...] = ()
    excused: frozenset[str] = frozenset()


def find_unread(sides: Sides) -> Unread:
    """Report compacted conversations, and wishes for one, that are gone from a request without a word."""
    there = {stored.id for stored in sides.output.stored if stored.kind == KIND}
    packed = [stored for stored in sides.source.stored if stored.kind == KIND and stored.id not in there]
    compaction_pointer = sides.source.compacts if sides.output.compacts is None else None
    if not packed and compaction_pointer is None:
        return Unread()
    if next(_added(sides, {stored.id for stored in packed}), None) is not None:
        return Unread(excused=OF_WORDS)
    findings = []
    if packed:
        want = Words("the conversation that the compaction stands for")
        findings.append(_report(sides, "translation/stored-history", want, packed[0].pointer))
    if compaction_pointer is not None:
        findings.append(
            _report(sides, "translation/compaction-asked", Words("a wish for a summary"), compaction_pointer)
        )
    return Unread(tuple(findings))


def _report(sides: Sides, rule: str, want: Words, source: str) -> Finding:
    return sides.finding(rule, conversation_pointer(sides), want=want, got=MISSING, source=source)


def _added(sides: Sides, sealed: set[str]) -> Iterator[Text]:
    """The texts of a request that its source does not have; what is sealed is no text."""
    before = squeeze("\n".join(text.text for text in _texts(sides.source)))
    for text in _texts(sides.output):
        words = text.text
        for secret in sealed:
            words = words.replace(secret, "")
        if squeeze(words) not in before and not is_empty_placeholder(sides.corpus, words):
            yield text


def _texts(reading: Reading) -> Iterator[Text]:
    yield from reading.system
    yield from (item for turn in reading.turns for item in turn.items if isinstance(item, Text))
