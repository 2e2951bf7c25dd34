"""Plans the items of a run, in a fixed order: a case on a route in a check. Probes what the translator supports."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from toolcall_conformance.basics.contract import Route
from toolcall_conformance.basics.streaming import cuts
from toolcall_conformance.checks import CHECKS, ONE_FORMAT, needs, variants
from toolcall_conformance.drivers import (
    Driver,
    NoRoute,
    Opened,
    OpenOutcome,
    Outcome,
    Produced,
    RaisedError,
    SessionDriver,
    Source,
    StreamOutcome,
    TimedOut,
    UnsupportedOutcome,
)
from toolcall_conformance.drivers.base import FORMAT_OPERATIONS
from toolcall_conformance.engine.items.selection import PREFIX
from toolcall_conformance.library import Case, Corpus
from toolcall_conformance.recording.cassettes.cases import RecordedCase
from toolcall_conformance.recording.cassettes.replay import checks
from toolcall_conformance.recording.pairs import PairCase
from toolcall_conformance.trust.fuzz.cases import CHECK, AllGenerated

Ends = tuple[str, str]


class UnusableSessionError(Exception):
    """A session without any operation, or a route that a gateway lacks; the message names it and says what to do."""


@dataclass(frozen=True, slots=True)
class PlannedItem:
    """One item: a case, played on a route, in one check."""

    case: Case
    check: str
    route: Route
    variant: str = ""

    @property
    def nodeid(self) -> str:
        return f"{PREFIX}::{self.case.id}::{self.check}::{self.name}"

    @property
    def name(self) -> str:
        """The last part of the node id: the route or format, and the variant if there is one."""
        return f"{self.route_part}-{self.variant}" if self.variant else self.route_part

    @property
    def route_part(self) -> str:
        """The route in a node id; of a check within one format, that format."""
        return self.route.client if self.check in ONE_FORMAT else str(self.route)


@dataclass(frozen=True, slots=True)
class Support:
    """The operations that a translator supports by (client, upstream), and its ``reasons`` for those that it lacks."""

    operations: Mapping[Ends, frozenset[str]]
    reasons: Mapping[Ends, str]

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON, for xdist's workers."""
        return {
            "operations": [[*ends, sorted(names)] for ends, names in self.operations.items()],
            "reasons": [[*ends, reason] for ends, reason in self.reasons.items()],
        }

    @classmethod
    def of_json(cls, plain: Mapping[str, Any]) -> Support:
        """Read what :meth:`to_json` returned."""
        return cls(
            {(client, upstream): frozenset(names) for client, upstream, names in plain["operations"]},
            {(client, upstream): reason for client, upstream, reason in plain["reasons"]},
        )

    def covers(self, item: PlannedItem) -> bool:
        """Whether the translator supports what an item needs."""
        return not self.missing_operations(item)

    def missing_operations(self, item: PlannedItem) -> frozenset[str]:
        """The operations that an item needs and the translator does not have on its route."""
        ends = (item.route.client, item.route.upstream)
        done = self.operations.get(ends, frozenset())
        if isinstance(item.case, RecordedCase):
            return checks.needs(item.case, item.check) - done
        if isinstance(item.case, PairCase):
            return frozenset()  # the file has the output
        if isinstance(item.case, AllGenerated):
            return frozenset() if done else frozenset({"request"})  # all checks that apply play it
        if item.check == "round_trip":
            done &= self.operations.get(ends[::-1], frozenset())  # there, and back
        return needs(item.check, item.case, item.route.upstream, item.variant) - done


def route_of(case: Case, client: str, upstream: str) -> Route:
    """A case's route between two of its formats."""
    return Route(client, upstream, case.model(client), case.model(upstream), stream=False)


