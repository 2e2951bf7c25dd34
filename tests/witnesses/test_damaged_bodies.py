"""Bodies with one fault: the official client makes of them what we read, or we find the fault, or we know why not.

Here a sample; ``python tests witnesses.damaged_bodies`` makes as many as one wants.
"""

from __future__ import annotations

from collections import Counter

import pytest

from toolcall_conformance import formats
from toolcall_conformance.library import load_corpus
from toolcall_conformance.trust.table import MutationTable
from witnesses.damage_generator import Source, damage_body, draw_damaged
from witnesses.damaged_bodies import DIFFERENCES, Comparer, bodies, find_differences, usable
from witnesses.known_differences import BODIES, Entry, entries, source_text, unexplained_differences
from witnesses.wire import sdk

CORPUS = load_corpus()
COMPARER = Comparer(CORPUS)
LISTED = entries(BODIES)
SEED = 20_261_126
CASES = list(CORPUS.cases)[::20]
FAULTS = 100
NAMES = [f"{entry.format} {entry.patterns[0]} {' '.join(entry.operators)}".strip() for entry in LISTED]


def sources_of(name: str, direction: str, *cases: str) -> list[Source]:
    sdk(name)
    return bodies(CORPUS, name, direction, cases, recorded=False)


@pytest.mark.parametrize("direction", ["request", "response"])
@pytest.mark.parametrize("name", formats.names())
def test_every_difference_has_its_reason(name: str, direction: str) -> None:
    right = usable(COMPARER, sources_of(name, direction, *CASES))
    counts: Counter[str] = Counter()
    differences = list(find_differences(COMPARER, draw_damaged(MutationTable(CORPUS), right, FAULTS, SEED), counts))
    assert [str(difference) for difference in unexplained_differences(LISTED, differences, Counter())] == []
    assert counts.total() == FAULTS
    assert min(counts["taken"], counts["both"]) > 0


@pytest.mark.parametrize("entry", LISTED, ids=NAMES)
def test_an_entry_still_explains_its_example(entry: Entry) -> None:
    where, _, fault = entry.example.partition("::")
    operator, _, pointer = fault.partition("@")
    family, case, _, direction = where.split("/")
    source = next(
        (source for source in sources_of(entry.format, direction, f"{family}/{case}") if source.name == where), None
    )
    assert source is not None, f"no body of the corpus is called {where}"
    mutant = damage_body(source, operator, pointer, source.body)
    assert mutant is not None, "the operator changes nothing there"
    differences = list(find_differences(COMPARER, [mutant], Counter()))
    assert [entry.explains(difference.fault, difference.found) for difference in differences] == [True]
    assert set(entry.kinds) <= set(DIFFERENCES)


@pytest.mark.parametrize("entry", LISTED, ids=NAMES)
def test_the_line_of_the_sdk_is_there(entry: Entry) -> None:
    text = source_text(entry)
    if text is None:
        pytest.skip(f"the package of {entry.source} is not installed")
    assert entry.shows in text


def test_a_client_that_fails_where_we_find_nothing_is_seen() -> None:
    """A call whose arguments are a number breaks a user's code; to a judge without rules it is a difference."""
    (source,) = sources_of("openai_chat", "response", "shell/seed")[:1]
    mutant = damage_body(source, "to-number", "/choices/0/message/tool_calls/0/function/arguments")
    assert mutant is not None
    assert COMPARER.compare(mutant).kind == "both"
    deaf = Comparer(CORPUS)
    deaf.rules = lambda *_: set()  # type: ignore[method-assign]
    assert deaf.compare(mutant).kind == "fails"
