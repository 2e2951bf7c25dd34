"""Runs that are read again from their reports in JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from toolcall_conformance.reports.causes.harm import Harm
from toolcall_conformance.reports.causes.roots import root_causes
from toolcall_conformance.reports.model import ItemRecord
from toolcall_conformance.reports.run_record import NotApplicable, RunRecord

_HEADER = (
    "tool", "corpus", "suite", "translator", "policy", "recordings", "strict", "command", "run", "python", "pytest",
)  # fmt: skip
_FIELDS = frozenset(each.name for each in fields(ItemRecord))


def header_of(document: Mapping[str, Any]) -> dict[str, Any]:
    """What a report says of its run before the counts."""
    return {name: document[name] for name in _HEADER if name in document}


def items_of(document: Mapping[str, Any]) -> list[ItemRecord]:
    """The items of a report."""
    bodies = document.get("bodies", {})
    return [_item({name: plain[name] for name in _FIELDS & plain.keys()}, bodies) for plain in document["items"]]


def _item(plain: dict[str, Any], parts_by_key: Mapping[str, Any]) -> ItemRecord:
    """An item, its bodies taken from where the report has each once."""
    bodies = [
        {**body, "parts": {name: parts_by_key[key] for name, key in body["parts"].items()}}
        for body in plain.pop("bodies", ())
    ]
    return ItemRecord(**plain, bodies=bodies)


def run_of(document: Mapping[str, Any], harm: Harm) -> RunRecord:
    """The run of a report; its causes are found anew."""
    items = items_of(document)
    return RunRecord(
        header=header_of(document),
        items=items,
        not_applicable=[unsupported(nodeid) for nodeid in document.get("not_applicable", ())],
        stale=document["stale_known_failures"],
        # How many were to run a report does not say: of one that was stopped, more than did.
        expected=len(items) + (not document["footer"]["complete"]),
        roots=root_causes(items, harm),
    )


def unsupported(nodeid: str) -> NotApplicable:
    """An item that the translator does not support, from its node id."""
    case, check, client, upstream, _ = parts_of(nodeid)
    return NotApplicable(nodeid, case, check, client, upstream)


def parts_of(nodeid: str) -> tuple[str, str, str, str, str]:
    """The case, check, client, upstream and variant of a node id; within one format both ends are the same."""
    case, check, place = nodeid.partition("::")[2].rsplit("::", 2)
    client, between, rest = place.partition("-to-")
    upstream, _, variant = (rest if between else place).partition("-")
    return case, check, client if between else upstream, upstream, variant
