"""Compaction: a provider packs a conversation into an encrypted item, which the client requests and sends back.

Such an item replaces all of the conversation before it, and only its own provider can read it. Another provider needs
the conversation itself, a summary of it, or at least words that say what is missing. A request that ends with the wish
for such an item is no ordinary one: its client accepts nothing else for an answer. Only the translator can know the
words, so they only have to be there.
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
EXCUSED_RULES: Final = frozenset(
    f"translation/{rule}" for rule in ("text-invented", "text-duplicated", "system-added", "text-moved")
)
"""The rules that a text may break which replaces what only the other provider can read."""


@dataclass(frozen=True, slots=True)
class UnreadState:
    """The findings about state that the output's provider cannot read, and the rules that its replacement may break."""

    findings: tuple[Finding, ...] = ()
    excused: frozenset[str] = frozenset()


def find_unread_compactions(sides: Sides) -> UnreadState:
    """Report compacted conversations, and requests for one, that are gone without any text in their place."""
    output_ids = {stored.id for stored in sides.output.stored if stored.kind == KIND}
    packed = [stored for stored in sides.source.stored if stored.kind == KIND and stored.id not in output_ids]
    compaction_pointer = sides.source.compacts if sides.output.compacts is None else None
    if not packed and compaction_pointer is None:
        return UnreadState()
    if next(_added_texts(sides, {stored.id for stored in packed}), None) is not None:
        return UnreadState(excused=EXCUSED_RULES)
    findings = []
    if packed:
        want = Words("the conversation that the compaction stands for")
        findings.append(_missing_state_finding(sides, "translation/stored-history", want, packed[0].pointer))
    if compaction_pointer is not None:
        findings.append(
            _missing_state_finding(
                sides, "translation/compaction-asked", Words("a wish for a summary"), compaction_pointer
            )
        )
    return UnreadState(tuple(findings))


def _missing_state_finding(sides: Sides, rule: str, want: Words, source: str) -> Finding:
    return sides.finding(rule, conversation_pointer(sides), want=want, got=MISSING, source=source)


def _added_texts(sides: Sides, sealed: set[str]) -> Iterator[Text]:
    """Yield the texts of a request that its source does not have; sealed state does not count as text."""
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
