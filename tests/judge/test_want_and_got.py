"""Every finding of a format's rules but notes says what should be there and what is, or its rule cannot know it.

``not_known.json`` lists the rules that cannot, for ``want`` and for ``got``, each with the reason. ``python tests
doubles.wants`` prints the figures.
"""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any, Literal

import jsonschema
import pytest

from doubles import wants
from toolcall_conformance.basics.findings import MISSING, NOT_KNOWN, Finding, Form
from toolcall_conformance.basics.jsonvalue import resolve
from toolcall_conformance.library import load_corpus
from toolcall_conformance.reports.text.failure import short_value

Side = Literal["want", "got"]

LISTED: dict[str, list[dict[str, Any]]] = json.loads((Path(__file__).parent / "not_known.json").read_bytes())
"""By side, the reasons why nothing can be known, each with its rules."""

TWO_LINES = 144
"""How long a value may be that a block has no more than two lines for."""

MAX_COUNT = 26
"""How many findings of these rules may be without a ``want``; it only falls."""


@cache
def cached_findings() -> tuple[tuple[str, Finding], ...]:
    return tuple((name, finding) for name, finding in wants.findings() if wants.is_of_a_format(finding))


def listed_rules(side: Side) -> list[str]:
    return [rule for entry in LISTED[side] for rule in entry["rules"]]


def count_unknown_sides(side: Side) -> Counter[str]:
    """How many findings of each rule do not know this side."""
    return Counter(finding.rule for _, finding in cached_findings() if getattr(finding, side) is NOT_KNOWN)


@pytest.mark.parametrize("side", ["want", "got"])
def test_a_finding_says_it_or_its_rule_is_listed(side: Side) -> None:
    assert sorted(count_unknown_sides(side).keys() - set(listed_rules(side))) == [], (
        "say it, or list the rule with a reason"
    )


@pytest.mark.parametrize("side", ["want", "got"])
def test_a_listed_rule_cannot_know(side: Side) -> None:
    assert sorted(set(listed_rules(side)) - count_unknown_sides(side).keys()) == [], (
        "these say it now: take them off the list"
    )


@pytest.mark.parametrize("side", ["want", "got"])
def test_the_list_gives_reasons_and_each_rule_once(side: Side) -> None:
    assert all(entry["reason"].endswith(".") for entry in LISTED[side])
    assert [rule for rule, count in Counter(listed_rules(side)).items() if count > 1] == []


def test_no_finding_wants_what_it_got() -> None:
    assert [
        (name, finding.rule, finding.pointer)
        for name, finding in cached_findings()
        if wants.shows_no_difference(finding)
    ] == []


def forms() -> list[tuple[str, Finding, Form]]:
    return [(name, finding, finding.want) for name, finding in cached_findings() if isinstance(finding.want, Form)]


def test_forms_are_schemas_and_fit_into_two_lines() -> None:
    for _, _, form in forms():
        jsonschema.Draft202012Validator.check_schema(form.schema)
    wordings = {(finding.rule, short_value(form)) for _, finding, form in forms()}
    assert [(rule, words) for rule, words in wordings if len(words) > TWO_LINES or words == "anything"] == []


def test_what_the_example_of_a_rule_has_right_fits_the_form() -> None:
    """Where its two bodies have the same place; of a missing key, one of those that only the right body has.

    The bodies of other rules than those of schemas may well differ elsewhere.
    """
    checked, wrong = 0, []
    for name, finding, form in forms():
        raw = load_corpus().rules[finding.rule].raw
        if name == finding.rule and raw["check"] == "schema" and (values := right_values(raw, finding, form)):
            checked += 1
            wrong += (
                []
                if any(wants.fits(form.schema, value) for value in values)
                else [(name, finding.pointer, form, values)]
            )
    assert wrong == []
    assert checked > 100


def right_values(raw: Any, finding: Finding, form: Form) -> list[Any]:
    try:
        right, wrong = (resolve(raw[body], finding.pointer) for body in ("obeys", "breaks"))
    except LookupError:
        return []
    if finding.got is not MISSING or not isinstance(right, dict) or not isinstance(wrong, dict):
        return [right]
    keys = [key for key in right if key not in wrong]
    return [right] if lacks_keys(form) else [right[key] for key in keys]


def lacks_keys(form: Form) -> bool:
    schemas = [form.schema, *form.schema.get("anyOf", ())]
    return any("required" in schema and "type" not in schema for schema in schemas)


def test_few_findings_are_without_a_want() -> None:
    """Prints how many of how many."""
    count = count_unknown_sides("want").total()
    print(f"{count} of {len(cached_findings())} findings of formats' rules are without a want")
    assert count <= MAX_COUNT


def test_a_value_stays_on_its_line() -> None:
    """JSON may hold U+2028 as it is; a terminal would begin a new line there."""
    assert short_value("a\u2028b\x85c") == '"a\\u2028b\\u0085c"'
    assert short_value("é 🌍") == '"é 🌍"'
