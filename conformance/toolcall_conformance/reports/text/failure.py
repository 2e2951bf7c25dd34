"""The text of a failing item: each violated rule, its place, both values, and why it matters."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from textwrap import wrap
from typing import Any

from toolcall_conformance.basics.findings import MISSING, NOT_KNOWN, Finding, Form, Level, OneOf, Words
from toolcall_conformance.basics.schema_words import describe_schema
from toolcall_conformance.basics.visible_text import pluralize, shorten, visible, visible_json
from toolcall_conformance.library import Corpus, Rule
from toolcall_conformance.reports.causes.harm import Harm
from toolcall_conformance.reports.causes.repetitions import leading_rules
from toolcall_conformance.reports.vocabulary import FIELDS

_VALUE_WIDTH = 160
_FORM_WIDTH = 140
_TEXT_WIDTH = 100
_PLACES_SHOWN = 3
_DIFFERENCES_SHOWN = 5
_LEVEL_ORDER = (Level.MUST, Level.SHOULD, Level.NOTE)


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text; ``kind`` chooses its colour: head, a level, or empty."""

    text: str
    kind: str = ""


@dataclass(frozen=True, slots=True)
class ReportedItem:
    """A judged item. ``command`` runs it alone, ``folder`` has its bodies.

    ``left_out`` are pointers to settings that it was played without; ``client_notes`` are the verdicts of official
    clients on its bodies.
    """

    case: str
    check: str
    client: str
    upstream: str
    exchanges: int
    variant: str = ""
    command: str | None = None
    folder: str | None = None
    left_out: Sequence[str] = ()
    client_notes: Sequence[str] = ()

    @property
    def title(self) -> str:
        way = f" · {self.variant}" if self.variant else ""
        return f"{self.case} · {self.check} · {self.client} → {self.upstream}{way}"


def describe(
    subject: ReportedItem,
    findings: Sequence[Finding],
    corpus: Corpus,
    *,
    failing: Sequence[Finding],
    known_reason: Callable[[Finding], str | None],
) -> list[Line]:
    """Return the text of a failing item.

    Findings in ``failing`` fail it, unless ``known_reason`` returns a reason for them; other findings follow. Within a
    level the most harmful rule comes first. Rules that follow from another come last, in a line each: the repair of
    that rule mends them.
    """
    rules, harm = corpus.rules, Harm.of(corpus)
    lines = [Line(subject.title, "head")]
    expected = {(finding.rule, reason) for finding in failing if (reason := known_reason(finding)) is not None}
    new = [finding for finding in failing if known_reason(finding) is None]
    leaders = leading_rules(new, corpus, check=subject.check, client=subject.client, upstream=subject.upstream)
    by_kind = partial(_kind_key, rules)
    ordered = sorted(new, key=lambda finding: (_report_order(harm, finding), by_kind(finding)[2:]))
    groups = [list(group) for _, group in groupby(ordered, key=by_kind)]
    for group in groups:
        if group[0].rule not in leaders:
            lines += _rule_lines(group, rules, subject)
    for group in groups:
        if (leader := leaders.get(group[0].rule)) is not None:
            lines += _follower_lines(group, rules, leader)
    lines += [Line(f"  known {rule}  ({reason})", "NOTE") for rule, reason in sorted(expected)]
    graver: dict[tuple[str, str], list[Finding]] = {}
    for finding in failing:
        graver.setdefault((finding.rule, finding.pointer), []).append(finding)
    milder = dict.fromkeys(
        (finding.rule, finding.level, _adapter_note(finding))
        for finding in findings
        if finding not in graver.get((finding.rule, finding.pointer), ())
    )
    lines += [
        Line(f"  {rule}  {_breach_text(rule, rules)}        {level}{suffix}", level.value)
        for rule, level, suffix in milder
    ]
    if subject.left_out:
        text = f"    played without {', '.join(subject.left_out)}, with which its first request fails"
        lines.append(Line(text, "SHOULD"))
    lines += [Line(f"    {sentence}") for sentence in subject.client_notes]
    if subject.folder:
        lines.append(Line(f"    files {subject.folder}"))
    if subject.command:
        lines.append(Line(f"    {FIELDS['item_command']} {subject.command}"))
    return [Line(visible(shorten(line.text)), line.kind) for line in lines]


def _adapter_note(finding: Finding) -> str:
    """Return a note if the adapter caused the finding, else an empty text."""
    return f", made up by the adapter (otherwise {finding.made_up})" if finding.made_up is not None else ""


def _report_order(harm: Harm, finding: Finding) -> tuple[int, int, str]:
    return _LEVEL_ORDER.index(finding.level), harm.rank(finding.rule, finding.element), finding.rule


def _rule_key(finding: Finding) -> tuple[Level, str]:
    return finding.level, finding.rule


def _kind_key(rules: Mapping[str, Rule], finding: Finding) -> tuple[Level, str, str, str]:
    """Return the key of findings in one block: level, rule, and the rule's texts for their kind."""
    rule = rules[finding.rule].about(finding.message) if finding.rule in rules else None
    return (*_rule_key(finding), rule.breach if rule else "", rule.fix if rule else "")


