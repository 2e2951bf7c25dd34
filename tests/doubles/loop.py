"""Doubles of a session: faults, and harmless habits, that live in a conversation and not in one body.

A double is a subclass of :class:`DoubledSession`, put into the catalogue by one of the three decorators:

>>> @broken("swapped", rule="translation/results-linked", case="shell/same-tool-twice", client=CHAT, upstream=ANTHROPIC)
... class ResultsByPosition(DoubledSession):
...     '''Attaches results to calls in the order in which they come.'''
...
...     def after_request(self, body):
...         ...
...         return body

A broken one has to fail in the variants of the agent loop that it names (``""`` is the plain one), on one of its rules;
a warning one to be told there; a harmless one to pass every check on its case and route. One whose fault shows in the
streams themselves names variants of the check ``stream`` instead (``check="stream"``). A double is asked for streams if
it is a :class:`StreamingSession`.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, ClassVar

from doubles.catalogue import (
    ANTHROPIC,
    CHAT,
    GEMINI,
    RESPONSES,
    Double,
    Kind,
    PlayedDouble,
    Rules,
    enter,
    heading,
    rule_tuple,
)
from doubles.events import Event, change_output, change_source
from doubles.harness import HARNESS
from toolcall_conformance.basics.contract import Route
from toolcall_conformance.basics.findings import MISSING, Level
from toolcall_conformance.checks import CHECKS, ItemResult, needs, variants
from toolcall_conformance.checks.agent_loop import VARIANTS, can_play_beside
from toolcall_conformance.drivers.base import Driver
from toolcall_conformance.drivers.python.driver import PythonDriver
from toolcall_conformance.judge.excuses.provider_memory import whole_exchanges
from toolcall_conformance.library import Case, load_corpus
from toolcall_reference import ReferenceTranslator

__all__ = [
    "ANTHROPIC",
    "CHAT",
    "GEMINI",
    "RESPONSES",
    "DoubledSession",
    "StreamingSession",
    "broken",
    "harmless",
    "warning",
]


class DoubledSession:
    """The reference's session with hooks.

    ``asked`` is the client's last request, ``answered`` the provider's last reply; ``shared`` is one dict for all
    sessions of the translator, where a fault keeps what should belong to one conversation. ``in_no_body``: no body
    shows what it does, so no file has it.
    """

    in_no_body: ClassVar[bool] = False

    def __init__(self, route: Route, shared: dict[str, Any]) -> None:
        self.route = route
        self.shared = shared
        self.inner = ReferenceTranslator().open(route)
        self.asked: dict[str, Any] = {}
        self.answered: dict[str, Any] = {}

    @classmethod
    def driver(cls, translator: Any, name: str) -> Driver:
        """How the translator is reached that opens such sessions."""
        return PythonDriver(translator, f"double:{name}")

    def request(self, body: dict[str, Any], /) -> Any:
        self.asked = body
        return self.after_request(copy.deepcopy(self.inner.request(self.before_request(copy.deepcopy(body)))))

    def response(self, body: dict[str, Any], /) -> dict[str, Any]:
        self.answered = body
        return self.after_response(copy.deepcopy(self.inner.response(self.before_response(copy.deepcopy(body)))))

    def before_request(self, body: dict[str, Any]) -> dict[str, Any]:
        """The client's request as the reference gets it."""
        return body

    def after_request(self, body: dict[str, Any]) -> dict[str, Any]:
        """The upstream request that the reference made."""
        return body

    def before_response(self, body: dict[str, Any]) -> dict[str, Any]:
        """The provider's reply as the reference gets it."""
        return body

    def after_response(self, body: dict[str, Any]) -> dict[str, Any]:
        """The client's reply that the reference made."""
        return body


class StreamingSession(DoubledSession):
    """A session that streams, too, with a hook on each event: what it becomes, none, one or several."""

    def stream(self, chunks: Iterable[bytes], /) -> Iterator[bytes]:
        if type(self).before_event is not StreamingSession.before_event:  # else they come as they were cut
            chunks = change_source(chunks, self.before_event, self.route.upstream)
        output = self.inner.stream(chunks)
        if type(self).after_event is StreamingSession.after_event:
            return output
        return change_output(output, self.after_event, self.route.client)

    def before_event(self, event: Event) -> Iterable[Event]:
        """An event of the provider as the reference gets it."""
        yield event

    def after_event(self, event: Event) -> Iterable[Event]:
        """An event for the client that the reference made."""
        yield event


