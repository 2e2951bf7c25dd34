"""What a witness says: golden bodies it accepts, and of broken ones it says what its user gets."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from toolcall_conformance import formats
from toolcall_conformance.basics.jsonvalue import resolve
from toolcall_conformance.basics.streaming import cuts, dump
from toolcall_conformance.library import Case, load_corpus
from toolcall_conformance.trust import witnesses
from toolcall_conformance.trust.witnesses import ClientResult, wire, witness
from toolcall_conformance.trust.witnesses.sdk_types import problems
from turns import VARIABLE, everything, part_of, today
from witnesses.readings import NOT_READ
from witnesses.wire import sdk

CORPUS = load_corpus()
CASE = CORPUS.cases["parallel/three-tools"]
#: So many cases, and a few more, of those in which the provider fails and of the others are looked at on a day.
EACH_DAY = 8
each_format = pytest.mark.parametrize("name", CORPUS.formats)


@pytest.fixture(autouse=True)
def loaded_sdks() -> None:
    for name in CORPUS.formats:
        sdk(name)


def goldens(name: str, cases: list[Case]) -> Iterator[tuple[str, str, Any, Any]]:
    """The bodies of cases that a client gets: where, direction, body, and golden."""
    for case in cases:
        for exchange in case.exchanges(name):
            where = f"{case.id} {exchange.number}"
            if exchange.response is not None:
                yield where, "response", exchange.response, exchange.response
            if exchange.error is not None:
                yield where, "error", exchange.error, exchange.error
            if exchange.stream_path is not None:
                yield where, "stream", exchange.stream_path.read_bytes(), exchange.response


@each_format
def test_golden_bodies_are_accepted(name: str) -> None:
    cases = [case for case in CORPUS.cases.values() if name in case.formats and name not in case.dialects]
    if not everything():
        failing = [case for case in cases if "upstream_error" in case.scenario]
        others = [case for case in cases if "upstream_error" not in case.scenario]
        cases = [case for few in (failing, others) for case in part_of(few, len(few) // EACH_DAY, today())]
    refused = {}
    for where, direction, body, golden in goldens(name, cases):
        for right in (None, golden):
            observation = witness(name, direction, body, golden=right)
            if not observation.accepted:
                refused[where, direction] = observation.says
    unread = {("stream", "its accumulator reads no stream with a call of a custom tool")}
    assert {(direction, *says) for (_, direction), says in refused.items()} <= unread, f"{VARIABLE}={today()} {refused}"


@each_format
def test_a_golden_request_has_nothing_that_the_golden_has_not(name: str) -> None:
    request = CASE.exchanges(name)[0].request
    assert witness(name, "request", request, golden=request).accepted
    broken = copy.deepcopy(request)
    broken["tools"] = "none"
    observation = witness(name, "request", broken, golden=request)
    assert (observation.accepted, observation.says[0].startswith("its types do not take /tools (")) == (False, True)


def reply_without_call(name: str) -> tuple[Any, Any]:
    """A golden reply without its second call, and the golden."""
    golden = CASE.exchanges(name)[0].response
    body = copy.deepcopy(golden)
    match = re.match(r"(.*)/([0-9]+)", formats.read(name, "response", golden).calls[1].pointer)
    assert match is not None
    del resolve(body, match[1])[int(match[2])]
    return body, golden


@each_format
def test_a_lost_call_is_named(name: str) -> None:
    body, golden = reply_without_call(name)
    lost = formats.read(name, "response", golden).calls[1].name
    observation = witness(name, "response", body, golden=golden)
    assert (observation.accepted, observation.says) == (False, (f"lost call 2 ({lost})",))
    # The measure may be what stands in the other format, too; without any it is the body itself.
    other = formats.read("gemini", "response", CASE.exchanges("gemini")[0].response)
    assert f"lost call 2 ({lost})" in witness(name, "response", body, expected=other).says
    assert witness(name, "response", body).accepted


def reply_with_empty_arguments(name: str) -> tuple[Any, Any]:
    golden = CASE.exchanges(name)[0].response
    body = copy.deepcopy(golden)
    call = formats.read(name, "response", golden).calls[0]
    assert call.arguments_pointer is not None
    holder, _, key = call.arguments_pointer.rpartition("/")
    target = resolve(body, holder)
    target[key] = "{}" if isinstance(target[key], str) else {}
    return body, golden


@each_format
def test_empty_arguments_are_named(name: str) -> None:
    body, golden = reply_with_empty_arguments(name)
    call = formats.read(name, "response", golden).calls[0]
    observation = witness(name, "response", body, golden=golden)
    assert not observation.accepted
    assert observation.says[0].startswith(f"call 1 ({call.name}) has the arguments {{}}, not {{")


def spoilt(change: Callable[[Any], None], name: str) -> ClientResult:
    golden = CASE.exchanges(name)[0].response
    body = copy.deepcopy(golden)
    change(body)
    return witness(name, "response", body, golden=golden)


def test_arguments_that_the_user_cannot_parse() -> None:
    observation = spoilt(
        lambda body: body["choices"][0]["message"]["tool_calls"][0]["function"].update(arguments="{'city': 1}"),
        "openai_chat",
    )
    assert "has arguments that json.loads refuses (Expecting property name" in observation.says[0]


def test_arguments_of_another_type_fail_in_the_user_s_code() -> None:
    observation = spoilt(
        lambda body: body["choices"][0]["message"]["tool_calls"][0]["function"].update(arguments={}), "openai_chat"
    )
    assert observation.says[0] == (
        "returns a reply on which its user's code fails: tool_calls[0].function.arguments is an object, "
        "where its types promise a text"
    )


def test_a_reply_that_is_no_body_of_the_format_raises() -> None:
    observation = witness(
        "gemini", "response", {"candidates": [{"content": {"parts": [{"functionCall": {"args": 1}}]}}]}
    )
    assert not observation.accepted
    assert observation.says[0].startswith("raised ValidationError: candidates.0.content.parts.0.functionCall.args: ")
    observation = witness("openai_responses", "response", CASE.exchanges("openai_chat")[0].response)
    assert observation.says[0].startswith("returns a reply on which its user's code fails: TypeError")


def test_equal_ids_are_named() -> None:
    def same(body: Any) -> None:
        calls = [block for block in body["content"] if block["type"] == "tool_use"]
        calls[1]["id"] = calls[0]["id"] = "toolu_1"

    assert spoilt(same, "anthropic").says == ('calls 1 and 2 have one id, "toolu_1"',)


def test_another_end_and_another_text_are_named() -> None:
    case = CORPUS.cases["finish/filter-amid-text"]
    golden = case.exchanges("anthropic")[0].response
    body = {**copy.deepcopy(golden), "stop_reason": "end_turn"}
    observation = witness("anthropic", "response", body, golden=golden)
    assert observation.says == (f'ends by "end_turn", where the reply has "{golden["stop_reason"]}"',)
    body = copy.deepcopy(golden)
    next(block for block in body["content"] if block["type"] == "text")["text"] = ""
    assert witness("anthropic", "response", body, golden=golden).says[0].startswith('lost the text "')


@each_format
def test_a_stream_without_its_end(name: str) -> None:
    """What its user gets of a stream that just stops; each accumulator says it in its own way."""
    exchange = CASE.exchanges(name)[0]
    assert exchange.stream_path is not None
    pieces = cuts.split_events(exchange.stream_path.read_bytes())
    observation = witness(name, "stream", b"".join(pieces[:2]), golden=exchange.response)
    assert not observation.accepted


@each_format
def test_the_error_in_a_stream_is_no_fault_of_it(name: str) -> None:
    stream = CASE.exchanges(name)[0].stream()
    error = dump([CORPUS.transports[name]["stream"]["error"]])
    observation = witness(name, "stream", cuts.split_events(stream)[0] + error)
    assert observation.accepted, observation.says
    # Where a reply was meant, it is missing; where another error was, its message is.
    assert not witness(name, "stream", error, golden=CASE.exchanges(name)[0].response).accepted
    other = formats.read(name, "error", {"body": {"error": {"message": "Another"}}})
    assert witness(name, "stream", error, expected=other).says[1:] == ("which does not have the error's message",)


def test_a_call_that_the_client_says_to_be_done_too_early() -> None:
    stream = CASE.exchanges("openai_chat")[0].stream()
    assert witness("openai_chat", "stream", stream).accepted
    pieces = list(cuts.split_events(stream))
    last = max(place for place, piece in enumerate(pieces) if b'"tool_calls":[' in piece)
    ends = next(place for place, piece in enumerate(pieces) if b'"finish_reason":"tool_calls"' in piece)
    pieces.insert(last, pieces.pop(ends))
    observation = witness("openai_chat", "stream", b"".join(pieces))
    assert "is done with the arguments" in observation.says[0]


def test_a_call_that_the_client_never_says_to_be_done() -> None:
    stream = CASE.exchanges("anthropic")[0].stream()
    pieces = [piece for piece in cuts.split_events(stream) if b"content_block_stop" not in piece]
    observation = witness("anthropic", "stream", b"".join(pieces))
    assert observation.says[0].startswith("never reports that call 1 (")


def test_a_reply_without_counts() -> None:
    golden = CASE.exchanges("openai_chat")[0].response
    assert witness("openai_chat", "response", {**golden, "usage": None}, golden=golden).says[0] == "counts no tokens"
    broken = {**golden, "usage": {**golden["usage"], "prompt_tokens": None}}
    assert "usage.prompt_tokens is None" in witness("openai_chat", "response", broken, golden=golden).says[0]


@each_format
def test_an_error_under_a_status_of_success(name: str) -> None:
    case = next(case for case in CORPUS.cases.values() if case.exchanges(name)[0].error is not None)
    golden = case.exchanges(name)[0].error
    observation = witness(name, "error", {**golden, "status": 200}, golden=golden)
    assert (observation.accepted, observation.says) == (False, ("raised nothing, and takes the error for a reply",))
    observation = witness(name, "error", {**golden, "body": {"detail": "?"}}, golden=golden)
    assert "which does not have the error's message" in observation.says
    observation = witness(name, "error", {**golden, "status": 400}, golden={**golden, "status": 429})
    assert observation.says[1] == "does not try again"
    assert re.fullmatch(
        r"after the upstream's own status 429 it raises (RateLimit|Client)Error and tries again", observation.says[2]
    )
    assert witness(name, "error", {**golden, "status": "x"}).says == ("no client ever gets the status 'x'",)


def test_streams_of_vendors_that_its_accumulator_cannot_read() -> None:
    """The list is of the same SDKs: here is what they do."""
    for where in (key for key in NOT_READ if key.startswith("streaming/dialect")):
        case = CORPUS.cases[where]
        (name,) = case.dialects
        exchange = case.exchanges(name)[0]
        assert exchange.stream_path is not None
        assert not witness(name, "stream", exchange.stream_path.read_bytes(), golden=exchange.response).accepted, where


def test_the_client_is_named_with_its_version() -> None:
    observation = witness("openai_chat", "response", CASE.exchanges("openai_chat")[0].response)
    assert observation.client.startswith("openai ")
    assert observation.sentence.startswith(f"client {observation.client}: accepted it: 3 calls (")


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    witnesses.sdk_of.cache_clear()
    monkeypatch.setitem(__import__("sys").modules, "openai", None)
    with pytest.raises(wire.MissingSDKError, match=r"pip install 'toolcall-conformance\[witnesses\]'"):
        witnesses.verify_installed()


def test_nothing_is_known_of_another_format() -> None:
    with pytest.raises(LookupError):
        witness("smoke_signals", "response", {})


STRANGE: list[Any] = [
    None,
    [],
    "x",
    1,
    {},
    {"choices": [None]},
    {"content": [None]},
    {"output": [1]},
    {"candidates": 1},
]


@each_format
def test_any_json_is_answered(name: str) -> None:
    """Whatever the body is, the answer is what the client did."""
    for body in STRANGE:
        assert witness(name, "response", body).says, body
        assert witness(name, "request", body).says, body
        assert witness(name, "error", {"status": 500, "body": body}).says, body
        assert witness(name, "stream", json.dumps(body).encode()).says, body
    assert witness(name, "stream", b"\xff\xfe data: \x00").says


def test_an_item_of_no_kind_is_named_next_to_another_fault() -> None:
    """Of a union pydantic reports one error for each member; a fault at another place hides none of them."""
    kind = sdk("openai_responses").reply_type()
    body = copy.deepcopy(CASE.exchanges("openai_responses")[0].response)
    usual = dict(problems(kind, body))
    assert usual  # the client wants counts that the API has long left out
    body["output"][0]["type"] = None
    message = {"type": "message", "id": "msg_1", "status": "completed", "role": "", "content": []}
    body["output"].append(message)
    faults = dict(problems(kind, body))
    last = len(body["output"]) - 1
    assert usual.items() <= faults.items()
    assert {pointer.split("/")[2] for pointer in faults.keys() - usual.keys()} == {"0", str(last)}
    assert f"/output/{last}/role" in faults
