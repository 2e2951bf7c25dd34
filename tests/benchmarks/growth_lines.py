"""What may grow: lines of the growth table, each of which makes, for a size, the work that is timed."""

from __future__ import annotations

import itertools
import json
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.failing import child, failing
from benchmarks.growing import FAULTS, MODELS, SHAPES, request, translate_request
from benchmarks.growing_replies import STREAM_FAULTS, stream, tool_request, translate_stream
from toolcall_conformance import Ends, Judge, Requests, load_corpus
from toolcall_conformance.basics.contract import Route
from toolcall_conformance.basics.streaming import cuts
from toolcall_conformance.basics.streaming import parse as parse_stream
from toolcall_conformance.drivers.python.driver import PythonDriver
from toolcall_conformance.drivers.streams import Source
from toolcall_conformance.engine.items import plan
from toolcall_conformance.library import Corpus, default_root
from toolcall_conformance.recording.cassettes import cases as cassette_cases
from toolcall_conformance.reports import known_failures
from toolcall_conformance.reports.known_failures import RuleNames
from toolcall_reference import ReferenceTranslator

Work = Callable[[], object]
ROUTES = (("openai_chat", "anthropic"), ("anthropic", "openai_responses"), ("gemini", "openai_chat"))
"""Between these formats all shapes are measured; one shape between all."""
ALL_ROUTES = "calls at once"
MAX_CALLS = 10_000
CASE = "shell/seed"


@dataclass(frozen=True)
class Line:
    """A line of the table: ``make`` prepares work of a size in a folder; the largest size is ``most``.

    It may take so many ``seconds`` there; None where the work is a whole run of pytest.
    """

    name: str
    make: Callable[[int, Path], Work]
    most: int = 4000
    seconds: float | None = 5


def _keys(size: int) -> dict[str, Any]:
    arguments = {f"k{at}": at for at in range(size)}
    call = {"type": "tool_use", "id": "toolu_1", "name": "t0", "input": arguments}
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "done"}
    return request(("user", "Go on"), ("assistant", [call]), ("user", [result]))


def _properties(size: int) -> dict[str, Any]:
    body = request(("user", "Go on"))
    properties = {f"k{at}": {"type": "integer", "description": f"d{at}"} for at in range(size)}
    body["tools"][0]["input_schema"] = {"type": "object", "properties": properties, "required": list(properties)}
    return body


BODIES: Mapping[str, Callable[[int], dict[str, Any]]] = {
    **SHAPES,
    "keys of an object": _keys,
    "keys of a schema": _properties,
}


def _judge_requests(shape: str, fault: str, client: str, upstream: str) -> Callable[[int, Path], Work]:
    def make(size: int, _: Path) -> Work:
        judge = Judge(load_corpus())
        source = translate_request(BODIES[shape](size), "anthropic", client)
        output = FAULTS[fault](translate_request(source, client, upstream))
        return lambda: judge.request(source, output, Ends(client, upstream))

    return make


RENAMED = "tools renamed"


def _request_with_tools(size: int, name: str) -> dict[str, Any]:
    body = request(("user", "Go on"), tools=size)
    for number, tool in enumerate(body["tools"]):
        tool |= {"name": name.format(number), "description": "Does what its name says"}
    return body


def _judge_renamed_tools(client: str, upstream: str) -> Callable[[int, Path], Work]:
    def make(size: int, _: Path) -> Work:
        judge = Judge(load_corpus())
        source = translate_request(_request_with_tools(size, "t{}"), "anthropic", client)
        output = translate_request(_request_with_tools(size, "other{}"), "anthropic", upstream)
        return lambda: judge.request(source, output, Ends(client, upstream))

    return make


def _stream_source(client: str, shape: str, size: int) -> tuple[str, bytes]:
    upstream = "openai_chat" if client == "anthropic" else "anthropic"
    return upstream, stream(upstream, shape, size)


def _judge_streams(client: str, shape: str, fault: str) -> Callable[[int, Path], Work]:
    def make(size: int, _: Path) -> Work:
        judge = Judge(load_corpus())
        upstream, source = _stream_source(client, shape, size)
        output = STREAM_FAULTS[fault](translate_stream(source, upstream, client))
        ends = Ends(client, upstream)
        return lambda: judge.stream(
            parse_stream(source), parse_stream(output), ends, requests=Requests(tool_request(client))
        )

    return make


def _drive_streams(client: str, shape: str) -> Callable[[int, Path], Work]:
    def make(size: int, _: Path) -> Work:
        upstream, source = _stream_source(client, shape, size)
        driver = PythonDriver(ReferenceTranslator(), "reference", timeout=600)
        opened: Any = driver.open(Route(client, upstream, MODELS[client], MODELS[upstream], stream=True))
        opened.session.request(tool_request(client))

        def work() -> object:
            outcome: Any = opened.session.stream(Source(cuts.split_events(source)))
            return outcome.data  # an outcome without bytes is not what is measured

        return work

    return make