IN_NO_FILE = frozenset({"blank-ids-sent-back"})
"""Faults that weigh less for what the provider's own replies say, which no file of a request shows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopDouble(Double):
    """A double of a session, on one case and route. ``variants`` are those of ``check`` that have to see it."""

    session: type[DoubledSession]
    case: str
    client: str
    upstream: str
    variants: tuple[str, ...]
    check: str

    @property
    def route(self) -> Route:
        case = load_corpus().cases[self.case]
        return Route(self.client, self.upstream, case.model(self.client), case.model(self.upstream))

    @property
    def items(self) -> list[tuple[str, str]]:
        """The checks of its case and route, each with its variant, in the order in which they run."""
        corpus = load_corpus()
        case = corpus.cases[self.case]
        # Without a stream of its own, one would go past what the double changes.
        streams = {"stream"} if issubclass(self.session, StreamingSession) else set()
        operations = {"request", "response", "error", *streams}
        return [
            (check, variant)
            for check in CHECKS
            for variant in variants(corpus, check, case, self.client, self.upstream)
            if needs(check, case, self.upstream, variant) <= operations
        ]

    def played(self, day: int | None) -> Iterator[PlayedDouble]:
        """In each item that has to see it; a habit in all."""
        del day
        for check, variant in self.items if self.kind == "harmless" else [(self.check, each) for each in self.variants]:
            result = play(self, check, variant)
            # What an item cannot look at is blocked, which is no word on a habit.
            verdict = None if self.kind == "harmless" else result.verdict
            yield PlayedDouble(f"{check} {variant}".rstrip(), result.findings, verdict)

    def seen(self) -> Iterator[tuple[str, str]]:
        """The items that name its fault, by one of its rules or another, in the order in which they run."""
        level = Level.MUST if self.kind == "broken" else Level.SHOULD
        for check, variant in self.items:
            if any(finding.level is level for finding in play(self, check, variant).findings):
                yield check, variant

    @property
    def seen_first(self) -> str | None:
        """The first item that names the fault: ``request``, ``agent_loop-swapped``."""
        return next((f"{check}-{variant}".rstrip("-") for check, variant in self.seen()), None)

    def _whole_request(self, number: int) -> Any:
        """The client's golden request of an exchange, with what it names by an id in it."""
        exchanges = load_corpus().cases[self.case].exchanges(self.client)
        return whole_exchanges(self.client, exchanges)[number - 1].request

    def shown(self) -> dict[str, Any] | None:
        """The request that shows the fault (of a harmless habit the last one); None if there is none."""
        if self.fault in IN_NO_FILE or self.session.in_no_body:
            return None
        variant = self.variants[0] if self.variants else ""
        result = play(self, "agent_loop", variant) if self.check == "agent_loop" else None
        guilty = {finding.body for finding in result.findings if finding.rule in self.rules} if result else set()
        for played in reversed(result.played if result else ()):
            if not played.name.endswith("-request") or (self.rules and played.name not in guilty):
                continue
            number = int(played.name[:2])
            if played.produced is MISSING or number == 1:
                return None
            return {
                "direction": "loop",
                "client": self.client,
                "upstream": self.upstream,
                "client_model": self.route.client_model,
                "upstream_model": self.route.upstream_model,
                "case": self.case,
                "exchange": number,
                "variant": variant,
                "seen_first": self.seen_first,
                "source": played.golden,
                "request": self._whole_request(number),
                "output": played.produced,
            }
        return None


@cache
def play(double: LoopDouble, check: str, variant: str) -> ItemResult:
    """What a check says of the double; every item has a translator of its own."""
    case = load_corpus().cases[double.case]
    driver = double.session.driver(_Doubled(double), double.name)
    several = check == "agent_loop" and VARIANTS[variant].interleaved
    beside = _neighbour(case, double.client, double.upstream, streamed=VARIANTS[variant].streamed) if several else None
    try:
        return CHECKS[check](case, double.route, driver.open, HARNESS, variant, beside)
    finally:
        driver.close()


def _neighbour(case: Case, client: str, upstream: str, *, streamed: bool) -> Case:
    """The next case with as many exchanges, so that another conversation is always under way."""
    length = len(case.exchanges("anthropic"))
    fitting = [
        each
        for each in load_corpus().cases.values()
        if len(each.exchanges("anthropic")) >= length and can_play_beside(each, client, upstream, streamed=streamed)
    ]
    return fitting[(fitting.index(case) + 1) % len(fitting)]


class _Doubled:
    """A translator that opens a double's sessions."""

    def __init__(self, double: LoopDouble) -> None:
        self._double = double
        self._shared: dict[str, Any] = {}

    def open(self, route: Route, /) -> DoubledSession:
        return self._double.session(route, self._shared)


Put = Callable[[type[DoubledSession]], type[DoubledSession]]


def _entry(
    kind: Kind,
    *variants: str,
    rule: Rules = (),
    case: str,
    client: str,
    upstream: str,
    check: str = "agent_loop",
    warns: Rules = (),
    beside: Rules = (),
) -> Put:
    """A session of one kind; the plain variant if none is given."""

    def decorate(session: type[DoubledSession]) -> type[DoubledSession]:
        enter(
            LoopDouble(
                **heading(session),
                fault=re.sub(r"(?<!^)(?=[A-Z])", "-", session.__name__).lower(),
                format=upstream,
                kind=kind,
                session=session,
                case=case,
                client=client,
                upstream=upstream,
                variants=variants or ("",),
                check=check,
                rules=rule_tuple(rule),
                warns=rule_tuple(warns),
                beside=rule_tuple(beside),
            )
        )
        return session

    return decorate


broken = partial(_entry, "broken")
"""A fault that a MUST of ``rule`` names in each of the check's ``variants``."""
warning = partial(_entry, "warning")
"""A fault that a SHOULD of ``rule`` names in each of the check's ``variants``, and no MUST."""


def harmless(case: str, client: str, upstream: str, warns: Rules = (), beside: Rules = ()) -> Put:
    """A habit that no check may fail, in no variant; SHOULDs of ``warns`` may come."""
    return _entry("harmless", case=case, client=client, upstream=upstream, warns=warns, beside=beside)
