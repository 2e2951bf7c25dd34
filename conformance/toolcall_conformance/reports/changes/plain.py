"""A difference as JSON; its schema is ``reports/changes/diff.schema.json``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from toolcall_conformance.reports.changes.difference import CauseChange, ReportDifference
from toolcall_conformance.reports.run_record import RunRecord

FORMAT = "1"
SCHEMA_PATH = Path(__file__).with_name("diff.schema.json")


def document(difference: ReportDifference) -> dict[str, Any]:
    """Everything that changed, with all node ids."""
    old, new = difference.sides.old, difference.sides.new
    both = len(old.items.keys() & new.items.keys())
    return {
        "format": FORMAT,
        "old": _side(old.run),
        "new": _side(new.run),
        "items": {"both": both, "only_old": len(old.items) - both, "only_new": len(new.items) - both},
        "fixed": len(difference.fixed),
        "newly_visible": len(difference.visible),
        "new_failures": len(difference.failures),
        "causes": [_change(change) for change in difference.changes],
    }


def _side(run: RunRecord) -> dict[str, Any]:
    named: Mapping[str, Any] = run.header
    suite = {key: digest for key, digest in named.get("suite", {}).items() if isinstance(digest, str)}
    identity = {key: named[key] for key in ("tool", "corpus", "translator", "strict")}
    return {"complete": run.complete, **identity, "suite": suite or None}


def _change(change: CauseChange) -> dict[str, Any]:
    root = change.shown
    return {
        "change": change.kind.value,
        "rule": change.root.rule,
        "level": change.root.level,
        "why": change.why.value if change.why is not None else None,
        "example": root.example.item.nodeid,
        "gained": list(change.gained),
        "lost": list(change.lost),
        "new_failures": {nodeid: [reason.why.value, reason.says] for nodeid, reason in change.reasons.items()},
    }
