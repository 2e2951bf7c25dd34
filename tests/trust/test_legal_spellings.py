"""A sample of legal spellings on a few cases: the judge finds fault with none, and one that does is seen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from toolcall_conformance.checks import Harness
from toolcall_conformance.findings import Finding, Judgement, Level
from toolcall_conformance.judge import Judge
from toolcall_conformance.library import load_corpus
from toolcall_conformance.trust.harmless.bases import SIDES
from toolcall_conformance.trust.harmless.refused import reasons, refused, unexplained
from toolcall_conformance.trust.harmless.running import grouped
from toolcall_conformance.trust.harmless.trying import Shelf, Tried, Trier, shelves
from toolcall_conformance.trust.harmless.variants import made
from toolcall_conformance.trust.mutation import Workshop
from toolcall_conformance.trust.nodes import nodes
from toolcall_conformance.trust.sampling import Sampler

COUNT = 440
SEED = 17


@pytest.fixture(scope="module")
def trier(sampler: Sampler) -> Trier:
    return Trier(sampler)


@pytest.fixture(scope="module")
def tried(trier: Trier) -> list[Tried]:
    return [one for shelf in shelves(trier.corpus.formats, COUNT, SEED) for one in trier.tried(shelf)]


def test_no_legal_spelling_fails(tried: list[Tried]) -> None:
    alarms = grouped(tried, ("alarm", "raised"))
    told = "\n".join(f"{one.rule}: toolcall-conformance mutate --harmless --again '{one.example}'" for one in alarms)
    assert not alarms, f"loosen the rule, or take the spelling out of corpus/mutations/variants.json:\n{told}"
    assert len(tried) > COUNT * 0.9


def test_a_fault_of_the_source_is_its_own_wherever_its_part_stands(sampler: Sampler) -> None:
    """The picture of a tool message stands behind two texts, and no more behind one."""
    where = "output::dialects/picture-in-tool-message::request::openai_chat-to-openai_chat::01"
    base, variant = Trier(sampler).again(f"{where}::chat-text-split@/messages/2/content/0")
    assert [one.rule for one in base.new(made(variant, base.body)) if one.is_must] == []
    broken = made(variant, base.body)
    broken["messages"][2]["content"].append(broken["messages"][2]["content"][-1])
    assert [one.rule for one in base.new(broken) if one.is_must], "one more picture is a fault of the translator"


def test_the_sample_has_all_sides_and_most_spellings(tried: list[Tried], trier: Trier) -> None:
    assert {one.side for one in tried} == set(SIDES)
    assert len({one.spelling.partition("=")[0] for one in tried}) > len(trier.spellings.all) / 2
    assert {one.outcome for one in tried} == {"passed", "warned"}


def test_the_same_seed_makes_the_same_variants(trier: Trier) -> None:
    shelf = Shelf("output", "request", "anthropic", "gemini", 8, SEED)
    first = [one.name for one in trier.tried(shelf)]
    assert first == [one.name for one in trier.tried(shelf)]
    assert len(set(first)) == len(first) == 8
    assert first != [one.name for one in trier.tried(replace(shelf, seed=SEED + 1))]


class Wary(Judge):
    """A judge that takes no null, and cannot read what is no request."""

    def request(self, source: Any, output: Any, *given: Any, **more: Any) -> Judgement:
        found = super().request(source, output, *given, **more)
        if not any(node.value is None for node in nodes(output)):
            return found
        return replace(found, findings=(*found.findings, Finding("x/null", Level.MUST, "", "", element="body")))

    def response(self, source: Any, output: Any, *given: Any, **more: Any) -> Judgement:
        if "x_unknown" in output:
            raise TypeError("unhashable")
        return super().response(source, output, *given, **more)


@pytest.mark.parametrize(
    ("direction", "spelling", "outcome"),
    [("request", "gemini-requests-null", "alarm"), ("response", "chat-unknown", "raised")],
)
def test_a_judge_that_cries_wolf_is_seen(direction: Any, spelling: str, outcome: str, trier: Trier) -> None:
    shop = trier.sampler.workshop
    wary = Trier(Sampler(Workshop(shop.driver, Harness(Wary(trier.corpus)), shop.table)))
    route = ("anthropic", "gemini") if direction == "request" else ("openai_chat", "gemini")
    for judge, wanted in ((trier, {"passed", "warned"}), (wary, {outcome})):
        names = _of(judge, Shelf("output", direction, *route, None, SEED), spelling)
        assert names
        assert {one.outcome for one in names} <= wanted


def _of(trier: Trier, shelf: Shelf, spelling: str) -> Sequence[Tried]:
    only = Trier(Sampler(trier.sampler.workshop, ("shell/seed",)))
    only.spellings.all = tuple(one for one in only.spellings.all if one.name == spelling)
    return [one for one in only.tried(shelf) if one.variant.endswith("@")]


def test_a_variant_is_made_again_by_its_name(tried: list[Tried], trier: Trier) -> None:
    base, variant = trier.again(tried[0].name)
    assert base.name == tried[0].base
    assert made(variant, base.body) != base.body or variant.operator == "order-members"


@pytest.mark.parametrize(
    "change",
    [
        lambda name: name[:8],
        lambda name: name.replace("output::", "wrong::"),
        lambda name: name.rpartition("@")[0] + "@/no/such/place",
    ],
    ids=["short", "side", "place"],
)
def test_a_name_that_is_none_is_a_clear_mistake(change: Callable[[str], str], tried: list[Tried], trier: Trier) -> None:
    with pytest.raises(LookupError, match=r"is no variant|no such"):
        trier.again(change(tried[0].name))


def test_what_the_clients_take_and_the_judge_refuses_is_listed() -> None:
    pytest.importorskip("google.genai")
    tried, found = refused(load_corpus(), ("shell/seed",))
    assert tried > 100
    told = {(one.rule, one.change, one.pattern) for one in found}
    assert ("gemini/call-name", "empty", "/candidates/*/content/parts/*/functionCall") in told
    replies = [one for one in found if one.format == "gemini" and one.direction == "response"]
    null = {(one.rule, one.pattern) for one in replies if one.change == "null"}
    assert null <= {(one.rule, one.pattern) for one in replies if one.change == "absent"}, "null is as good as absence"


def test_what_we_alone_refuse_has_a_reason_and_each_reason_its_refusal() -> None:
    """All goldens, every member of their kinds: a rule that goes beyond a client's types says why, or is loosened."""
    for package in ("anthropic", "google.genai", "openai"):
        pytest.importorskip(package)
    corpus = load_corpus()
    found, known = refused(corpus)[1], reasons(corpus)
    left = unexplained(found, known)
    told = "\n".join(f"{one.rule} {one.direction} {one.change} {one.pattern} ({one.example})" for one in left)
    assert not left, f"loosen the rule, or give the reason in corpus/mutations/refused.json:\n{told}"
    assert [one.reason for one in known if unexplained(found, [one]) == found] == [], "these explain nothing"
    rules = {rule for one in known for rule in one.rules}
    assert rules == {one.rule for one in found}, "the rules that are named refuse something"
    assert rules <= corpus.rules.keys()
    assert unexplained(found, known[1:]), "without its reason a refusal is seen"
