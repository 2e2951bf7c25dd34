"""Tries the variants of lots, all or a sample spread evenly over notations, routes and sides, and sorts the alarms."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from typing import Literal

from toolcall_conformance.trust.harmless.bases import SIDES, WAYS, Base, Side, golden_bases, place_bases
from toolcall_conformance.trust.harmless.notations import Notation
from toolcall_conformance.trust.harmless.variants import BodyVariant, NotationTable, apply_variant, variants
from toolcall_conformance.trust.operators.spots import Unfit
from toolcall_conformance.trust.parallel import OutputSource, Progress, in_parts
from toolcall_conformance.trust.places import Direction
from toolcall_conformance.trust.sampling import Lot, Sampler, share_out

Outcome = Literal["passed", "warned", "alarm", "raised"]
OUTCOMES: tuple[Outcome, ...] = ("passed", "warned", "alarm", "raised")
"""No finding, a SHOULD, a MUST; the judge itself fails."""

SINGLE = 1
"""How many places of a body are rewritten alone, in addition to all of them at once."""

EACH = 12
"""How many variants of one body a sample has."""


@dataclass(frozen=True, slots=True)
class TriedVariant:
    """A variant that was judged. ``rules`` are those of the level that decided."""

    base: str
    variant: str
    operator: str
    element: str
    direction: str
    format: str
    side: str
    outcome: Outcome
    rules: tuple[str, ...] = ()

    @property
    def spelling(self) -> str:
        """The entry of the table that it is of, with the choice."""
        return self.variant.partition("@")[0]

    @property
    def name(self) -> str:
        """Its stable name, which is enough to make it again."""
        return f"{self.base}::{self.variant}"


@dataclass(frozen=True, slots=True)
class TrialSet:
    """The bodies of one side on one route in one direction, and how many variants of each notation are tried."""

    side: Side
    direction: Direction
    client: str
    upstream: str
    limit: int | None
    seed: int

    @property
    def format(self) -> str:
        """The format of the bodies."""
        format_name = self.upstream if self.direction == "request" else self.client
        other = self.client if self.direction == "request" else self.upstream
        return other if self.side == "source" else format_name


def trial_sets(formats: Sequence[str], count: int | None, seed: int) -> list[TrialSet]:
    """All routes, those within one format too, with all sides; ``count`` is shared out evenly."""
    candidates = [
        TrialSet(side, direction, client, upstream, None, seed)
        for side in SIDES
        for direction in WAYS
        for client in formats
        for upstream in formats
        if side != "golden" or client == upstream
    ]
    return [
        replace(trial_set, limit=limit)
        for trial_set, limit in zip(candidates, share_out(count, len(candidates), seed), strict=True)
    ]


class VariantTrier:
    """Tries variants of what a sampler's translator makes of its cases, and of the goldens of these."""

    def __init__(self, sampler: Sampler) -> None:
        self.sampler = sampler
        self.corpus = sampler.workshop.harness.corpus
        self.spellings = NotationTable(self.corpus)
        self.bases = lru_cache(maxsize=200)(self._bases)

    def try_set(self, trial_set: TrialSet) -> Iterator[TriedVariant]:
        """The variants of a trial set, judged."""
        if trial_set.limit is not None:
            yield from islice(self._some(trial_set), trial_set.limit)
            return
        for case in self.sampler.cases:
            for base in self.bases(trial_set, case):
                for notation in self._spellings(trial_set):
                    for variant in _draw_variants(notation, base, trial_set.seed):
                        yield from self._judge_variant(base, variant)

    def _spellings(self, trial_set: TrialSet) -> Iterator[Notation]:
        return self.spellings.of(trial_set.format, trial_set.direction, trial_set.side)

    def again(self, name: str) -> tuple[Base, BodyVariant]:
        """The body and the variant of a name. Raises LookupError for a name that is none."""
        parts = name.split("::", 5)
        if len(parts) != 6 or parts[0] not in SIDES or "@" not in parts[5]:
            raise LookupError(f"{name!r} is no variant; one is SIDE::CASE::DIRECTION::ROUTE::NUMBER::SPELLING@POINTER")
        side, case, direction, route, _, spelled = parts
        client, _, upstream = route.partition("-to-")
        if case not in self.corpus.cases or direction not in WAYS:
            raise LookupError(f"{name!r}: there is no such case or direction")
        trial_set = TrialSet(side, direction, client, upstream, None, 0)  # type: ignore[arg-type]
        for base in self.bases(trial_set, case):
            if name.startswith(f"{base.name}::"):
                for notation in self._spellings(trial_set):
                    for variant in variants(notation, base.body):
                        if variant.name == spelled:
                            return base, variant
        raise LookupError(f"{name!r}: the translator makes no such body, or this variant changes nothing there")

    def _bases(self, trial_set: TrialSet, case: str) -> list[Base]:
        if trial_set.side == "golden":
            return list(golden_bases(self.corpus, self.corpus.cases[case], trial_set.client, trial_set.direction))
        lot = Lot(trial_set.direction, trial_set.client, trial_set.upstream, "", None, 0)
        return [
            base
            for place in self.sampler.of_case(lot, case)
            for base in place_bases(self.sampler.workshop, place, trial_set.side)
        ]

    def _some(self, trial_set: TrialSet) -> Iterator[TriedVariant]:
        """A few variants of a body, in few bodies of a random order; first those that were tried least so far."""
        seed = f"{trial_set.seed} {trial_set.side} {trial_set.direction} {trial_set.client} {trial_set.upstream}"
        generator = random.Random(seed)  # noqa: S311
        cases = list(self.sampler.cases)
        generator.shuffle(cases)
        counts: Counter[str] = Counter()
        for case in cases:
            bases = self.bases(trial_set, case)
            if bases:
                for trial in islice(
                    self._try_rarest_kinds(trial_set, generator.choice(bases), counts, generator), EACH
                ):
                    counts[trial.spelling] += 1
                    yield trial

    def _try_rarest_kinds(
        self, trial_set: TrialSet, base: Base, counts: Counter[str], drawn: random.Random
    ) -> Iterator[TriedVariant]:
        candidates = [variant for notation in self._spellings(trial_set) for variant in variants(notation, base.body)]
        drawn.shuffle(candidates)
        candidates.sort(key=lambda variant: counts[variant.kind])
        done: set[str] = set()
        for variant in candidates:
            kind = variant.kind
            if kind not in done:
                done.add(kind)
                yield from self._judge_variant(base, variant)

    def _judge_variant(self, base: Base, variant: BodyVariant) -> Iterator[TriedVariant]:
        try:
            body = apply_variant(variant, base.body)
        except (Unfit, LookupError):
            return
        outcome, rules = _outcome(base, body)
        element = base.element(variant.site.pointer, self.sampler.workshop.table)
        yield TriedVariant(
            base.name,
            variant.name,
            variant.operator,
            element,
            base.direction,
            base.format,
            base.side,
            outcome,
            rules,
        )


