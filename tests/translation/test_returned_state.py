"""State in a conversation: home, whole, unchanged, once, and at its place."""

from __future__ import annotations

import copy
from collections.abc import Callable
from itertools import product
from typing import Any

from corpus_judge import judge_history
from every import every
from toolcall_conformance.basics.findings import Level
from toolcall_conformance.library import load_corpus

CORPUS = load_corpus()
FORMATS = ("anthropic", "gemini", "openai_chat", "openai_responses")
REASONING = sorted(case for case in CORPUS.cases if case.startswith("reasoning/"))
SENTINEL = "skip_thought_signature_validator"


def golden(case: str, upstream: str, number: int = -1) -> dict[str, Any]:
    body: dict[str, Any] = copy.deepcopy(CORPUS.cases[case].exchanges(upstream)[number].request)
    return body


def state_levels(
    case: str, upstream: str, change: Callable[[dict[str, Any]], Any], number: int = -1
) -> dict[str, Level]:
    """The rules on state that a change of the golden request breaks, through a client of Chat."""
    output = golden(case, upstream, number)
    change(output)
    findings = judge_history(golden(case, upstream, number), output, client="openai_chat", upstream=upstream).findings
    return {finding.rule: finding.level for finding in findings if finding.rule.startswith("translation/")}


def parts(body: dict[str, Any]) -> list[dict[str, Any]]:
    return [part for content in body["contents"] for part in content["parts"]]


def signed_parts(body: dict[str, Any]) -> list[dict[str, Any]]:
    return [part for part in parts(body) if "thoughtSignature" in part]


def blocks(body: dict[str, Any], place: int) -> list[dict[str, Any]]:
    content: list[dict[str, Any]] = body["messages"][place]["content"]
    return content


@every(
    "case, upstream, client",
    product(REASONING, FORMATS, FORMATS),
    id=lambda case, upstream, client: f"{case}-{upstream}-{client}",
)
def test_state_that_came_back_whole_is_no_finding(case: str, upstream: str, client: str) -> None:
    for number in range(1, len(CORPUS.cases[case].exchanges(upstream))):
        body = golden(case, upstream, number)
        findings = judge_history(body, copy.deepcopy(body), client=client, upstream=upstream).findings
        assert [finding for finding in findings if finding.element == "opaque"] == []


def test_lost_state_of_the_turn_under_way() -> None:
    must = {"translation/state-returned": Level.MUST}
    assert (
        state_levels("reasoning/parallel-calls", "gemini", lambda body: signed_parts(body)[0].pop("thoughtSignature"))
        == must
    )
    assert state_levels("reasoning/seed", "anthropic", lambda body: blocks(body, 1).pop(0)) == must
    assert state_levels("reasoning/redacted-thinking", "anthropic", lambda body: blocks(body, 1).pop(1)) == must
    assert state_levels("reasoning/seed", "openai_responses", lambda body: body["input"].pop(1)) == must


def test_lost_state_that_its_provider_can_do_without() -> None:
    # Of a turn that is over, of a text, and where the documented value stands in for it.
    assert state_levels("reasoning/follow-up", "anthropic", lambda body: blocks(body, 1).pop(0)) == {
        "translation/earlier-state-returned": Level.SHOULD
    }
    assert state_levels(
        "reasoning/follow-up", "gemini", lambda body: signed_parts(body)[1].pop("thoughtSignature")
    ) == {"translation/earlier-state-returned": Level.SHOULD}
    waived = state_levels(
        "reasoning/seed", "gemini", lambda body: signed_parts(body)[0].update(thoughtSignature=SENTINEL)
    )
    assert waived == {"translation/state-stand-in": Level.SHOULD}


def test_a_signature_on_words_is_no_matter_of_calls() -> None:
    whole = golden("reasoning/seed", "gemini")
    words = next(part for part in parts(whole) if part.get("text", "").startswith("I can help"))
    words["thoughtSignature"] = "CqIBAb4+9vtq0cJw1oYxV7ZkPzT5uLrB2mHhE8sNfKdGyXiQ"
    findings = judge_history(whole, golden("reasoning/seed", "gemini"), client="anthropic", upstream="gemini").findings
    assert [(finding.rule, finding.level) for finding in findings] == [
        ("translation/answer-state-returned", Level.SHOULD)
    ]


