"""Clients of Responses that name an item by its id in place of repeating it; translators that cannot know it."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from stored_requests import CLIENT, UPSTREAMS, route
from toolcall_conformance.basics.contract import Route
from toolcall_conformance.basics.findings import Finding, Level, Verdict
from toolcall_conformance.checks import CHECKS, ItemResult, variants
from toolcall_conformance.drivers.python.driver import PythonDriver
from toolcall_conformance.engine.run import make_harness
from toolcall_conformance.judge.context import Ends
from toolcall_conformance.judge.excuses.provider_memory import extend_memory, whole_exchanges, whole_request
from toolcall_conformance.library import Case, load_corpus
from toolcall_reference import ReferenceTranslator

CORPUS = load_corpus()
HARNESS = make_harness(CORPUS)
CASE = CORPUS.cases["history/item-reference"]
REPLY = {"id": "resp_1", "output": [{"type": "function_call", "id": "fc_1", "call_id": "c", "name": "n"}]}
ASKED = {"model": "m", "input": [{"role": "user", "content": "Now."}]}
NAMED = {"model": "m", "input": [*ASKED["input"], {"type": "item_reference", "id": "fc_1"}]}


class Refused(Exception):  # noqa: N818 - recognised by this very name
    pass


class RefusesAll:
    """Refuses every request."""

    def open(self, way: Route, /) -> RefusesAll:
        del way
        return self

    def request(self, body: dict[str, Any], /) -> dict[str, Any]:
        del body
        raise Refused("not today")

    def response(self, body: dict[str, Any], /) -> dict[str, Any]:
        return body

    def stream(self, chunks: Any, /) -> Any:
        return chunks


def play(check: str, case: Case, way: Route, translator: Any, variant: str = "") -> ItemResult:
    return CHECKS[check](case, way, PythonDriver(translator, "double").open, HARNESS, variant, None)


class DropsReferences:
    """Leaves out references, and the results that would then be on their own."""

    def open(self, way: Route, /) -> DropsReferences:
        self.inner = ReferenceTranslator().open(way)
        return self

    def request(self, body: dict[str, Any], /) -> dict[str, Any]:
        items = [item for item in body["input"] if "role" in item]
        return self.inner.request({**body, "input": items})


@pytest.mark.parametrize("upstream", UPSTREAMS)
def test_references_that_are_dropped_are_a_fault(upstream: str) -> None:
    result = play("request", CASE, route(CASE, upstream), DropsReferences())
    assert result.verdict is Verdict.FAIL
    assert "translation/result-lost" in {finding.rule for finding in result.findings if finding.level is Level.MUST}


@pytest.mark.parametrize("upstream", UPSTREAMS)
@pytest.mark.parametrize("check", ["request", "response", "stream"])
def test_what_only_the_provider_knows_may_be_refused(check: str, upstream: str) -> None:
    result = play(check, CASE, route(CASE, upstream), ReferenceTranslator())
    assert result.verdict is Verdict.PASS
    assert "send the item itself" in result.reason


@pytest.mark.parametrize("upstream", UPSTREAMS)
def test_a_round_trip_plays_what_is_named_itself(upstream: str) -> None:
    result = play("round_trip", CASE, route(CASE, upstream), ReferenceTranslator())
    assert (result.verdict, result.reason) == (Verdict.PASS, "")
    sources = {body.name: body.source for body in result.played if not body.name.endswith("-between")}
    assert list(sources) == ["03-request", "01-response", "02-response"]
    assert sources["03-request"] == whole_exchanges(CLIENT, CASE.exchanges(CLIENT))[-1].request


def test_other_requests_may_not() -> None:
    for way in (route(CASE, "anthropic"), Route("anthropic", CLIENT, "m", "m"), route(CASE, CLIENT)):
        assert play("request", CASE, way, RefusesAll()).verdict is Verdict.REFUSED
        assert play("response", CASE, way, RefusesAll()).verdict is Verdict.BLOCKED
    assert HARNESS.judge.may_refuse(Ends(CLIENT, "gemini"), NAMED)
    assert HARNESS.judge.may_refuse(Ends(CLIENT, "gemini"), {**ASKED, "conversation": "conv_1"})
    assert not HARNESS.judge.may_refuse(Ends(CLIENT, "gemini"), ASKED)
    assert not HARNESS.judge.may_refuse(Ends(CLIENT, CLIENT), NAMED)
    assert not HARNESS.judge.may_refuse(Ends("alpha", "gemini"), NAMED)


@pytest.mark.parametrize("check", ["response", "stream", "round_trip", "agent_loop"])
def test_after_a_request_that_the_case_lets_be_refused_nothing_is_blocked(check: str) -> None:
    case = CORPUS.cases["shell/seed"]
    allowing = Case(case.path, {**case.scenario, "may_refuse": ["request"]})
    way = Route("anthropic", "gemini", case.model("anthropic"), case.model("gemini"))
    assert play(check, case, way, RefusesAll()).verdict is Verdict.BLOCKED
    result = play(check, allowing, way, RefusesAll())
    assert "not today" in result.reason
    assert result.verdict is (Verdict.PASS if check == "agent_loop" else Verdict.NOT_APPLICABLE)


def test_the_client_names_all_that_it_was_given() -> None:
    requests: list[dict[str, Any]] = []

    class Watched:
        def open(self, way: Route, /) -> Watched:
            self.inner = ReferenceTranslator().open(way)
            return self

        def request(self, body: dict[str, Any], /) -> dict[str, Any]:
            requests.append(copy.deepcopy(body))
            return self.inner.request(body)

        def response(self, body: dict[str, Any], /) -> dict[str, Any]:
            return self.inner.response(body)

    assert play("agent_loop", CASE, route(CASE, "gemini"), Watched(), "referring").verdict is Verdict.PASS
    kinds = [[item.get("type", item.get("role")) for item in body["input"]] for body in requests]
    named, result = "item_reference", "function_call_output"
    assert kinds == [["user"], ["user", named, named, result], ["user", named, named, result, named, result]]


def test_it_is_for_clients_and_cases_that_have_it() -> None:
    assert {"referring", "streamed-referring"} <= set(variants(CORPUS, "agent_loop", CASE, CLIENT, "gemini"))
    assert "referring" not in variants(CORPUS, "agent_loop", CASE, "gemini", CLIENT)
    assert "referring" not in variants(CORPUS, "agent_loop", CORPUS.cases["state/seed"], CLIENT, "gemini")


def test_the_provider_knows_the_items_of_its_replies() -> None:
    memory = extend_memory(CLIENT, ASKED, REPLY, {})
    read = whole_request(CLIENT, NAMED, memory)
    assert read.body["input"] == [*ASKED["input"], *REPLY["output"]]
    assert read.reference_pointers == {"/input/1"}
    finding = Finding(rule="x/y", level=Level.MUST, pointer="/input/1/name", message="")
    assert read.move_to_sent(finding, "input").pointer == "/input/1"
    assert whole_request(CLIENT, NAMED, {}).unknown_id == "fc_1"
    assert extend_memory(CLIENT, {**ASKED, "store": False}, REPLY, {}) == {}
    both = {**NAMED, "previous_response_id": "resp_1"}
    assert whole_request(CLIENT, both, memory).added_entries == 2
    assert whole_request(CLIENT, {"input": [{"id": "fc_1"}]}, memory).body["input"] == REPLY["output"]


def test_the_goldens_refer_to_what_their_replies_gave() -> None:
    named = [item["id"] for exchange in CASE.exchanges(CLIENT) for item in exchange.request["input"] if "id" in item]
    ids = [item["id"] for exchange in CASE.exchanges(CLIENT) for item in exchange.response["output"]]
    assert len(named) == 5
    assert set(named) == set(ids[:-1])
    whole = whole_exchanges(CLIENT, CASE.exchanges(CLIENT))[-1].request
    assert [item.get("type") for item in whole["input"]].count("function_call") == 2
