"""``--toolcall-fuzz``: drawn conversations find and shrink faults, and only those of the translator."""

from __future__ import annotations

import importlib.util
import json
from typing import Any

import pytest

from toolcall_conformance.basics.streaming import dump, parse
from toolcall_conformance.engine import fuzzing
from toolcall_conformance.engine.fuzzing import GeneratedPlayer
from toolcall_conformance.engine.items.plan import PlannedItem, generated_items
from toolcall_conformance.engine.run import Run
from toolcall_conformance.engine.settings import FuzzSettings
from toolcall_conformance.engine.setup import prepare_run
from toolcall_conformance.library import load_corpus
from toolcall_conformance.trust.dialects import Dialects
from toolcall_conformance.trust.fuzz.cases import RENDERER, RendererError, load_renderer
from toolcall_conformance.trust.fuzz.frames import CorpusFrames, Frame
from toolcall_conformance.trust.fuzz.generation import ScenarioSource
from toolcall_conformance.trust.fuzz.shrinking import simpler_schemas
from toolcall_reference import ReferenceTranslator

pytest.importorskip("hypothesis")
from hypothesis import settings

from toolcall_conformance.trust.fuzz import generation

ROUTE = "anthropic-to-gemini"
LOT = settings(generation._SETTINGS, max_examples=10)
"""Conversations are drawn in lots of 25, and here at most ten are looked at."""
OTHER = "gemini-to-anthropic"


class _Session:
    """The reference, with a fault in what it makes of requests."""

    def __init__(self, route: Any, fault: str) -> None:
        self.session = ReferenceTranslator().open(route)
        self.fault = fault

    def request(self, body: Any) -> Any:
        output = self.session.request(body)
        for turn in output.get("contents") or output["messages"]:
            getattr(self, self.fault)(turn.get("parts") or turn["content"])
        return output

    def second_call(self, parts: list[Any]) -> None:
        """Loses the second of two parallel calls, and its result."""
        for kind in ("functionCall", "functionResponse"):
            if len(places := [place for place, part in enumerate(parts) if kind in part]) > 1:
                del parts[places[1]]

    def no_arguments(self, parts: list[Any]) -> None:
        """Turns empty arguments into null."""
        for part in parts if isinstance(parts, list) else ():
            if part.get("input") == {}:
                part["input"] = None

    def error_mark(self, parts: list[Any]) -> None:
        """Says of a failed result what it says of any other."""
        for part in parts:
            response = part.get("functionResponse", {}).get("response", {})
            if "error" in response:
                response["output"] = response.pop("error")


class _Double:
    def __init__(self, fault: str) -> None:
        self.fault = fault

    def open(self, route: Any) -> _Session:
        return _Session(route, self.fault)


@pytest.fixture(autouse=True)
def small_lots(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generation, "_SETTINGS", LOT)


def _run(pytester: pytest.Pytester, translator: Any, *arguments: str) -> Run:
    config = pytester.parseconfig("--toolcall-artifacts=kept", *arguments)
    return prepare_run(config, ["toolcall::shell/seed"], translator=translator, name="double")


def _item(run: Run, route: str) -> PlannedItem:
    return next(item for item in generated_items(run.corpus) if item.name == route)


@pytest.mark.parametrize(
    ("fault", "route", "rule"),
    [
        ("second_call", ROUTE, "translation/call-lost"),
        ("no_arguments", OTHER, "anthropic/call-input-object"),
        ("error_mark", ROUTE, "translation/error-mark"),
    ],
)
def test_a_fault_is_found_and_shrunk(
    fault: str, route: str, rule: str, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fuzzing, "CHECKS_PLAYED", ("request",))
    monkeypatch.setattr(fuzzing, "SHRINK_SECONDS", 60.0)
    run = _run(pytester, _Double(fault))
    result = GeneratedPlayer(run, FuzzSettings(8, 0, RENDERER)).play(_item(run, route))
    assert [finding.rule for finding in result.findings] == [rule], result.reason
    [folder] = pytester.path.glob("kept/fuzz-examples/*/*")
    [path] = folder.glob("scenarios/fuzz/*/scenario.json")
    scenario = json.loads(path.read_text(encoding="utf-8"))
    assert sum("call" in entry for turn in scenario["conversation"] for entry in turn["content"]) <= 2, scenario
    again = _run(pytester, _Double(fault), f"--toolcall-corpus={folder}")
    case = again.corpus.cases[scenario["id"]]
    [planned] = [item for item in again.plan_cases(case.id.__eq__) if item.check == "request" and item.name == route]
    assert [finding.rule for finding in again.failing_findings(again.play_once(planned))] == [rule]
    assert f"toolcall::{case.id}::request::{route}" in result.reason


class _KnowsNoLateName(_Double):
    """The reference, but for names of calls that come after their ids."""

    def open(self, route: Any) -> Any:
        session: Any = ReferenceTranslator().open(route)
        own = session.stream
        session.stream = lambda chunks: own([_nameless(b"".join(chunks))])
        return session


def _nameless(stream: bytes) -> bytes:
    events = parse(stream)["events"]
    for data in (event["data"] for event in events if isinstance(event["data"], dict)):
        for choice in data["choices"] or ():
            for entry in choice["delta"].get("tool_calls") or ():
                if "id" not in entry:
                    entry.get("function", {}).pop("name", None)
    return dump(events)