def _draw_variants(notation: Notation, base: Base, seed: int) -> Iterator[BodyVariant]:
    """Each choice everywhere at once, and at one of the places alone."""
    groups: dict[tuple[str, bool], list[BodyVariant]] = {}
    for variant in variants(notation, base.body):
        groups.setdefault((variant.site.choice, variant.everywhere), []).append(variant)
    drawn = random.Random(f"{seed} {base.name} {notation.name}")  # noqa: S311 - no secret is drawn
    for (_, everywhere), group in groups.items():
        yield from group if everywhere else drawn.sample(group, min(SINGLE, len(group)))


def _outcome(base: Base, body: object) -> tuple[Outcome, tuple[str, ...]]:
    try:
        findings = base.new(body)
    except Exception as error:  # it must take any JSON; one fault of its own must not end the run
        return "raised", (type(error).__name__,)
    grave = tuple(dict.fromkeys(finding.rule for finding in findings if finding.is_must))
    mild = tuple(dict.fromkeys(finding.rule for finding in findings if not finding.is_must and not finding.is_note))
    return ("alarm", grave) if grave else ("warned", mild) if mild else ("passed", ())


_TRIERS: dict[int, VariantTrier] = {}


@dataclass(frozen=True, slots=True)
class VariantGroup:
    """Variants of one kind that one rule, or an exception of the judge, objects to."""

    rule: str
    spelling: str
    direction: str
    format: str
    count: int
    example: str


def run(source: OutputSource, trial_sets: Sequence[TrialSet], jobs: int, progress: Progress) -> list[TriedVariant]:
    """The variants of all trial sets, judged. ``progress`` gets the sets done and the total."""
    groups: dict[tuple[str, str, str], list[TrialSet]] = {}
    for trial_set in trial_sets:  # by route and direction: a body is made once, and serves both sides
        groups.setdefault((trial_set.direction, trial_set.client, trial_set.upstream), []).append(trial_set)
    return in_parts(_try_set, source, list(groups.values()), jobs, progress)


def _try_set(sampler: Sampler, trial_set: TrialSet) -> list[TriedVariant]:
    trier = _TRIERS.setdefault(id(sampler), VariantTrier(sampler))
    return list(trier.try_set(trial_set))


def group_variants(tried: Sequence[TriedVariant], outcomes: Sequence[str]) -> list[VariantGroup]:
    """The variants with one of these outcomes by rule, notation, direction and format, the largest groups first."""
    trials_by_key: dict[tuple[str, str, str, str], list[TriedVariant]] = defaultdict(list)
    for attempt in tried:
        if attempt.outcome in outcomes:
            for rule in attempt.rules:
                trials_by_key[rule, attempt.spelling, attempt.direction, attempt.format].append(attempt)
    groups = [VariantGroup(*key, len(some), some[0].name) for key, some in trials_by_key.items()]
    return sorted(groups, key=lambda group: (-group.count, group.example))
