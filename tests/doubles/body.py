"""Doubles of one body: the catalogue's decorators for them, and how they are tried over the corpus.

A double is one small function that gets a :class:`~doubles.draft.Draft` (a copy of the body that the reference made)
and puts one fault, or one harmless difference, into it. It raises Skip, mostly through ``need``, where a body has
nothing to put it into; so a body that it did change is one in which every honest judge sees the fault.

>>> @broken("gemini/schema-array-items")
... def schema_array_bare(draft):
...     '''Arrays in parameters have no items.'''

puts ``schema-array-bare`` into the catalogue. The decorators may be stacked, and may be called with a lambda, for
faults that differ in data alone: then ``fault`` and ``title`` say what the function's name and docstring would.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from typing import Any

from corpus_judge import judge
from doubles.catalogue import (
    ANTHROPIC,
    CHAT,
    FORMATS,
    GEMINI,
    RESPONSES,
    ByFormat,
    Double,
    Kind,
    PlayedDouble,
    Rules,
    enter,
    formats_of,
    heading,
    rule_tuple,
    rules_of,
)
from doubles.day import PLACES, REST, day_number
from doubles.draft import Draft, Skip, need
from doubles.harness import HARNESS
from doubles.illegal import ILLEGAL
from doubles.places import Place, illegal, places, places_of, translate_body
from toolcall_conformance.basics.contract import Route
from toolcall_conformance.basics.findings import Finding
from toolcall_conformance.basics.jsonvalue import equal
from toolcall_conformance.checks import CHECKS, ItemResult
from toolcall_conformance.drivers.python.driver import PythonDriver
from toolcall_conformance.library import load_corpus
from toolcall_reference import ReferenceTranslator
from toolcall_reference.conversation.losses import Loss
from turns import rotate

__all__ = [
    "ANTHROPIC",
    "CHAT",
    "FORMATS",
    "GEMINI",
    "OBJECT_ARGUMENTS",
    "RESPONSES",
    "SAME",
    "TEXT_ARGUMENTS",
    "WITH_IDS",
    "BodyDouble",
    "broken",
    "harmless",
    "need",
    "warning",
]

WITH_IDS = (ANTHROPIC, CHAT, RESPONSES)
TEXT_ARGUMENTS = (CHAT, RESPONSES)
OBJECT_ARGUMENTS = (ANTHROPIC, GEMINI)
SAME = ("same",)
"""As ``sources``: bodies of the target's own format, which have to come through as they are."""

SPELLINGS = ("translation/identity", "translation/identity-spelling")
"""What may be said of every harmless difference between two ends of one format."""

