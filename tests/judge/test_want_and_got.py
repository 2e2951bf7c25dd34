"""Every MUST finding of a format's rules says what should stand there and what does, or its rule cannot know it.

``not_known.json`` lists the rules that cannot, for ``want`` and for ``got``, each with the reason. ``python -m
doubles.wants`` in ``tests/`` prints the figures.
"""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any, Literal

import pytest

from doubles import wants
from toolcall_conformance.findings import NOT_KNOWN, Finding

Side = Literal["want", "got"]

LISTED: dict[str, list[dict[str, Any]]] = json.loads((Path(__file__).parent / "not_known.json").read_bytes())
"""By side, the reasons why nothing can be known, each with its rules."""

MOST = 1_120
"""How many MUST findings of these rules may be without a ``want``; it only falls."""


@cache
def found() -> tuple[tuple[str, Finding], ...]:
    return tuple((name, finding) for name, finding in wants.findings() if wants.is_of_a_format(finding))


def listed(side: Side) -> list[str]:
    return [rule for entry in LISTED[side] for rule in entry["rules"]]


def lacking(side: Side) -> Counter[str]:
    """How many findings of each rule do not know this side."""
    return Counter(finding.rule for _, finding in found() if getattr(finding, side) is NOT_KNOWN)


@pytest.mark.parametrize("side", ["want", "got"])
def test_a_finding_says_it_or_its_rule_is_listed(side: Side) -> None:
    assert sorted(lacking(side).keys() - set(listed(side))) == [], "say it, or list the rule with a reason"


@pytest.mark.parametrize("side", ["want", "got"])
def test_a_listed_rule_cannot_know(side: Side) -> None:
    assert sorted(set(listed(side)) - lacking(side).keys()) == [], "these say it now: take them off the list"


@pytest.mark.parametrize("side", ["want", "got"])
def test_the_list_gives_reasons_and_each_rule_once(side: Side) -> None:
    assert all(entry["reason"].endswith(".") for entry in LISTED[side])
    assert [rule for rule, count in Counter(listed(side)).items() if count > 1] == []


def test_no_finding_has_the_same_on_both_sides() -> None:
    assert [(name, finding.rule, finding.pointer) for name, finding in found() if wants.says_nothing(finding)] == []


def test_few_findings_are_without_a_want() -> None:
    """Prints how many of how many."""
    count = lacking("want").total()
    print(f"{count} of {len(found())} MUST findings of formats' rules are without a want")
    assert count <= MOST