def test_a_stand_in_excuses_its_own_call_alone() -> None:
    def waive(body: dict[str, Any]) -> None:
        first, second = signed_parts(body)
        first["thoughtSignature"] = SENTINEL
        del second["thoughtSignature"]

    assert state_levels("reasoning/two-rounds", "gemini", waive) == {
        "translation/state-stand-in": Level.SHOULD,
        "translation/state-returned": Level.MUST,
    }


def test_moved_to_the_sibling_or_to_another_step() -> None:
    def to_sibling(body: dict[str, Any]) -> None:
        first, second = (part for part in parts(body) if "functionCall" in part)
        second["thoughtSignature"] = first.pop("thoughtSignature")

    def exchange(body: dict[str, Any]) -> None:
        first, second = signed_parts(body)
        first["thoughtSignature"], second["thoughtSignature"] = second["thoughtSignature"], first["thoughtSignature"]

    def to_the_next_step(body: dict[str, Any]) -> None:
        blocks(body, 3).insert(0, blocks(body, 1).pop(0))

    must = {"translation/state-moved": Level.MUST}
    assert state_levels("reasoning/parallel-calls", "gemini", to_sibling) == must
    assert state_levels("reasoning/same-call-again", "gemini", exchange) == must
    assert state_levels("reasoning/two-rounds", "anthropic", to_the_next_step) == must


def test_blocks_before_one_call_keep_their_order() -> None:
    def exchange(body: dict[str, Any]) -> None:
        content = blocks(body, 1)
        content[0], content[1] = content[1], content[0]

    assert state_levels("reasoning/redacted-thinking", "anthropic", exchange) == {"translation/state-moved": Level.MUST}


def test_repeated() -> None:
    def twice(body: dict[str, Any]) -> None:
        blocks(body, 1).insert(0, copy.deepcopy(blocks(body, 1)[0]))

    def to_all(body: dict[str, Any]) -> None:
        first, second = (part for part in parts(body) if "functionCall" in part)
        second["thoughtSignature"] = first["thoughtSignature"]

    def to_an_earlier_step(body: dict[str, Any]) -> None:
        blocks(body, 1).insert(0, copy.deepcopy(blocks(body, 3)[0]))

    assert state_levels("reasoning/seed", "anthropic", twice) == {"translation/state-repeated": Level.MUST}
    assert state_levels("reasoning/two-rounds", "anthropic", to_an_earlier_step) == {
        "translation/state-repeated": Level.MUST
    }
    assert state_levels("reasoning/parallel-calls", "gemini", to_all) == {
        "translation/signature-repeated": Level.SHOULD
    }


def test_changed_and_invented() -> None:
    def cut(body: dict[str, Any]) -> None:
        signed_parts(body)[0]["thoughtSignature"] = signed_parts(body)[0]["thoughtSignature"][:-8]

    def made_up(body: dict[str, Any]) -> None:
        blocks(body, 3).insert(0, {"type": "thinking", "thinking": "Hm.", "signature": "EqQBCkYIChgCKkDm1uT0Yp3kq8"})

    def another_spelling(body: dict[str, Any]) -> None:
        for part in signed_parts(body):
            part["thoughtSignature"] = part["thoughtSignature"].translate(str.maketrans("+/", "-_")).rstrip("=")

    assert state_levels("reasoning/seed", "gemini", cut) == {"translation/state-changed": Level.MUST}
    assert state_levels("reasoning/thinks-once", "anthropic", made_up)["translation/state-invented"] is Level.MUST
    assert state_levels("reasoning/two-rounds", "gemini", another_spelling) == {}


def test_state_of_a_lost_call_is_lost_with_it() -> None:
    def without_calls(body: dict[str, Any]) -> None:
        del body["contents"][1:]

    assert set(state_levels("reasoning/seed", "gemini", without_calls)) & {"translation/state-returned"} == set()
