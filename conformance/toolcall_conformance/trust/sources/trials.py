"""Tries one source: is there an output of it that breaks no MUST?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from toolcall_conformance import formats
from toolcall_conformance.basics.findings import ASSEMBLED_REPLY, NOT_KNOWN, Finding, Form, OneOf
from toolcall_conformance.drivers import Driver
from toolcall_conformance.judge import Judge, Requests
from toolcall_conformance.trust.sources.draws import Draw, broken_rules
from toolcall_conformance.trust.sources.player import PlayedSource, Player
from toolcall_conformance.trust.sources.repair import repair, value_of

ROUNDS = 4
"""So often an output is repaired and judged again: one repair may show the next fault."""
CHOICES = 3
"""So many of the values that a finding leaves a choice between are tried."""
OUTCOMES = ("passed", "repaired", "closed", "refused", "refused sound", "unsupported", "failed")
BAD = ("closed", "failed")


@dataclass(frozen=True, slots=True)
class TriedDraw:
    """What became of a draw.

    Its output ``passed``, passed when ``repaired``, or is ``closed``; the translator ``refused`` what breaks a MUST of
    its own format, or ``refused sound`` input, does not support the route, or ``failed``. ``rules`` are the MUSTs that
    a repaired output broke at first, or that remain; ``remains`` says these in full. ``broken`` are the MUSTs that the
    source itself breaks.
    """

    name: str
    way: str
    client: str
    upstream: str
    outcome: str
    rules: tuple[str, ...] = ()
    remains: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()
    reason: str = ""
    refused_anew: bool = False


@dataclass(frozen=True, slots=True)
class TriedOutput:
    """An output that is judged: a body, or a stream as its events, and in their place the reply they assemble to."""

    output: Any
    reply: Any = None


class DrawTrier:
    """Tries draws with a translator; with that of an ``older`` checkout it says what only the older one translates."""

    def __init__(self, driver: Driver, judge: Judge, older: Driver | None = None) -> None:
        self._judge, self._player = judge, Player(driver, judge)
        self._older = Player(older, judge) if older is not None else None

    def try_draw(self, draw: Draw) -> TriedDraw:
        """What becomes of a draw."""
        result = self._player.play(draw)
        breaks = self._broken_rules(draw, result)
        if result.kind == "output":
            outcome, first, left = self._way_out(draw, result)
            return _result(draw, outcome, first, left, breaks)
        outcome = result.kind
        if outcome == "refused" and not breaks and not self._may_refuse(draw, result):
            outcome = "refused sound"
        anew = self._older is not None and self._older.play(draw).kind == "output"
        return _result(draw, outcome, (), (), breaks, result.reason, refused_anew=anew)

    def first(self, draw: Draw) -> tuple[PlayedSource, Sequence[Finding]]:
        """What the translator makes of a draw, and all that the judge says of it."""
        result = self._player.play(draw)
        return result, self._judge_output(draw, result, TriedOutput(result.output)) if result.kind == "output" else ()

    def _may_refuse(self, draw: Draw, result: PlayedSource) -> bool:
        if draw.source.way == "request":
            return self._judge.may_refuse(result.route, result.source)
        reply = result.source
        if draw.source.way == "stream":
            reply = formats.assemble(draw.upstream, reply).body
        return self._judge.may_fail(draw.upstream, reply)

    def _broken_rules(self, draw: Draw, result: PlayedSource) -> tuple[str, ...]:
        """The MUSTs of its own format that the source breaks."""
        route = result.route
        model = route.client_model if draw.source.way == "request" else route.upstream_model
        return broken_rules(self._judge, draw.source, result.source, model)

    def _way_out(self, draw: Draw, result: PlayedSource) -> tuple[str, Sequence[Finding], Sequence[Finding]]:
        """How an output passes: at once, repaired or not; what it broke at first, and what remains."""
        first = [finding for finding in self._judge_output(draw, result, TriedOutput(result.output)) if finding.is_must]
        if not first:
            return "passed", (), ()
        fewest: Sequence[Finding] = first
        for grave in (True, False):
            for choice in range(CHOICES):
                left = self._repair_rounds(draw, result, grave=grave, choice=choice)
                if not left:
                    return "repaired", first, ()
                fewest = min(fewest, left, key=len)
                if not any(isinstance(finding.want, (OneOf, Form)) for finding in (*first, *left)):
                    break
        return "closed", first, fewest

    def _repair_rounds(self, draw: Draw, result: PlayedSource, *, grave: bool, choice: int) -> Sequence[Finding]:
        """The MUSTs that remain after some rounds of repair, by MUSTs alone or by all findings."""
        tried_output = TriedOutput(result.output)
        left: Sequence[Finding] = ()
        for _ in range(ROUNDS):
            findings = self._judge_output(draw, result, tried_output)
            left = [finding for finding in findings if finding.is_must]
            changed = _repair(draw, tried_output, left if grave else findings, choice) if left else None
            if changed is None:
                return left
            tried_output = changed
        return [finding for finding in self._judge_output(draw, result, tried_output) if finding.is_must]

    def _judge_output(self, draw: Draw, result: PlayedSource, tried_output: TriedOutput) -> Sequence[Finding]:
        judge, source, route = self._judge, draw.source, result.route
        captured = source.case is None
        if source.way == "request":
            return judge.request(
                result.source, tried_output.output, route, declared=result.losses, captured=captured
            ).findings
        vendor = bool(draw.habits) or (source.case is not None and route.upstream in source.case.dialects)
        options: dict[str, Any] = {"vendor": vendor, "declared": result.losses}
        if source.way == "response":
            return judge.response(
                result.source, tried_output.output, route, requests=result.requests, captured=captured, **options
            ).findings
        requests = Requests(result.requests.client)
        if tried_output.reply is not None:
            body = formats.assemble(route.upstream, result.source).body
            options["vendor"] = True
            findings = judge.response(
                body, tried_output.reply, route, requests=requests, captured=True, **options
            ).findings
            return _without_new_musts(findings, self._judge_output(draw, result, TriedOutput(tried_output.output)))
        return judge.stream(
            result.source, tried_output.output, route, requests=requests, captured=True, **options
        ).findings


def _without_new_musts(findings: Sequence[Finding], before: Sequence[Finding]) -> Sequence[Finding]:
    """Findings of a stream's reply without the MUSTs of rules that had none in the stream.

    What no request asked a stream for, its reply may lack.
    """
    grave, all_before = ({finding.rule for finding in before if finding.is_must}, {finding.rule for finding in before})
    return [
        finding
        for finding in findings
        if not finding.is_must or finding.rule in grave or finding.rule not in all_before
    ]


def _repair(draw: Draw, tried_output: TriedOutput, findings: Sequence[Finding], choice: int) -> TriedOutput | None:
    """An output after one round of repair: a stream in its events first, then the reply that they assemble to."""
    if draw.source.way != "stream":
        changed = repair(tried_output.output, findings, choice)
        return None if changed is None else TriedOutput(changed)
    if tried_output.reply is not None:
        changed = repair(tried_output.reply, findings, choice)
        return None if changed is None else TriedOutput(tried_output.output, changed)
    events = repair(tried_output.output, [finding for finding in findings if finding.body != ASSEMBLED_REPLY], choice)
    if events is not None:
        return TriedOutput(events)
    reply = formats.assemble(draw.client, tried_output.output).body
    changed = (
        repair(reply, [finding for finding in findings if finding.body == ASSEMBLED_REPLY], choice)
        if reply is not None
        else None
    )
    return None if changed is None else TriedOutput(tried_output.output, changed)


def _result(
    draw: Draw,
    outcome: str,
    first_findings: Sequence[Finding],
    remaining: Sequence[Finding],
    broken: tuple[str, ...],
    reason: str = "",
    *,
    refused_anew: bool = False,
) -> TriedDraw:
    rules = _rules(remaining or first_findings)
    remains = tuple(_sentence(finding) for finding in remaining)
    ends = (draw.name, draw.source.way, draw.client, draw.upstream)
    return TriedDraw(*ends, outcome, rules, remains, broken, reason, refused_anew)


def _rules(body_findings: Iterable[Finding]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(finding.rule for finding in body_findings))


def _sentence(finding: Finding) -> str:
    want = value_of(finding)
    expected = "nothing that can be put there" if want is NOT_KNOWN else repr(want)
    where = f"{finding.body}, " if finding.body else ""
    values = f"want {expected[:200]}, got {finding.got!r:.200}"
    return f"{finding.rule} {where}{finding.pointer or '(whole)'}: {finding.message}; {values}"
