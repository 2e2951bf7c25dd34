"""Sources that a reply names: each page arrives, at the words that rest on it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from toolcall_conformance.basics.findings import MISSING, Finding, Words
from toolcall_conformance.basics.jsonvalue import canonical
from toolcall_conformance.basics.reading import Citation, Reading, Text
from toolcall_conformance.judge.translation.nearest import near
from toolcall_conformance.judge.translation.pair import Pair
from toolcall_conformance.judge.translation.texts.text_chunks import squeeze

_NO_LONGER: Final = r"(?![\w/?=&%#~+-]|[.:]\w)"


def compare_citations(pair: Pair) -> Iterator[Finding]:
    """Report pages that are named nowhere any more, under other titles, at other words, or too often."""
    source, output_citations = citations(pair.source), citations(pair.output)
    if pair.is_same_format:
        return
    # Who names no page need not, where one format has but a convention for it; who names some names them right.
    if source and (output_citations or pair.both("citations")):
        yield from _lost(pair, source, output_citations)
    yield from _added(pair, source, output_citations)
    for citation in source:
        twins = [other for other in output_citations if other.url == citation.url]
        if citation.words and twins and not any(_at_its_words(citation, other) for other in twins):
            yield pair.finding(
                "translation/citation-place",
                twins[0].pointer,
                want=Words(citation.words),
                got=MISSING if twins[0].words is None else _misplaced(citation, twins[0]),
                source=citation.pointer,
                subject=citation.url,
            )
    yield from _titles(pair, source, output_citations)


def _lost(pair: Pair, source: Sequence[Citation], output_citations: Sequence[Citation]) -> Iterator[Finding]:
    words = _words(pair.output)
    named = {other.url for other in output_citations}
    for citation in {
        citation.url: citation for citation in source if citation.url not in words and citation.url not in named
    }.values():
        where = near(pair, citation.pointer)
        yield pair.finding(
            "translation/citation-lost", where, want=Words(citation.url), got=MISSING, source=citation.pointer
        )


def _added(pair: Pair, source: Sequence[Citation], output_citations: Sequence[Citation]) -> Iterator[Finding]:
    """Pages that the source has nowhere, and those that are named more often at some words than it names them there."""
    own: dict[str, list[Citation]] = {}
    for citation in source:
        own.setdefault(citation.url, []).append(citation)
    titles = {citation.title for citation in source}
    counts: Counter[tuple[str, str | None]] = Counter()
    for other in output_citations:
        place = other.url, None if other.words is None else squeeze(other.words)
        counts[place] += 1
        if other.url not in own:
            added = other.url in titles or not _stands_in(canonical(pair.source.body), other.url)
        else:
            added = counts[place] > 1 and counts[place] > sum(_may_be(citation, other) for citation in own[other.url])
        if added:
            yield pair.finding("translation/citation-added", other.pointer, want=MISSING, got=other.url)


def _stands_in(text: str, url: str) -> bool:
    """Whether a text has an address, and not only a longer one that begins with it."""
    return re.search(re.escape(url) + _NO_LONGER, text) is not None


def _may_be(citation: Citation, other: Citation) -> bool:
    return citation.words is None or other.words is None or _same(citation.words, other.words)


def _titles(pair: Pair, source: Sequence[Citation], output_citations: Sequence[Citation]) -> Iterator[Finding]:
    """Of each page the first title that is none of its own; a page without one may be given any."""
    named = {citation.url: [each for each in source if each.url == citation.url and each.title] for citation in source}
    wrong = (
        citation
        for citation in output_citations
        if named.get(citation.url) and all(citation.title != own.title for own in named[citation.url])
    )
    for other in {citation.url: citation for citation in reversed(list(wrong))}.values():
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
    return [
        citation
        for turn in reading.turns
        for item in turn.items
        if isinstance(item, Text)
        for citation in item.citations
    ]


def _at_its_words(citation: Citation, other: Citation) -> bool:
    """Whether a citation stands at the words of another, and writes out no others, if it says any."""
    return all(text is None or _same(citation.words, text) for text in (other.words, other.quote))


def _misplaced(citation: Citation, other: Citation) -> str | None:
    """What a citation says that are not the words of another: those at its place, or those that it writes out."""
    return other.words if not _same(citation.words, other.words) else other.quote


def _same(words: str | None, other: str | None) -> bool:
    """Whether two say the same words, or one more of them than the other."""
    left, right = squeeze(words or ""), squeeze(other or "")
    return bool(right) and (left in right or right in left)