Change = Callable[[Draft], Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class BodyDouble(Double):
    """A double of one body: ``sources`` are the formats that it may come from, ``cases``, if any, the only cases.

    One that is ``at_home`` is the same fault, or as harmless, in a body that comes from its own format. ``hides`` are
    the elements whose loss the reference declares and the double does not.
    """

    check: str
    change: Change
    sources: tuple[str, ...]
    cases: tuple[str, ...] = ()
    at_home: bool = False
    hides: tuple[str, ...] = ()

    def apply(self, draft: Draft) -> Any:
        """The changed body; Skip where there is nothing to change."""
        returned = self.change(draft)
        return draft.body if returned is None else returned

    def changed(self, place: Place) -> Any:
        """What it makes of a place's output; None where it changes nothing."""
        try:
            output = self.apply(Draft.of(place.output, place.target, place.source, place.source_format, place.asked))
        except (Skip, json.JSONDecodeError):  # arguments that are no JSON have no members to change
            return None
        if self.kind == "harmless":  # another order of keys or spelling of a number is a change here, and only here
            return None if json.dumps(output) == json.dumps(place.output) else output
        return None if equal(output, place.output) else output

    def places(self) -> Iterator[tuple[Place, Any]]:
        """Where it changes the body, and to what: all places."""
        for source in self.sources:
            yield from self._places_of(source)

    def _places_of(self, source: str, *, spread: bool = False) -> Iterator[tuple[Place, Any]]:
        """The places that come from a format; perhaps in an order that jumps about the corpus."""
        every = [place for place in self._all(source) if place.case in self.cases or not self.cases]
        every = _spread_places(every) if spread else every
        return ((place, output) for place in every if (output := self.changed(place)) is not None)

    def among(self, source: str, case: str) -> Iterator[Place]:
        """The places of one case, or of the example of a rule."""
        lookup = illegal if case in ILLEGAL else places_of
        return (place for place in lookup(self.check, source, self.format, case))

    def _all(self, source: str) -> tuple[Place, ...]:
        """The places to choose from: illegal bodies only where they are named."""
        lookup = illegal if ILLEGAL.keys() & set(self.cases) else places
        return lookup(self.check, source, self.format)

    def played(self, day: int | None) -> Iterator[PlayedDouble]:
        """At three places that are spread over its sources and the corpus, in its own format, and in an item.

        Of these at one by turns, for a day; of one that has a verdict on every third day alone.
        """
        ways = [partial(self._from, source, number) for source in self.sources for number in range(self._each)]
        ways += [partial(self._at_home)] if self.at_home else []
        ways += [partial(self._in_an_item)]
        if day is not None:
            number = day_number(self.name, day)
            if self.exported() is not None and number % REST:
                return
            ways = rotate(ways, number // REST)
        yield from islice((played for way in ways for played in way()), None if day is None else 1)

    @property
    def _each(self) -> int:
        """How many places of each source."""
        return -(-PLACES // len(self.sources))

    def _from(self, source: str, number: int) -> Iterator[PlayedDouble]:
        """At one of the places that come from a format, if it is not that of its verdict."""
        entry = self.exported() or {}
        position = (entry.get("case"), entry.get("exchange"), entry.get("client"), entry.get("upstream"))
        for place, output in islice(self._places_of(source, spread=True), number, number + 1):
            if (place.case, place.number, place.client, place.upstream) != position:
                yield PlayedDouble(str(place), self._told(place, output))

    def _at_home(self) -> Iterator[PlayedDouble]:
        """At a place that comes from its own format."""
        for place, output in islice(self._places_of(self.format, spread=True), 1):
            findings = self._told(place, output)
            if self.kind == "harmless":
                findings = [finding for finding in findings if finding.rule not in SPELLINGS]
            yield PlayedDouble(f"at home: {place}", findings)

    def _in_an_item(self) -> Iterator[PlayedDouble]:
        """As a translator in an item; nowhere if only the examples of the rules have what it changes."""
        few = (islice(self._places_of(source, spread=True), self._each) for source in self.sources)
        places = (place for place, _ in chain(*few, self.places()))
        clean = (place for place in places if place.case in load_corpus().cases and self._is_clean(place))
        for place in islice(clean, 1):
            result = self._item(place)
            also = frozenset({"translation/bad-output"}) if self.kind == "broken" else frozenset[str]()
            yield PlayedDouble(f"the item of {place}", result.findings, result.verdict, also=also)

    def _told(self, place: Place, output: Any) -> Sequence[Finding]:
        """What the judge says; of a harmless one without what it says of the reference's own output there."""
        findings = judge_place(place, output, self.hides)
        if self.kind != "harmless" or not findings:
            return findings
        before = {finding.rule for finding in judge_place(place, place.output)}
        return [finding for finding in findings if finding.rule not in before]

    def _is_clean(self, place: Place) -> bool:
        """Whether the reference's own output has no finding, else a harmless item might not pass."""
        return self.kind != "harmless" or not judge_place(place, place.output)

    def _item(self, place: Place) -> ItemResult:
        driver = PythonDriver(_Doubled(self), f"double:{self.name}")
        check = "response" if self.check == "error" else self.check
        return CHECKS[check](load_corpus().cases[place.case], place.route, driver.open, HARNESS, "", None)

    def shown(self) -> dict[str, Any] | None:
        """At the place of its file, if it has one; else at the smallest, of the corpus's cases if there is one.

        A case in a vendor's dialect comes second: what its source breaks excuses the output, which no schema can know.

        What an illegal body excuses has no file: a judge that has the schemas alone cannot know it.
        """
        if self.kind == "harmless" and ILLEGAL.keys() & set(self.cases):
            return None
        entry = self.exported()
        example = (entry and self._known(entry)) or min(self.places(), key=_size_order, default=None)
        if example is None:
            return None
        place, output = example
        content = {
            "direction": self.check,
            "client": place.client,
            "upstream": place.upstream,
            "client_model": place.client_model,
            "upstream_model": place.upstream_model,
            "case": place.case,
            "exchange": place.number,
            "source": place.source,
            "output": output,
        }
        return content | ({"request": place.asked} if self.check == "response" else {})

    def _known(self, entry: dict[str, Any]) -> tuple[Place, Any] | None:
        source = entry["client" if self.check == "request" else "upstream"]
        for place in self.among(source, entry["case"]):
            if place.number == entry["exchange"]:
                output = self.changed(place)
                return None if output is None else (place, output)
        return None


def _size_order(example: tuple[Place, Any]) -> tuple[bool, bool, int, str]:
    place, output = example
    case = load_corpus().cases.get(place.case)
    in_dialect = case is not None and place.source_format in case.dialects
    return case is None, in_dialect, len(json.dumps([place.source, output, place.asked])), str(place)


def _spread_places(every: list[Place]) -> list[Place]:
    """The places in an order that jumps about the corpus, always the same."""
    step = next(step for step in (61, 67, 71) if len(every) % step or len(every) < step)
    return [every[index * step % len(every)] for index in range(len(every))] if len(every) > step else every


def judge_place(place: Place, output: Any, hides: Sequence[str] = ()) -> Sequence[Finding]:
    """What the judge says of an output at a place, whose translator declares the losses but those of ``hides``."""
    more: dict[str, Any] = {} if place.check == "error" else {"declared": place.declared.difference(hides)}
    return judge(
        place.source,
        output,
        client=place.client,
        upstream=place.upstream,
        direction=place.check,
        client_model=place.client_model,
        upstream_model=place.upstream_model,
        request=place.asked if place.check == "response" else None,
        **more,
    ).findings


class _Doubled:
    """A translator: the reference with a double's change in what it makes."""

    def __init__(self, double: BodyDouble) -> None:
        self.double = double

    def open(self, route: Route, /) -> _Session:
        return _Session(self.double, route)


class _Session:
    """One conversation of a doubled translator."""

    def __init__(self, double: BodyDouble, route: Route) -> None:
        self._double = double
        self._route = route
        self._session = ReferenceTranslator().open(route)
        self._asked: dict[str, Any] = {}

    @property
    def losses(self) -> list[Loss]:
        """What the reference says it lost, without what the double hides."""
        return [loss for loss in self._session.losses if loss.element not in self._double.hides]

    def request(self, body: dict[str, Any], /) -> Any:
        self._asked = body
        output = self._session.request(body)
        return self._changed("request", body, self._route.client, output, self._route.upstream)

    def response(self, body: dict[str, Any], /) -> Any:
        output = self._session.response(body)
        return self._changed("response", body, self._route.upstream, output, self._route.client)

    def error(self, status: int, body: dict[str, Any], headers: dict[str, str], /) -> Any:
        source = {"status": status, "headers": headers, "body": body}
        output = translate_body(self._session, "error", source)
        changed = self._changed("error", source, self._route.upstream, output, self._route.client)
        return changed["status"], changed["body"], changed.get("headers")

    def _changed(self, check: str, body: Any, source: str, output: Any, target: str) -> Any:
        if check != self._double.check:
            return output
        try:
            return self._double.apply(Draft.of(output, target, body, source, self._asked))
        except (Skip, json.JSONDecodeError):
            return output


def _entry(
    kind: Kind,
    rule: ByFormat = (),
    *,
    check: str = "request",
    target: str | Sequence[str] | None = None,
    sources: Sequence[str] | None = None,
    cases: Sequence[str] = (),
    warns: Rules = (),
    beside: ByFormat = (),
    never: ByFormat = (),
    fault: str = "",
    title: str = "",
    at_home: Sequence[str] = FORMATS,
    hides: Sequence[str] = (),
) -> Callable[[Change], Change]:
    """A double in each format of ``target``: by default the one that ``rule`` is about, or all.

    ``check`` is request, response or error. ``sources`` are by default all formats, and then the double is at home in
    the target, too, if that is one of ``at_home``; else the target is never among them, but for SAME. ``never`` are
    rules that must not be named. ``hides`` are elements whose loss it does not declare.
    """

    def decorate(change: Change) -> Change:
        for format_name in formats_of(rule, target):
            enter(
                BodyDouble(
                    **heading(change, title),
                    fault=fault or change.__name__.replace("_", "-"),
                    format=format_name,
                    kind=kind,
                    check=check,
                    change=change,
                    sources=(format_name,)
                    if sources == SAME
                    else tuple(name for name in sources or FORMATS if name != format_name),
                    cases=tuple(cases),
                    at_home=sources is None and format_name in at_home,
                    hides=tuple(hides),
                    rules=rules_of(rule, format_name),
                    warns=rule_tuple(warns),
                    beside=rules_of(beside, format_name),
                    never=rules_of(never, format_name),
                )
            )
        return change

    return decorate


broken = partial(_entry, "broken")
"""A fault that a MUST of ``rule`` names at every place."""
warning = partial(_entry, "warning")
"""A fault that providers or clients bear: a SHOULD of ``rule`` at every place, and no MUST."""
harmless = partial(_entry, "harmless")
"""A difference that no judge may fail. ``warns`` are rules of which a SHOULD may come."""
