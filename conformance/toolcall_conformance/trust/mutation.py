"""One fault, and the judge's verdict on it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from toolcall_conformance import formats
from toolcall_conformance.basics.findings import Finding
from toolcall_conformance.basics.jsonvalue import resolve
from toolcall_conformance.basics.streaming import dump, parse
from toolcall_conformance.checks import Harness
from toolcall_conformance.drivers import Driver
from toolcall_conformance.trust import loops
from toolcall_conformance.trust.elements import Elements, is_about
from toolcall_conformance.trust.equivalent import EquivalenceCheck
from toolcall_conformance.trust.nodes import PlacedValue, nodes, pattern_of
from toolcall_conformance.trust.operators.catalogue import Unfit, apply_operator
from toolcall_conformance.trust.places import Place, findings
from toolcall_conformance.trust.table import MutationTable

Outcome = Literal["killed", "beside", "warned", "survived", "equivalent", "raised"]
OUTCOMES: tuple[Outcome, ...] = ("killed", "beside", "warned", "survived", "equivalent", "raised")
"""A MUST about the element of the fault, one beside it, a SHOULD, neither, no fault at all; the judge itself fails."""


@dataclass(frozen=True, slots=True)
class Mutation:
    """A fault that was made. ``rules`` are those of the level that decided; ``by`` is the rule of equivalence."""

    place: str
    operator: str
    pointer: str
    pattern: str
    element: str
    direction: str
    format: str
    outcome: Outcome
    rules: tuple[str, ...] = ()
    by: str = ""

    @property
    def name(self) -> str:
        """Its stable name, which is enough to make it again."""
        return f"{self.place}::{self.operator}@{self.pointer}"

    @property
    def within(self) -> tuple[str, str]:
        """The direction of the body that it is in, and where in that: of a conversation, one of its bodies."""
        if self.direction != "loop":
            return self.direction, self.pointer
        _, part, rest = loops.parts_of(self.pointer)
        return part, rest


class Workshop:
    """Makes faults in what a translator produced, and asks the judge. Keeps what it knows of the last places."""

    def __init__(self, driver: Driver, harness: Harness, table: MutationTable) -> None:
        self.driver, self.harness, self.table = driver, harness, table
        self.equivalence = EquivalenceCheck(driver, harness)
        self._known: dict[str, SoundOutput | None] = {}

    def baseline(self, place: Place) -> SoundOutput | None:
        """What is known of a place; None where the judge finds a fault in the undamaged output already."""
        if place.name not in self._known:
            if len(self._known) > 1000:
                self._known.clear()
            body_findings = self.findings(place, place.output)
            rule_counts = Counter(finding.rule for finding in body_findings)
            sound = not any(finding.is_must for finding in body_findings)
            self._known[place.name] = SoundOutput(place, self.table.tops, rule_counts) if sound else None
        return self._known[place.name]

    def findings(self, place: Place, output: Any) -> tuple[Finding, ...]:
        """What the judge says of an output at a place."""
        return findings(self.driver, self.harness, place, output)

    def breaks(self, place: Place, output: Any, checks: Sequence[str] = loops.CONVERSATION_CHECKS) -> bool:
        """Whether an output breaks a MUST; of a conversation, in some checks alone."""
        try:
            return any(finding.is_must for finding in findings(self.driver, self.harness, place, output, checks))
        except Exception:  # it must take any JSON: what it fails at it does not see
            return False

    def apply(self, place: Place, operator: str, pointer: str, donor: Any = None) -> Any:
        """The damaged output. Raises Unfit where the operator changes nothing, or nothing that can be sent."""
        output = apply_operator(operator, place.output, pointer, donor)
        return as_sent(output, place.output) if place.direction == "stream" else output

    def judge_output(self, baseline: SoundOutput, operator: str, pointer: str, output: Any) -> Mutation:
        """What became of a fault."""
        place, element = baseline.place, baseline.element(pointer)
        outcome, rules, by = self._judge_output(baseline, operator, pointer, element, output)
        return Mutation(
            place.name,
            operator,
            pointer,
            baseline.pattern(pointer),
            element,
            place.direction,
            place.part(pointer)[0].target,
            outcome,
            rules,
            by,
        )

    def _judge_output(
        self, baseline: SoundOutput, operator: str, pointer: str, element: str, output: Any
    ) -> tuple[Outcome, tuple[str, ...], str]:
        try:
            new_findings = baseline.new(self.findings(baseline.place, output))
        except Exception as error:  # it must take any JSON; one fault of its own must not end the run
            return "raised", (), type(error).__name__
        return self._outcome(baseline, operator, pointer, element, output, new_findings)

    def _outcome(
        self, baseline: SoundOutput, operator: str, pointer: str, element: str, output: Any, new_findings: list[Finding]
    ) -> tuple[Outcome, tuple[str, ...], str]:
        grave = [finding for finding in new_findings if finding.is_must]
        if grave:
            told_as = [*self.table.told_as(element), *(["body"] if _is_order(baseline.place, pointer) else [])]
            about = [finding for finding in grave if is_about(finding, baseline.place.part(pointer)[1], told_as)]
            return ("killed", _rules(about), "") if about else ("beside", _rules(grave), "")
        by = self._equivalent(baseline, operator, pointer, element, output)
        warned = _rules(finding for finding in new_findings if not finding.is_note)
        if by:
            return "equivalent", warned, by
        return ("warned", warned, "") if warned else ("survived", (), "")

    def _equivalent(self, baseline: SoundOutput, operator: str, pointer: str, element: str, output: Any) -> str:
        """By which rule an output says the same; empty if it does not. A conversation does if each body of it does."""
        if baseline.place.direction != "loop":
            return self._same(baseline.place, operator, pointer, element, output)
        _, _, rest = loops.parts_of(pointer)
        changed = loops.changed_bodies(baseline.place.output, output)
        rules = [
            self._same(baseline.place.part(f"/exchanges/{number}/{part}")[0], operator, rest, element, body)
            for number, part in changed
            for body in [output["exchanges"][number][part]]
        ]
        return rules[0] if all(rules) else ""

    def _same(self, place: Place, operator: str, pointer: str, element: str, output: Any) -> str:
        where = (place.direction, place.target, operator, element)
        about_it = (entry for pattern, entry in self.table.blind if pattern.is_for(*where) and pattern.is_at(pointer))
        blind = {entry["rule"] for entry in about_it}
        by = self.equivalence.rule(place, pointer, output, blind)
        return by or self._equivalence_id(place, operator, pointer, element, output)

    def _equivalence_id(self, place: Place, operator: str, pointer: str, element: str, output: Any) -> str:
        """The equivalence of the corpus that the table names for a fault like this."""
        for pattern, entry in self.table.equivalent:
            if pattern.is_for(place.direction, place.target, operator, element) and pattern.is_at(pointer):
                before, after = _at(place.output, pointer), _at(output, pointer)
                if _fits(entry.get("was"), before) and _fits(entry.get("becomes"), after):
                    return str(entry["equivalence"])
        return ""


@dataclass
class SoundOutput:
    """An output without a fault: its nodes and elements, and the rules that the judge warns by anyway."""

    place: Place
    tops: Mapping[str, str]
    rule_counts: Counter[str]

    def __post_init__(self) -> None:
        self.nodes: list[PlacedValue] = [node for node in nodes(self.place.output) if self._is_open(node.pointer)]
        self._patterns: dict[str, str] = {}
        self._elements: dict[str, Elements] = {}

    def _is_open(self, pointer: str) -> bool:
        """Whether faults are made at a place: not around the bodies of a conversation.

        The first request of one is judged as that of a request alone.
        """
        if self.place.direction != "loop":
            return True
        return pointer.count("/") > 2 and not pointer.startswith("/exchanges/0/request")

    def element(self, pointer: str) -> str:
        """The element that a place belongs to."""
        part, rest = self.place.part(pointer)
        if part.direction == "error":
            return "error"
        if not rest:
            return "exchange"
        name = pointer.removesuffix(rest)
        if name not in self._elements:
            self._elements[name] = Elements(part.target, part.direction, part.output, self.tops)
        return self._elements[name].at(rest)

    def pattern(self, pointer: str) -> str:
        """Which member it is, whatever the index; of what a user wrote himself only where it begins."""
        if pointer not in self._patterns:
            self._patterns[pointer] = self._pattern(pointer)
        return self._patterns[pointer]

    def _pattern(self, pointer: str) -> str:
        part, rest = self.place.part(pointer)
        tokens = rest.split("/")
        kind = _event_kind(part, tokens)
        whole = pattern_of(pointer.removesuffix(rest) + without_own(rest, _TOP[part.direction]))
        return whole if not kind else f"{whole} of {kind}"

    def new(self, body_findings: Iterable[Finding]) -> list[Finding]:
        """The findings that the undamaged output has not, by their rules."""
        left = Counter(self.rule_counts)
        new_findings = []
        for finding in body_findings:
            if left[finding.rule] and not finding.is_must:
                left[finding.rule] -= 1
            else:
                new_findings.append(finding)
        return new_findings


def _is_order(place: Place, pointer: str) -> bool:
    """Whether a fault is in the order of a stream's events, which the grammar of streams checks."""
    return place.direction == "stream" and pointer.count("/") == 2


