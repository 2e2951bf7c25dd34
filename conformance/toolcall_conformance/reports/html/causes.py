"""Each root cause as the page tells it: what is wrong, how often, where, what should stand there, and who says so."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from toolcall_conformance.findings import NOT_KNOWN
from toolcall_conformance.library import Rule
from toolcall_conformance.reports.blocks import title
from toolcall_conformance.reports.html.vocabulary import WORDS
from toolcall_conformance.reports.html.words import value_text
from toolcall_conformance.reports.model import ItemRecord, RunRecord, told
from toolcall_conformance.reports.root_cause import RootCause, simplicity
from toolcall_conformance.reports.seen import Seen, in_order
from toolcall_conformance.showing import many

_SHOWN = 80
_WEB = re.compile(r"https?://", re.IGNORECASE)


class Source(NamedTuple):
    """Evidence: the kind of source, its address if it is one of the web, and what it says."""

    kind: str
    url: str
    note: str


@dataclass(frozen=True, slots=True)
class Cause:
    """A cause in the page's words. ``place`` has a name for the page's style, a label and a text each."""

    number: int
    level: str
    sign: str
    known: bool
    rule: str
    heading: str
    detail: str
    why: str
    fix: str
    sentence: str
    others: Sequence[str]
    count: str
    cases: str
    in_the_loop: int
    checks: str
    families: Sequence[str]
    routes: Sequence[str]
    nodeid: str
    title: str
    place: Sequence[tuple[str, str, str]]
    evidence: Sequence[Source]
    again: str


def told_causes(run: RunRecord, rules: Mapping[str, Rule]) -> list[Cause]:
    """The causes in their order."""
    return [_told(number, root, run, root.texts(rules)) for number, root in enumerate(run.roots, 1)]


def _told(number: int, root: RootCause, run: RunRecord, rule: Rule | None) -> Cause:
    example = shown_example(root)
    families = Counter(item.case.partition("/")[0] for item in root.items)
    return Cause(
        number=number,
        level=root.level,
        sign=WORDS["levels"][root.level],
        known=root.known,
        rule=root.rule,
        heading=_heading(root, rule),
        detail=_detail(example, rule),
        why=rule.why if rule is not None else "",
        fix=rule.fix if rule is not None else "",
        sentence=rule.sentence if rule is not None else "",
        others=sorted(root.others),
        count=many(len(root.items), "item"),
        cases=many(len({item.case for item in root.items}), "case"),
        in_the_loop=root.in_the_loop,
        checks=_checks(root.items),
        families=[name for name, _ in families.most_common()],
        routes=list(_routes(root.items)),
        nodeid=example.item.nodeid,
        title=title(example.item),
        place=list(_place(example, rule)),
        evidence=list(evidence(rule)),
        again=run.again(example.item.nodeid),
    )


def shown_example(root: RootCause) -> Seen:
    """The simplest item that shows a cause, or the simplest one whose bodies the report has."""
    example = root.example
    with_bodies = [one for one in root.seen if one.item.bodies]
    return example if example.item.bodies or not with_bodies else min(with_bodies, key=simplicity)


def _heading(root: RootCause, rule: Rule | None) -> str:
    said = rule.breach if rule is not None else str(root.example.finding["message"])
    way = f", {root.way}" if root.way else ""
    return f"{said[:1].upper()}{said[1:]}{way}"


def _detail(example: Seen, rule: Rule | None) -> str:
    """What tells a cause from others of its rule: the message, or the values of the example."""
    finding = example.finding
    if rule is not None and finding["message"] != rule.breach:
        return str(finding["message"])
    shown = [
        f"{label} {value_text(value)[:_SHOWN]}"
        for key, label in (("want", "expected"), ("got", "actual"))
        if (value := told(finding, key)) is not NOT_KNOWN
    ]
    return "; ".join([*([str(finding["subject"])] if finding["subject"] else []), ", ".join(shown)]).strip("; ")


def _checks(items: Sequence[ItemRecord]) -> str:
    counts = Counter(item.check for item in items)
    return ", ".join(f"{name} {counts[name]}" for name in in_order(counts))


def _routes(items: Sequence[ItemRecord]) -> Iterator[str]:
    """The routes, those of one client together."""
    for client in sorted({item.client for item in items}):
        upstreams = sorted({item.upstream for item in items if item.client == client})
        yield f"{client} → {', '.join(upstreams)}"


def _place(example: Seen, rule: Rule | None) -> Iterator[tuple[str, str, str]]:
    """Where the example is wrong: a key for the page's style, a label, and the text."""
    finding = example.finding
    if rule is None or finding["message"] != rule.breach:
        yield "message", "What", finding["message"]
    if finding["subject"]:
        yield "subject", "Of", finding["subject"]
    if finding["body"]:
        yield "body", "In", f"{finding['body']}, {finding['format']}"
    if finding["pointer"]:
        yield "pointer", "At", finding["pointer"]
    if finding.get("source_pointer"):
        yield "pointer", "From", finding["source_pointer"]
    for key, label in (("want", "Expected"), ("got", "Came")):
        value = told(finding, key)
        if value is not NOT_KNOWN:
            yield key, label, value_text(value)
    for key, label in (("code", "Code"), ("near", "Near"), ("known", "Known"), ("note", "Note")):
        if finding.get(key):
            yield key, label, str(finding[key])


def evidence(rule: Rule | None) -> Iterator[Source]:
    """Evidence. An address of another kind than the web's could run something: it is left out."""
    for one in rule.evidence if rule is not None else ():
        address = str(one.get("url", ""))
        kind = WORDS["evidence"].get(one["kind"], one["kind"])
        yield Source(kind, address if _WEB.match(address) else "", str(one.get("note", "")))
