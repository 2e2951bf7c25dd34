"""Known failures take work that grows with the file and the run, not with their product."""

from __future__ import annotations

import datetime as dt
import re
from pathlib import Path
from random import Random

import pytest

from toolcall_conformance.reports import known_failures
from toolcall_conformance.reports.known_failures import FailingFinding, ItemPattern, RuleNames, update
from toolcall_conformance.reports.known_failures.entries import ItemIndex


@pytest.mark.parametrize("form", ["fam/case-{}::request::*", "fam/case-{}", "fam/case-{}::*::anthropic-to-?emini"])
def test_a_pattern_is_compared_with_items_that_begin_alike(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    comparison_count = 0
    plainly = ItemPattern.matches

    def count_comparison(self: ItemPattern, nodeid: str) -> bool:
        nonlocal comparison_count
        comparison_count += 1
        return plainly(self, nodeid)

    monkeypatch.setattr(ItemPattern, "matches", count_comparison)
    work = []
    for count in (50, 200):
        comparison_count = 0
        text = "".join(f"{form.format(f'{n:03}')} a/b # why\n" for n in range(count))
        (tmp_path / "known.txt").write_text(text)
        failure_list = known_failures.load(tmp_path / "known.txt", RuleNames(["a/b"]), dt.date(2026, 1, 1))
        items = [f"toolcall::fam/case-{n:03}::request::anthropic-to-gemini" for n in range(count)]
        assert all(failure_list.standing(item, "a/b", "x").is_known for item in items)
        assert len(failure_list.find_stale(items, {item: [] for item in items})) == count
        failing = {item: [FailingFinding("a/b", "x", "why")] for item in items}
        assert update(failure_list, text, items, failing).kept == count
        work.append(comparison_count)
    assert work[1] <= 5 * work[0]


@pytest.mark.parametrize("text", ["*", "a/*", "a/b", "a", "?/b::c::d", "a/b::c::d", "toolcall::a/b::*", "a/bb*::c"])
def test_the_items_of_a_pattern_are_those_that_it_matches(text: str) -> None:
    ids = [f"{family}/{case}::c::d" for family in ("a", "aa", "b") for case in ("b", "bb", "c")]
    pattern = ItemPattern(text, 1)
    assert ItemIndex(ids).matching(pattern) == [nodeid for nodeid in ids if pattern.matches(nodeid)]
    assert all(re.match(re.escape(pattern.literal_prefix), nodeid) for nodeid in ItemIndex(ids).matching(pattern))


def test_many_stars_take_no_longer() -> None:
    """A regular expression tries each star at each place, for each place of the one before: for ever."""
    item = "toolcall::fam/case-1::request::anthropic-to-gemini"
    assert not ItemPattern("fam/" + "*" * 60 + "none", 1).matches(item)
    assert not ItemPattern("fam/" + "*e" * 60 + "*none", 1).matches(item)
    assert ItemPattern("fam/" + "*" * 60 + "gemini", 1).matches(item)


def test_stars_match_as_they_would_with_all_places_tried() -> None:
    draw = Random(1)
    for _ in range(3_000):
        text = "".join(draw.choice("ab*?") for _ in range(draw.randrange(1, 7))) + draw.choice(
            ["", "/a*", "::b", "/*b"]
        )
        item = "".join(draw.choice("aab") for _ in range(draw.randrange(5))) + draw.choice(["", "/ab", "/aba::b::a"])
        below = "" if text.count("::") >= 2 else "(?:::.*)?" if "/" in text else "(?:/.*)?"
        plainly = re.escape(text).replace(r"\*", ".*").replace(r"\?", ".") + below
        assert ItemPattern(text, 1).matches(item) == bool(re.fullmatch(plainly, item)), (text, item)


def test_a_file_of_empty_lines_is_read_at_once(tmp_path: Path) -> None:
    """White space at the start of a line must not reach over its end: each line would be read to the last one."""
    (tmp_path / "known.txt").write_text("\n" * 300_000)
    assert not known_failures.load(tmp_path / "known.txt", RuleNames(["a/b"])).entries
