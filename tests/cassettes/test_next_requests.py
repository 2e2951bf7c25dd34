"""The next request of a recorded conversation: that of the ideal client, or the scenario's results by name."""

from __future__ import annotations

from typing import Any

import pytest

from toolcall_conformance import formats
from toolcall_conformance.basics import jsonvalue
from toolcall_conformance.basics.jsonvalue import deep_copy
from toolcall_conformance.checks.conversation.client import ClientHabit, continue_from_reply
from toolcall_conformance.judge.excuses.provider_memory import whole_exchanges
from toolcall_conformance.library import Corpus
from toolcall_conformance.recording.cassettes.recorder.continuation import CannotContinueError, next_request

FORMATS = ("anthropic", "openai_chat", "openai_responses", "gemini")


@pytest.mark.parametrize("name", FORMATS)
def test_a_model_that_does_as_the_golden_is_answered_as_by_the_ideal_client(name: str, corpus: Corpus) -> None:
    requests = 0
    for case in corpus.cases.values():
        if name not in case.formats:
            continue
        exchanges = whole_exchanges(name, case.exchanges(name))
        before = exchanges[0].request
        for number in range(1, len(exchanges)):
            reply = exchanges[number - 1].response
            expected = continue_from_reply(name, before, reply, exchanges[number], ClientHabit())
            before = next_request(name, before, reply, exchanges, number)
            assert jsonvalue.equal(before, expected), (case.id, number)
            requests += 1
    assert requests > 100


def second_request(name: str, corpus: Corpus, case: str, change: Any) -> dict[str, Any]:
    """The second request of a case, after a reply whose calls were changed."""
    exchanges = corpus.cases[case].exchanges(name)
    reply = deep_copy(exchanges[0].response)
    change(reply_calls(name, reply))
    return next_request(name, exchanges[0].request, reply, exchanges, 1)


def reply_calls(name: str, reply: dict[str, Any]) -> list[Any]:
    """The list of a reply's calls; in these cases it holds nothing else."""
    if name == "anthropic":
        content = reply["content"]
    elif name == "openai_chat":
        content = reply["choices"][0]["message"]["tool_calls"]
    elif name == "openai_responses":
        content = reply["output"]
    else:
        content = reply["candidates"][0]["content"]["parts"]
    assert isinstance(content, list)
    return content


def results_by_call(name: str, body: dict[str, Any]) -> list[tuple[Any, str]]:
    """Each call's name, with the text of the result that is linked to it."""
    reading = formats.read(name, "request", body)
    results = {
        result.call: str(getattr(result.parts[0], "text", None) or result.parts[0].value) for result in reading.results
    }
    assert None not in results
    return [(call.name, results[call.ordinal]) for call in reading.calls]


@pytest.mark.parametrize("name", FORMATS)
def test_calls_in_another_order_get_the_results_of_their_tools(name: str, corpus: Corpus) -> None:
    body = second_request(name, corpus, "parallel/seed", lambda calls: calls.reverse())
    assert [tool for tool, _ in results_by_call(name, body)] == ["send_email", "get_temperature", "get_temperature"]
    texts = [text for _, text in results_by_call(name, body)]
    assert "sent" in texts[0]
    assert "14" in texts[1]
    assert "18" in texts[2]


@pytest.mark.parametrize("name", FORMATS)
def test_fewer_calls_get_fewer_results(name: str, corpus: Corpus) -> None:
    body = second_request(name, corpus, "parallel/seed", lambda calls: calls.pop(0))
    answers = results_by_call(name, body)
    assert [tool for tool, _ in answers] == ["get_temperature", "send_email"]
    assert "14" in answers[0][1]
    assert len(formats.read(name, "request", body).results) == 2


@pytest.mark.parametrize("name", FORMATS)
def test_what_the_user_says_after_the_results_stays(name: str, corpus: Corpus) -> None:
    body = second_request(name, corpus, "parallel/late-results", lambda calls: calls.pop())
    texts = [
        item.text for turn in formats.read(name, "request", body).turns for item in turn.items if hasattr(item, "text")
    ]
    assert texts[-1] == "Answer in one word, please."
    assert len(formats.read(name, "request", body).results) == 1


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (
            lambda calls: rename(calls[-1], "delete_everything"),
            "'delete_everything', for which the scenario has no result",
        ),
        (lambda calls: calls.extend(deep_copy([calls[0], calls[0]])), "for the 3th time"),
    ],
)
def test_a_call_without_a_result_is_no_way_on(name: str, change: Any, reason: str, corpus: Corpus) -> None:
    with pytest.raises(CannotContinueError, match=reason):
        second_request(name, corpus, "parallel/seed", change)


def rename(call: dict[str, Any], name: str) -> None:
    inner = call.get("function") or call.get("functionCall") or call
    assert "name" in inner
    inner["name"] = name


@pytest.mark.parametrize("name", FORMATS)
def test_the_request_of_another_model_stays_with_it(name: str, corpus: Corpus) -> None:
    exchanges = corpus.cases["shell/seed"].exchanges(name)
    first = exchanges[0].request
    first = {**first, "model": "other"} if "model" in first else first
    body = next_request(name, first, exchanges[0].response, exchanges, 1)
    assert body.get("model") == first.get("model")
