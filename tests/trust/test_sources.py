"""Inputs that no output passes: none in a sample, and a law, a translator or a ``want`` that closes a road is seen."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from toolcall_conformance.basics.findings import MISSING, NOT_KNOWN, Finding, Form, Judgement, Level, OneOf, Words
from toolcall_conformance.drivers.python.driver import PythonDriver
from toolcall_conformance.formats.expected_values import object_with_values
from toolcall_conformance.judge import Judge
from toolcall_conformance.library import load_corpus
from toolcall_conformance.trust.sources.bodies import case_bodies, file_bodies
from toolcall_conformance.trust.sources.draws import AS_IT_IS, Draw, Draws
from toolcall_conformance.trust.sources.repair import instance, repair
from toolcall_conformance.trust.sources.trials import DrawTrier, TriedDraw
from toolcall_conformance.trust.table import MutationTable
from toolcall_reference import ReferenceTranslator, Refused

SHARED = Path(__file__).parents[3] / "shared"
FOLDERS = [SHARED / "traffic", *(SHARED / "field" / name for name in ("clients", "goldens", "cases"))]
COUNT = 150
SEED = 3
PLAIN = "shell/seed::request::anthropic-to-openai_chat::01::as-it-is"


def trier(judge: Judge | None = None, translator: Any = None, older: Any = None) -> DrawTrier:
    corpus = load_corpus()
    drivers = [
        PythonDriver(implementation, "given", transports=lambda: corpus.transports)
        if implementation is not None
        else None
        for implementation in (translator or ReferenceTranslator(), older)
    ]
    assert drivers[0] is not None
    return DrawTrier(drivers[0], judge or Judge(corpus), drivers[1])


def draws(*folders: Path) -> Draws:
    corpus = load_corpus()
    return Draws(Judge(corpus), MutationTable(corpus), folders)


def failure_text(tried: list[TriedDraw]) -> str:
    failures = [
        result for result in tried if result.outcome == "failed" or (result.outcome == "closed" and not result.broken)
    ]
    return "\n".join(f"{failure.name}: {failure.reason}{failure.remains}" for failure in failures)


class Otherwise:
    """The reference, but for what ``request`` does with its output."""

    def __init__(self, change: Any) -> None:
        self.change = change

    def open(self, route: Any) -> Any:
        session: Any = ReferenceTranslator().open(route)
        own = session.request
        session.request = lambda body: self.change(own(body))
        return session


class TwoMinds(Judge):
    """A judge that wants a model which it then refuses."""

    def request(self, *arguments: Any, **more: Any) -> Judgement:
        judgement = super().request(*arguments, **more)
        want = "b" if arguments[1].get("model") == "a" else "a"
        odd = Finding(
            "translation/model", Level.MUST, "/model", "never right", want=want, got=arguments[1].get("model")
        )
        return replace(judgement, findings=(*judgement.findings, odd))


@pytest.fixture(scope="module")
def sample() -> list[TriedDraw]:
    tried, drawn = trier(), draws()
    samples = [drawn.draw(SEED, number) for number in range(COUNT)]
    return [tried.try_draw(draw) for draw in samples if draw is not None]


def test_no_road_is_closed_in_a_sample_of_the_corpus(sample: list[TriedDraw]) -> None:
    assert failure_text(sample) == "", "toolcall-conformance mutate --sources --again NAME shows more"
    assert len(sample) == COUNT
    assert {result.way for result in sample} == {"request", "response", "stream"}
    assert sum(not result.broken for result in sample) > COUNT / 2
    assert sum(result.name.endswith(AS_IT_IS) for result in sample) < COUNT / 2


@pytest.mark.skipif(not SHARED.is_dir(), reason="recorded traffic and what clients send are not beside this checkout")
def test_no_road_is_closed_in_a_sample_of_what_the_field_sends() -> None:
    tried, drawn = trier(), draws(*FOLDERS)
    samples = [draw for number in range(COUNT) if (draw := drawn.draw(SEED, number)) is not None]
    assert failure_text([tried.try_draw(draw) for draw in samples]) == ""
    assert sum(draw.source.case is None for draw in samples) > COUNT / 2


def test_a_draw_is_made_again_by_its_seed_and_by_its_name(tmp_path: Path) -> None:
    case = load_corpus().cases["shell/seed"]
    bodies = [body.body for body in case_bodies(case) if body.way == "request"]
    (tmp_path / "log.json").write_text(json.dumps([{"request": body} for body in bodies]), encoding="utf-8")
    first, second = draws(tmp_path), draws(tmp_path)
    samples = [first.draw(SEED, number) for number in range(30)]
    assert samples == [second.draw(SEED, number) for number in range(30)]
    assert all(draw is not None and draws().again(draw.name).body == draw.body for draw in samples)
    assert {draw.source.case is None for draw in samples if draw is not None} == {True, False}


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("shell/seed", "is no draw"),
        (PLAIN.replace("::01", "::99"), "bodies that are recognised"),
        (PLAIN.replace("anthropic-to", "gemini-to"), "is a request of anthropic"),
        (PLAIN.replace(AS_IT_IS, "duplicate@/model"), "changes nothing there"),
        (PLAIN.replace(AS_IT_IS, "mend@/model"), "no operator 'mend'"),
        (PLAIN.replace("shell/seed", "no/such"), "is no case, and no file"),
    ],
)
def test_a_name_of_no_draw_says_what_is_wrong(name: str, says: str) -> None:
    with pytest.raises(LookupError, match=says):
        draws().again(name)


def test_bodies_are_found_in_whatever_wraps_them(tmp_path: Path) -> None:
    corpus = load_corpus()
    case = corpus.cases["shell/seed"]
    bodies_by_way = {body.way: body for body in case_bodies(case) if body.format == "anthropic"}
    path = case.exchanges("anthropic")[0].stream_path
    assert path is not None
    sse = path.read_text(encoding="utf-8")
    events = [event["data"] for event in case_bodies(case)[2].body["events"]]
    files = {
        "alone.json": json.dumps(bodies_by_way["request"].body),
        "pair.json": json.dumps({"log": [{"request": bodies_by_way["request"].body, "body": {"text": sse}}]}),
        "har.json": json.dumps(
            {"log": {"entries": [{"request": {"text": json.dumps(bodies_by_way["request"].body)}}]}}
        ),
        "stream.sse": sse,
        "lines.txt": "\n".join(json.dumps(event) for event in events),
        "other.json": '{"name": "package"}',
        "broken.json": "{",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    bodies_by_file = {
        name: [(body.way, body.format) for body in file_bodies(corpus, tmp_path / name)] for name in files
    }
    request, stream = ("request", "anthropic"), ("stream", "anthropic")
    assert bodies_by_file == {
        "alone.json": [request],
        "pair.json": [request, stream],
        "har.json": [request],
        "stream.sse": [stream],
        "lines.txt": [stream],
        "other.json": [],
        "broken.json": [],
    }


def test_a_law_that_contradicts_itself_is_a_closed_road() -> None:
    result = trier(TwoMinds(load_corpus())).try_draw(draws().again(PLAIN))
    assert (result.outcome, result.rules) == ("closed", ("translation/model",))
    assert "never right; want" in result.remains[0]


def test_an_output_that_its_findings_repair_is_no_closed_road() -> None:
    dropped = Otherwise(
        lambda body: {key: value for key, value in body.items() if key != "messages"} | {"messages": []}
    )
    renamed = Otherwise(lambda body: {**body, "stream": "yes"})
    assert trier(translator=renamed).try_draw(draws().again(PLAIN)).outcome == "repaired"
    assert trier(translator=dropped).try_draw(draws().again(PLAIN)).outcome == "closed"


def raise_refused(_body: Any) -> Any:
    raise Refused("not today")


def raise_key_error(body: Any) -> Any:
    raise KeyError(body["model"])


def test_a_refusal_is_a_way_out_where_the_source_is_broken() -> None:
    sound, broken = draws().again(PLAIN), draws().again(PLAIN.replace(AS_IT_IS, "to-text@/messages"))
    refuses = trier(translator=Otherwise(raise_refused))
    assert refuses.try_draw(sound).outcome == "refused sound"
    assert trier(translator=Otherwise(raise_key_error)).try_draw(sound).outcome == "failed"
    result = trier().try_draw(broken)
    assert result.outcome == "refused"
    assert result.broken


@pytest.mark.parametrize(
    ("older", "anew"), [(None, True), (raise_refused, False)], ids=["translated", "refused as well"]
)
def test_what_only_the_older_version_translates_is_reported(older: Any, anew: bool) -> None:
    before = ReferenceTranslator() if older is None else Otherwise(older)
    assert trier(translator=Otherwise(raise_refused), older=before).try_draw(draws().again(PLAIN)).refused_anew is anew
    assert not trier(older=before).try_draw(draws().again(PLAIN)).refused_anew


def finding_with_want(pointer: str, want: Any, got: Any = "there") -> Finding:
    return Finding("a/rule", Level.MUST, pointer, "wrong", want=want, got=got)


@pytest.mark.parametrize(
    ("body", "findings", "expected"),
    [
        ({"a": 1}, [finding_with_want("/a", 2)], {"a": 2}),
        ({"a": 1}, [finding_with_want("/a", MISSING)], {}),
        ({"a": 1}, [finding_with_want("/a", OneOf((3, 4)))], {"a": 3}),
        ({"a": 1}, [finding_with_want("/a", Form({"type": "string", "minLength": 1}), 7)], {"a": "x"}),
        ({}, [finding_with_want("/a/b", 2, MISSING)], {"a": {"b": 2}}),
        ({"a": [1, 2]}, [finding_with_want("/a/0", MISSING), finding_with_want("/a/1", 3)], {"a": [3]}),
        ({"a": [1, 2]}, [finding_with_want("/a/1", 3, MISSING)], {"a": [1, 3, 2]}),
        ({"a": [1]}, [finding_with_want("/a", 2, MISSING)], {"a": [1, 2]}),
        ({"a": [1]}, [finding_with_want("/a/7", 2)], {"a": [1, 2]}),
        ({"a": {"b": 1}}, [finding_with_want("/a", {"c": 2}), finding_with_want("/a/b", 3)], {"a": {"c": 2}}),
        ({"a": 1}, [finding_with_want("/a", NOT_KNOWN), finding_with_want("/a", 1)], None),
        ({"a": "x"}, [finding_with_want("/a/b", 1)], None),
        ({"a": 1}, [finding_with_want("", "an object"), finding_with_want("", {"b": 1}, MISSING)], None),
        ({"a": 1}, [finding_with_want("", {"b": 1})], {"b": 1}),
        ({"a": '{"b": 1}'}, [finding_with_want("/a", {"b": 2}, {"b": 1})], {"a": '{"b": 2}'}),
        ({"a": "b"}, [finding_with_want("/a", {"b": 2}, "b")], {"a": {"b": 2}}),
        ({"a": {"b": 1}}, [finding_with_want("/a", object_with_values(c=False), {})], {"a": {"b": 1, "c": False}}),
        ({"a": 1}, [finding_with_want("/a", Words("a picture"))], None),
        ({"a": 1}, [finding_with_want("/a", OneOf((Words("a picture"), 2)))], {"a": 2}),
        (
            {"a": [{}]},
            [finding_with_want("/a/0", OneOf((Words("a part of another event"), Words("nothing"))), MISSING)],
            None,
        ),
    ],
)
def test_wants_are_put_at_their_places(body: Any, findings: list[Finding], expected: Any) -> None:
    assert repair(body, findings) == expected


@pytest.mark.parametrize(
    ("schema", "got", "expected"),
    [
        ({"const": 4}, MISSING, 4),
        ({"anyOf": [{"enum": ["a", "b"]}, {}]}, 1, "a"),
        ({"required": ["a"], "properties": {"a": {"type": "string"}}}, {"b": 1}, {"a": "x", "b": 1}),
        ({"type": "array", "minItems": 1, "items": {"type": "integer"}}, [], [1]),
        ({"type": "array", "uniqueItems": True}, ["a", "a", "b"], ["a", "b"]),
        ({"type": "integer", "minimum": 0, "maximum": 9}, 20, 9),
        ({"type": "string", "not": {"enum": ["x", "xx"]}}, "x", "xxx"),
        ({"type": ["boolean", "null"]}, "no", False),
        ({}, 1, NOT_KNOWN),
    ],
)
def test_a_form_has_a_plainest_value(schema: dict[str, Any], got: Any, expected: Any) -> None:
    assert instance(schema, got) == expected


def test_every_name_of_a_draw_has_its_route() -> None:
    draw: Draw | None = draws().draw(SEED, 1)
    assert draw is not None
    assert f"::{draw.client}-to-{draw.upstream}::" in draw.name