def _follower_lines(findings: list[Finding], rules: Mapping[str, Rule], leader: str) -> list[Line]:
    """Return the lines of a rule that follows from another one, with its first place."""
    level, rule_id = _rule_key(findings[0])
    breach = _breach_text(rule_id, rules, findings[0].message) or findings[0].message
    lines = [Line(f"  {rule_id}  {breach}        {level}, a consequence of {leader}", level.value)]
    places = dict.fromkeys(finding.pointer for finding in findings if finding.pointer)
    more = f" and {len(places) - 1} more" if len(places) > 1 else ""
    return [*lines, *(Line(f"    at    {place}{more}") for place in [*places][:1])]


def _rule_lines(findings: list[Finding], rules: Mapping[str, Rule], subject: ReportedItem) -> list[Line]:
    """Return the lines of a rule: its first places, the reason, the repair, and the command for evidence."""
    level, rule_id = _rule_key(findings[0])
    rule = rules[rule_id].about(findings[0].message) if rule_id in rules else None
    lines = [Line(f"  {rule_id}  {rule.breach if rule else findings[0].message}        {level}", level.value)]
    for finding in findings[:_PLACES_SHOWN]:
        lines += [Line(f"    {name:<5} {text}") for name, text in _place_fields(finding, rule, subject)]
    if len(findings) > _PLACES_SHOWN:
        more = len(findings) - _PLACES_SHOWN
        lines.append(Line(f"    and {more} more {'place' if more == 1 else 'places'} in this item"))
    if rule is not None:
        lines.append(Line(f"    {FIELDS['why']:<5} {rule.why}"))
        if rule.fix:
            first, *rest = wrap(rule.fix, _TEXT_WIDTH, break_on_hyphens=False)
            lines += [Line(f"    {FIELDS['fix']:<5} {first}"), *(Line(f"          {line}") for line in rest)]
    lines.append(Line(f"    {FIELDS['evidence']:<5} toolcall-conformance explain {rule_id}"))
    return lines


def _breach_text(rule_id: str, rules: Mapping[str, Rule], message: str = "") -> str:
    return rules[rule_id].about(message).breach if rule_id in rules else ""


def _place_fields(finding: Finding, rule: Rule | None, subject: ReportedItem) -> list[tuple[str, str]]:
    """Return the fields of a finding's place: names and texts."""
    fields: list[tuple[str, str]] = []
    if rule is not None and finding.message != rule.breach:
        fields.append((FIELDS["message"], finding.message))
    if finding.subject:
        fields.append((FIELDS["subject"], finding.subject))
    # A single exchange has only one such body, except that a stream has an assembled reply.
    if finding.body and (subject.exchanges > 1 or ", " in finding.body):
        fields.append((FIELDS["body"], finding.body))
    if finding.element == "body" and finding.got is MISSING and not finding.pointer:
        return fields  # if a call returned no body, the message is all there is
    values = [(name, value) for name, value in (("want", finding.want), ("got", finding.got)) if value is not NOT_KNOWN]
    if finding.pointer or values:
        fields.append((FIELDS["pointer"], finding.pointer or "(the whole body)"))
    if finding.source_pointer:
        fields.append((FIELDS["source_pointer"], finding.source_pointer))
    if values:
        fields += [(FIELDS["want"], short_value(finding.want)), (FIELDS["got"], short_value(finding.got))]
        fields += [(FIELDS["difference"], line) for line in _explain_difference(finding.want, finding.got)]
    if finding.between is not MISSING:
        fields.append((FIELDS["between"], short_value(finding.between)))
    return fields


def _explain_difference(want: Any, got: Any) -> list[str]:
    """Return the first differences between two values that are too large to compare by eye, each with its pointer."""
    if not isinstance(want, (dict, list)) or type(want) is not type(got):
        return []
    if max(len(_json(want)), len(_json(got))) <= _VALUE_WIDTH:
        return []
    from toolcall_conformance.basics.differences import find_differences

    lines = sorted(map(str, find_differences(want, got)))
    more = len(lines) - _DIFFERENCES_SHOWN
    return lines if more <= 0 else [*lines[:_DIFFERENCES_SHOWN], f"and {pluralize(more, 'more difference')}"]


def short_value(value: Any) -> str:
    """Return a value as one line of JSON; a long one is cut in the middle."""
    if value is MISSING or value is NOT_KNOWN:
        return repr(value)
    if isinstance(value, OneOf):
        return f"one of {', '.join(map(_json, value.values))}"
    if isinstance(value, Form):
        return describe_schema(value.schema, _FORM_WIDTH)
    if isinstance(value, dict) and value.keys() == {"$shown", "$length"}:
        # A report has only the beginning of a long value.
        return f"{value['$shown'][:_VALUE_WIDTH]} … ({value['$length']} characters)"
    text = visible(value) if isinstance(value, Words) else _json(value)
    if len(text) <= _VALUE_WIDTH:
        return text
    half = _VALUE_WIDTH // 2 - 10
    return f"{text[:half]} … {text[-half:]} ({len(text)} characters)"


def _json(value: Any) -> str:
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return repr(value)
    return visible_json(text)
