"""The page's tables: how many items have which verdict, routes against checks, and what was lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import groupby
from typing import Any

from toolcall_conformance.reports.model import RunRecord
from toolcall_conformance.reports.seen import in_order
from toolcall_conformance.reports.summary import COUNTS, count_of, losses, matrix

# Each verdict has a sign and a word: a colour alone tells some readers nothing.
VERDICTS = {
    "passed": ("✓", "passed", "nothing is wrong"),
    "warned": ("▲", "warned", "passed, with SHOULD findings"),
    "failed": ("✖", "failed", "a MUST is broken"),
    "known": ("≈", "known", "failed as the file of known failures expects"),
    "unstable": ("~", "unstable", "another try ended otherwise"),
    "refused": ("⊘", "refused", "an input was refused that must be taken"),
    "blocked": ("‖", "blocked", "not judged, because a call before it failed"),
    "error": ("!", "error", "the harness itself failed"),
    "not_applicable": ("–", "not applicable", "the translator does not do this"),
}
_KINDS = {
    "undue": "reported lost, but both formats have it",
    "cannot": "the other format has no word for it",
    "may": "the other format has it by convention only",
}


def verdicts(run: RunRecord) -> list[dict[str, Any]]:
    """The verdicts that came, each with its number of items."""
    counts = Counter(count_of(item) for item in run.items)
    counts["not_applicable"] += len(run.not_applicable)
    return [_verdict(name, counts[name]) for name in COUNTS if counts[name]]


def _verdict(name: str, count: int) -> dict[str, Any]:
    sign, word, meaning = VERDICTS[name]
    return {"name": name, "sign": sign, "word": word, "meaning": meaning, "count": count}


def route_table(run: RunRecord) -> dict[str, Any]:
    """A row for each route, a cell for each check; ``cell`` is None where nothing is played."""
    found = matrix(run)
    checks = in_order(found)
    routes = sorted({(client, up) for rows in found.values() for client, row in rows.items() for up in row})
    rows = [
        {"client": client, "upstream": up, "cells": [_cell(found[check].get(client, {}).get(up)) for check in checks]}
        for client, up in routes
    ]
    return {"checks": checks, "rows": rows}


def _cell(counts: Mapping[str, int] | None) -> dict[str, Any] | None:
    if counts is None:
        return None
    total = sum(counts.values()) - counts["not_applicable"]
    good = counts["passed"] + counts["warned"]
    bad = total - good
    sign = (
        "–" if not total else "✖" if counts["failed"] + counts["refused"] + counts["error"] else "✓" if not bad else "≈"
    )
    words = ", ".join(f"{count} {VERDICTS[name][1]}" for name, count in counts.items() if count)
    # In fifths, for the shade.
    share = 0 if not bad else min(5, 1 + 5 * bad // total)
    return {"total": total, "good": good, "bad": bad, "sign": sign, "words": words, "share": share}


def loss_table(run: RunRecord) -> list[dict[str, Any]]:
    """What went because a format cannot say it: by kind and element, with the routes of each check."""
    rows = sorted(losses(run.items), key=lambda row: (list(_KINDS).index(row.kind), row.element, row.check))
    return [
        {
            "kind": kind,
            "meaning": _KINDS[kind],
            "element": element,
            "items": sum(row.items for row in of_element),
            "rows": [
                {
                    "check": row.check,
                    "client": row.client,
                    "upstream": row.upstream,
                    "items": row.items,
                    "example": row.example,
                }
                for row in of_element
            ],
        }
        for (kind, element), group in groupby(rows, key=lambda row: (row.kind, row.element))
        for of_element in [list(group)]
    ]
