"""Where texts meet in a request: no boundary cuts a word in two, and no two user messages run together.

Texts may be joined and split where they meet (``text-joined-by-whitespace``). But readers put nothing, a blank or a
line break between two texts, or show them as two messages: so a new boundary inside a word changes the word, and a
boundary that is gone between two messages makes one word of two.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from toolcall_conformance.basics.findings import Finding, Words
from toolcall_conformance.basics.reading import Reading, Result, Text
from toolcall_conformance.judge.translation.pair import Pair
from toolcall_conformance.judge.translation.texts.text_search import PieceSearch


@dataclass(frozen=True, slots=True)
class _Seam:
    """Two texts that meet. ``around`` characters on each side of their boundary tell it from others."""

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
        """The characters on both sides of the boundary, with nothing between."""
        return self.before + self.after

    @property
    def may_cut(self) -> bool:
        """Whether letters or digits meet. A cited text never counts: the source says where it begins and ends."""
        cited = self.first.citations or self.second.citations
        return not cited and self.before[-1:].isalnum() and self.after[:1].isalnum()


def compare_seams(pair: Pair) -> Iterator[Finding]:
    """Report words that the output cuts in two, and user messages that it joins with nothing between them."""
    yield from _report_cut_words(pair)
    yield from _report_joined_messages(pair)


def _report_cut_words(pair: Pair) -> Iterator[Finding]:
    """Report each boundary of the output that cuts a word of the source in two."""
    around = _phrase_length(pair)
    seams = [seam for row in _text_rows(pair.output) for seam in _seams(row, around) if seam.may_cut]
    texts = [text.text for row in _text_rows(pair.source) for text in row] if seams else []
    ends, beginnings = {text.rstrip()[-around:] for text in texts}, {text.lstrip()[:around] for text in texts}
    seams = [seam for seam in seams if not (seam.before in ends and seam.after in beginnings)]
    whole = PieceSearch(texts, (seam.across for seam in seams))
    for seam in seams:
        if whole.texts_with(seam.across):
            halves = [seam.before.split()[-1], seam.after.split()[0]]
            yield pair.finding("translation/word-cut", seam.second.pointer, want="".join(halves), got=halves)


def _report_joined_messages(pair: Pair) -> Iterator[Finding]:
    """Report each text of the output that joins two messages with nothing between them."""
    seams = list(_message_seams(pair.source, _phrase_length(pair)))
    known_texts = {text.text for row in _text_rows(pair.source) for text in row} if seams else set()
    new = [text for row in _text_rows(pair.output) for text in row if text.text not in known_texts] if seams else []
    if not new:
        return
    joined = [seam.across for seam in seams]
    before, after = PieceSearch(known_texts, joined), PieceSearch((text.text for text in new), joined)
    for seam in seams:
        if after.texts_with(seam.across) and not before.texts_with(seam.across):
            text = new[min(after.texts_with(seam.across))]
            want = Words(f"{seam.first.text} | {seam.second.text}")
            source = seam.second.pointer
            yield pair.finding(
                "translation/messages-run-together", text.pointer, want=want, got=text.text, source=source
            )


def _message_seams(reading: Reading, around: int) -> Iterator[_Seam]:
    """Yield where two messages of the user or with instructions meet, with no white space on either side.

    Two messages of the model may be pieces of one: a client that keeps each piece of a stream has them so.
    """
    holders = {turn.pointer.split("/")[1] for turn in reading.turns if turn.pointer}
    rows = [_texts(reading.system), *(_texts(turn.items) for turn in reading.turns if turn.side != "assistant")]
    for row in rows:
        for seam in _seams(row, around):
            first, second = map(_message_place, (seam.first, seam.second))
            are_two_messages = first != second and first[0] in holders and second[0] in holders
            if are_two_messages and not seam.first.text[-1:].isspace() and not seam.second.text[:1].isspace():
                yield seam


def _text_rows(reading: Reading) -> Iterator[list[Text]]:
    """Yield texts that are read one after the other: instructions, those of a turn, those of a result."""
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


def _phrase_length(pair: Pair) -> int:
    """Return how many characters make a phrase recognisable."""
    return int(pair.corpus.alignment.parameters["phrase_characters"])


def _message_place(text: Text) -> tuple[str, str]:
    """Return the list that holds a text's message, and its index there."""
    _, holder, number, *_ = (*text.pointer.split("/"), "")
    return holder, number
