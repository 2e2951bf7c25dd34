"""Every broken double is seen under its rule, no harmless one is failed, and ``corpus/verdicts/`` says so.

Each is judged from its verdict, which is the smallest place where it is seen; a third of them, and those without a
verdict, are played at one place more, another each time: a failure prints the number that ``TOOLCALL_DAY`` repeats it
with. ``-m all_places`` plays all these places: one of each source format at least, one of its own format, and an item.
"""

from __future__ import annotations

import json
import traceback
from collections import Counter, defaultdict
from collections.abc import Iterator

import pytest

from doubles.body import BodyDouble
from doubles.catalogue import Double, Kind, doubles, exported_lines
from doubles.day import REST
from doubles.draft import Draft
from doubles.export import AGAIN, line_of
from doubles.harness import HARNESS
from doubles.loop import LoopDouble, play
from doubles.stream import StreamDouble, StreamRecord, run
from doubles.verdict_judge import disagreement
from toolcall_conformance.basics.contract import Route
from toolcall_conformance.basics.findings import Level, Verdict
from toolcall_conformance.checks import CHECKS, VARIANTS_BY_CHECK
from toolcall_conformance.drivers.python.driver import PythonDriver
from toolcall_conformance.library import Case, load_corpus
from turns import VARIABLE, today

ALL = doubles()
FAMILIES: dict[str, list[Double]] = defaultdict(list)
for _double in ALL:
    FAMILIES[_double.family].append(_double)
ENOUGH: dict[tuple[type[Double], Kind], int] = {
    (BodyDouble, "broken"): 60,
    (BodyDouble, "harmless"): 40,
    (StreamDouble, "broken"): 100,
    (StreamDouble, "harmless"): 35,
}
MEMORY = ("loop-stream-memory", "loop-stream-state")
"""Families of what a translator forgets of streamed replies."""


def wrong_with(double: Double, day: int | None) -> Iterator[str]:
    """What is wrong with the judge's word on a double, or with the double's verdict."""
    line = line_of(double)
    if line != exported_lines(double.family).get(double.name):
        yield f"its verdict is out of date; {AGAIN} {double.family}"
    elif line is not None:
        yield disagreement(json.loads(line))
    played = None
    for played in double.played(day):
        yield double.surprise(played)
    if line is None and played is None:
        yield "there is no place in the corpus where it changes anything"


def all_wrong(family: str, day: int | None) -> list[str]:
    """What is wrong in a family, by the names of its doubles."""
    failures = []
    for double in FAMILIES[family]:
        try:
            failures += [f"{double.kind} {double.name}: {problem}" for problem in wrong_with(double, day) if problem]
        except Exception:
            failures.append(f"{double.kind} {double.name}: {traceback.format_exc()}")
    return failures


@pytest.mark.daily  # each mutant, where it dies cheapest
@pytest.mark.parametrize("family", FAMILIES)
def test_the_judge_is_right_about_them(family: str) -> None:
    """At the place of each verdict and at today's; the verdicts are up to date, and a judge needs nothing but them."""
    wrong = all_wrong(family, today())
    assert not wrong, f"{VARIABLE}={today()}\n" + "\n".join(wrong)


@pytest.mark.all_places
@pytest.mark.parametrize("family", FAMILIES)
def test_the_judge_is_right_about_them_everywhere(family: str) -> None:
    wrong = all_wrong(family, None)
    assert not wrong, "\n".join(wrong)


