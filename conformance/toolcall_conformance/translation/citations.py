"""Sources that a reply names: each page arrives, at the words that rest on it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from toolcall_conformance.findings import MISSING, Finding, Words
from toolcall_conformance.jsonvalue import canonical
from toolcall_conformance.reading import Citation, Reading, Text
from toolcall_conformance.translation.chunks import squeeze
from toolcall_conformance.translation.nearest import near
from toolcall_conformance.translation.pair import Pair

_NO_LONGER: Final = r"(?![\w/?=&%#~+-]|[.:]\w)"


def compare_citations(pair: Pair) -> Iterator[Finding]:
    """Report pages that are named nowhere any more, under other titles, at other words, or too often."""
    source, told = citations(pair.source), citations(pair.output)
    if pair.is_same_format:
        return
    # Who names no page need not, where one format has but a convention for it; who names some names them right.
    if source and (told or pair.both("citations")):
        yield from _lost(pair, source, told)
    yield from _added(pair, source, told)
    for one in source:
        twins = [other for other in told if other.url == one.url]
        if one.words and twins and not any(_at_its_words(one, other) for other in twins):
            yield pair.finding(
                "translation/citation-place",
                twins[0].pointer,
                want=Words(one.words),
                got=MISSING if twins[0].words is None else _misplaced(one, twins[0]),
                source=one.pointer,
                subject=one.url,
            )
    yield from _titles(pair, source, told)


def _lost(pair: Pair, source: Sequence[Citation], told: Sequence[Citation]) -> Iterator[Finding]:
    words = _words(pair.output)
    named = {other.url for other in told}
    for one in {one.url: one for one in source if one.url not in words and one.url not in named}.values():
        where = near(pair, one.pointer)
        yield pair.finding("translation/citation-lost", where, want=Words(one.url), got=MISSING, source=one.pointer)


def _added(pair: Pair, source: Sequence[Citation], told: Sequence[Citation]) -> Iterator[Finding]:
    """Pages that the source has nowhere, and those that are named more often at some words than it names them there."""
    own: dict[str, list[Citation]] = {}
    for one in source:
        own.setdefault(one.url, []).append(one)
    titles = {one.title for one in source}
    seen: Counter[tuple[str, str | None]] = Counter()
    for other in told:
        place = other.url, None if other.words is None else squeeze(other.words)
        seen[place] += 1
        if other.url not in own:
            added = other.url in titles or not _stands_in(canonical(pair.source.body), other.url)
        else:
            added = seen[place] > 1 and seen[place] > sum(_may_be(one, other) for one in own[other.url])
        if added:
            yield pair.finding("translation/citation-added", other.pointer, want=MISSING, got=other.url)


def _stands_in(text: str, url: str) -> bool:
    """Whether a text has an address, and not only a longer one that begins with it."""
    return re.search(re.escape(url) + _NO_LONGER, text) is not None


def _may_be(one: Citation, other: Citation) -> bool:
    return one.words is None or other.words is None or _same(one.words, other.words)


def _titles(pair: Pair, source: Sequence[Citation], told: Sequence[Citation]) -> Iterator[Finding]:
    """Of each page the first title that is none of its own; a page without one may be given any."""
    named = {one.url: [each for each in source if each.url == one.url and each.title] for one in source}
    wrong = (one for one in told if named.get(one.url) and all(one.title != own.title for own in named[one.url]))
    for other in {one.url: one for one in reversed(list(wrong))}.values():
        own = named[other.url][0]
        yield pair.finding(
            "translation/citation-title",
            other.pointer,
            want=own.title,
            got=other.title or MISSING,
            source=own.pointer,
            subject=other.url,
        )


def _words(reading: Reading) -> str:
    return "\n".join(item.text for turn in reading.turns for item in turn.items if isinstance(item, Text))


def citations(reading: Reading) -> list[Citation]:
    """All that the texts of the assistant rest on, in order."""
    return [one for turn in reading.turns for item in turn.items if isinstance(item, Text) for one in item.citations]


def _at_its_words(one: Citation, other: Citation) -> bool:
    """Whether a citation stands at the words of another, and writes out no others, if it says any."""
    return all(said is None or _same(one.words, said) for said in (other.words, other.quote))


def _misplaced(one: Citation, other: Citation) -> str | None:
    """What a citation says that are not the words of another: those at its place, or those that it writes out."""
    return other.words if not _same(one.words, other.words) else other.quote


def _same(words: str | None, said: str | None) -> bool:
    """Whether two say the same words, or one more of them than the other."""
    left, right = squeeze(words or ""), squeeze(said or "")
    return bool(right) and (left in right or right in left)
