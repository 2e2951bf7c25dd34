"""Runs made up for reports: as many items and findings as a test wants, of the real corpus's rules."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolcall_conformance.library import Corpus
from toolcall_conformance.reports.causes.grouping import find_root_causes
from toolcall_conformance.reports.causes.harm import Harm
from toolcall_conformance.reports.item_record import ItemRecord
from toolcall_conformance.reports.run_record import NotApplicable, RunRecord

FORMATS = ("anthropic", "gemini", "openai_chat", "openai_responses")
CHECKS = ("request", "response", "stream", "agent_loop")
HEADER: dict[str, Any] = {
    "tool": {"name": "toolcall-conformance", "version": "0.1.0"},
    "corpus": {"version": "0.1.0", "private": []},
    "translator": {"spec": "mine:T", "name": "mine", "version": "1.0"},
    "strict": False,
    "command": "pytest --toolcall-translator mine:T",
    "python": "3.13.0",
    "pytest": "9.0.0",
}


def finding(rule: str, level: str = "MUST", **more: Any) -> dict[str, Any]:
    """A finding as a report has it."""
    status = {"standing": "new"} if level == "MUST" else {}
    return {
        "rule": rule,
        "level": level,
        "pointer": "/messages/0/content",
        "message": "the text was lost",
        "element": "text",
        "subject": "",
        "body": "01-request",
        "format": "gemini",
        "want": "a",
        "got": "b",
        "signature": f"{rule} text gemini /messages/*/content changed",
        **status,
        **more,
    }


def item(case: str, check: str, client: str, upstream: str, findings: list[dict[str, Any]], **more: Any) -> ItemRecord:
    """An item that failed if a finding fails it."""
    failed = any("standing" in entry for entry in findings)
    return ItemRecord(
        nodeid=f"toolcall::{case}::{check}::{client}-to-{upstream}",
        case=case,
        check=check,
        client=client,
        upstream=upstream,
        variant=None,
        verdict="fail" if failed else "warn" if findings else "pass",
        outcome="failed" if failed else "passed",
        findings=findings,
        size=100 if findings else 0,
        **more,
    )


def run_of(items: list[ItemRecord], corpus: Corpus, **header: Any) -> RunRecord:
    return RunRecord(
        header={**HEADER, **header},
        items=items,
        not_applicable=[NotApplicable("toolcall::a/b::stream::gemini-to-gemini", "a/b", "stream", "gemini", "gemini")],
        stale=[],
        expected=len(items),
        roots=find_root_causes(items, Harm.of(corpus)),
    )


RULES = 648
"""From how many rules a large run draws. Every fourth is broken, each in two formats: 324 causes."""


def large_run(corpus: Corpus, items: int, findings: int) -> RunRecord:
    """So many items with so many findings among them, no two findings alike; one of each rule's items has bodies."""
    return run_of(list(_items(corpus, items, findings)), corpus)


def _items(corpus: Corpus, items: int, findings: int) -> Iterator[ItemRecord]:
    rules = [name for name, rule in corpus.rules.items() if rule.level.value != "NOTE"][:RULES]
    reported_rules: set[str] = set()
    for number in range(items):
        place, check = divmod(number, len(CHECKS))
        case, route = divmod(place, len(FORMATS) ** 2)
        client, upstream = FORMATS[route // len(FORMATS)], FORMATS[route % len(FORMATS)]
        reported = []
        if number * findings // items < (number + 1) * findings // items:
            rule = rules[number % len(rules)]
            reported = [_numbered_finding(rule, corpus.rules[rule].level.value, number, upstream)]
        bodies = [] if not reported or reported[0]["rule"] in reported_rules else [exchange(number)]
        reported_rules |= {entry["rule"] for entry in reported}
        yield item(f"family-{case % 30}/case-{case}", CHECKS[check], client, upstream, reported, bodies=bodies)


def _numbered_finding(rule: str, level: str, number: int, upstream: str) -> dict[str, Any]:
    return finding(
        rule,
        level,
        message=f"call {number} was lost on its way",
        pointer=f"/messages/{number % 7}/content",
        format=upstream,
        want=f"what number {number} wants: " + "words " * 20,
        got={"came": number, "words": "other words " * 10},
        near=f'{{"role": "user", "content": "number {number}"}}',
        signature=f"{rule} text {upstream} /messages/*/content {number % 3}",
    )


def exchange(number: int) -> dict[str, Any]:
    """Three bodies of a few kilobytes each."""
    calls = [
        {"type": "tool_use", "id": f"call_{number}_{index}", "name": "read_file", "input": {"path": f"{number}" * 9}}
        for index in range(9)
    ]
    body = {"model": "m", "messages": [{"role": "assistant", "content": [call]} for call in calls]}
    marks = {f"/messages/{index}/content/0/id": "ABCDEFGHI"[index] for index in range(9)}
    produced = {**body, "messages": body["messages"][1:]}
    return {
        "name": "01-request",
        "parts": {"source": body, "produced": produced, "golden": body},
        "marks": {"source": marks, "golden": marks},
    }
