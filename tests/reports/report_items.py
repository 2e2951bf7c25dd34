"""Runs that no translator made: items and findings as a test wants them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from toolcall_conformance.library import load_corpus
from toolcall_conformance.reports.causes.grouping import find_root_causes
from toolcall_conformance.reports.causes.harm import Harm
from toolcall_conformance.reports.item_record import ItemRecord
from toolcall_conformance.reports.run_record import NotApplicable, RunRecord

CORPUS = load_corpus()
SUITE: Mapping[str, Any] = {
    "corpus": "c" * 64,
    "code": "d" * 64,
    "data": "e" * 64,
    "cases": {f"{family}/{name}": "0" * 8 for family in ("box", "gone", "w") for name in ("one", "two", *range(60))},
    "rules": dict.fromkeys(CORPUS.rules, "0" * 8),
}
HEADER: Mapping[str, Any] = {
    "tool": {"name": "toolcall-conformance", "version": "0.1.0"},
    "corpus": {"version": "0.1.0", "private": []},
    "suite": SUITE,
    "translator": {"spec": "mine:T", "name": "mine", "version": "1.0"},
    "strict": False,
    "command": "pytest --toolcall-translator mine:T",
    "python": "3.13.0",
    "pytest": "9.0.0",
}


def finding(rule: str = "translation/call-lost", level: str = "MUST", place: str = "/a", **more: Any) -> dict[str, Any]:
    """A finding; one of the level MUST fails its item."""
    plain: dict[str, Any] = {
        "rule": rule,
        "level": level,
        "pointer": place,
        "message": "it is gone",
        "element": "call",
        "subject": "",
        "body": "01-request",
        "format": "gemini",
        "signature": f"{rule} call gemini {place} lost",
        **({"standing": "new"} if level == "MUST" else {}),
        **more,
    }
    return plain


def item(
    case: str = "box/one",
    *findings: dict[str, Any],
    check: str = "request",
    route: tuple[str, str] = ("anthropic", "gemini"),
    **more: Any,
) -> ItemRecord:
    """An item with the verdict and outcome that its findings make, unless ``more`` says otherwise."""
    fails, warns = ([fault for fault in findings if ("standing" in fault) == failing] for failing in (True, False))
    outcome = ("fail", "failed") if fails else ("warn", "passed") if warns else ("pass", "passed")
    fields: dict[str, Any] = {"verdict": outcome[0], "outcome": outcome[1], "variant": None, **more}
    name = "-to-".join(route) + (f"-{fields['variant']}" if fields["variant"] else "")
    return ItemRecord(
        f"toolcall::{case}::{check}::{name}", case, check, *route, findings=list(findings), size=len(findings), **fields
    )


def run(
    items: Sequence[ItemRecord],
    *,
    skipped: Sequence[NotApplicable] = (),
    stale: Sequence[str] = (),
    missing: int = 0,
    **header: Any,
) -> RunRecord:
    """A run of items, of which ``missing`` more were to run. What of ``header`` is None, its report does not have."""
    run_header = {name: value for name, value in {**HEADER, **header}.items() if value is not None}
    return RunRecord(run_header, items, skipped, stale, len(items) + missing, find_root_causes(items, Harm.of(CORPUS)))