# At which token of a pointer a body's own members are: `input` and `response` there are none of a user.
_TOP = {"request": 1, "response": 1, "error": 1, "stream": 4}
_OWN = ("properties", "input", "args", "response", "arguments", "$defs")


def without_own(pointer: str, top: int) -> str:
    """A pointer up to where what a user wrote himself begins; ``top`` is the token of a body's own members."""
    tokens = pointer.split("/")
    end = next((at for at in range(top + 1, len(tokens) - 1) if tokens[at] in _OWN), None)
    return pointer if end is None else "/".join([*tokens[: end + 1], "**"])


def _event_kind(place: Place, tokens: list[str]) -> str:
    if place.direction != "stream" or len(tokens) < 3:
        return ""
    return formats.event_kind(place.target, place.output["events"][int(tokens[2])])


def as_sent(stream: Any, before: Any) -> Any:
    """A stream as its client gets it. Raises Unfit where it cannot be written, or is written as it was."""
    events = stream.get("events") if isinstance(stream, dict) else None
    if not isinstance(events, list) or not all(_is_event(event) for event in events):
        raise Unfit
    output = {"events": parse(dump(events))["events"]}
    if output == before:
        raise Unfit
    return output


def _is_event(event: Any) -> bool:
    if not isinstance(event, dict) or "data" not in event or event.keys() - {"event", "data"}:
        return False
    name, data = event.get("event", "x"), event["data"]
    words = [name, data if isinstance(data, str) else "x"]
    return all(isinstance(word, str) and word and not re.search(r"[\r\n]", word) for word in words)


def _rules(body_findings: Iterable[Finding]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(finding.rule for finding in body_findings))


_NOTHING = object()


def _at(body: Any, pointer: str) -> Any:
    try:
        return resolve(body, pointer)
    except LookupError:
        return _NOTHING


def _fits(values: Any, value: Any) -> bool:
    """Whether a value is one of those that an entry names; all are, if it names none."""
    return values is None or (
        value is not _NOTHING and any(value == candidate and type(value) is type(candidate) for candidate in values)
    )
