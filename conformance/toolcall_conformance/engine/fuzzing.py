"""The items of generated conversations: one a route. It plays them all in every check, and shrinks those that fail."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toolcall_conformance.basics.contract import Route
from toolcall_conformance.basics.findings import Finding, Verdict
from toolcall_conformance.basics.streaming import parse
from toolcall_conformance.basics.visible_text import pluralize
from toolcall_conformance.checks import CHECKS, ONE_FORMAT, ItemResult, PlayedBodies, variants
from toolcall_conformance.checks.agent_loop import VARIANTS
from toolcall_conformance.engine.items.plan import PlannedItem, route_of
from toolcall_conformance.trust.dialects import JOINED, Dialects
from toolcall_conformance.trust.fuzz import cases
from toolcall_conformance.trust.fuzz.cases import (
    CASE,
    DIALECT,
    FAMILY,
    GeneratedCase,
    GeneratedScenario,
    in_dialects,
    load_renderer,
    render,
)
from toolcall_conformance.trust.fuzz.frames import corpus_frames
from toolcall_conformance.trust.fuzz.generation import ScenarioSource, Spool
from toolcall_conformance.trust.fuzz.shrinking import shrink

if TYPE_CHECKING:
    from toolcall_conformance.engine.run import Run
    from toolcall_conformance.engine.settings import FuzzSettings

CHECKS_PLAYED = tuple(name for name in CHECKS if name not in ONE_FORMAT)
#: Each conversation is played either in this check or in one variant of the others, by turns.
ROTATED_CHECK = "round_trip"
#: One of so many conversations has its replies in a dialect of compatible servers.
DIALECT_INTERVAL = 3
#: How many causes an item shrinks, and for how long each.
MAX_CAUSES = 10
SHRINK_SECONDS = 20.0


@dataclass(frozen=True, slots=True)
class GeneratedFailure:
    """A fault in a generated conversation: its cause, and the check and variant that showed it."""

    cause: str
    check: str
    variant: str


@dataclass(slots=True)
class _ObservedFailure:
    """A failure, its first finding and conversation, and how many conversations have its cause."""

    failure: GeneratedFailure
    finding: Finding
    generated: GeneratedScenario
    count: int = 0


@dataclass(frozen=True, slots=True)
class Example:
    """A shrunk conversation that still shows the failure, with the finding on it."""

    observed: _ObservedFailure
    finding: Finding
    result: ItemResult
    generated: GeneratedScenario


class GeneratedPlayer:
    """Plays the generated conversations of a run, route by route. They are generated when the first is played."""

    def __init__(self, run: Run, fuzz: FuzzSettings) -> None:
        self._run = run
        self._fuzz = fuzz
        self._renderer = load_renderer(fuzz.renderer)
        self._source = ScenarioSource(corpus_frames(run.corpus), fuzz.seed)
        self._dialects = {name: Dialects(run.corpus, name) for name in run.corpus.formats}

    @cached_property
    def _conversations(self) -> Spool:
        """By conversation: the scenario, its tools, and its files' texts, which are None if a body breaks a rule."""
        scenarios = enumerate(self._source.generate(self._fuzz.count))
        return Spool(self._pack(number, generated) for number, generated in scenarios)

    def _pack(self, number: int, generated: GeneratedScenario) -> list[Any]:
        case = self._render_case(generated, generated.scenario["models"])
        if case is None:
            return [generated.scenario, generated.tools, None]
        if number % DIALECT_INTERVAL == DIALECT_INTERVAL - 1:
            case = self._add_dialects(number, case)
        return [case.generated.scenario, case.generated.tools, case.texts]

    def _add_dialects(self, number: int, case: GeneratedCase) -> GeneratedCase:
        """Give the replies of a conversation the dialects of compatible servers, in formats that have some."""
        generator = random.Random(f"{self._fuzz.seed} {number}")  # noqa: S311 - no secret is drawn
        habits: dict[str, str] = {}
        for name, dialects in self._dialects.items():
            streams = [exchange.stream() for exchange in case.exchanges(name) if exchange.stream_path is not None]
            dialect_names = (
                dialects.draw(generator, "stream", {"events": parse(generator.choice(streams))["events"]})
                if streams
                else ()
            )
            habits |= {name: JOINED.join(dialect_names)} if dialect_names else {}
        if not habits:
            return case
        generated = replace(case.generated, scenario={**case.generated.scenario, DIALECT: habits})
        return in_dialects(GeneratedCase(generated, CASE, case.texts), self._dialects)

    def play(self, item: PlannedItem) -> ItemResult:
        """Play all conversations on the route of an item. Each cause has one finding, on its smallest example."""
        observations: dict[str, _ObservedFailure] = {}
        differing: dict[str, Finding] = {}
        unusable = 0
        for number, (scenario, tools, texts) in enumerate(self._conversations):
            if texts is None:  # no fault of the translator
                unusable += 1
                continue
            generated = GeneratedScenario(scenario, tools)
            failures, others = self._find_failures(GeneratedCase(generated, CASE, texts), item.route, number)
            for other in others:
                body = f"generated conversation {number + 1}: {other.body}"
                differing.setdefault(self._run.signature(other), replace(other, body=body))
            # A conversation counts once a cause, however many checks see it.
            for failure, finding in {
                failure.cause: (failure, finding) for failure, finding in reversed(failures)
            }.values():
                observations.setdefault(failure.cause, _ObservedFailure(failure, finding, generated)).count += 1
        examples = [
            example
            for observation in [*observations.values()][:MAX_CAUSES]
            if (example := self._shrink_example(item, observation)) is not None
        ]
        result = self._build_result(item, examples, list(observations.values()), unusable)
        return replace(result, differences=tuple(differing.values()))

    def _render_case(self, generated: GeneratedScenario, formats: Iterable[str]) -> GeneratedCase | None:
        """Render a scenario as a case. Returns None if a body breaks a rule, which is no fault of the translator."""
        try:
            case = render(generated, self._renderer, CASE, formats)
        except Exception:  # whatever a renderer raises: it cannot say this scenario
            return None
        return in_dialects(case, self._dialects) if _is_legal(self._run, case) else None

    def _find_failures(
        self, case: GeneratedCase, route: Route, number: int
    ) -> tuple[list[tuple[GeneratedFailure, Finding]], list[Finding]]:
        """The failures of a conversation on a route, and the differences from another translator."""
        findings: dict[GeneratedFailure, Finding] = {}
        others: list[Finding] = []
        for check, variant in _rotate_checks(list(self._applicable_checks(case, route)), number):
            result = self._play_check(case, check, route, variant)
            for finding in self._run.failing_findings(result):
                findings.setdefault(GeneratedFailure(self._run.signature(finding), check, variant), finding)
            others += result.differences
        return list(findings.items()), others

    def _applicable_checks(self, case: GeneratedCase, route: Route) -> Iterator[tuple[str, str]]:
        for check in CHECKS_PLAYED:
            for variant in variants(self._run.corpus, check, case, route.client, route.upstream):
                if check == "agent_loop" and VARIANTS[variant].interleaved:
                    continue  # it plays a case of the corpus at the same time
                if self._run.support.covers(PlannedItem(case, check, route, variant)):
                    yield check, variant

    def _play_check(self, case: GeneratedCase, check: str, route: Route, variant: str) -> ItemResult:
        return self._run.play_and_compare(
            PlannedItem(case, check, route_of(case, route.client, route.upstream), variant)
        )

    def _shrink_example(self, item: PlannedItem, observation: _ObservedFailure) -> Example | None:
        """Shrink a conversation as long as the check fails for the same cause."""
        failure = observation.failure
        small = shrink(
            observation.generated,
            lambda candidate: self._reproduce(candidate, item.route, failure) is not None,
            SHRINK_SECONDS,
        )
        match = self._reproduce(small, item.route, failure)
        return Example(observation, *match, small) if match is not None else None

    def _reproduce(
        self, generated: GeneratedScenario, route: Route, failure: GeneratedFailure
    ) -> tuple[Finding, ItemResult] | None:
        case = self._render_case(
            generated, sorted({route.client, route.upstream})
        )  # two formats: shrinking renders often
        if case is None or (failure.check, failure.variant) not in self._applicable_checks(case, route):
            return None
        result = self._play_check(case, failure.check, route, failure.variant)
        for finding in self._run.failing_findings(result):
            if self._run.signature(finding) == failure.cause:
                return finding, result
        return None

    def _build_result(
        self, item: PlannedItem, examples: list[Example], observations: list[_ObservedFailure], unusable: int
    ) -> ItemResult:
        """Build the result of an item: findings and bodies of the examples, and the lines of its reason."""
        lines = [f"{pluralize(self._fuzz.count, 'generated conversation')}, seed {self._fuzz.seed}"]
        if unusable:
            lines[0] += (
                f"; {unusable} not played, because their rendered bodies already break rules: no fault of the "
                "translator"
            )
        findings: list[Finding] = []
        played: list[PlayedBodies] = []
        for number, example in enumerate(examples, 1):
            name = f"{number}-{example.finding.rule.rpartition('/')[2]}"
            body = example.finding.body
            findings.append(replace(example.finding, body=f"{name}-{body}" if body else ""))
            played += [replace(exchange, name=f"{name}-{exchange.name}") for exchange in example.result.played]
            lines += self._example_lines(item, name, example)
        causes = {example.observed.failure.cause for example in examples}
        for observation in observations:
            if observation.failure.cause not in causes:
                lines.append(f"not shrunk, on {observation.count}: {observation.failure.cause}")
                findings.append(replace(observation.finding, body=""))
        verdict = Verdict.FAIL if observations else Verdict.PASS
        return ItemResult(verdict, tuple(findings), tuple(played), reason="\n".join(lines))

    def _example_lines(self, item: PlannedItem, name: str, example: Example) -> list[str]:
        """The lines about an example: how it looks, and the command that plays it."""
        case = render(example.generated, self._renderer, f"{FAMILY}/{name}", example.generated.scenario["models"])
        case = in_dialects(case, self._dialects)
        played = PlannedItem(case, example.observed.failure.check, item.route, example.observed.failure.variant)
        lines = [f"{example.finding.rule} on {example.observed.count}; the smallest: {_outline(case)}"]
        folder = self._write_example(item, name, case)
        return (
            [*lines, f"  {self._run.settings.private_case_command(folder, played.nodeid)}"]
            if folder is not None
            else lines
        )

    def _write_example(self, item: PlannedItem, name: str, case: GeneratedCase) -> Path | None:
        root = self._run.settings.artifacts
        if root is None:
            return None
        folder = root / "fuzz-examples" / item.name / name
        try:
            cases.write(folder, case)
        except OSError:
            return None  # the verdict matters more than its files
        return folder


