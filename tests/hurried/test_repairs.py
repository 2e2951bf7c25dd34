"""One repair, one cause: what each patch of the hurried translator closes, by running it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hurried.test_hurried import HERE, run_suite

REPAIRS: list[dict[str, Any]] = json.loads((HERE / "repairs.json").read_text(encoding="utf-8"))["repairs"]


@pytest.mark.parametrize("repair", REPAIRS, ids=[repair["repair"] for repair in REPAIRS])
def test_a_repair_closes_one_cause_and_no_other(repair: dict[str, Any], tmp_path: Path) -> None:
    code = (HERE / "translator.py").read_text(encoding="utf-8")
    for old, new in repair["replace"]:
        assert code.count(old) > 0, old
        code = code.replace(old, new)
    (tmp_path / "repaired.py").write_text(code, encoding="utf-8")
    cases = [f"toolcall::{case}" for case in repair["cases"]]
    _, before = run_suite(tmp_path, *cases)
    _, after = run_suite(tmp_path, *cases, spec="repaired:Translator")
    closed = next(
        root
        for root in before
        if repair["rule"] in (root["rule"], *root["other_rules"]) and root["formats"] == [repair["format"]]
    )
    expected, actual = counts([root for root in before if root is not closed]), counts(after)
    # A fault that hid another one may show it.
    assert {cause: items for cause, items in actual.items() if cause in expected} == expected
    assert key(closed) not in actual


def counts(causes: list[dict[str, Any]]) -> dict[tuple[str, str, str], int]:
    """Return the number of items of each cause."""
    return {key(root): root["items"] for root in causes}


def key(root: dict[str, Any]) -> tuple[str, str, str]:
    return root["rule"], "+".join(root["formats"]), root["place"]
