"""A sample of legal spellings on a few cases: the judge finds fault with none, and one that does is seen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from toolcall_conformance.basics.findings import Finding, Judgement, Level
from toolcall_conformance.checks import Harness
from toolcall_conformance.judge import Judge
from toolcall_conformance.library import load_corpus
from toolcall_conformance.trust.harmless.bases import SIDES
from toolcall_conformance.trust.harmless.refusals import find_refusals, reasons, unexplained_refusals
from toolcall_conformance.trust.harmless.trials import TrialSet, TriedVariant, VariantTrier, group_variants, trial_sets
from toolcall_conformance.trust.harmless.variants import apply_variant
from toolcall_conformance.trust.mutation import Workshop
from toolcall_conformance.trust.nodes import nodes
from toolcall_conformance.trust.sampling import Sampler

COUNT = 440
SEED = 17


@pytest.fixture(scope="module")
def trier(sampler: Sampler) -> VariantTrier:
    return VariantTrier(sampler)


@pytest.fixture(scope="module")
def tried_variants(trier: VariantTrier) -> list[TriedVariant]:
    return [
        result for trial_set in trial_sets(trier.corpus.formats, COUNT, SEED) for result in trier.try_set(trial_set)
    ]


def test_no_legal_spelling_fails(tried_variants: list[TriedVariant]) -> None:
    alarms = group_variants(tried_variants, ("alarm", "raised"))
    commands = "\n".join(
        f"{alarm.rule}: toolcall-conformance mutate --harmless --again '{alarm.example}'" for alarm in alarms
    )
    assert not alarms, f"loosen the rule, or take the spelling out of corpus/mutations/variants.json:\n{commands}"
    assert len(tried_variants) > COUNT * 0.9


def test_a_fault_of_the_source_is_its_own_wherever_its_part_is(sampler: Sampler) -> None:
    """The picture of a tool message comes after two texts, and no more after one."""
    where = "output::dialects/picture-in-tool-message::request::openai_chat-to-openai_chat::01"
    base, variant = VariantTrier(sampler).again(f"{where}::chat-text-split@/messages/2/content/0")
    assert [finding.rule for finding in base.new(apply_variant(variant, base.body)) if finding.is_must] == []
    broken = apply_variant(variant, base.body)
    broken["messages"][2]["content"].append(broken["messages"][2]["content"][-1])
    assert [finding.rule for finding in base.new(broken) if finding.is_must], (
        "one more picture is a fault of the translator"
    )


def test_the_sample_has_all_sides_and_most_spellings(tried_variants: list[TriedVariant], trier: VariantTrier) -> None:
    assert {result.side for result in tried_variants} == set(SIDES)
    assert len({result.spelling.partition("=")[0] for result in tried_variants}) > len(trier.spellings.all) / 2
    assert {result.outcome for result in tried_variants} == {"passed", "warned"}


def test_the_same_seed_makes_the_same_variants(trier: VariantTrier) -> None:
    trial_set = TrialSet("output", "request", "anthropic", "gemini", 8, SEED)
    first = [result.name for result in trier.try_set(trial_set)]
    assert first == [result.name for result in trier.try_set(trial_set)]
    assert len(set(first)) == len(first) == 8
    assert first != [result.name for result in trier.try_set(replace(trial_set, seed=SEED + 1))]


class Wary(Judge):
    """A judge that takes no null, and cannot read what is no request."""

    def request(self, source: Any, output: Any, *arguments: Any, **more: Any) -> Judgement:
        judgement = super().request(source, output, *arguments, **more)
        if not any(node.value is None for node in nodes(output)):
            return judgement
        return replace(judgement, findings=(*judgement.findings, Finding("x/null", Level.MUST, "", "", element="body")))

    def response(self, source: Any, output: Any, *arguments: Any, **more: Any) -> Judgement:
        if "x_unknown" in output:
            raise TypeError("unhashable")
        return super().response(source, output, *arguments, **more)


@pytest.mark.parametrize(
    ("direction", "spelling", "outcome"),
    [("request", "gemini-requests-null", "alarm"), ("response", "chat-unknown", "raised")],
)
def test_a_judge_that_cries_wolf_is_seen(direction: Any, spelling: str, outcome: str, trier: VariantTrier) -> None:
    shop = trier.sampler.workshop
    wary = VariantTrier(Sampler(Workshop(shop.driver, Harness(Wary(trier.corpus)), shop.table)))
    route = ("anthropic", "gemini") if direction == "request" else ("openai_chat", "gemini")
    for judge, expected in ((trier, {"passed", "warned"}), (wary, {outcome})):
        names = _try_spelling(judge, TrialSet("output", direction, *route, None, SEED), spelling)
        assert names
        assert {result.outcome for result in names} <= expected


def _try_spelling(trier: VariantTrier, trial_set: TrialSet, spelling: str) -> Sequence[TriedVariant]:
    only = VariantTrier(Sampler(trier.sampler.workshop, ("shell/seed",)))
    only.spellings.all = tuple(entry for entry in only.spellings.all if entry.name == spelling)
    return [result for result in only.try_set(trial_set) if result.variant.endswith("@")]


def test_a_variant_is_made_again_by_its_name(tried_variants: list[TriedVariant], trier: VariantTrier) -> None:
    base, variant = trier.again(tried_variants[0].name)
    assert base.name == tried_variants[0].base
    assert apply_variant(variant, base.body) != base.body or variant.operator == "order-members"


@pytest.mark.parametrize(
    "change",
    [
        lambda name: name[:8],
        lambda name: name.replace("output::", "wrong::"),
        lambda name: name.rpartition("@")[0] + "@/no/such/place",
    ],
    ids=["short", "side", "place"],
)
def test_a_name_that_is_none_is_a_clear_mistake(
    change: Callable[[str], str], tried_variants: list[TriedVariant], trier: VariantTrier
) -> None:
    with pytest.raises(LookupError, match=r"is no variant|no such"):
        trier.again(change(tried_variants[0].name))


def test_what_the_clients_take_and_the_judge_refuses_is_listed() -> None:
    pytest.importorskip("google.genai")
    tried, refusals = find_refusals(load_corpus(), ("shell/seed",))
    assert tried > 100
    places = {(refusal.rule, refusal.change, refusal.pattern) for refusal in refusals}
    assert ("gemini/call-name", "empty", "/candidates/*/content/parts/*/functionCall") in places
    replies = [refusal for refusal in refusals if refusal.format == "gemini" and refusal.direction == "response"]
    null = {(refusal.rule, refusal.pattern) for refusal in replies if refusal.change == "null"}
    assert null <= {(refusal.rule, refusal.pattern) for refusal in replies if refusal.change == "absent"}, (
        "null is as good as absence"
    )


def test_what_we_alone_refuse_has_a_reason_and_each_reason_its_refusal() -> None:
    """All goldens, every member of their kinds: a rule that goes beyond a client's types says why, or is loosened."""
    for package in ("anthropic", "google.genai", "openai"):
        pytest.importorskip(package)
    corpus = load_corpus()
    refusals, entries = find_refusals(corpus)[1], reasons(corpus)
    left = unexplained_refusals(refusals, entries)
    report = "\n".join(
        f"{refusal.rule} {refusal.direction} {refusal.change} {refusal.pattern} ({refusal.example})" for refusal in left
    )
    assert not left, f"loosen the rule, or give the reason in corpus/mutations/refused.json:\n{report}"
    assert [entry.reason for entry in entries if unexplained_refusals(refusals, [entry]) == refusals] == [], (
        "these explain nothing"
    )
    rules = {rule for entry in entries for rule in entry.rules}
    assert rules == {refusal.rule for refusal in refusals}, "the rules that are named refuse something"
    assert rules <= corpus.rules.keys()
    assert unexplained_refusals(refusals, entries[1:]), "without its reason a refusal is seen"
