"""The page on known failures: its entry can be read, and each of its patterns means what the page says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from toolcall_conformance.engine.items.plan import plan_items
from toolcall_conformance.library import Corpus
from toolcall_conformance.reports.known_failures import ItemPattern, RuleNames, load
from toolcall_conformance.reports.known_failures.entries import ItemIndex

PAGE = (Path(__file__).parents[2] / "docs" / "known-failures.md").read_text(encoding="utf-8")
PATTERNS = re.findall(r"^\| `([^`]*::[^`]*|shell[^`]*)` \| (.*) \|$", PAGE, re.MULTILINE)


def test_the_causes_can_be_read(corpus: Corpus, tmp_path: Path) -> None:
    """Each pattern there is exact, and the numbers are true."""
    file = tmp_path / "known.toml"
    (block,) = re.findall(r"```toml\n(\[causes\]\n.*?)```", PAGE, re.DOTALL)
    file.write_text(block, encoding="utf-8")
    entries = load(file, RuleNames(corpus.rules, corpus.retired, lambda rule: corpus.rules[rule].breach)).entries
    assert [entry.lines for entry in entries] == [(2, 2), (3, 4)]
    assert entries[1].reason == corpus.rules["translation/results-linked"].breach
    there = ItemIndex(item.nodeid for item in plan_items(corpus))
    for pattern in (pattern for entry in entries for pattern in entry.patterns):
        assert pattern.is_exact
        assert len(there.matching(pattern)) == (pattern.count or len(pattern.parts)), pattern


def test_the_entry_can_be_read(corpus: Corpus, tmp_path: Path) -> None:
    file = tmp_path / "known.toml"
    file.write_text("[[known]]" + PAGE.partition("```toml\n[[known]]")[2].partition("```")[0], encoding="utf-8")
    (entry,) = load(file, RuleNames(corpus.rules, corpus.retired)).entries
    assert [pattern.line for pattern in entry.patterns] == [9, 10]
    assert entry.signature is not None
    assert len(entry.signature.split()) == 4


@pytest.mark.parametrize(("text", "meaning"), PATTERNS)
def test_each_pattern_matches_items(corpus: Corpus, text: str, meaning: str) -> None:
    pattern = ItemPattern(text, 1)
    matches = [item for item in plan_items(corpus) if pattern.matches(item.nodeid)]
    assert matches
    families = {item.case.family for item in matches}
    assert pattern.is_wide == (len(families) > 1) == ("wide" in meaning)
    assert pattern.is_one_item == (meaning == "this one")
    assert (len({item.case.id for item in matches}) > 1) == ("family" in meaning or "wide" in meaning)
    assert pattern.is_exact == (meaning == "this one" or pattern.count == len(matches) or "{" in text)
    if "without the plain loop" in meaning:
        assert all(item.variant for item in matches)
