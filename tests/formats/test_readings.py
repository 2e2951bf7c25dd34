"""Readings are remembered: equal bodies share one, nobody changes it, and only so many are kept."""

from __future__ import annotations

import json
from typing import Any

import pytest

from corpus_judge import declared_names, judge, judge_history
from toolcall_conformance import formats
from toolcall_conformance.basics.reading import Reading
from toolcall_conformance.library import Case, Corpus

BODY: dict[str, Any] = {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}


def read_uncached(name: str, direction: str, body: Any) -> Reading:
    package = formats.get(name)
    return package.read_request(body) if direction == "request" else package.read_response(body)


def test_equal_bodies_share_a_reading() -> None:
    first = formats.read("openai_chat", "request", BODY)
    assert formats.read("openai_chat", "request", json.loads(json.dumps(BODY))) is first
    assert formats.read("openai_chat", "request", {**BODY, "model": "n"}) is not first
    assert formats.read("anthropic", "request", BODY).format == "anthropic"


@pytest.mark.parametrize(
    ("left", "right"), [(1, True), (1, 1.0), (None, "null"), ("1", 1), ({"a": 1, "b": 2}, {"b": 2, "a": 1})]
)
def test_bodies_that_are_not_quite_equal_do_not(left: Any, right: Any) -> None:
    bodies = [
        {"contents": [{"parts": [{"functionCall": {"name": "f", "args": {"x": value}}}]}]} for value in (left, right)
    ]
    values = [formats.read("gemini", "request", body).calls[0].arguments["x"] for body in bodies]
    assert json.dumps(values) == json.dumps([left, right])


def test_a_body_that_changes_is_read_again() -> None:
    body = json.loads(json.dumps(BODY))
    before = formats.read("openai_chat", "request", body)
    body["messages"][0]["content"] = "Bye"
    assert formats.read("openai_chat", "request", body) == read_uncached("openai_chat", "request", body)
    assert before == read_uncached("openai_chat", "request", BODY)


def test_what_cannot_be_cached_is_read_all_the_same() -> None:
    deep: Any = "x"
    for _ in range(3_000):
        deep = [deep]
    long = "x" * formats.MAX_CACHED_BYTES
    for content in (deep, long, {1, 2}, 10**5_000):
        body = {"messages": [{"role": "user", "content": content}]}
        assert formats.read("openai_chat", "request", body) == read_uncached("openai_chat", "request", body)


def test_only_so_many_are_kept() -> None:
    for number in range(2 * formats.MAX_CACHED_READINGS):
        formats.read("openai_chat", "request", {**BODY, "seed": number})
    assert formats.cached_reading.cache_info().currsize == formats.MAX_CACHED_READINGS


@pytest.mark.parametrize("case_id", ["shell/same-tool-twice", "grep/recorded-shape", "write_file/realistic"])
def test_the_judge_changes_no_reading(case_id: str, corpus: Corpus) -> None:
    case = corpus.cases[case_id]
    for client in case.formats:
        for upstream in case.formats:
            _judge_all(case, client, upstream, corpus)
            for name in (client, upstream):
                for exchange in case.exchanges(name):
                    for direction, body in (("request", exchange.request), ("response", exchange.response)):
                        assert formats.read(name, direction, body) == read_uncached(name, direction, body)


def _judge_all(case: Case, client: str, upstream: str, corpus: Corpus) -> None:
    """Every judgement that a run makes, with the goldens as what a translator produced."""
    ends: dict[str, Any] = {"client": client, "upstream": upstream}
    for mine, theirs in zip(case.exchanges(client), case.exchanges(upstream), strict=True):
        judge(mine.request, theirs.request, direction="request", corpus=corpus, **ends)
        both = {"request": mine.request, "upstream_request": theirs.request}
        judge(theirs.response, mine.response, direction="response", corpus=corpus, **both, **ends)
        judge_history(theirs.request, theirs.request, request=mine.request, **ends)
        declared_names(theirs.request, theirs.request, upstream=upstream)
