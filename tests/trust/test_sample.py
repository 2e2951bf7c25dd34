"""A sample of faults on a few cases: what survives is on the reviewed list, and a judge that lacks a rule is seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from toolcall_conformance.basics.findings import Judgement
from toolcall_conformance.checks import Harness
from toolcall_conformance.judge import Judge
from toolcall_conformance.trust.fault_replay import FaultReplay
from toolcall_conformance.trust.matrix import hole, reason
from toolcall_conformance.trust.mutation import Mutation, Workshop
from toolcall_conformance.trust.places import DIRECTIONS
from toolcall_conformance.trust.sampling import Sampler, lots

COUNT = 130
SEED = 17
#: So many more across exchanges: of a sample of all they are few.
ACROSS = 6
#: Rules that are the only ones to see some fault, each in another direction.
ALONE = ("translation/arguments", "translation/text-changed")


class Deaf(Judge):
    """A judge that says nothing of one rule."""

    rule = ""

    def without_rule(self, judgement: Judgement) -> Judgement:
        return replace(
            judgement, findings=tuple(finding for finding in judgement.findings if finding.rule != self.rule)
        )

    def request(self, *arguments: Any, **more: Any) -> Judgement:
        return self.without_rule(super().request(*arguments, **more))

    def response(self, *arguments: Any, **more: Any) -> Judgement:
        return self.without_rule(super().response(*arguments, **more))

    def stream(self, *arguments: Any, **more: Any) -> Judgement:
        return self.without_rule(super().stream(*arguments, **more))


def new(mutations: Sequence[Mutation], sampler: Sampler) -> list[str]:
    table = sampler.workshop.table
    survived = [mutation for mutation in mutations if mutation.outcome in ("survived", "raised")]
    return [mutation.name for mutation in survived if not reason(mutation, table) and not hole(mutation, table)]


@pytest.fixture(scope="module")
def sample_mutations(sampler: Sampler) -> list[Mutation]:
    shop = sampler.workshop
    across = [operator for operator in shop.table.operators if operator.is_in("loop")]
    formats = shop.harness.corpus.formats
    chosen = lots(formats, shop.table.operators, COUNT, SEED) + lots(formats, across, ACROSS, SEED + 1)
    return [mutation for lot in chosen for mutation in sampler.mutations(lot)]


def test_no_fault_survives_that_nobody_has_reviewed(sample_mutations: list[Mutation], sampler: Sampler) -> None:
    survived = new(sample_mutations, sampler)
    commands = "\n".join(f"toolcall-conformance mutate --again '{name}'" for name in survived)
    assert not survived, f"give the judge a rule for it, or say in corpus/mutations/reviewed.json why not:\n{commands}"
    assert len(sample_mutations) > COUNT * 0.7, "many operators find nothing to do in an error"
    assert {mutation.direction for mutation in sample_mutations} == {*DIRECTIONS}


def test_the_same_seed_makes_the_same_faults(sample_mutations: list[Mutation], sampler: Sampler) -> None:
    shop = sampler.workshop
    drop = [shop.table.operator("drop")]
    lot = next(lot for lot in lots(shop.harness.corpus.formats, drop, 30, SEED) if lot.limit)
    assert list(sampler.mutations(lot)) == list(sampler.mutations(lot)) != []
    assert len({mutation.name for mutation in sample_mutations}) == len(sample_mutations)


def test_most_faults_are_killed_by_a_rule_of_their_element(sample_mutations: list[Mutation]) -> None:
    killed = [mutation for mutation in sample_mutations if mutation.outcome in ("killed", "beside")]
    assert sum(mutation.outcome == "killed" for mutation in killed) / len(killed) > 0.9
    assert {mutation.outcome for mutation in sample_mutations} > {"killed", "warned", "survived", "equivalent"}


@pytest.mark.parametrize("rule", ALONE)
def test_a_judge_without_a_rule_lets_faults_survive(
    rule: str, sample_mutations: list[Mutation], sampler: Sampler
) -> None:
    shop = sampler.workshop
    deaf = Deaf(shop.harness.corpus)
    deaf.__dict__["rule"] = rule
    lame = Sampler(Workshop(shop.driver, Harness(deaf), shop.table), sampler.cases)
    chosen = [
        mutation.name for mutation in sample_mutations if mutation.rules == (rule,) and mutation.outcome == "killed"
    ]
    assert chosen, "the sample has no fault that this rule alone sees"
    assert new([FaultReplay(lame).mutation(name) for name in chosen], lame) != []


def test_a_judge_that_fails_ends_no_run(sample_mutations: list[Mutation], sampler: Sampler) -> None:
    class Failing(Judge):
        def request(self, *arguments: Any, **more: Any) -> Judgement:
            if wrong:
                raise TypeError("unhashable")
            return super().request(*arguments, **more)

    wrong: list[bool] = []
    shop = sampler.workshop
    again = Sampler(Workshop(shop.driver, Harness(Failing(shop.harness.corpus)), shop.table), sampler.cases)
    name = next(mutation.name for mutation in sample_mutations if mutation.direction == "request")
    assert FaultReplay(again).mutation(name).outcome != "raised"
    wrong.append(True)
    raised = FaultReplay(again).mutation(name)
    assert (raised.outcome, raised.by) == ("raised", "TypeError")
    assert new([raised], again) == [name]
