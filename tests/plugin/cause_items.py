"""Items with findings of one signature each, and their root causes."""

from __future__ import annotations

from typing import Any

from finding_causes import name_finding_causes
from toolcall_conformance import load_corpus
from toolcall_conformance.judge.consequences import ConsequenceTable
from toolcall_conformance.reports.causes.grouping import find_root_causes
from toolcall_conformance.reports.causes.harm import Harm
from toolcall_conformance.reports.causes.root_cause import RootCause
from toolcall_conformance.reports.item_record import ItemRecord

HARM = Harm.of(load_corpus())


def finding(rule: str, place: str = "/a", difference: str = "value", **more: Any) -> dict[str, Any]:
    """A finding on a body of Chat with what a test says of it."""
    plain = {"rule": rule, "level": "MUST", "pointer": place, "message": "it is wrong", "element": "call"}
    plain |= {"subject": "", "body": "01-request", "format": "openai_chat", **more}
    words = (rule, plain["element"], plain["format"], place or "-", difference or "-")
    return {**plain, "signature": " ".join(words)}


def item(
    name: str, *findings: dict[str, Any], size: int = 0, table: ConsequenceTable = HARM.consequences
) -> ItemRecord:
    """``shell/a request anthropic gemini`` with findings, which follow from each other by the ``table``."""
    case, check, client, upstream, *variant = name.split()
    nodeid = f"toolcall::{case}::{check}::{'-'.join([client, 'to', upstream, *variant])}"
    variants = variant[0] if variant else None
    records = name_finding_causes(findings, table, way_back=check == "round_trip")
    return ItemRecord(nodeid, case, check, client, upstream, variants, "fail", "failed", findings=records, size=size)


def causes(*items: ItemRecord) -> list[RootCause]:
    return find_root_causes(items, HARM)
