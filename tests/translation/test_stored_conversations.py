"""One body alone, when its own provider keeps the conversation: nothing is blamed that only the translator can know."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from corpus_judge import judge, judge_history
from stored_requests import ALL, CLIENT, UPSTREAMS, request_pairs
from toolcall_conformance.basics.findings import Level

HALF = "translation/stored-history"


def levels_by_rule(source: Any, output: Any, upstream: str) -> dict[str, Level]:
    findings = judge(source, output, client=CLIENT, upstream=upstream).findings
    return {finding.rule: finding.level for finding in findings if finding.level is not Level.NOTE}


def conversation(body: dict[str, Any]) -> list[Any]:
    entries: list[Any] = body["contents"] if "contents" in body else body["messages"]
    return entries


def without_earlier_turns(output: Any) -> Any:
    """The output without the earlier turns, except for the system prompt."""
    cut = copy.deepcopy(output)
    entries = conversation(cut)
    last = max(place for place, entry in enumerate(entries) if entry["role"] in ("assistant", "model"))
    entries[: last + 1] = [entry for entry in entries[: last + 1] if entry["role"] == "system"]
    return cut


@pytest.mark.parametrize(("case", "upstream"), ALL)
def test_a_whole_conversation_is_right(case: str, upstream: str) -> None:
    every = list(request_pairs(case, upstream))
    assert every
    for source, output in every:
        assert "previous_response_id" in source
        assert levels_by_rule(source, output, upstream) == {}


@pytest.mark.parametrize(("case", "upstream"), ALL)
def test_half_a_conversation_has_a_name(case: str, upstream: str) -> None:
    for source, output in request_pairs(case, upstream):
        rules = levels_by_rule(source, without_earlier_turns(output), upstream)
        assert rules[HALF] is Level.MUST
        # What is there is there: no other finding of the translation, but the format's own on results without calls.
        assert [rule for rule in rules if rule.startswith("translation/") and rule != HALF] == []


@pytest.mark.parametrize("upstream", UPSTREAMS)
def test_a_conversation_by_its_id_is_held_to_the_same(upstream: str) -> None:
    source, output = next(request_pairs("state/parallel-calls", upstream))
    source["conversation"] = {"id": "conv_" + source.pop("previous_response_id")[5:]}
    assert levels_by_rule(source, output, upstream) == {}
    assert levels_by_rule(source, without_earlier_turns(output), upstream)[HALF] is Level.MUST


def test_what_is_new_is_compared() -> None:
    source, output = next(request_pairs("state/parallel-calls", "anthropic"))
    results = output["messages"][-1]["content"]
    results[0]["content"] = "3 matches."
    assert levels_by_rule(source, output, "anthropic") == {"translation/result-content": Level.MUST}
    del results[0]
    assert "translation/result-lost" in levels_by_rule(source, output, "anthropic")
    question, answer = list(request_pairs("state/follow-up", "openai_chat"))[1]
    answer["messages"][-1]["content"] = "And how many of them run as root?"
    assert levels_by_rule(question, answer, "openai_chat") == {"translation/text-changed": Level.MUST}


def test_instructions_are_never_kept() -> None:
    source, output = next(request_pairs("state/seed", "anthropic"))
    del output["system"]
    assert levels_by_rule(source, output, "anthropic") == {"translation/system-prompt": Level.MUST}


def pair_with_reference(upstream: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """A request whose call is only referred to, and a translation that looked it up."""
    source, output = next(request_pairs("state/recorded-shape", upstream))
    del source["previous_response_id"]
    question = {"role": "user", "content": "On which port does the proxy listen?"}
    source["input"] = [question, {"type": "item_reference", "id": "fc_0123456789abcdef"}, *source["input"]]
    return source, output


@pytest.mark.parametrize("upstream", UPSTREAMS)
def test_items_that_are_only_referred_to(upstream: str) -> None:
    source, output = pair_with_reference(upstream)
    assert levels_by_rule(source, output, upstream) == {}
    del conversation(output)[1]
    assert levels_by_rule(source, output, upstream)[HALF] is Level.MUST


def test_half_a_conversation_names_what_the_client_sent_instead() -> None:
    """In a loop the client's own request has the name of what is missing."""
    source, output = next(request_pairs("state/seed", "anthropic"))
    cut = without_earlier_turns(output)
    findings = judge_history(output, cut, client=CLIENT, upstream="anthropic", request=source, stored=True).findings
    (finding,) = (finding for finding in findings if finding.rule == HALF)
    assert finding.source_pointer == "/previous_response_id"
    assert "previous_response_id" in finding.message
    assert (finding.want, finding.got) == ("1 turn of the assistant", "0 turns of the assistant")
