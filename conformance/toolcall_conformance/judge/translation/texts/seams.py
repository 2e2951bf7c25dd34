"""Where texts meet in a request: a border cuts no word in two, and two messages of the user do not run together.

Texts may be joined and split where they meet (``text-joined-by-whitespace``). But readers put nothing, a blank or a
line break between two texts, or show them as two messages: so a new border inside a word changes the word, and a
border between two messages that is gone makes one word of two.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from toolcall_conformance.basics.findings import Finding, Words
from toolcall_conformance.basics.reading import Reading, Result, Text
from toolcall_conformance.judge.translation.pair import Pair
from toolcall_conformance.judge.translation.texts.text_search import Holders


@dataclass(frozen=True, slots=True)
class _Seam:
    """Two texts that meet; so many characters ``around`` their border tell it from others."""

    first: Text
    second: Text
    around: int

    @property
    def before(self) -> str:
        return self.first.text.rstrip()[-self.around :]

    @property
    def after(self) -> str:
        return self.second.text.lstrip()[: self.around]

    @property
    def across(self) -> str:
        """What stands on both sides of the border, with nothing between."""
        return self.before + self.after

    @property
    def may_cut(self) -> bool:
        """Whether letters or digits meet; where a text is cited, the source said where it begins and ends."""
        cited = self.first.citations or self.second.citations
        return not cited and self.before[-1:].isalnum() and self.after[:1].isalnum()


def compare_seams(pair: Pair) -> Iterator[Finding]:
    """Report words that the output cuts in two, and messages of the user's that it joins with nothing between them."""
    yield from _cut(pair)
    yield from _run_together(pair)


def _cut(pair: Pair) -> Iterator[Finding]:
    around = _around(pair)
    seams = [seam for row in _rows(pair.output) for seam in _seams(row, around) if seam.may_cut]
    texts = [text.text for row in _rows(pair.source) for text in row] if seams else []
    ends, beginnings = {text.rstrip()[-around:] for text in texts}, {text.lstrip()[:around] for text in texts}
    seams = [seam for seam in seams if not (seam.before in ends and seam.after in beginnings)]
    whole = Holders(texts, (seam.across for seam in seams))
    for seam in seams:
        if whole.of(seam.across):
            halves = [seam.before.split()[-1], seam.after.split()[0]]
            yield pair.finding("translation/word-cut", seam.second.pointer, want="".join(halves), got=halves)


def _run_together(pair: Pair) -> Iterator[Finding]:
    seams = list(_between_messages(pair.source, _around(pair)))
    known_texts = {text.text for row in _rows(pair.source) for text in row} if seams else set()
    new = [text for row in _rows(pair.output) for text in row if text.text not in known_texts] if seams else []
    if not new:
        return
    joined = [seam.across for seam in seams]
    before, after = Holders(known_texts, joined), Holders((text.text for text in new), joined)
    for seam in seams:
        if after.of(seam.across) and not before.of(seam.across):
            text = new[min(after.of(seam.across))]
            want = Words(f"{seam.first.text} | {seam.second.text}")
            source = seam.second.pointer
            yield pair.finding(
                "translation/messages-run-together", text.pointer, want=want, got=text.text, source=source
            )


def _between_messages(reading: Reading, around: int) -> Iterator[_Seam]:
    """Where two messages of the user's, or with instructions, meet, neither with white space there.

    Two messages of the model may be pieces of one: a client that keeps each piece of a stream has them so.
    """
    holders = {turn.pointer.split("/")[1] for turn in reading.turns if turn.pointer}
    rows = [_texts(reading.system), *(_texts(turn.items) for turn in reading.turns if turn.side != "assistant")]
    for row in rows:
        for seam in _seams(row, around):
            first, second = map(_message, (seam.first, seam.second))
            apart = first != second and first[0] in holders and second[0] in holders
            if apart and not seam.first.text[-1:].isspace() and not seam.second.text[:1].isspace():
                yield seam


def _rows(reading: Reading) -> Iterator[list[Text]]:
    """Texts that are read one behind the other: instructions, those of a turn, those of a result."""
    yield _texts(reading.system)
    for turn in reading.turns:
        yield _texts(turn.items)
        for item in turn.items:
            if isinstance(item, Result):
                yield _texts(item.parts)


def _texts(items: Sequence[object]) -> list[Text]:
    return [item for item in items if isinstance(item, Text)]


def _seams(row: Sequence[Text], around: int) -> Iterator[_Seam]:
    return (_Seam(first, second, around) for first, second in pairwise(row))


def _around(pair: Pair) -> int:
    """As many characters as tell a phrase."""
    return int(pair.corpus.alignment.parameters["phrase_characters"])


def _message(text: Text) -> tuple[str, str]:
    """The list that holds a text's message, and its number there."""
    _, holder, number, *_ = (*text.pointer.split("/"), "")
    return holder, number
