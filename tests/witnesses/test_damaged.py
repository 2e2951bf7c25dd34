"""Streams with one fault: the official accumulators put together what we do, or we know why not.

Here a sample; ``python tests witnesses.damaged`` makes as many as one wants.
"""

from __future__ import annotations

from collections import Counter

import pytest

from toolcall_conformance import Judge, formats
from toolcall_conformance.library import load_corpus
from toolcall_conformance.trust.table import MutationTable
from witnesses.damage_comparison import KINDS
from witnesses.damage_generator import Source, damage_body, draw_damaged
from witnesses.damaged import find_differences, usable
from witnesses.damaged_streams import sources
from witnesses.known_differences import STREAMS, Entry, entries, source_text, unexplained_differences
from witnesses.wire import sdk

CORPUS = load_corpus()
JUDGE = Judge(CORPUS)
LISTED = entries(STREAMS)
SEED = 20_261_123
CASES = list(CORPUS.cases)[::40]
FAULTS = 20


def sources_of(name: str, *cases: str) -> list[Source]:
    sdk(name)
    return sources(CORPUS, name, cases, recorded=False)


@pytest.mark.parametrize("name", formats.names())
def test_every_difference_has_its_reason(name: str) -> None:
    right = usable(JUDGE, sources_of(name, *CASES))
    counts: Counter[str] = Counter()
    differences = list(find_differences(JUDGE, draw_damaged(MutationTable(CORPUS), right, FAULTS, SEED), counts))
    assert [str(difference) for difference in unexplained_differences(LISTED, differences, Counter())] == []
    assert counts.total() == FAULTS
    assert 0 < counts["same"] < FAULTS


@pytest.mark.parametrize("entry", LISTED, ids=[f"{entry.format} {entry.patterns[0]}" for entry in LISTED])
def test_an_entry_still_explains_its_example(entry: Entry) -> None:
    where, _, fault = entry.example.partition("::")
    operator, _, pointer = fault.partition("@")
    source = next(
        (source for source in sources_of(entry.format, where.rpartition("/")[0]) if source.name == where), None
    )
    assert source is not None, f"no stream of the corpus is called {where}"
    mutant = damage_body(source, operator, pointer)
    assert mutant is not None, "the operator changes nothing there"
    differences = list(find_differences(JUDGE, [mutant], Counter()))
    assert [entry.explains(difference.fault, difference.found) for difference in differences] == [True]
    assert set(entry.kinds) <= KINDS.keys()
    assert unexplained_differences([], differences, Counter()) == differences


@pytest.mark.parametrize("entry", LISTED, ids=[f"{entry.format} {entry.patterns[0]}" for entry in LISTED])
def test_the_line_of_the_sdk_is_there(entry: Entry) -> None:
    text = source_text(entry)
    if text is None:
        pytest.skip(f"the package of {entry.source} is not installed")
    assert entry.shows in text