def plan_items(
    corpus: Corpus, *, cut_everywhere: bool = False, selects: Callable[[str, str], bool] = lambda _case, _check: True
) -> Iterator[PlannedItem]:
    """Plan every item of a corpus, supported or not. ``cut_everywhere`` cuts streams in every case.

    Cases and checks that ``selects`` refuses have no items, and are not read.
    """
    for case in corpus.cases.values():
        for check in CHECKS:
            if not selects(case.id, check):
                continue
            for client in case.formats:
                for upstream in [client] if check in ONE_FORMAT else case.formats:
                    for name in variants(corpus, check, case, client, upstream, cut_everywhere=cut_everywhere):
                        yield PlannedItem(case, check, route_of(case, client, upstream), name)


def recorded_items(corpus: Corpus, cases: Mapping[str, RecordedCase]) -> Iterator[PlannedItem]:
    """Plan every item of recorded exchanges, supported or not."""
    others = {
        name: next(case.model(name) for case in corpus.cases.values() if name in case.formats)
        for name in corpus.formats
    }
    for case in cases.values():
        recorded = case.recorded
        models = {**others, recorded.format: recorded.model or others[recorded.format]}
        for check in checks.REPLAYS:
            for client in corpus.formats:
                for upstream in corpus.formats:
                    if checks.plays(case, check, client, upstream):
                        yield PlannedItem(
                            case, check, Route(client, upstream, models[client], models[upstream], stream=False)
                        )


def paired_items(cases: Mapping[str, PairCase]) -> Iterator[PlannedItem]:
    """Plan the items of golden files: one for each pair."""
    for case in cases.values():
        yield PlannedItem(case, case.check, case.route)


def generated_case(corpus: Corpus) -> AllGenerated:
    """The case that represents all generated conversations."""
    return AllGenerated(corpus.formats, corpus.root)


def generated_items(corpus: Corpus) -> Iterator[PlannedItem]:
    """Plan the items of generated conversations, one for each route, supported or not."""
    case = generated_case(corpus)
    for client in corpus.formats:
        for upstream in corpus.formats:
            yield PlannedItem(case, CHECK, Route(client, upstream, "", "", stream=False))


def probe(driver: Driver, corpus: Corpus) -> Support:
    """Probe which routes and operations the translator supports, once for each route.

    Opens a session and plays the first exchange of one case. For ``error`` and ``stream`` it opens further sessions,
    with a case whose provider answers with an error, and with a streamed reply. Only two outcomes count: Unsupported,
    and a route that a gateway lacks although its file declares it. The items find all other faults. After a call that
    does not return, it only opens sessions, and takes unknown operations as supported. Raises UnusableSessionError.
    """
    operations: dict[Ends, frozenset[str]] = {}
    reasons: dict[Ends, str] = {}
    missing: dict[Ends, NoRoute] = {}
    hangs = silent = False
    for ends in ((client, upstream) for client in corpus.formats for upstream in corpus.formats):
        example = _example_case(corpus, ends, failing=False)
        if example is None:
            continue
        # Operations within one format count only if a session has them.
        operations[ends] = driver.carries - FORMAT_OPERATIONS.keys()
        if silent:
            continue
        opened = driver.open(route_of(example, *ends))
        if isinstance(opened, UnsupportedOutcome):
            operations[ends] = frozenset()
            reasons[ends] = opened.reason
        elif isinstance(opened, Opened):
            offered = opened.session.operations & driver.carries
            if not offered:
                raise UnusableSessionError(
                    f"{driver.spec}: the session that open returned for {'-to-'.join(ends)} has neither request "
                    "nor response nor another operation; give it one, or raise an exception named Unsupported from open"
                )
            answers = {} if hangs else _probe_operations(driver, corpus, opened.session, example, ends)
            for name, outcome in answers.items():
                if isinstance(outcome, NoRoute) and not outcome.may_lack:
                    missing.setdefault(ends, outcome)
                # A translator that raises for this error may translate others: the items find out.
                if isinstance(outcome, UnsupportedOutcome) and not isinstance(outcome, RaisedError):
                    offered -= {name}
                    reasons[ends] = outcome.reason
            operations[ends] = offered
            hangs = hangs or _has_hung(answers)
        silent = isinstance(opened, TimedOut)
    if missing:
        raise UnusableSessionError(_missing_routes_text(driver, missing))
    return Support(operations, reasons)


