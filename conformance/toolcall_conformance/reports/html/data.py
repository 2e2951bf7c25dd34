"""The data of the page's script: every text once, and rows of the texts' numbers."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from toolcall_conformance.basics.findings import NOT_KNOWN
from toolcall_conformance.library import Rule
from toolcall_conformance.reports.causes.root_cause import RootCause
from toolcall_conformance.reports.html.cause_cards import evidence_sources, shown_example
from toolcall_conformance.reports.html.words import value_text
from toolcall_conformance.reports.item_record import ItemRecord, finding_value
from toolcall_conformance.reports.run_record import RunRecord
from toolcall_conformance.reports.text.blocks import new_roots
from toolcall_conformance.reports.text.summary import count_name
from toolcall_conformance.reports.vocabulary import WORDS

# The columns of the rows; `page.js` reads them by these names.
ITEM_COLUMNS = ("case", "check", "name", "client", "upstream", "variant", "count", "reason")
FINDING_COLUMNS = (
    "rule", "level", "pointer", "message", "element", "subject", "body", "format", "source_pointer",
    "near", "code", "standing", "known", "note", "own_level",
)  # fmt: skip
_VALUE_COLUMNS = ("want", "got", "between")


class ValueNumbers:
    """Numbers for values; equal values have one number."""

    def __init__(self, *first: Any) -> None:
        self._numbers: dict[Any, int] = {value: number for number, value in enumerate(first)}

    def number(self, value: Any) -> int:
        return self._numbers.setdefault(value, len(self._numbers))

    @property
    def values(self) -> list[Any]:
        return list(self._numbers)


class Packed(NamedTuple):
    """A run as plain data. ``more`` are members that few items have, by the item's number; ``signs`` are the page's
    words, ``new`` is the number of causes in the headline.

    A body is a JSON text: a script's numbers are not exact enough for its values.
    """

    again: str
    signs: Mapping[str, Any]
    columns: Mapping[str, Sequence[str]]
    texts: Sequence[str]
    items: Sequence[Any]
    findings: Sequence[Any]
    causes: Sequence[Mapping[str, Any]]
    new: int
    rules: Mapping[str, Any]
    more: Mapping[int, Any]
    bodies: Sequence[str]


class _Cause(NamedTuple):
    """A cause: its rules, the number of its example item, and the numbers of all its items."""

    rules: Sequence[str]
    example: int
    items: Sequence[int]


def pack_run(run: RunRecord, rules: Mapping[str, Rule]) -> Packed:
    """Pack all items, findings, causes and bodies of a run."""
    texts, findings, bodies = ValueNumbers(""), ValueNumbers(), ValueNumbers()
    causes = {
        id(occurrence.finding): number
        for number, root in enumerate(run.roots)
        for occurrence in (*root.occurrences, *root.echoes)
    }
    numbers = {item.nodeid: number for number, item in enumerate(run.items)}
    items = [
        _item_row(item, texts, [findings.number(_finding_row(finding, texts, causes)) for finding in item.findings])
        for item in run.items
    ]
    more = {number: content for number, item in enumerate(run.items) if (content := _rare_members(item, bodies))}
    named = sorted({finding["rule"] for item in run.items for finding in item.findings})
    return Packed(
        again=run.rerun_command(),
        signs=WORDS,
        columns={"item": ITEM_COLUMNS, "finding": [*FINDING_COLUMNS, *_VALUE_COLUMNS, "cause"]},
        texts=texts.values,
        items=items,
        findings=findings.values,
        causes=[_cause(root, numbers)._asdict() for root in run.roots],
        new=len(new_roots(run.roots)),
        rules={name: _rule_json(rules[name]) for name in named if name in rules},
        more=more,
        bodies=bodies.values,
    )


def _item_row(item: ItemRecord, texts: ValueNumbers, findings: list[int]) -> list[Any]:
    name = item.nodeid.removeprefix(f"toolcall::{item.case}::{item.check}::")
    values = {"name": name, "count": count_name(item)}
    return [
        *(texts.number(values.get(key, getattr(item, key, None)) or "") for key in ITEM_COLUMNS),
        *([findings] if findings else []),
    ]


def _finding_row(plain: Mapping[str, Any], texts: ValueNumbers, causes: Mapping[int, int]) -> tuple[int, ...]:
    """Return the row of a finding; its last number is that of its cause, -1 if it only repeats another finding."""
    values = [finding_value(plain, key) for key in _VALUE_COLUMNS]
    value_texts = ["" if value is NOT_KNOWN else value_text(value) for value in values]
    words = [plain.get(key) or "" for key in FINDING_COLUMNS]
    return (*(texts.number(word) for word in (*words, *value_texts)), causes.get(id(plain), -1))


def _rare_members(item: ItemRecord, bodies: ValueNumbers) -> dict[str, Any]:
    """Return the members that few items have: losses, settings left out, verdicts of official clients, bodies."""
    members: dict[str, Any] = {key: value for key in ("losses", "left_out", "witness") if (value := getattr(item, key))}
    if item.bodies:
        members["bodies"] = [_numbered_exchange(body, bodies) for body in item.bodies]
    return members


def _numbered_exchange(exchange: Mapping[str, Any], bodies: ValueNumbers) -> dict[str, Any]:
    parts = {name: bodies.number(json.dumps(part)) for name, part in exchange["parts"].items()}
    return {**exchange, "parts": parts}


def _cause(root: RootCause, numbers: Mapping[str, int]) -> _Cause:
    items = sorted(numbers[item.nodeid] for item in root.items)
    return _Cause([root.rule, *root.other_rules], numbers[shown_example(root).item.nodeid], items)


def _rule_json(rule: Rule) -> dict[str, Any]:
    sources = [source._asdict() for source in evidence_sources(rule)]
    kinds = [{key: kind[key] for key in ("message", "why", "fix") if key in kind} for kind in rule.raw.get("kinds", ())]
    return {"sentence": rule.sentence, "why": rule.why, "fix": rule.fix, "kinds": kinds, "evidence": sources}