def test_all_wrong_names_each(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stale verdict, and a judge that says nothing."""
    family = "border-calls"
    first, *others = [double for double in FAMILIES[family] if double.kind == "broken"]
    stale = {name: line for name, line in exported_lines(family).items() if name != first.name}
    monkeypatch.setattr("doubles.border.judge_body", lambda *_: ())
    monkeypatch.setattr("doubles.verdict_judge.judge_body", lambda *_: ())
    monkeypatch.setitem(all_wrong.__globals__, "exported_lines", lambda _family: stale)
    report = "\n".join(all_wrong(family, today()))
    assert f"broken {first.name}: its verdict is out of date" in report
    for double in others:
        assert f"broken {double.name}: its verdict alone: MUST [], SHOULD []" in report
        assert f"broken {double.name}: {double.direction} alone: MUST [], SHOULD []" in report  # type: ignore[attr-defined]


def test_all_wrong_goes_on_after_what_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    family = "border-calls"
    monkeypatch.setattr("doubles.border.judge_body", lambda *_: 1 / 0)
    failures = all_wrong(family, today())
    raised = {each.partition(": Traceback")[0] for each in failures if "ZeroDivisionError" in each}
    assert raised == {f"{double.kind} {double.name}" for double in FAMILIES[family]}


def test_another_day_plays_other_places() -> None:
    """In five turns a double is played at all its places: of each source, of its own format, in an item."""
    double = next(each for each in doubles(BodyDouble, "broken") if each.at_home and not each.cases)
    days = {day: [played.where for played in double.played(day)] for day in range(6 * REST)}
    places = [where for wheres in days.values() for where in wheres]
    assert len(places) == 6
    assert sorted(map(len, days.values())) == [0] * 6 * (REST - 1) + [1] * 6
    assert {*places} == {played.where for played in double.played(None)}
    assert len([where for where in {*places} if where.startswith("at home: ")]) == 1
    assert len([where for where in {*places} if where.startswith("the item of ")]) == 1
    assert all([played.where for played in double.played(day)] == wheres for day, wheres in days.items())


def test_a_habit_changes_what_comes() -> None:
    """Else it would pass for nothing."""
    habits = [each for each in doubles(StreamDouble) if each.kind != "broken"]
    itself = {each.format: each for each in habits if each.fault == "as-it-is"}
    assert len(habits) > 100
    assert [each.name for each in habits if each.fault != "as-it-is" and _same(each, itself[each.format])] == []


def _same(double: StreamDouble, itself: StreamDouble) -> bool:
    before = run(itself, double.case, double.variant, double.upstream)
    after = run(double, double.case, double.variant, double.upstream)
    # Of one that holds what comes the times are others, of one that raises, that it raised.
    return [_what(outcome) for outcome in before.told] == [_what(outcome) for outcome in after.told]


def _what(outcome: StreamRecord) -> object:
    return outcome.came, outcome.taken, outcome.raised


def test_stream_equals_reply_is_reported_with_the_fault() -> None:
    """It never occurs alone here: what differs from the reply breaks a rule of its own."""
    double = next(double for double in doubles(StreamDouble) if double.fault == "text-behind-the-call-dropped")
    assert "translation/stream-equals-reply" in next(double.played(None)).named(Level.SHOULD)


def test_only_the_streamed_loop_sees_what_is_forgotten_of_streams() -> None:
    forgetful = [double for double in doubles(LoopDouble) if double.family in MEMORY and double.kind != "harmless"]
    assert len(forgetful) > 10
    for double in forgetful:
        level = Level.MUST if double.kind == "broken" else Level.SHOULD
        beside = ("agent_loop", "streamed-interleaved")  # the same conversation with others beside it
        items = [item for item in double.items if item != beside and _names(double, item, level)]
        assert items == [(double.check, variant) for variant in double.variants], double.name


def _names(double: LoopDouble, item: tuple[str, str], level: Level) -> bool:
    return any(finding.rule in double.rules and finding.level is level for finding in play(double, *item).findings)


def test_some_faults_are_seen_by_the_loop_alone() -> None:
    """Prints which check saw each fault first, and which faults no single body shows."""
    first_items = {double.fault: double.seen_first for double in doubles(LoopDouble) if double.kind != "harmless"}
    alone = [fault for fault, item in first_items.items() if item and item.startswith("agent_loop")]
    for fault, item in first_items.items():
        print(f"{item:25} {fault}")
    print(f"seen by the loop alone: {', '.join(alone)}")
    assert {"results-by-position", "state-shared-by-all"} <= set(alone)


def test_a_refusal_where_the_case_allows_it_is_no_failure() -> None:
    class Refused(Exception):  # noqa: N818 - recognised by this very name
        pass

    class Refusing:
        def open(self, route: Route, /) -> Refusing:
            del route
            return self

        def request(self, body: dict[str, object], /) -> object:
            del body
            raise Refused("no such thing here")

    case = load_corpus().cases["shell/seed"]
    allowing = Case(case.path, {**case.scenario, "may_refuse": ["request"]})
    route = Route("anthropic", "gemini", case.model("anthropic"), case.model("gemini"))
    session = PythonDriver(Refusing(), "refusing").open
    assert CHECKS["request"](case, route, session, HARNESS, "", None).verdict is Verdict.REFUSED
    result = CHECKS["request"](allowing, route, session, HARNESS, "", None)
    assert result.verdict is Verdict.PASS
    assert "no such thing here" in result.reason


def test_there_are_enough() -> None:
    """Prints how many there are, counted once where they are the same for several formats."""
    faults = Counter((type(each), each.kind) for each in {(each.family, each.fault): each for each in ALL}.values())
    for (sort, kind), number in faults.items():
        print(f"{sort.__name__} {kind}: {number}, in all formats {len(doubles(sort, kind))}")
        assert number >= ENOUGH.get((sort, kind), 1)


@pytest.mark.parametrize("kind", ["broken", "warning", "harmless"])
def test_every_double_says_what_it_does(kind: Kind) -> None:
    rules = load_corpus().rules
    for double in doubles(kind=kind):
        assert double.title, double.name
        assert (kind == "harmless") == (not double.rules), double.name
        assert {*double.rules, *double.follows, *double.warns, *double.beside} <= rules.keys(), double.name
        assert set(double.rules).isdisjoint(double.follows), double.name
        assert kind != "broken" or Level.MUST in {rules[rule].level for rule in double.rules}, double.name
        assert not isinstance(double, StreamDouble) or double.variant in VARIANTS_BY_CHECK["stream"], double.name


def test_drafts_leave_the_body_alone() -> None:
    body = {"messages": [{"role": "user", "content": "Hi."}]}
    draft = Draft.of(body, "openai_chat", body, "openai_chat")
    draft.messages.clear()
    assert body["messages"]