def _cassette_files(size: int, folder: Path) -> Work:
    (folder / "cassettes").mkdir()
    for at in range(size):
        _write_cassette(folder / "cassettes" / f"{at}.json", 1)
    return lambda: _load_recording(folder / "cassettes", size)


def _cassette_exchanges(size: int, folder: Path) -> Work:
    _write_cassette(folder / "one.json", size)
    return lambda: _load_recording(folder / "one.json", size)


def _write_cassette(path: Path, count: int) -> None:
    exchange = load_corpus().cases[CASE].exchanges("anthropic")[0]
    kind = {"content-type": ["application/json"]}
    interaction = {
        "request": {
            "method": "POST",
            "uri": "https://api.anthropic.com/v1/messages",
            "body": json.dumps(exchange.request),
            "headers": kind,
        },
        "response": {
            "status": {"code": 200, "message": "OK"},
            "headers": kind,
            "body": {"string": json.dumps(exchange.response)},
        },
    }
    path.write_text(json.dumps({"version": 1, "interactions": [interaction] * count}), encoding="utf-8")


def _load_recording(path: Path, size: int) -> object:
    corpus = load_corpus()
    cases = cassette_cases.load(corpus, [path]).cases
    assert len(cases) == size
    return list(plan.recorded_items(corpus, cases))


def _known_failure_file(form: str) -> Callable[[int, Path], Work]:
    def make(size: int, folder: Path) -> Work:
        path = folder / "known.txt"
        path.write_text("".join(f"{form.format(at)} a/b # why\n" for at in range(size)), encoding="utf-8")
        items = [f"toolcall::fam/case-{at}::request::anthropic-to-gemini" for at in range(size)]

        def work() -> object:
            failures = known_failures.load(path, RuleNames(["a/b"]))
            assert all(failures.standing(item, "a/b", "x").is_known for item in items)
            return list(failures.find_stale(items, {item: [] for item in items}))

        return work

    return make


def _private_cases(size: int, folder: Path) -> Work:
    sample = default_root() / "scenarios" / CASE
    scenario = json.loads((sample / "scenario.json").read_text(encoding="utf-8"))
    for at in range(size):
        case = folder / "private" / "scenarios" / "ours" / f"case-{at}"
        shutil.copytree(sample, case)
        text = json.dumps(scenario | {"id": f"ours/case-{at}"})
        (case / "scenario.json").write_text(text, encoding="utf-8")

    def work() -> object:
        corpus = Corpus(default_root(), [folder / "private"])
        items = list(plan.plan_items(corpus, selects=lambda case, _: case.startswith("ours/")))
        assert len({item.case.id for item in items}) == size
        return items

    return work


def lines(*, faults: bool = False) -> Iterator[Line]:
    """All lines; with ``faults`` also bodies that a careless translator spoilt as a whole."""
    for shape in BODIES:
        is_everywhere = faults and shape == ALL_ROUTES
        for client, upstream in itertools.permutations(MODELS, 2) if is_everywhere else ROUTES:
            for fault in FAULTS if faults else ["none"]:
                name = f"{shape}, {client} to {upstream}" + ("" if fault == "none" else f", {fault}")
                yield Line(
                    name,
                    _judge_requests(shape, fault, client, upstream),
                    MAX_CALLS if shape == ALL_ROUTES else Line.most,
                )
    for client, upstream in ROUTES:
        yield Line(f"{RENAMED}, {client} to {upstream}", _judge_renamed_tools(client, upstream), 800)
    for client, shape in itertools.product(MODELS, ("one long text", "texts and calls")):
        for fault in STREAM_FAULTS if faults else ["none"]:
            spoilt = "" if fault == "none" else f", {fault}"
            yield Line(f"stream, {shape}, {client}, judged{spoilt}", _judge_streams(client, shape, fault))
        yield Line(f"stream, {shape}, {client}, driven", _drive_streams(client, shape))
    yield Line("cassettes in a folder", _cassette_files, 2000)
    yield Line("exchanges of a cassette", _cassette_exchanges, 2000)
    yield Line("known failures, items", _known_failure_file("fam/case-{}::request::anthropic-to-gemini"))
    yield Line("known failures, patterns", _known_failure_file("fam/case-{}::request::*"))
    yield Line("private cases", _private_cases, 400)
    yield Line("failing items of a translator", failing("benchmarks.failing:Wrong"), 1000, None)
    yield Line("failing items of a child", failing(child()), 1000, None)
