"""What a report says of both sides of a finding reads back as the finding had it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from toolcall_conformance.basics.findings import MISSING, NOT_KNOWN, Finding, Form, Level, OneOf
from toolcall_conformance.reports.item_record import finding_json, finding_value


def reported_finding(want: Any, limit: int | None = None) -> dict[str, Any]:
    finding = Finding("a/b", Level.MUST, "/c", "no", want=want, got=1)
    document: dict[str, Any] = json.loads(json.dumps(finding_json(finding, limit=limit)))
    return document


@pytest.mark.parametrize(
    ("want", "expected"),
    [
        ({"type": "x"}, {"type": "x"}),
        (MISSING, {"$absent": True}),
        (OneOf(("a", 1)), {"$one_of": ["a", 1]}),
        (Form({"type": "string", "minLength": 1}), {"$json_schema": {"type": "string", "minLength": 1}}),
    ],
)
def test_the_wanted_value_is_reported(want: Any, expected: Any) -> None:
    assert reported_finding(want)["want"] == expected
    assert finding_value(reported_finding(want), "want") == want


def test_what_nobody_knows_has_no_key() -> None:
    assert "want" not in reported_finding(NOT_KNOWN)
    assert finding_value(reported_finding(NOT_KNOWN), "want") is NOT_KNOWN


def test_a_long_form_is_cut_as_other_values_are() -> None:
    want = reported_finding(Form({"not": {"enum": ["toolu_1"] * 500}}), limit=2_000)["want"]
    assert want["$shown"].startswith('{"$json_schema": {"not"')
    assert want["$length"] > 2_000
