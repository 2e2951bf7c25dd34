"""Every broken double is seen under its rule, no harmless one is failed, and ``corpus/verdicts/`` says so.

By default a double of a body is tried at some places, spread over its sources and the corpus. With
``TOOLCALL_DOUBLES=all`` in the environment it is every case, exchange and source where it changes anything (some ten
minutes; use ``-n``).
"""

from __future__ import annotations

import os
from collections import Counter

import pytest

from doubles.alone import disagreement
from doubles.body import BodyDouble
from doubles.catalogue import Double, Kind, doubles, root
from doubles.draft import Draft
from doubles.export import AGAIN, files_of
from doubles.loop import LoopDouble, play
from doubles.running import HARNESS
from doubles.stream import StreamDouble, Told, run
from toolcall_conformance.checks import CHECKS, WAYS
from toolcall_conformance.contract import Route
from toolcall_conformance.drivers.python import PythonDriver
from toolcall_conformance.findings import Level, Verdict
from toolcall_conformance.library import Case, load_corpus

MOST = None if os.environ.get("TOOLCALL_DOUBLES") == "all" else 3
ALL = doubles()
HABITS = [each for each in doubles(StreamDouble) if each.kind != "broken"]
ENOUGH: dict[tuple[type[Double], Kind], int] = {
    (BodyDouble, "broken"): 60,
    (BodyDouble, "harmless"): 40,
    (StreamDouble, "broken"): 100,
    (StreamDouble, "harmless"): 35,
}
MEMORY = ("loop-stream-memory", "loop-stream-state")
"""Families of what a translator forgets of streamed replies."""


@pytest.mark.parametrize("double", ALL, ids=lambda double: f"{double.kind}:{double.name}")
def test_the_judge_is_right_about_it(double: Double) -> None:
    """Wherever it is played; its file is up to date, and a judge needs nothing but that."""
    files = files_of(double)
    assert all(path.exists() and path.read_bytes() == content for path, content in files.items()), AGAIN
    wrong = [double.surprise(played) for played in double.played(MOST)]
    assert wrong or files, "there is no place in the corpus where this double changes anything"
    wrong += [disagreement(double.path)] if files else []
    assert not any(wrong), "\n".join(filter(None, wrong))


def test_every_file_has_a_double() -> None:
    """Prints how many there are; more verdicts than doubles would be left from one that is gone."""
    there = {path.relative_to(root()).parent / path.name.partition(".")[0] for path in root().glob("*/*/*")}
    assert {str(path) for path in there} <= {double.name for double in ALL}, AGAIN
    print(f"{len(there)} verdicts, {sum(path.stat().st_size for path in root().glob('*/*/*')):,} bytes")


@pytest.mark.parametrize(
    "double", [each for each in doubles(StreamDouble) if each.kind != "broken"], ids=lambda double: double.name
)
def test_a_habit_changes_what_comes(double: StreamDouble) -> None:
    """Else it would pass for nothing."""
    if double.fault == "as-it-is":
        pytest.skip("the reference itself")
    itself = next(one for one in doubles(StreamDouble) if one.fault == "as-it-is" and one.format == double.format)
    before = run(itself, double.case, double.variant, double.upstream)
    after = run(double, double.case, double.variant, double.upstream)
    # Of one that holds what comes the times are others, of one that raises, that it raised.
    assert [_what(told) for told in before.told] != [_what(told) for told in after.told]


def _what(told: Told) -> object:
    return told.came, told.taken, told.raised


def test_stream_equals_reply_is_told_with_the_fault() -> None:
    """It never stands alone here: what differs from the reply breaks a rule of its own."""
    double = next(one for one in doubles(StreamDouble) if one.fault == "text-behind-the-call-dropped")
    assert "translation/stream-equals-reply" in next(double.played(None)).named(Level.SHOULD)


def test_only_the_streamed_loop_sees_what_is_forgotten_of_streams() -> None:
    forgetful = [one for one in doubles(LoopDouble) if one.family in MEMORY and one.kind != "harmless"]
    assert len(forgetful) > 10
    for double in forgetful:
        level = Level.MUST if double.kind == "broken" else Level.SHOULD
        beside = ("agent_loop", "streamed-interleaved")  # the same conversation with others beside it
        seen = [item for item in double.items if item != beside and _names(double, item, level)]
        assert seen == [(double.check, variant) for variant in double.variants], double.name


def _names(double: LoopDouble, item: tuple[str, str], level: Level) -> bool:
    return any(finding.rule in double.rules and finding.level is level for finding in play(double, *item).findings)


def test_some_faults_are_seen_by_the_loop_alone() -> None:
    """Prints which check saw each fault first, and which faults no single body shows."""
    seen = {double.fault: double.seen_first for double in doubles(LoopDouble) if double.kind != "harmless"}
    alone = [fault for fault, item in seen.items() if item and item.startswith("agent_loop")]
    for fault, item in seen.items():
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
        assert not isinstance(double, StreamDouble) or double.variant in WAYS["stream"], double.name


def test_drafts_leave_the_body_alone() -> None:
    body = {"messages": [{"role": "user", "content": "Hi."}]}
    draft = Draft.of(body, "openai_chat", body, "openai_chat")
    draft.messages.clear()
    assert body["messages"]
