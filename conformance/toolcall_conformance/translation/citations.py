"""Sources that a reply names: each page arrives, at the words that rest on it."""

from __future__ import annotations

from collections.abc import Iterator

from toolcall_conformance.findings import MISSING, Finding
from toolcall_conformance.reading import Citation, Reading, Text
from toolcall_conformance.translation.chunks import squeeze
from toolcall_conformance.translation.nearest import near
from toolcall_conformance.translation.pair import Pair


def compare_citations(pair: Pair) -> Iterator[Finding]:
    """Report pages that are named nowhere any more, and those that stand at other words."""
    source = citations(pair.source)
    if pair.is_same_format or not source or not pair.both("citations"):
        return
    told = citations(pair.output)
    words = "\n".join(item.text for turn in pair.output.turns for item in turn.items if isinstance(item, Text))
    lost = {one.url: one for one in source if one.url not in words and all(one.url != other.url for other in told)}
    for one in lost.values():
        where = near(pair, one.pointer)
        yield pair.finding("translation/citation-lost", where, want=one.url, got=MISSING, source=one.pointer)
    for one in source:
        twins = [other for other in told if other.url == one.url]
        if one.words and twins and not any(other.words is None or _same_place(one, other) for other in twins):
            yield pair.finding(
                "translation/citation-place",
                twins[0].pointer,
                want=one.words,
                got=MISSING if twins[0].words is None else twins[0].words,
                source=one.pointer,
                subject=one.url,
            )


def citations(reading: Reading) -> list[Citation]:
    """All that the texts of the assistant rest on, in order."""
    return [one for turn in reading.turns for item in turn.items if isinstance(item, Text) for one in item.citations]


def _same_place(one: Citation, other: Citation) -> bool:
    """Whether two citations stand at the same words, or one at more of them than the other."""
    left, right = squeeze(one.words or ""), squeeze(other.words or "")
    return bool(right) and (left in right or right in left)
