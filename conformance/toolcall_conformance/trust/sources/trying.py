"""Tries one source: is there an output of it that breaks no MUST?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from toolcall_conformance import formats
from toolcall_conformance.drivers import Driver
from toolcall_conformance.findings import NOT_KNOWN, TOGETHER, Finding, Form, OneOf
from toolcall_conformance.judge import Judge, Requests
from toolcall_conformance.trust.sources.draws import Draw, broken
from toolcall_conformance.trust.sources.playing import Made, Player
from toolcall_conformance.trust.sources.repairing import repaired, value_of

ROUNDS = 4
"""So often an output is repaired and judged again: one repair may show the next fault."""
CHOICES = 3
"""So many of the values that a finding leaves a choice between are tried."""
OUTCOMES = ("passed", "repaired", "closed", "refused", "refused sound", "unsupported", "failed")
BAD = ("closed", "failed")


@dataclass(frozen=True, slots=True)
class Tried:
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
class Whole:
    """An output that is judged: a body, or a stream as its events, and in their place the reply they assemble to."""

    output: Any
    reply: Any = None


class Trier:
    """Tries draws with a translator; with that of an ``older`` checkout it says what only the older one translates."""

    def __init__(self, driver: Driver, judge: Judge, older: Driver | None = None) -> None:
        self._judge, self._player = judge, Player(driver, judge)
        self._older = Player(older, judge) if older is not None else None

    def tried(self, draw: Draw) -> Tried:
        """What becomes of a draw."""
        made = self._player.play(draw)
        breaks = self._broken(draw, made)
        if made.kind == "output":
            outcome, first, left = self._way_out(draw, made)
            return _tried(draw, outcome, first, left, breaks)
        outcome = made.kind
        if outcome == "refused" and not breaks and not self._may_refuse(draw, made):
            outcome = "refused sound"
        anew = self._older is not None and self._older.play(draw).kind == "output"
        return _tried(draw, outcome, (), (), breaks, made.reason, anew=anew)

    def first(self, draw: Draw) -> tuple[Made, Sequence[Finding]]:
        """What the translator makes of a draw, and all that the judge says of it."""
        made = self._player.play(draw)
        return made, self._judged(draw, made, Whole(made.output)) if made.kind == "output" else ()

    def _may_refuse(self, draw: Draw, made: Made) -> bool:
        if draw.source.way == "request":
            return self._judge.may_refuse(made.route, made.source)
        reply = made.source
        if draw.source.way == "stream":
            reply = formats.assembled(draw.upstream, reply).body
        return self._judge.may_fail(draw.upstream, reply)

    def _broken(self, draw: Draw, made: Made) -> tuple[str, ...]:
        """The MUSTs of its own format that the source breaks."""
        route = made.route
        own = route.client_model if draw.source.way == "request" else route.upstream_model
        return broken(self._judge, draw.source, made.source, own)

    def _way_out(self, draw: Draw, made: Made) -> tuple[str, Sequence[Finding], Sequence[Finding]]:
        """Whether an output passes, at once or repaired; what it broke at first, and what remains."""
        first = [one for one in self._judged(draw, made, Whole(made.output)) if one.is_must]
        if not first:
            return "passed", (), ()
        fewest: Sequence[Finding] = first
        for grave in (True, False):
            for choice in range(CHOICES):
                left = self._repaired(draw, made, grave=grave, choice=choice)
                if not left:
                    return "repaired", first, ()
                fewest = min(fewest, left, key=len)
                if not any(isinstance(one.want, (OneOf, Form)) for one in (*first, *left)):
                    break
        return "closed", first, fewest

    def _repaired(self, draw: Draw, made: Made, *, grave: bool, choice: int) -> Sequence[Finding]:
        """The MUSTs that remain after some rounds of repair, by MUSTs alone or by all findings."""
        whole = Whole(made.output)
        left: Sequence[Finding] = ()
        for _ in range(ROUNDS):
            found = self._judged(draw, made, whole)
            left = [one for one in found if one.is_must]
            changed = _mended(draw, whole, left if grave else found, choice) if left else None
            if changed is None:
                return left
            whole = changed
        return [one for one in self._judged(draw, made, whole) if one.is_must]

    def _judged(self, draw: Draw, made: Made, whole: Whole) -> Sequence[Finding]:
        judge, source, route = self._judge, draw.source, made.route
        captured = source.case is None
        if source.way == "request":
            return judge.request(made.source, whole.output, route, declared=made.losses, captured=captured).findings
        vendor = bool(draw.habits) or (source.case is not None and route.upstream in source.case.dialects)
        given: dict[str, Any] = {"vendor": vendor, "declared": made.losses}
        if source.way == "response":
            return judge.response(
                made.source, whole.output, route, requests=made.requests, captured=captured, **given
            ).findings
        asked = Requests(made.requests.client)
        if whole.reply is not None:
            said = formats.assembled(route.upstream, made.source).body
            given["vendor"] = True
            found = judge.response(said, whole.reply, route, requests=asked, captured=True, **given).findings
            return _no_graver(found, self._judged(draw, made, Whole(whole.output)))
        return judge.stream(made.source, whole.output, route, requests=asked, captured=True, **given).findings


def _no_graver(found: Sequence[Finding], before: Sequence[Finding]) -> Sequence[Finding]:
    """Findings of a stream's reply without the MUSTs of rules that had none in the stream.

    What no request asked a stream for, its reply may lack.
    """
    grave, all_before = ({one.rule for one in before if one.is_must}, {one.rule for one in before})
    return [one for one in found if not one.is_must or one.rule in grave or one.rule not in all_before]


def _mended(draw: Draw, whole: Whole, findings: Sequence[Finding], choice: int) -> Whole | None:
    """An output after one round of repair: a stream in its events first, then the reply that they assemble to."""
    if draw.source.way != "stream":
        changed = repaired(whole.output, findings, choice)
        return None if changed is None else Whole(changed)
    if whole.reply is not None:
        changed = repaired(whole.reply, findings, choice)
        return None if changed is None else Whole(whole.output, changed)
    events = repaired(whole.output, [one for one in findings if one.body != TOGETHER], choice)
    if events is not None:
        return Whole(events)
    reply = formats.assembled(draw.client, whole.output).body
    changed = repaired(reply, [one for one in findings if one.body == TOGETHER], choice) if reply is not None else None
    return None if changed is None else Whole(whole.output, changed)


def _tried(
    draw: Draw,
    outcome: str,
    first: Sequence[Finding],
    left: Sequence[Finding],
    broken: tuple[str, ...],
    reason: str = "",
    *,
    anew: bool = False,
) -> Tried:
    rules = _rules(left or first)
    remains = tuple(_said(one) for one in left)
    ends = (draw.name, draw.source.way, draw.client, draw.upstream)
    return Tried(*ends, outcome, rules, remains, broken, reason, anew)


def _rules(found: Iterable[Finding]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one.rule for one in found))


def _said(one: Finding) -> str:
    want = value_of(one)
    told = "nothing that can be put there" if want is NOT_KNOWN else repr(want)
    where = f"{one.body}, " if one.body else ""
    return f"{one.rule} {where}{one.pointer or '(whole)'}: {one.message}; want {told[:200]}, got {one.got!r:.200}"
