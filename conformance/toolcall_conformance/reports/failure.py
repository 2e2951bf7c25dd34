"""The text of a failing item: each violated rule with where, what was wanted, what came, and why it matters."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from toolcall_conformance.findings import MISSING, Finding, Level
from toolcall_conformance.library import Rule

_VALUE_WIDTH = 160
_PLACES_SHOWN = 3
_ORDER = (Level.MUST, Level.SHOULD, Level.NOTE)


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text; ``kind`` is head, a level, or nothing, and says how to colour it."""

    text: str
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Subject:
    """What was judged. ``again`` is the command that runs it alone, ``files`` where its bodies were written."""

    case: str
    check: str
    client: str
    upstream: str
    exchanges: int
    variant: str = ""
    again: str | None = None
    files: str | None = None

    @property
    def title(self) -> str:
        way = f" · {self.variant}" if self.variant else ""
        return f"{self.case} · {self.check} · {self.client} → {self.upstream}{way}"


def describe(
    subject: Subject,
    findings: Sequence[Finding],
    rules: Mapping[str, Rule],
    *,
    failing: Sequence[Finding],
    known: Mapping[str, str],
) -> list[Line]:
    """All that there is to say about a failing item.

    Findings in ``failing`` fail it, unless ``known`` gives a reason for their rule; the rest is told after them.
    """
    lines = [Line(subject.title, "head")]
    new = [finding for finding in failing if finding.rule not in known]
    for _, group in groupby(sorted(new, key=lambda finding: (_ORDER.index(finding.level), finding.rule)), key=_root):
        lines += _rule(list(group), rules, subject)
    lines += [
        Line(f"  known {rule}  ({reason})", "NOTE")
        for rule, reason in known.items()
        if any(f.rule == rule for f in failing)
    ]
    milder = dict.fromkeys((finding.rule, finding.level) for finding in findings if finding not in failing)
    lines += [Line(f"  {rule}  {_breach(rule, rules)}        {level}", level.value) for rule, level in milder]
    if subject.files:
        lines.append(Line(f"    files {subject.files}"))
    if subject.again:
        lines.append(Line(f"    again {subject.again}"))
    return [Line(_printable(line.text), line.kind) for line in lines]


def _root(finding: Finding) -> tuple[Level, str]:
    return finding.level, finding.rule


def _rule(found: list[Finding], rules: Mapping[str, Rule], subject: Subject) -> list[Line]:
    level, rule_id = _root(found[0])
    rule = rules.get(rule_id)
    lines = [Line(f"  {rule_id}  {_breach(rule_id, rules) or found[0].message}        {level}", level.value)]
    for finding in found[:_PLACES_SHOWN]:
        lines += [Line(f"    {name:<5} {text}") for name, text in _place(finding, rule, subject)]
    if len(found) > _PLACES_SHOWN:
        lines.append(Line(f"    and at {len(found) - _PLACES_SHOWN} more places of this item"))
    if rule is not None:
        lines.append(Line(f"    why   {rule.why}"))
    lines.append(Line(f"    see   toolcall-conformance explain {rule_id}"))
    return lines


def _breach(rule_id: str, rules: Mapping[str, Rule]) -> str:
    return rules[rule_id].breach if rule_id in rules else ""


def _place(finding: Finding, rule: Rule | None, subject: Subject) -> list[tuple[str, str]]:
    told: list[tuple[str, str]] = []
    if rule is not None and finding.message != rule.breach:
        told.append(("what", finding.message))
    if finding.subject:
        told.append(("of", finding.subject))
    # With a single exchange there is no doubt which body is meant.
    if finding.body and subject.exchanges > 1:
        told.append(("in", finding.body))
    if finding.pointer or finding.got is not MISSING or finding.want is not MISSING:
        told.append(("at", finding.pointer or "(the whole body)"))
    if finding.want is not MISSING or finding.got is not MISSING:
        told.append(("want", show(finding.want)))
        told.append(("got", show(finding.got)))
        told += [("diff", line) for line in _explained(finding.want, finding.got)]
    return told


def _explained(want: Any, got: Any) -> list[str]:
    """The differences inside two large values that cannot be seen at a glance."""
    if not isinstance(want, (dict, list)) or type(want) is not type(got):
        return []
    if max(len(_json(want)), len(_json(got))) <= _VALUE_WIDTH:
        return []
    from toolcall_conformance.reports.explain import differences

    return differences(want, got)


def show(value: Any) -> str:
    """A value in one line: JSON, cut in the middle if it is long."""
    if value is MISSING:
        return "(absent)"
    text = _json(value)
    if len(text) <= _VALUE_WIDTH:
        return text
    half = _VALUE_WIDTH // 2 - 10
    return f"{text[:half]} … {text[-half:]} ({len(text)} characters)"


def _json(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return repr(value)


def _printable(text: str) -> str:
    """Text that any terminal and any worker's channel takes."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
