"""One run: the corpus, the translator and the judge together."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Protocol

from toolcall_conformance.basics.findings import Finding, Verdict, failing_findings
from toolcall_conformance.basics.streaming.cuts import Fineness
from toolcall_conformance.checks import CHECKS, ONE_FORMAT, OPERATIONS_BY_CHECK, Harness, ItemResult
from toolcall_conformance.checks.agent_loop import VARIANTS, can_play_beside
from toolcall_conformance.drivers import Driver
from toolcall_conformance.engine.ending.corpus_state import CorpusState
from toolcall_conformance.engine.ending.earlier_reports import EarlierReports
from toolcall_conformance.engine.ending.last_report import item_facts
from toolcall_conformance.engine.ending.watchdog import Watchdog
from toolcall_conformance.engine.items.plan import (
    PlannedItem,
    Support,
    generated_case,
    generated_items,
    paired_items,
    plan_items,
    recorded_items,
)
from toolcall_conformance.engine.items.repetition import RepeatedResult, play_repeatedly
from toolcall_conformance.engine.items.selection import Selection
from toolcall_conformance.engine.settings import Settings
from toolcall_conformance.engine.translator_comparison import find_differences
from toolcall_conformance.judge.causes import cause_of
from toolcall_conformance.judge.policy import Policy
from toolcall_conformance.library import Case, Corpus, Rule
from toolcall_conformance.recording.cassettes.cases import Cassettes, RecordedCase
from toolcall_conformance.recording.cassettes.replay.checks import REPLAYS
from toolcall_conformance.recording.pairs import PairCase, Pairs, play_pair
from toolcall_conformance.reports.known_failures import KnownFailures, Standing, StandingKind
from toolcall_conformance.trust.fuzz.cases import CHECK, AllGenerated


class ItemPlayer(Protocol):
    """Plays the items of generated conversations."""

    def play(self, item: PlannedItem, /) -> ItemResult:
        """Play an item."""


@dataclass(frozen=True)
class Run:
    """Everything that the items and the reports need."""

    settings: Settings
    corpus: Corpus
    driver: Driver
    harness: Harness
    selection: Selection
    support: Support
    known_failures: KnownFailures
    cassettes: Cassettes | None = None
    policy: Policy | None = None
    watchdog: Watchdog | None = None
    earlier_reports: EarlierReports | None = None
    corpus_state: CorpusState | None = None
    pairs: Pairs | None = None
    make_generated_player: Callable[[Run], ItemPlayer] | None = None  # makes the player of generated conversations
    other_run: Run | None = None  # the run of the translator to compare with

    def existing_nodeids(self, has_case: Callable[[str], bool]) -> frozenset[str]:
        """The node ids of all items of some cases: within one format only the supported ones, else all."""
        planned_items = self.plan_cases(has_case)
        return frozenset(item.nodeid for item in planned_items if item.check not in ONE_FORMAT or self._applies(item))

    def plan_cases(self, has_case: Callable[[str], bool]) -> Iterator[PlannedItem]:
        """Plan all items of some cases, supported or not."""
        if self.cassettes is not None:
            cases = {name: case for name, case in self.cassettes.cases.items() if has_case(name)}
            yield from recorded_items(self.corpus, cases)
        if self.pairs is not None:
            yield from paired_items({name: case for name, case in self.pairs.cases.items() if has_case(name)})
        if self.settings.fuzz is not None and has_case(generated_case(self.corpus).id):
            yield from generated_items(self.corpus)
        yield from plan_items(
            self.corpus, cut_everywhere=self._cut_everywhere, selects=lambda case, _check: has_case(case)
        )

    @property
    def _cut_everywhere(self) -> bool:
        return self.settings.fineness is not None and self.settings.fineness.everywhere

    @functools.cached_property
    def selected(self) -> tuple[PlannedItem, ...]:
        """The supported items that the arguments select."""
        return tuple(item for item in self._requested_items if self._applies(item))

    @functools.cached_property
    def not_applicable(self) -> tuple[PlannedItem, ...]:
        """The items that the arguments select and the translator does not support."""
        return tuple(item for item in self._requested_items if not self._applies(item))

    @property
    def rules(self) -> Mapping[str, Rule]:
        return self.corpus.rules

    def _plan_selected(self, selects: Callable[[str, str], bool]) -> Iterator[PlannedItem]:
        """Plan the items of the selected cases and checks, supported or not."""
        if self.cassettes is not None:
            recorded = recorded_items(self.corpus, self.cassettes.cases)
            yield from (item for item in recorded if self.driver.carries or self._applies(item))
        if self.pairs is not None:
            yield from paired_items(self.pairs.cases)
        if self.settings.fuzz is not None and selects(generated_case(self.corpus).id, CHECK):
            yield from generated_items(self.corpus)
        if self.driver.carries:  # without a translator there are only recordings
            yield from plan_items(self.corpus, cut_everywhere=self._cut_everywhere, selects=selects)

    @functools.cached_property
    def _requested_items(self) -> tuple[PlannedItem, ...]:
        """The items that the arguments select, supported or not. Other cases are not read."""
        has = self.selection.selects
        named = self.selection.checks

        def wanted(case: str, check: str) -> bool:
            if self.settings.policy is not None and check == "round_trip":
                return False  # the policy would apply twice, there and back
            return has(case, check) and (check in named or self._may_apply(check))

        planned_items = (
            item for item in self._plan_selected(wanted) if has(item.case.id, item.check, item.route_part, item.variant)
        )
        # Do not list checks within one format that the translator lacks, unless an argument names them.
        return tuple(
            item for item in planned_items if item.check not in ONE_FORMAT or item.check in named or self._applies(item)
        )

    def _may_apply(self, check: str) -> bool:
        """Whether a check is between formats, or the translator has its operations within some format."""
        return check not in ONE_FORMAT or any(
            OPERATIONS_BY_CHECK[check] <= done for done in self.support.operations.values()
        )

    def _applies(self, item: PlannedItem) -> bool:
        return self.support.covers(item)

    def signature(self, finding: Finding) -> str:
        """The signature of a finding, as text that begins with its rule."""
        return str(cause_of(self.corpus, finding))

    def signature_details(self, finding: Finding) -> str:
        """The signature of a finding without its rule."""
        return without_rule(self.signature(finding))

    def play_repeatedly(self, item: PlannedItem) -> RepeatedResult:
        """Play an item as often as ``--toolcall-repeat`` says. An exception from here is a fault of the harness."""
        return play_repeatedly(
            lambda: self.play_once(item), self.settings.repeat, self.failing_findings, self.signature
        )

    def play_once(self, item: PlannedItem) -> ItemResult:
        """Play an item once, under the watchdog. An exception from here is a fault of the harness."""
        if self.watchdog is not None:
            self.watchdog.send_item(item_facts(item), self.settings.timeout)
        return self._generated_player.play(item) if isinstance(item.case, AllGenerated) else self.play_and_compare(item)

    @functools.cached_property
    def _generated_player(self) -> ItemPlayer:
        """The player of generated conversations; made when the first is played."""
        assert self.make_generated_player is not None
        return self.make_generated_player(self)

    def play_and_compare(self, item: PlannedItem) -> ItemResult:
        """Play a case in a check, and compare the outputs with those of the other translator."""
        result = self.play(item)
        if self.other_run is None or not self.other_run.support.covers(item):
            return result
        return replace(result, differences=find_differences(self.harness, item, result, self.other_run.play(item)))

    def close(self) -> None:
        """End the translators."""
        self.driver.close()
        if self.other_run is not None:
            self.other_run.close()

    def play(self, item: PlannedItem) -> ItemResult:
        """Play a case in a check with this run's translator."""
        if isinstance(item.case, PairCase):
            return play_pair(item.case, item.route, self.driver.open, self.harness)
        play = (REPLAYS if isinstance(item.case, RecordedCase) else CHECKS)[item.check]
        self.driver.begin_item(item.case.id)
        try:
            return play(
                item.case, item.route, self.driver.open, self.harness, item.variant, self._interleaved_case(item)
            )
        finally:
            self.driver.end_item()

    def _interleaved_case(self, item: PlannedItem) -> Case | None:
        """The other case of a variant that plays two conversations at once, for the same route."""
        if item.check != "agent_loop" or not VARIANTS[item.variant].interleaved:
            return None
        cases = [*self.corpus.cases.values()]
        place = cases.index(item.case) + 1
        client, upstream, streamed = item.route.client, item.route.upstream, VARIANTS[item.variant].streamed
        for case in (*cases[place:], *cases[:place]):
            if can_play_beside(case, client, upstream, streamed=streamed):
                return case
        return None  # pragma: no cover - the item's own case has calls

    def failing_findings(self, result: ItemResult) -> list[Finding]:
        """The findings that fail the item, known or not."""
        return failing_findings(result.findings, strict=self.settings.strict)

    def known_status(self, nodeid: str, finding: Finding) -> Standing:
        """The status of a failing finding in the file of known failures."""
        status = self.known_failures.standing(nodeid, finding.rule, self.signature_details(finding))
        if self.settings.known_failures_update and status.kind in (StandingKind.NEW, StandingKind.OTHER):
            return Standing(
                StandingKind.KNOWN,
                f"to be written to {self.known_failures.path.name if self.known_failures.path else ''}",
            )
        return status

    def known_reason(self, nodeid: str, finding: Finding) -> str | None:
        """The reason of a known failure; None if it is not known."""
        status = self.known_status(nodeid, finding)
        return status.text if status.is_known else None

    def outcome(self, nodeid: str, repeated_result: RepeatedResult) -> str:
        """An item's result in pytest: ``passed``, ``failed``, ``known`` (so expected), ``unstable`` or ``skipped``.

        A failure in only some of the tries does not count, unless the user is strict.
        """
        result = repeated_result.result
        findings = self.failing_findings(result)
        stable = [
            finding
            for finding in findings
            if self.settings.strict or not repeated_result.is_unstable(self.signature(finding))
        ]
        are_known = [self.known_status(nodeid, finding).is_known for finding in stable]
        if not all(are_known):
            return "failed"
        if repeated_result.differs:
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
