"""Sources that a reply cites: each page must arrive, attached to the words that rest on it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from toolcall_conformance.basics.findings import MISSING, Finding, Words
from toolcall_conformance.basics.jsonvalue import canonical
from toolcall_conformance.basics.reading import Citation, Reading, Text
from toolcall_conformance.judge.translation.nearest import nearest_place
from toolcall_conformance.judge.translation.pair import Pair
from toolcall_conformance.judge.translation.texts.white_space import squeeze

_URL_ENDS: Final = r"(?![\w/?=&%#~+-]|[.:]\w)"


def compare_citations(pair: Pair) -> Iterator[Finding]:
    """Report pages that are cited nowhere any more, under other titles, at other words, or too often."""
    source, output_citations = citations(pair.source), citations(pair.output)
    if pair.is_same_format:
        return
    # Where one format has only a convention for citations, the output may omit all of them, but not some.
    if source and (output_citations or pair.both_express("citations")):
        yield from _report_lost(pair, source, output_citations)
    yield from _report_added(pair, source, output_citations)
    for citation in source:
        twins = [other for other in output_citations if other.url == citation.url]
        if citation.words and twins and not any(_cites_same_words(citation, other) for other in twins):
            yield pair.finding(
                "translation/citation-place",
                twins[0].pointer,
                want=Words(citation.words),
                got=MISSING if twins[0].words is None else _wrong_words(citation, twins[0]),
                source=citation.pointer,
                subject=citation.url,
            )
    yield from _report_titles(pair, source, output_citations)


def _report_lost(pair: Pair, source: Sequence[Citation], output_citations: Sequence[Citation]) -> Iterator[Finding]:
    """Report pages that the output's citations and text name nowhere."""
    words = _all_text(pair.output)
    named = {other.url for other in output_citations}
    for citation in {
        citation.url: citation for citation in source if citation.url not in words and citation.url not in named
    }.values():
        where = nearest_place(pair, citation.pointer)
        yield pair.finding(
            "translation/citation-lost", where, want=Words(citation.url), got=MISSING, source=citation.pointer
        )


def _report_added(pair: Pair, source: Sequence[Citation], output_citations: Sequence[Citation]) -> Iterator[Finding]:
    """Report pages that the source never names, and those cited more often at some words than the source cites them."""
    source_citations: dict[str, list[Citation]] = {}
    for citation in source:
        source_citations.setdefault(citation.url, []).append(citation)
    titles = {citation.title for citation in source}
    counts: Counter[tuple[str, str | None]] = Counter()
    for other in output_citations:
        place = other.url, None if other.words is None else squeeze(other.words)
        counts[place] += 1
        if other.url not in source_citations:
            added = other.url in titles or not _contains_url(canonical(pair.source.body), other.url)
        else:
            added = counts[place] > 1 and counts[place] > sum(
                _may_match(citation, other) for citation in source_citations[other.url]
            )
        if added:
            yield pair.finding("translation/citation-added", other.pointer, want=MISSING, got=other.url)


def _contains_url(text: str, url: str) -> bool:
    """Whether a text contains a URL that is not just the beginning of a longer one."""
    return re.search(re.escape(url) + _URL_ENDS, text) is not None


def _may_match(citation: Citation, other: Citation) -> bool:
    """Whether two citations of one page may be the same: their words overlap, or one has none."""
    return citation.words is None or other.words is None or _words_overlap(citation.words, other.words)


def _report_titles(pair: Pair, source: Sequence[Citation], output_citations: Sequence[Citation]) -> Iterator[Finding]:
    """Report, for each page, the first title that the source does not give it. An untitled page may get any title."""
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


def _all_text(reading: Reading) -> str:
    """Return all text of a body's turns, one text a line."""
    return "\n".join(item.text for turn in reading.turns for item in turn.items if isinstance(item, Text))


def citations(reading: Reading) -> list[Citation]:
    """Return all citations of a body's texts, in order."""
    return [
        citation
        for turn in reading.turns
        for item in turn.items
        if isinstance(item, Text)
        for citation in item.citations
    ]


def _cites_same_words(citation: Citation, other: Citation) -> bool:
    """Whether the output's citation is attached to, and quotes, no other words than the source's."""
    return all(text is None or _words_overlap(citation.words, text) for text in (other.words, other.quote))


def _wrong_words(citation: Citation, other: Citation) -> str | None:
    """Return the words of the output's citation that differ from the source's: those at its place, or its quote."""
    return other.words if not _words_overlap(citation.words, other.words) else other.quote


def _words_overlap(words: str | None, other: str | None) -> bool:
    """Whether two texts are the same words, or one contains the other; white space does not count."""
    left, right = squeeze(words or ""), squeeze(other or "")
    return bool(right) and (left in right or right in left)
