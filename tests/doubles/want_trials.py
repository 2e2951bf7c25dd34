"""Whether what a finding of a verdict wants is true: put where it says, the finding is gone and no new MUST came."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from corpus_judge import judge, judge_stream
from doubles.border import judge_body
from doubles.verdict_judge import judge_instead, received_source
from doubles.want_placement import repaired_bodies, values_of
from toolcall_conformance import formats
from toolcall_conformance.basics.findings import ASSEMBLED_REPLY, MISSING, Finding
from toolcall_conformance.basics.jsonvalue import equal
from toolcall_conformance.basics.streaming import parse
from toolcall_conformance.library import load_corpus
from toolcall_conformance.library.verdicts import whole_verdict

UNCOVERED: Mapping[str, Mapping[str, str]] = json.loads(
    Path(__file__).with_name("uncovered.json").read_text(encoding="utf-8")
)
"""By rules the MUSTs that the repair of their finding may uncover, each with the reason."""

MAX_OF_A_RULE = 3
"""The findings of one rule that are tried of a verdict: a stream may have fifty of a kind."""

Judge = Callable[[Any], Sequence[Finding]]


@dataclass(frozen=True)
class FalseWant:
    """A finding whose ``want`` does not repair it; ``still``: it is reported again, ``new``: the new MUSTs."""

    finding: Finding
    still: bool
    new: tuple[str, ...]

    def __str__(self) -> str:
        finding = self.finding
        outcome = f"{'it is told again' if self.still else 'it is gone'}; new: {', '.join(self.new) or 'none'}"
        place = f"{finding.pointer or 'the whole'} {finding.body}"
        return f"{finding.rule} at {place}: want {finding.want!r}, got {finding.got!r}: {outcome}"


@dataclass
class WantTrial:
    """What was put of a verdict, and what could not be."""

    put: int = 0
    lies: tuple[FalseWant, ...] = ()


def try_wants(verdict: Mapping[str, Any]) -> WantTrial:
    """Put what each finding of a verdict wants, if it is a value, and judge again."""
    whole = whole_verdict(load_corpus().root, verdict)
    output = parse(whole["output"]) if whole["direction"] == "stream" else whole["output"]
    judges: dict[str, tuple[Any, Judge]] = {"": (output, _judge_of(whole))}
    findings = [finding for finding in judges[""][1](output) if not finding.is_note]
    result = WantTrial()
    counter: Counter[str] = Counter()
    for finding in findings:
        counter[finding.rule] += 1
        if counter[finding.rule] > MAX_OF_A_RULE or not values_of(finding):
            continue
        if finding.body == ASSEMBLED_REPLY and ASSEMBLED_REPLY not in judges:
            judges[ASSEMBLED_REPLY] = formats.assemble(whole["client"], output).body, _judge_of_reply(whole)
        body, judged = judges[finding.body]
        before = [*findings, *(judged(body) if finding.body else ())]
        ends = list(_trial_outcomes(body, finding, before, judged))
        result.put += bool(ends)
        if ends and (end := min(ends, key=lambda lie: (lie.still, len(lie.new)))) and (end.still or end.new):
            result.lies += (end,)
    return result


def _trial_outcomes(body: Any, finding: Finding, before: Sequence[Finding], judged: Judge) -> Iterator[FalseWant]:
    """How each way to put it ends; the last is a good one, if any is."""
    for value in values_of(finding):
        for changed in repaired_bodies(body, finding, value):
            end = _trial_outcome(finding, before, judged(changed))
            yield end
            if not (end.still or end.new):
                return
    here = finding.pointer.rpartition("/")[0]
    same_rule = [other for other in before if other.rule == finding.rule]
    same_place = [other for other in before if other.pointer.rpartition("/")[0] == here or other.pointer == here]
    for alike in (same_rule, same_place):  # one fault told at many places, or as many, is mended in all of them
        others = [other for other in alike if other.body == finding.body and values_of(other)]
        if len(others) > 1:
            changed = body
            for other in sorted(others, key=lambda other: other.pointer, reverse=True):
                changed = next(repaired_bodies(changed, other, values_of(other)[0]), changed)
            yield _trial_outcome(finding, before, judged(changed))


def _trial_outcome(finding: Finding, before: Sequence[Finding], after: Sequence[Finding]) -> FalseWant:
    new = _musts(after) - _musts(before)
    allowed = UNCOVERED.get(finding.rule, {}).keys()
    again = [other for other in after if other.rule == finding.rule and not other.is_note]
    same = any(other.pointer == finding.pointer and _is_same(other.got, finding.got) for other in again)
    still = same and len(again) >= sum(other.rule == finding.rule and not other.is_note for other in before)
    return FalseWant(finding, still, tuple(sorted(rule for rule in new if rule not in allowed)))


def _is_same(value: Any, other: Any) -> bool:
    return value is other if value is MISSING or other is MISSING else equal(value, other)


def _musts(findings: Sequence[Finding]) -> Counter[str]:
    return Counter(finding.rule for finding in findings if finding.is_must)


def _judge_of(whole: Mapping[str, Any]) -> Judge:
    client, direction, model = whole["client"], whole["direction"], whole["client_model"]
    if "source" not in whole:
        return lambda body: judge_body(client, direction, body, model)
    if direction != "stream":
        return lambda body: judge_instead(whole, body).findings
    context = {key: whole.get(key) for key in ("client", "upstream", "client_model", "upstream_model", "request")}
    source: Any = received_source(whole)
    return lambda body: judge_stream(body, source=source, **context).findings  # type: ignore[arg-type]


def _judge_of_reply(whole: Mapping[str, Any]) -> Judge:
    """The judge of the reply that a stream assembles to, as a reply that was none."""
    client, model = whole["client"], whole["client_model"]
    if "source" not in whole:
        return lambda body: judge_body(client, "response", body, model)
    context = {key: whole.get(key) for key in ("client", "upstream", "client_model", "upstream_model", "request")}
    sent = formats.assemble(whole["upstream"], received_source(whole)).body
    return lambda body: judge(sent, body, direction="response", **context).findings  # type: ignore[arg-type]
