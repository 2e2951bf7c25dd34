"""Replies in dialects of compatible servers: they mean what plain ones do, and a reader that fails is found."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from toolcall_conformance import formats
from toolcall_conformance.basics.reading import Call, Text
from toolcall_conformance.basics.streaming import dump, parse
from toolcall_conformance.drivers.python.driver import PythonDriver
from toolcall_conformance.formats.openai_chat.dialect.calls import HABITS
from toolcall_conformance.judge import Judge
from toolcall_conformance.library import CorpusError, load_corpus
from toolcall_conformance.trust.dialects import Dialects
from toolcall_conformance.trust.sources.bodies import SourceBody, case_bodies
from toolcall_conformance.trust.sources.draws import Draws
from toolcall_conformance.trust.sources.trials import DrawTrier
from toolcall_conformance.trust.table import MutationTable
from toolcall_reference import ReferenceTranslator

CHAT = "openai_chat"
CORPUS = load_corpus()
DIALECTS = Dialects(CORPUS, CHAT)
COUNT, SEED = 100, 11
ENDS_OTHERWISE = {"finish-calls", "finish-empty", "finish-null"}
"""How the reply ended is then told by its calls, and by [DONE]."""
CALL = "parallel/late-results::stream::anthropic-to-openai_chat::{number:02}::dialect@{habits}"


def draws() -> Draws:
    return Draws(Judge(CORPUS), MutationTable(CORPUS), dialects=True)


def trier(translator: Any) -> DrawTrier:
    return DrawTrier(PythonDriver(translator, "given", transports=lambda: CORPUS.transports), Judge(CORPUS))


def chat_bodies() -> list[SourceBody]:
    cases = (case for case in CORPUS.cases.values() if CHAT in case.formats and CHAT not in case.dialects)
    return [body for case in cases for body in case_bodies(case) if body.format == CHAT and body.way != "request"]


def reading_content(way: str, body: Any, habits: Iterable[str]) -> Any:
    read = formats.read(CHAT, way, body)
    items = [item for turn in read.turns for item in turn.items]
    calls = [(item.name, item.arguments, item.kind) for item in items if isinstance(item, Call)]
    finish = read.finish.reason if read.finish is not None and ENDS_OTHERWISE.isdisjoint(habits) else None
    counts = [read.usage.get(name) for name in ("input", "output")]
    return "".join(item.text for item in items if isinstance(item, Text)), str(calls), finish, counts


def test_every_habit_is_read_as_what_it_means() -> None:
    lot, bodies, had, wrong = random.Random(SEED), chat_bodies(), set(), []
    for _ in range(300):
        source = lot.choice(bodies)
        habits = DIALECTS.draw(lot, source.way, source.body)
        had |= {*habits}
        changed = DIALECTS.apply(habits, source.way, source.body)
        if reading_content(source.way, changed, habits) != reading_content(source.way, source.body, habits):
            wrong.append(f"{source.case.id if source.case else ''} {source.way}: {'+'.join(habits)}")
    rare = [(name, body) for name in DIALECTS.habits if name not in had for body in bodies]
    had |= {name for name, body in rare if _changes(name, body)}
    assert wrong == []
    assert had == {*DIALECTS.habits}


def _changes(name: str, source: SourceBody) -> bool:
    if source.way not in DIALECTS.habits[name].ways:
        return False
    return bool(DIALECTS.apply([name], source.way, source.body) != source.body)


def test_code_and_corpus_know_the_same_habits(monkeypatch: pytest.MonkeyPatch) -> None:
    dialect = formats.get(CHAT).dialect
    assert dialect is not None
    monkeypatch.setattr(
        dialect, "REPLY_HABITS", {key: value for key, value in dialect.REPLY_HABITS.items() if key != "id-empty"}
    )
    with pytest.raises(CorpusError, match="differ in: id-empty"):
        Dialects(CORPUS, CHAT)


def test_the_reference_takes_generated_dialects() -> None:
    tried, drawn = trier(ReferenceTranslator()), draws()
    samples = [draw for number in range(COUNT) if (draw := drawn.draw(SEED, number)) is not None]
    results = [tried.try_draw(draw) for draw in samples]
    assert [
        result for result in results if result.outcome not in ("passed", "repaired") or _has_other_fault(result.rules)
    ] == []
    assert len(samples) > COUNT * 0.9
    assert sum(len(draw.habits) > 1 for draw in samples) > COUNT / 3
    assert samples[:20] == [drawn.again(draw.name) for draw in samples[:20]]


def _has_other_fault(rules: tuple[str, ...]) -> bool:
    """Whether more is wrong than the names of tools that only the request tells, which a stream is judged without."""
    return not {*rules} <= {"translation/call-name"}


class TakesTheFirst:
    """The reference, but for what it knows of a call: that is what the first entry with its index says."""

    def open(self, route: Any) -> Any:
        session: Any = ReferenceTranslator().open(route)
        own = session.stream
        session.stream = lambda chunks: own([dump(list(_first_entries(parse(b"".join(chunks))["events"])))])
        return session


def _first_entries(events: list[Any]) -> Iterator[Any]:
    indexes = set()
    for event in events:
        for choice in event["data"].get("choices") or () if isinstance(event["data"], dict) else ():
            for entry in choice["delta"].get("tool_calls") or ():
                if entry.get("index") in indexes:
                    entry.pop("id", None)
                    entry.get("function", {}).pop("name", None)
                indexes.add(entry.get("index"))
        yield event


def test_a_reader_that_opens_a_call_too_early_is_found() -> None:
    tried, drawn = trier(TakesTheFirst()), draws()
    numbers = [
        place + 1
        for place, body in enumerate(case_bodies(CORPUS.cases["parallel/late-results"]))
        if body.format == CHAT and body.way == "stream"
    ]
    for habits, wrong in {
        "arguments-whole": False,
        "id-null-after": False,
        "id-before-name": True,
        "name-empty-first": True,
    }.items():
        result = tried.try_draw(drawn.again(CALL.format(number=numbers[0], habits=habits)))
        assert ("translation/call-lost" in result.rules) is wrong, result
        assert (result.outcome != "passed") is wrong, result


def test_a_request_has_no_dialect() -> None:
    bodies = enumerate(case_bodies(CORPUS.cases["parallel/late-results"]), 1)
    number = next(place for place, body in bodies if body.format == CHAT and body.way == "request")
    name = CALL.format(number=number, habits="id-empty").replace(
        "stream::anthropic-to-openai_chat", "request::openai_chat-to-gemini"
    )
    with pytest.raises(LookupError, match="only replies have dialects"):
        draws().again(name)
    with pytest.raises(LookupError, match="habit 'id-blue'"):
        draws().again(CALL.format(number=number + 2, habits="id-blue"))


def test_a_stream_whose_call_has_no_id_is_left_as_it_is() -> None:
    """A mutated source may lack what a habit moves."""
    function = {"name": "f", "arguments": "{}"}
    delta = {"tool_calls": [{"index": 0, "type": "function", "function": function}]}
    events = [{"data": {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]}}]
    assert HABITS["name-before-id"](copy.deepcopy(events)) == events
