"""Findings as a report has them, with what each follows from, for items that no judge made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toolcall_conformance.basics.findings import MISSING, Finding, Level
from toolcall_conformance.judge.consequences import ConsequenceTable, name_causes
from toolcall_conformance.reports.item_record import finding_json, finding_value

_LOST: dict[str, Any] = {"want": "something", "got": MISSING}


def name_finding_causes(
    findings: Sequence[dict[str, Any]], table: ConsequenceTable, *, way_back: bool = False
) -> list[dict[str, Any]]:
    """The findings of one item, each that follows from another one with ``because``."""
    result_findings = name_causes(table, [_finding(finding) for finding in findings], way_back=way_back)
    plain = [finding_json(finding) for finding in result_findings]
    return [
        finding if "because" not in its else {**finding, "because": its["because"]}
        for finding, its in zip(findings, plain, strict=True)
    ]


def _finding(plain: dict[str, Any]) -> Finding:
    keys = ("rule", "pointer", "message", "element", "subject", "body", "format")
    values: dict[str, Any] = {key: finding_value(plain, key) for key in ("want", "got") if key in plain}
    lost = _LOST if plain["signature"].endswith(" lost") else {}
    words: dict[str, Any] = {key: plain[key] for key in keys}
    return Finding(level=Level(plain["level"]), **words, **{**lost, **values})
