"""The root causes as cards of the page: the terminal's block, with all reasons and evidence."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from toolcall_conformance.basics.visible_text import pluralize
from toolcall_conformance.library import Rule
from toolcall_conformance.reports.causes.occurrence import Occurrence
from toolcall_conformance.reports.causes.root_cause import RootCause, simplicity
from toolcall_conformance.reports.html.words import value_text
from toolcall_conformance.reports.item_record import finding_value
from toolcall_conformance.reports.run_record import RunRecord
from toolcall_conformance.reports.text.blocks import (
    breach_text,
    cause_command,
    extent_text,
    item_title,
    new_roots,
    other_rules_text,
    place_fields,
    same_items_text,
    shows_elsewhere,
)
from toolcall_conformance.reports.vocabulary import FIELDS, WORDS

_WEB_ADDRESS = re.compile(r"https?://", re.IGNORECASE)
_KEYS_BY_NAME = {name: key for key, name in FIELDS.items()}


class EvidenceSource(NamedTuple):
    """A piece of evidence: the kind of source, its address if it is one of the web, and a note."""

    kind: str
    url: str
    note: str


class Field(NamedTuple):
    """A field of the example: a key for the page's style, the field's name in all reports, and the text."""

    key: str
    name: str
    text: str


@dataclass(frozen=True, slots=True)
class CauseCard:
    """A cause as the page shows it.

    ``heading`` is what is wrong, ``message`` the message of the simplest item if it says more. ``shown`` are node id
    and title of the item whose bodies the page has, if it is not the example. ``is_new``: the headline counts the
    cause.
    """

    number: int
    level: str
    sign: str
    known: bool
    is_new: bool
    rule: str
    heading: str
    message: str
    count: str
    nodeid: str
    title: str
    place: list[Field]
    shown: tuple[str, str] | None
    why: str
    fix: str
    sentence: str
    evidence: list[EvidenceSource]


def cause_cards(run: RunRecord, rules: Mapping[str, Rule]) -> list[CauseCard]:
    """Return a card for each cause of the run, in its order, numbered from 1."""
    first: dict[frozenset[str], RootCause] = {}
    bodies: set[tuple[str, str]] = set()
    new = set(map(id, new_roots(run.roots)))
    cards = []
    for number, root in enumerate(run.roots, 1):
        nodeids, body = frozenset(item.nodeid for item in root.items), root.example.body_key
        # As in the terminal: an SDK's verdict is about a whole body, and equal sets of items are listed once.
        place = list(_fields(root, run, rules, first.get(nodeids), witness=body not in bodies))
        cards.append(
            _card(number, root, root.rule_texts(rules), breach_text(root, rules), place, is_new=id(root) in new)
        )
        first.setdefault(nodeids, root)
        bodies.add(body)
    return cards


def _card(
    number: int, root: RootCause, rule: Rule | None, breach: str, place: list[Field], *, is_new: bool
) -> CauseCard:
    example, example_shown = root.example, shown_example(root)
    message = next((field.text for field in place if field.key == "message"), "")
    return CauseCard(
        number=number,
        level=root.level,
        sign=WORDS["levels"][root.level],
        known=root.is_known,
        is_new=is_new,
        rule=root.rule,
        heading=f"{breach[:1].upper()}{breach[1:]}",
        message=message if message != breach else "",
        count=pluralize(len(root.items), "item"),
        nodeid=example.item.nodeid,
        title=item_title(example.item),
        place=[field for field in place if field.key != "message"],
        shown=None
        if example_shown.item is example.item
        else (example_shown.item.nodeid, item_title(example_shown.item)),
        why=rule.why if rule is not None else "",
        fix=rule.fix if rule is not None else "",
        sentence=rule.sentence if rule is not None else "",
        evidence=list(evidence_sources(rule)),
    )


def shown_example(root: RootCause) -> Occurrence:
    """Return the simplest occurrence of a cause whose bodies the report has, or else the example."""
    example = root.example
    with_bodies = [occurrence for occurrence in root.occurrences if occurrence.item.bodies]
    return example if example.item.bodies or not with_bodies else min(with_bodies, key=simplicity)


def _fields(
    root: RootCause, run: RunRecord, rules: Mapping[str, Rule], same: RootCause | None, *, witness: bool
) -> Iterator[Field]:
    """Yield the fields below the item: the place, the values, where else it occurs, and the command."""
    finding = root.example.finding
    for name, text in place_fields(root, rules, witness=witness):
        key = _KEYS_BY_NAME[name]
        # A page has room for whole values.
        yield Field(key, name, value_text(finding_value(finding, key)) if key in ("want", "got") else text)
    if root.is_known and finding.get("known"):
        yield _field("known", finding["known"])
    if root.other_rules:
        yield _field("other_rules", other_rules_text(root))
    if same is not None:
        yield _field("same_items", same_items_text(root, same))
    elif shows_elsewhere(root):
        yield _field("items", extent_text(root))
    yield _field("command", cause_command(root, run.rerun_command, run.items))


def _field(key: str, text: str) -> Field:
    return Field(key, FIELDS[key], text)


def evidence_sources(rule: Rule | None) -> Iterator[EvidenceSource]:
    """Yield the evidence of a rule, with web addresses only: others could run something."""
    for source in rule.evidence if rule is not None else ():
        address = str(source.get("url", ""))
        kind = WORDS["evidence"].get(source["kind"], source["kind"])
        yield EvidenceSource(kind, address if _WEB_ADDRESS.match(address) else "", str(source.get("note", "")))
