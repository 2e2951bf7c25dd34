"""One fault in a body of thousands of parts: the judge reports that fault, and no other."""

from __future__ import annotations

import copy
import itertools
from collections import Counter
from typing import Any

import pytest

from benchmarks.growing import SHAPES, Body, call, request, result, translate_request
from toolcall_conformance import Ends, Judge, load_corpus

JUDGE = Judge(load_corpus())
ROUTES = [("openai_chat", "anthropic"), ("anthropic", "openai_responses"), ("gemini", "openai_chat")]
LISTS = ("messages", "input", "contents")
ORPHANS = {
    "anthropic": "anthropic/result-of-known-call",
    "openai_chat": "openai_chat/result-answers-call",
    "openai_responses": "openai_responses/result-has-call",
}
"""What the format itself says of a result without its call."""


def broken_rules(source: Any, output: Any, route: tuple[str, str]) -> list[str]:
    return [finding.rule for finding in JUDGE.request(source, output, Ends(*route)).findings]


def request_and_translation(shape: str, size: int, route: tuple[str, str]) -> tuple[Body, Body]:
    """A request, and what the reference makes of it, to be spoilt."""
    source = translate_request(SHAPES[shape](size), "anthropic", route[0])
    return source, copy.deepcopy(translate_request(source, *route))


def conversation(body: Body) -> list[Any]:
    return next(body[key] for key in LISTS if key in body)


@pytest.mark.parametrize("route", ROUTES, ids="-to-".join)
def test_one_text_of_eight_hundred_is_lost(route: tuple[str, str]) -> None:
    source, output = request_and_translation("messages", 400, route)
    turns = conversation(output)
    del turns[next(at for at, turn in enumerate(turns) if "said 200" in str(turn))]
    assert broken_rules(source, output, route) == ["translation/text-lost"]


@pytest.mark.parametrize("route", ROUTES, ids="-to-".join)
def test_one_of_a_thousand_equal_calls_is_lost(route: tuple[str, str]) -> None:
    source, output = request_and_translation("equal calls", 1000, route)
    assert broken_rules(source, output, route) == []
    spoilt = without_call(output, 500)
    assert sorted(broken_rules(source, spoilt, route)) == [ORPHANS[route[1]], "translation/call-lost"]


def without_call(body: Body, number: int) -> Body:
    """The body without one of its calls; its result stays."""
    counter = itertools.count()

    def remove_call(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: remove_call(entry) for key, entry in value.items()}
        if isinstance(value, list):
            return [remove_call(entry) for entry in value if not (is_call(entry) and next(counter) == number)]
        return value

    return dict(remove_call(body))


def is_call(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and value.get("type") in ("tool_use", "function", "function_call")
        and "name" in str(value)
    )


@pytest.mark.parametrize("size", [8, 1000])
def test_two_ids_among_equal_calls_change_places(size: int) -> None:
    route = "openai_chat", "anthropic"
    source, output = request_and_translation("equal calls", size, route)
    results = conversation(output)[2]["content"]
    first, second = results[size // 2], results[size // 2 + 1]
    first["tool_use_id"], second["tool_use_id"] = second["tool_use_id"], first["tool_use_id"]
    assert broken_rules(source, output, route) == ["translation/results-linked"] * 2


def rounds(numbers: range) -> Body:
    """Equal calls with texts and results of their own, and new ids of a translator."""
    turns = (
        (("assistant", [{"type": "text", "text": f"said {at}"}, call(at, 1)]), ("user", [result(at)])) for at in numbers
    )
    return request(("user", "Go on"), *itertools.chain.from_iterable(turns))


@pytest.mark.parametrize("lost", [range(2), range(100)])
def test_a_block_of_equal_calls_is_lost(lost: range) -> None:
    source = rounds(range(400))
    output = rounds(range(len(lost), 400))
    names: dict[str, str] = {}
    for turn in output["messages"]:
        for block in turn["content"] if isinstance(turn["content"], list) else ():
            for key in ("id", "tool_use_id"):
                if key in block:
                    block[key] = names.setdefault(block[key], f"new_{len(names)}")
    counts = Counter(broken_rules(source, output, ("anthropic", "anthropic")))
    assert counts["translation/call-lost"] == len(lost)
    assert counts["translation/text-lost"] in (1, len(lost))
    assert not counts.keys() & {"translation/results-linked", "translation/text-moved", "translation/result-lost"}