def _rotate_checks(ways: Sequence[tuple[str, str]], number: int) -> list[tuple[str, str]]:
    """The checks and variants that play the conversation ``number``: the plain checks, and one other by turns."""
    others = [(check, variant) for check, variant in ways if check == ROTATED_CHECK or variant]
    plain = [way for way in ways if way not in others]
    return [*plain, *others[number % len(others) :][:1]] if others else plain


def _is_legal(run: Run, case: GeneratedCase) -> bool:
    """Whether every rendered body fulfils the MUST rules of its own format."""
    return not any(
        finding.is_must
        for name in case.formats
        for exchange in case.exchanges(name)
        for direction, body in (("request", exchange.request), ("response", exchange.response))
        for finding in run.harness.judge.body(name, direction, body, model=case.model(name)).findings
    )


def _outline(case: GeneratedCase) -> str:
    """A conversation in a few words: who says what, the arguments of calls."""
    turns = case.scenario["conversation"]
    dialect = "".join(f"in the dialect {habits}: " for habits in case.generated.scenario.get(DIALECT, {}).values())
    return dialect + " · ".join(_outline_entry(turn["role"], entry) for turn in turns for entry in turn["content"])


def _outline_entry(role: str, entry: Mapping[str, Any]) -> str:
    if "call" in entry:
        call = entry["call"]
        return f"call {call['name']}({call.get('arguments', call.get('input'))!r:.60})"
    if "result" in entry:
        mark = "error " if entry["result"]["error"] else ""
        return f"{mark}result {entry['result']['content']!r:.60}"
    content = entry["media"]["mime"] if "media" in entry else repr(entry.get("text", "…"))
    return f"{role} {content:.30}"
