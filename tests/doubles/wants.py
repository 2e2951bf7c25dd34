"""What findings say should be there, and is there, where a body is wrong: ``python tests doubles.wants``.

It judges every broken verdict and every body that a rule has as its example of a breach, and lists the rules whose
findings do not say what should be there, or what is, with how many of them do not. Notes are left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import jsonschema

from doubles.verdict_judge import judge_verdict
from toolcall_conformance import formats
from toolcall_conformance.basics.findings import MISSING, NOT_KNOWN, Finding, Form, OneOf
from toolcall_conformance.basics.jsonvalue import JSONError, equal, parse_arguments
from toolcall_conformance.judge.rules.check import check_body
from toolcall_conformance.library import load_corpus
from toolcall_conformance.library.verdicts import read_verdicts


def findings() -> Iterator[tuple[str, Finding]]:
    """Every finding of broken bodies but notes, with the name of its verdict or of the rule whose example it is in."""
    for name, rule_findings in _broken_bodies():
        yield from ((name, finding) for finding in rule_findings if not finding.is_note)


def _broken_bodies() -> Iterator[tuple[str, list[Finding]]]:
    for rule_id, rule in load_corpus().rules.items():
        scope, raw = rule_id.partition("/")[0], rule.raw
        if scope in formats.names():
            model = raw.get("model")
            yield rule_id, check_body(load_corpus(), scope, raw["direction"], raw["breaks"], model=model)
    for verdict in read_verdicts(load_corpus().root):
        if verdict["kind"] == "broken" and "usual" not in verdict:
            yield verdict["name"], list(judge_verdict(verdict))


def is_of_a_format(finding: Finding) -> bool:
    """Whether its rule is about one format, and not about a translation."""
    return not finding.rule.startswith("translation/")


def shows_no_difference(finding: Finding) -> bool:
    """Whether ``got`` fits ``want``, so that the finding shows no difference."""
    want, got = finding.want, finding.got
    if want is MISSING or got is MISSING:
        return want is got
    if want is NOT_KNOWN or got is NOT_KNOWN:
        return False
    if isinstance(want, Form):
        return fits(want.schema, got)
    return any(equal(value, got) for value in (want.values if isinstance(want, OneOf) else (want,)))


def fits(schema: Mapping[str, Any], value: Any) -> bool:
    """Whether a value fits a schema, and a text also what its content must be, of which validators say nothing."""
    if not jsonschema.Draft202012Validator(schema).is_valid(value):
        return False
    if "contentMediaType" not in schema or not isinstance(value, str):
        return True
    try:
        return fits(schema.get("contentSchema", {}), parse_arguments(value))
    except JSONError:
        return False


def main() -> None:
    """Print the table."""
    every = [finding for _, finding in findings()]
    all_of = Counter(finding.rule for finding in every)
    wants = Counter(finding.rule for finding in every if finding.want is NOT_KNOWN or shows_no_difference(finding))
    gots = Counter(finding.rule for finding in every if finding.got is NOT_KNOWN)
    for rule in sorted({*wants, *gots}, key=lambda rule: (-wants[rule], rule)):
        print(f"{rule:45} {all_of[rule]:5} findings, {wants[rule]:5} without want, {gots[rule]:5} without got")
    print(f"{len(every)} findings of {len(all_of)} rules, {wants.total()} without want, {gots.total()} without got")
    own = [finding for finding in every if is_of_a_format(finding)]
    lacking = [finding for finding in own if finding.want is NOT_KNOWN or shows_no_difference(finding)]
    print(f"of the rules of single formats: {len(own)} findings, {len(lacking)} without want")
    musts = sum(finding.is_must for finding in own)
    print(f"of these MUST: {musts} findings, {sum(finding.is_must for finding in lacking)} without want")


if __name__ == "__main__":
    main()
