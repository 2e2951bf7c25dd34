"""One run: the corpus, the translator and the judge together."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Protocol

from toolcall_conformance.basics.findings import Finding, Verdict, failing_findings
from toolcall_conformance.basics.streaming.cuts import Fineness
from toolcall_conformance.checks import CHECKS, NEEDS, ONE_FORMAT, Harness, ItemResult
from toolcall_conformance.checks.agent_loop import VARIANTS, speaks_beside
from toolcall_conformance.drivers import Driver
from toolcall_conformance.engine.against import differences
from toolcall_conformance.engine.ending.earlier_reports import Aside
from toolcall_conformance.engine.ending.last_report import told_of
from toolcall_conformance.engine.ending.unchanged_corpus import Law
from toolcall_conformance.engine.ending.watchdog import Watchdog
from toolcall_conformance.engine.items.plan import (
    Planned,
    Support,
    drawn_case,
    drawn_items,
    items,
    paired_items,
    recorded_items,
)
from toolcall_conformance.engine.items.repetition import RepeatedResult, play
from toolcall_conformance.engine.items.selection import Selection
from toolcall_conformance.engine.settings import Settings
from toolcall_conformance.judge.causes import cause_of
from toolcall_conformance.judge.policy import Policy
from toolcall_conformance.library import Case, Corpus, Rule
from toolcall_conformance.recording.cassettes.cases import Cassettes, RecordedCase
from toolcall_conformance.recording.cassettes.replay import REPLAYS
from toolcall_conformance.recording.pairs import PairCase, Pairs, play_pair
from toolcall_conformance.reports.known_failures import KnownFailures, Standing, StandingKind
from toolcall_conformance.trust.fuzz.whole import CHECK, AllDrawn


class ItemPlayer(Protocol):
    """Plays items in a way of its own."""

    def play(self, item: Planned, /) -> ItemResult:
        """The result of an item."""


@dataclass(frozen=True)
class Run:
    """Everything that the items and the reports need."""

    settings: Settings
    corpus: Corpus
    driver: Driver
    harness: Harness
    selection: Selection
    support: Support
    known: KnownFailures
    cassettes: Cassettes | None = None
    policy: Policy | None = None
    watchdog: Watchdog | None = None
    aside: Aside | None = None
    law: Law | None = None
    pairs: Pairs | None = None
    generated: Callable[[Run], ItemPlayer] | None = None  # makes what plays generated conversations
    other: Run | None = None  # the same run of another translator, with which this one is compared

    def existing(self, has_case: Callable[[str], bool]) -> frozenset[str]:
        """The ids of all items of some cases, supported or not; within one format only the supported ones."""
        planned_items = self.planned(has_case)
        return frozenset(item.nodeid for item in planned_items if item.check not in ONE_FORMAT or self._applies(item))

    def planned(self, has_case: Callable[[str], bool]) -> Iterator[Planned]:
        """All items of some cases, supported or not."""
        if self.cassettes is not None:
            cases = {name: case for name, case in self.cassettes.cases.items() if has_case(name)}
            yield from recorded_items(self.corpus, cases)
        if self.pairs is not None:
            yield from paired_items({name: case for name, case in self.pairs.cases.items() if has_case(name)})
        if self.settings.fuzz is not None and has_case(drawn_case(self.corpus).id):
            yield from drawn_items(self.corpus)
        yield from items(self.corpus, cut_everywhere=self._cuts_all, selects=lambda case, _check: has_case(case))

    @property
    def _cuts_all(self) -> bool:
        return self.settings.fineness is not None and self.settings.fineness.everywhere

    @functools.cached_property
    def selected(self) -> tuple[Planned, ...]:
        """The supported items that the arguments select."""
        return tuple(item for item in self._requested if self._applies(item))

    @functools.cached_property
    def not_applicable(self) -> tuple[Planned, ...]:
        """The items that the arguments select and the translator does not support."""
        return tuple(item for item in self._requested if not self._applies(item))

    @property
    def rules(self) -> Mapping[str, Rule]:
        return self.corpus.rules

    def _items(self, selects: Callable[[str, str], bool]) -> Iterator[Planned]:
        """The items of the wanted cases and checks, supported or not."""
        if self.cassettes is not None:
            recorded = recorded_items(self.corpus, self.cassettes.cases)
            yield from (item for item in recorded if self.driver.carries or self._applies(item))
        if self.pairs is not None:
            yield from paired_items(self.pairs.cases)
        if self.settings.fuzz is not None and selects(drawn_case(self.corpus).id, CHECK):
            yield from drawn_items(self.corpus)
        if self.driver.carries:  # without a translator there are only recordings
            yield from items(self.corpus, cut_everywhere=self._cuts_all, selects=selects)

    @functools.cached_property
    def _requested(self) -> tuple[Planned, ...]:
        """The items that the arguments select, supported or not. Other cases are not read."""
        has = self.selection.has
        named = self.selection.checks

        def wanted(case: str, check: str) -> bool:
            if self.settings.policy is not None and check == "round_trip":
                return False  # what goes there and back has been through the policy twice
            return has(case, check) and (check in named or self._has_some(check))

        planned_items = (
            item for item in self._items(wanted) if has(item.case.id, item.check, item.place, item.variant)
        )
        # Who does not work within one format is not told so case by case.
        return tuple(
            item for item in planned_items if item.check not in ONE_FORMAT or item.check in named or self._applies(item)
        )

    def _has_some(self, check: str) -> bool:
        """Whether a check is one between formats, or the translator has its operations in some format."""
        return check not in ONE_FORMAT or any(NEEDS[check] <= done for done in self.support.operations.values())

    def _applies(self, item: Planned) -> bool:
        return self.support.applies(item)

    def signature(self, finding: Finding) -> str:
        """The signature of a finding, as text that begins with its rule."""
        return str(cause_of(self.corpus, finding))

    def details(self, finding: Finding) -> str:
        """The signature of a finding without its rule."""
        return without_rule(self.signature(finding))

    def tried(self, item: Planned) -> RepeatedResult:
        """Play one item as often as the user wants. An exception from here is a fault of the harness."""
        return play(lambda: self.execute(item), self.settings.tries, self.failing, self.signature)

    def execute(self, item: Planned) -> ItemResult:
        """Play one item. An exception from here is a fault of the harness."""
        if self.watchdog is not None:
            self.watchdog.plays(told_of(item), self.settings.seconds)
        return self._fuzz.play(item) if isinstance(item.case, AllDrawn) else self.compared(item)

    @functools.cached_property
    def _fuzz(self) -> ItemPlayer:
        """What plays the generated conversations; made when the first is played."""
        assert self.generated is not None
        return self.generated(self)

    def compared(self, item: Planned) -> ItemResult:
        """Play one case in one check, and compare what came of it with what comes of the other translator."""
        result = self.play(item)
        if self.other is None or not self.other.support.applies(item):
            return result
        return replace(result, differences=differences(self.harness, item, result, self.other.play(item)))

    def close(self) -> None:
        """End the translators."""
        self.driver.close()
        if self.other is not None:
            self.other.close()

    def play(self, item: Planned) -> ItemResult:
        """Play one case in one check."""
        if isinstance(item.case, PairCase):
            return play_pair(item.case, item.route, self.driver.open, self.harness)
        play = (REPLAYS if isinstance(item.case, RecordedCase) else CHECKS)[item.check]
        self.driver.begin_item(item.case.id)
        try:
            return play(item.case, item.route, self.driver.open, self.harness, item.variant, self._other(item))
        finally:
            self.driver.end_item()

    def _other(self, item: Planned) -> Case | None:
        """Another case for the same route, for the variants that play several conversations at once."""
        if item.check != "agent_loop" or not VARIANTS[item.variant].interleaved:
            return None
        cases = [*self.corpus.cases.values()]
        place = cases.index(item.case) + 1
        client, upstream, streamed = item.route.client, item.route.upstream, VARIANTS[item.variant].streamed
        for case in (*cases[place:], *cases[:place]):
            if speaks_beside(case, client, upstream, streamed=streamed):
                return case
        return None  # pragma: no cover - the item's own case has calls

    def failing(self, result: ItemResult) -> list[Finding]:
        """The findings that fail the item, known or not."""
        return failing_findings(result.findings, strict=self.settings.strict)

    def standing(self, nodeid: str, finding: Finding) -> Standing:
        """What the file of known failures says of a failing finding."""
        status = self.known.standing(nodeid, finding.rule, self.details(finding))
        if self.settings.update and status.kind in (StandingKind.NEW, StandingKind.OTHER):
            return Standing(StandingKind.KNOWN, f"to be written to {self.known.path.name if self.known.path else ''}")
        return status

    def known_reason(self, nodeid: str, finding: Finding) -> str | None:
        """The reason of a known failure, or None."""
        status = self.standing(nodeid, finding)
        return status.text if status.is_known else None

    def outcome(self, nodeid: str, tried: RepeatedResult) -> str:
        """An item's result in pytest: ``passed``, ``failed``, ``known`` (so expected), ``unstable`` or ``skipped``.

        What failed only in some tries does not count as a failure, unless the user is strict.
        """
        result = tried.result
        findings = self.failing(result)
        stable = [
            finding for finding in findings if self.settings.strict or not tried.is_unstable(self.signature(finding))
        ]
        are_known = [self.standing(nodeid, finding).is_known for finding in stable]
        if not all(are_known):
            return "failed"
        if tried.differs:
            return "unstable"
        if are_known:
            return "known"
        return "skipped" if result.verdict in (Verdict.BLOCKED, Verdict.NOT_APPLICABLE) else "passed"


def without_rule(signature: str) -> str:
    """A signature without the rule that it begins with."""
    return signature.partition(" ")[2]


def make_harness(corpus: Corpus, fineness: Fineness | None = None, policy: Policy | None = None) -> Harness:
    """Make the harness of the checks. Imports the judge here: a run that judges nothing does not load it."""
    judge = importlib.import_module("toolcall_conformance.judge")
    return Harness(
        judge.CachingJudge(corpus) if policy is None else judge.PoliciedJudge(corpus, policy=policy), fineness
    )