def test_a_dialect_is_drawn_and_shrunk_to_the_habit_that_matters(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    route, seed = "anthropic-to-openai_chat", 2
    monkeypatch.setattr(fuzzing, "CHECKS_PLAYED", ("stream",))
    monkeypatch.setattr(fuzzing, "DIALECT_INTERVAL", 1)
    monkeypatch.setattr(fuzzing, "SHRINK_SECONDS", 60.0)
    monkeypatch.setattr(Dialects, "_go_together", lambda _, names: {*names} <= {"id-before-name", "object-absent"})
    run = _run(pytester, _KnowsNoLateName(""))
    result = GeneratedPlayer(run, FuzzSettings(4, seed, RENDERER)).play(_item(run, route))
    assert "translation/call-lost" in {finding.rule for finding in result.findings}, result.reason
    assert "in the dialect id-before-name: " in result.reason
    paths = sorted(pytester.path.glob("kept/fuzz-examples/*/*call-lost/scenarios/fuzz/*/scenario.json"))
    path, scenarios = paths[0], [json.loads(path.read_text(encoding="utf-8")) for path in paths]
    assert {json.dumps(scenario["dialect"]) for scenario in scenarios} == {'{"openai_chat": "id-before-name"}'}
    scenario = scenarios[0]
    again = _run(pytester, _KnowsNoLateName(""), f"--toolcall-corpus={path.parents[3]}")
    [planned] = [
        item for item in again.plan_cases(scenario["id"].__eq__) if (item.check, item.name) == ("stream", route)
    ]
    assert "translation/call-lost" in {finding.rule for finding in again.failing_findings(again.play_once(planned))}


def test_the_reference_passes(pytester: pytest.Pytester) -> None:
    run = _run(pytester, ReferenceTranslator())
    fuzz = GeneratedPlayer(run, FuzzSettings(10, 0, RENDERER))
    for route in (ROUTE, "openai_responses-to-anthropic"):
        result = fuzz.play(_item(run, route))
        assert (result.findings, result.reason) == ((), "10 generated conversations, seed 0")


def test_a_seed_gives_the_same_conversations() -> None:
    bricks = CorpusFrames((Frame({"models": load_corpus().cases["shell/seed"].scenario["models"]}, {}),))

    def keys(seed: int) -> list[str]:
        return [drawn.key for drawn in ScenarioSource(bricks, seed).generate(8)]

    first = keys(3)
    assert keys(3) == first
    assert len(set(first)) == 8
    assert keys(4) != first


def test_a_schema_shrinks_to_what_matters() -> None:
    """What keeps failing here is a choice between a number and something else, at any place."""

    def matters(schema: Any) -> bool:
        inner = [*schema.get("properties", {}).values(), *schema.get("anyOf", []), schema.get("items", {})]
        chosen = {"type": "integer"} in schema.get("anyOf", ())
        return chosen or any(matters(subschema) for subschema in inner if subschema)

    choice = {"anyOf": [{"type": "boolean"}, {"type": "integer"}, {"type": "array", "items": {"type": "number"}}]}
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {
            "fa": {"type": "object", "properties": {"fb": {"type": "array", "items": choice}}, "required": ["fb"]},
            "fc": {"type": "string", "enum": ["f"]},
        },
        "required": ["fa"],
    }
    while (
        smaller := next((candidate for candidate in simpler_schemas(schema) if matters(candidate)), None)
    ) is not None:
        schema = smaller
    assert schema == {"type": "object", "properties": {"fa": {"anyOf": [{"type": "integer"}, {"type": "string"}]}}}


def test_without_the_extra(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "hypothesis" else find(name))
    with pytest.raises(pytest.UsageError, match="extra `trust`"):
        _run(pytester, ReferenceTranslator(), "--toolcall-fuzz=3")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--toolcall-fuzz=0",), "'0' is no number of conversations; give 1 or more"),
        (("--toolcall-fuzz=1", "--toolcall-fuzz-seed=x"), "'x' is no seed; give 0 or more"),
        (("--toolcall-fuzz=1", "--toolcall-fuzz-renderer=nobody:at_home"), "'nobody:at_home' cannot be imported"),
    ],
)
def test_what_it_does_not_take(arguments: tuple[str, ...], message: str, pytester: pytest.Pytester) -> None:
    with pytest.raises(pytest.UsageError, match=message):
        _run(pytester, ReferenceTranslator(), *arguments)


@pytest.mark.parametrize("spec", ["json", "json:no such", "json:missing"])
def test_what_renders_nothing(spec: str) -> None:
    with pytest.raises(RendererError):
        load_renderer(spec)


def test_it_is_an_item_a_route(pytester: pytest.Pytester) -> None:
    run = prepare_run(
        pytester.parseconfig("--toolcall-fuzz=2"),
        ["toolcall::fuzz"],
        translator=ReferenceTranslator(),
        name="reference",
    )
    assert len(run.selected) == 16
    assert run.selected[0].nodeid == "toolcall::fuzz/drawn::conversations::anthropic-to-anthropic"


def test_it_must_be_requested(pytester: pytest.Pytester) -> None:
    with pytest.raises(pytest.UsageError, match="generated conversations need --toolcall-fuzz N"):
        prepare_run(pytester.parseconfig(), ["toolcall::fuzz"], translator=ReferenceTranslator(), name="reference")
