"""Check one body against the rules of its own format: its schema first, then the rule functions."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from toolcall_conformance import formats
from toolcall_conformance.basics.findings import Finding
from toolcall_conformance.basics.jsonvalue import pack, unpack
from toolcall_conformance.basics.memoize import MAX_MEMOIZED_BYTES
from toolcall_conformance.basics.reading import Reading
from toolcall_conformance.basics.reading.assembled import Assembled
from toolcall_conformance.basics.reading.breach import Breach
from toolcall_conformance.formats.rule import Subject
from toolcall_conformance.judge.levels import make_finding
from toolcall_conformance.judge.rules import schemas
from toolcall_conformance.library import Corpus


def check_body(
    corpus: Corpus,
    format_name: str,
    direction: str,
    body: Any,
    *,
    model: str | None = None,
    reading: Reading | None = None,
    assembled: Assembled | None = None,
) -> list[Finding]:
    """The findings of a body by its format's own rules, no translation involved.

    ``reading`` is that of the body, ``assembled`` the assembled stream, if they are known already.
    """
    try:
        data = pack(body) if direction != "stream" else b""
    except ValueError:  # more than can be packed; readers take anything
        data = b""
    if data and len(data) <= MAX_MEMOIZED_BYTES:
        return list(_check_packed(corpus, format_name, direction, model, data))
    return _check(corpus, format_name, direction, body, model, reading, assembled)


@lru_cache(maxsize=64)
def _check_packed(
    corpus: Corpus, format_name: str, direction: str, model: str | None, data: bytes
) -> tuple[Finding, ...]:
    """The findings of a packed body, cached: several checks and variants of a case have equal bodies."""
    body, reading = unpack(data), formats.read_packed(format_name, direction, data)
    return tuple(_check(corpus, format_name, direction, body, model, reading, None))


def _check(
    corpus: Corpus,
    format_name: str,
    direction: str,
    body: Any,
    model: str | None,
    reading: Reading | None,
    assembled: Assembled | None,
) -> list[Finding]:
    its_format = formats.get(format_name)
    findings: list[Finding] = []
    for rule_id, breach in schemas.breaches(corpus, format_name, direction, body):
        findings.append(_make_finding(corpus, rule_id, breach, format_name, direction))
    machine = its_format.stream if direction == "stream" else None
    if machine is not None:
        assembled = machine.assemble(body) if assembled is None else assembled
        reading = formats.read(format_name, "response", assembled.body)
        for expected_rule in machine.RULES:
            rule_breaches = (breach for rule_id, breach in assembled.breaches if rule_id == expected_rule)
            findings.extend(
                _make_finding(corpus, expected_rule, breach, format_name, direction) for breach in rule_breaches
            )
    elif reading is None:
        reading = formats.read(format_name, direction, body)
    subject = Subject(format_name, direction, body, reading, model)
    for rule in its_format.rules:
        if direction in rule.directions:
            breaches = rule.breaches(subject)
            findings.extend(_make_finding(corpus, rule.id, breach, format_name, direction) for breach in breaches)
    return findings


def _make_finding(corpus: Corpus, rule_id: str, breach: Breach, format_name: str, direction: str) -> Finding:
    return make_finding(
        corpus,
        rule_id,
        breach.pointer,
        breach.message,
        direction=direction,
        want=breach.want,
        got=breach.got,
        element=breach.element,
        subject=breach.subject,
        format=format_name,
    )
