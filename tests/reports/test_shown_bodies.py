"""The bodies of a failing run that its report keeps, and which call each id in them is of."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

from toolcall_conformance.basics.contract import Route
from toolcall_conformance.basics.findings import MISSING, Finding, Level, Verdict
from toolcall_conformance.checks import ItemResult, PlayedBodies
from toolcall_conformance.engine.output.shown_bodies import shown_bodies
from toolcall_conformance.library import Corpus
from toolcall_conformance.reports.writers import json_report

# Of requests it swaps the ids of two results and drops the third's; of replies it drops the second call.
TRANSLATOR = """
from toolcall_reference import ReferenceTranslator


class Session:
    def __init__(self, session):
        self.session = session

    def request(self, body):
        made = self.session.request(body)
        results = [message for message in made["messages"] if message["role"] == "tool"]
        if len(results) > 2:
            ids = [message["tool_call_id"] for message in results]
            results[0]["tool_call_id"], results[1]["tool_call_id"], results[2]["tool_call_id"] = ids[1], ids[0], "gone"
        return made

    def response(self, body):
        made = self.session.response(body)
        made["content"].pop(2)
        return made

    def stream(self, pieces):
        for piece in self.session.stream(pieces):
            yield piece.replace(b"tool_use", b"tool_call")


class T:
    def open(self, route):
        return Session(ReferenceTranslator().open(route))
"""
OPTIONS = ("-p", "no:hypothesispytest", "-p", "no:anyio", "-p", "no:cacheprovider")
ITEM = "toolcall::parallel/three-tools::{}::anthropic-to-openai_chat"


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The report of a run of three items."""
    folder = tmp_path_factory.mktemp("shown")
    (folder / "shown_bodies_translator.py").write_text(TRANSLATOR, encoding="utf-8")
    path = folder / "report.json"
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        patch.chdir(folder)
        patch.delenv("PYTEST_XDIST_WORKER", raising=False)
        items = [ITEM.format(check) for check in ("request", "response", "stream")]
        translator = ("--toolcall-translator", "shown_bodies_translator:T", "--toolcall-report", str(path))
        pytest.main([*OPTIONS, "-q", "--no-summary", f"--rootdir={folder}", *translator, *items])
    document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return document


def bodies_of(report: dict[str, Any], check: str, name: str) -> dict[str, Any]:
    """One exchange of an item, with its bodies."""
    (item,) = [item for item in report["items"] if item["check"] == check]
    (body,) = [body for body in item["bodies"] if body["name"] == name]
    return {**body, "parts": {part: report["bodies"][key] for part, key in body["parts"].items()}}


def test_they_fit_the_schema(report: dict[str, Any]) -> None:
    jsonschema.validate(report, json.loads(json_report.SCHEMA_PATH.read_text(encoding="utf-8")))


def test_a_request_is_kept_with_what_was_given_and_what_is_expected(report: dict[str, Any]) -> None:
    body = bodies_of(report, "request", "02-request")
    assert body["parts"].keys() == {"source", "produced", "golden"}
    assert "tool_use" in json.dumps(body["parts"]["source"])
    assert "gone" in json.dumps(body["parts"]["produced"])
    assert "gone" not in json.dumps(body["parts"]["golden"])


def test_exchanged_and_lost_ids_have_other_letters(report: dict[str, Any]) -> None:
    body = bodies_of(report, "request", "02-request")

    def letters(part: str, key: str) -> list[str]:
        return [label for pointer, label in body["marks"][part].items() if pointer.endswith(f"/{key}")]

    assert letters("source", "id") == letters("produced", "id") == letters("golden", "id") == ["A", "B", "C"]
    assert letters("source", "tool_use_id") == letters("golden", "tool_call_id") == ["A", "B", "C"]
    assert letters("produced", "tool_call_id") == ["B", "A", "?"]


def test_a_lost_call_leaves_the_letters_of_the_others(report: dict[str, Any]) -> None:
    body = bodies_of(report, "response", "01-response")
    assert list(body["marks"]["source"].values()) == ["A", "B", "C"]
    assert len(body["marks"]["produced"]) == 2


def test_where_what_came_differs_from_the_golden_is_reported_without_what_is_accepted(corpus: Corpus) -> None:
    golden = corpus.cases["parallel/three-tools"].exchanges("openai_chat")[0].request
    output = json.loads(json.dumps(golden))
    output["messages"][1]["content"] = [{"type": "text", "text": golden["messages"][1]["content"]}]
    output["tools"][0]["function"]["description"] = "Other."
    source = corpus.cases["parallel/three-tools"].exchanges("anthropic")[0].request
    body = shown_exchange(corpus, PlayedBodies("01-request", source, output, golden))
    want = "Find the next trains between two stations."
    assert body["differs"] == [f'/tools/0/function/description want "{want}", got "Other."']
    assert "differs" not in shown_exchange(corpus, PlayedBodies("01-request", source, golden, golden))
    assert "differs" not in shown_exchange(
        corpus, PlayedBodies("01-request", source, output | {"x": "y" * 300_000}, golden)
    )


def test_a_stream_is_kept_as_its_events(report: dict[str, Any]) -> None:
    body = bodies_of(report, "stream", "01-response.sse")
    assert {"sent", "received", "source", "golden"} <= body["parts"].keys()
    assert body["parts"]["sent"]["events"]
    assert any("tool_call" in json.dumps(event) for event in body["parts"]["received"]["events"])
    assert sorted(body["ids"]["sent"].values()) == ["A", "B", "C"]


def shown_exchange(corpus: Corpus, played: PlayedBodies) -> dict[str, Any]:
    """What is kept of one exchange with a finding, on the way from Chat to Anthropic."""
    route = Route("anthropic", "openai_chat", "a", "b", stream=False)
    finding = Finding("translation/crashed", Level.MUST, "", "no", body=played.name)
    (body,) = shown_bodies(corpus, route, ItemResult(Verdict.FAIL, (finding,), (played,)))
    return body


def test_long_texts_are_cut_and_what_is_no_json_is_named(corpus: Corpus) -> None:
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    played = PlayedBodies("01-request", {"text": "x" * 9_000, "top": float("nan")}, deep, ["y" * 1_900] * 200)
    parts = shown_exchange(corpus, played)["parts"]
    assert parts["source"] == {"text": f"{'x' * 2_000}… (9000 characters)", "top": "nan"}
    assert parts["produced"] == "(nested too deep, or no JSON)"
    assert parts["golden"].endswith(" characters)")


def test_of_a_stream_that_was_cut_each_side_is_read_in_its_own_format(corpus: Corpus) -> None:
    case = corpus.cases["parallel/three-tools"]
    sent, output = (case.exchanges(name)[0].stream() for name in ("openai_chat", "anthropic"))
    played = PlayedBodies("01-response.sse", MISSING, MISSING, MISSING, {"sent.sse": sent, "received.sse": output})
    ids = shown_exchange(corpus, played)["ids"]
    assert sorted(ids["sent"].values()) == sorted(ids["received"].values()) == ["A", "B", "C"]