def _missing_routes_text(driver: Driver, outcomes: Mapping[Ends, NoRoute]) -> str:
    """A line for each wrong address."""
    groups: dict[str, list[Ends]] = {}
    for ends, outcome in outcomes.items():
        groups.setdefault(outcome.reason, []).append(ends)
    return "\n".join(
        f"{driver.spec}: {', '.join('-to-'.join(ends) for ends in routes)}: the gateway {reason}; "
        f"{outcomes[routes[0]].hint}"
        for reason, routes in groups.items()
    )


def _probe_operations(
    driver: Driver, corpus: Corpus, session: SessionDriver, example: Case, ends: Ends
) -> dict[str, Any]:
    """Call each operation once, and return the outcomes; stops after a call that did not return."""
    offered = session.operations & driver.carries
    answers: dict[str, Any] = dict(_probe_exchange(session, example, ends, ("request", "response")))
    if "error" in offered and not _has_hung(answers):
        answers |= _probe_error(driver, corpus, ends)
    if "stream" in offered and not _has_hung(answers):
        answers["stream"] = _probe_stream(driver, corpus, ends)
    return answers


def _example_case(corpus: Corpus, ends: Ends, *, failing: bool) -> Case | None:
    """The first case in both formats that begins with a reply, or with an error if ``failing``."""
    for case in corpus.cases.values():
        if set(ends) <= set(case.formats) and failing == case.begins_with(ends[1], "error.json"):
            return case
    return None


def _probe_exchange(session: SessionDriver, case: Case, ends: Ends, names: tuple[str, ...]) -> dict[str, Outcome]:
    """Play operations of a case's first exchange, and return the outcomes; stops after a call that did not return."""
    client, upstream = case.exchanges(ends[0])[0], case.exchanges(ends[1])[0]
    bodies = {"request": client.request, "response": upstream.response, "error": upstream.error}
    answers: dict[str, Outcome] = {}
    for name in names:
        if name in session.operations and not _has_hung(answers):
            answers[name] = getattr(session, name)(bodies[name])
    return answers


def _probe_error(driver: Driver, corpus: Corpus, ends: Ends) -> dict[str, Outcome | OpenOutcome]:
    """Play a case that begins with an error, and return the outcomes; that of ``open`` if it did not return."""
    case = _example_case(corpus, ends, failing=True)
    if case is None:
        return {}
    opened = driver.open(route_of(case, *ends))
    if isinstance(opened, Opened):
        return {**_probe_exchange(opened.session, case, ends, ("request", "error"))}
    return {"open": opened} if isinstance(opened, TimedOut) else {}


def _probe_stream(driver: Driver, corpus: Corpus, ends: Ends) -> StreamOutcome | Outcome | OpenOutcome | None:
    """Play a case that begins with a stream, and return the outcome; None if there is no such case."""
    client, upstream = ends
    for case in corpus.cases.values():
        if set(ends) <= set(case.formats) and case.begins_with(upstream, "response.sse"):
            break
    else:
        return None
    opened = driver.open(replace(route_of(case, *ends), stream=True))
    if not isinstance(opened, Opened):
        return opened
    stream_body = corpus.transports[client]["stream"].get("body", {})
    if "request" in opened.session.operations:
        outcome = opened.session.request({**case.exchanges(client)[0].request, **stream_body})
        if not isinstance(outcome, Produced):
            return outcome
    return opened.session.stream(Source(cuts.split_events(case.exchanges(upstream)[0].stream())))


def _has_hung(answers: Mapping[str, Any]) -> bool:
    return any(isinstance(outcome, TimedOut) for outcome in answers.values())
