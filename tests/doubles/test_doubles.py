"""No broken double is missed, no harmless one is failed, and every rule that matters has a double that breaks it.

By default each double is tried at some places, spread over its sources and the corpus. With ``TOOLCALL_DOUBLES=all`` in
the environment it is every case, exchange and source where it changes anything (some ten minutes; use ``-n``).
"""

from __future__ import annotations

import os

import pytest

from doubles.catalogue import Double, doubles
from doubles.draft import Draft
from doubles.running import JUDGES, changed, judged, play, rules, surprise
from doubles.sessions.model import session_doubles
from toolcall_conformance.checks import CHECKS
from toolcall_conformance.contract import Route
from toolcall_conformance.drivers.python import PythonDriver
from toolcall_conformance.findings import Level, Verdict
from toolcall_conformance.library import Case, Rule, load_corpus

MOST = None if os.environ.get("TOOLCALL_DOUBLES") == "all" else 3
ALL = [pytest.param(double, id=f"{double.kind}:{double.name}") for double in doubles()]

# The elements of a body whose MUST rules are the heart of tool calling; the others are told, not demanded.
HEART = frozenset({"call", "result", "id", "finish", "choice"})


@pytest.mark.parametrize("double", ALL)
def test_the_judge_sees_it_at_every_place(double: Double) -> None:
    wrong = []
    count = 0
    for found in changed(double, MOST):
        count += 1
        said = surprise(double, judged(found.place, found.output))
        if said:
            wrong.append(f"{found.place}: {said}")
    assert count, "there is no place in the corpus where this double changes anything"
    assert not wrong, f"{len(wrong)} of {count} places\n" + "\n".join(wrong[:10])


@pytest.mark.parametrize("double", ALL)
def test_a_check_gives_the_verdict(double: Double) -> None:
    found = next((each for each in changed(double) if each.place.case in load_corpus().cases), None)
    if found is None:
        pytest.skip("only the examples of the rules have what this double changes")
    result = play(double, load_corpus().cases[found.place.case], found.place.route)
    if double.kind == "broken":
        assert result.verdict is Verdict.FAIL
        named = rules(result.findings, Level.MUST)
        assert named & set(double.rules) or "translation/bad-output" in named
    elif double.kind == "warning":
        assert result.verdict is Verdict.WARN
        assert rules(result.findings, Level.SHOULD) & set(double.rules)
    else:
        assert result.verdict in ((Verdict.PASS, Verdict.WARN) if double.warns else (Verdict.PASS,))


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
    assert CHECKS["request"](case, route, session, JUDGES, "", None).verdict is Verdict.REFUSED
    result = CHECKS["request"](allowing, route, session, JUDGES, "", None)
    assert result.verdict is Verdict.PASS
    assert "no such thing here" in result.reason


def test_there_are_enough() -> None:
    faults = {kind: {double.fault for double in doubles(kind)} for kind in ("broken", "warning", "harmless")}
    print({kind: (len(names), sum(1 for _ in doubles(kind))) for kind, names in faults.items()})
    assert len(faults["broken"]) >= 60
    assert len(faults["harmless"]) >= 40


def test_every_double_says_what_it_does() -> None:
    for double in doubles():
        assert double.title, double.name
        assert (double.kind == "harmless") == (not double.rules), double.name
        levels = {load_corpus().rule(rule).level for rule in double.rules}
        if double.kind == "broken":
            assert Level.MUST in levels, double.name
        for rule in double.warns:
            assert load_corpus().rule(rule), double.name


def _named() -> set[str]:
    return {rule for double in doubles() for rule in double.rules}


def test_every_rule_of_translation_is_broken_by_a_double() -> None:
    demanded = {
        rule.id
        for rule in load_corpus().rules.values()
        if rule.id.startswith("translation/") and rule.raw["check"] == "judge" and rule.level is not Level.NOTE
    }
    # A text that is no JSON comes only from a client that is broken itself; what rests on an earlier exchange is broken
    # in a conversation.
    in_conversations = {rule for double in session_doubles() for rule in double.rules}
    assert "translation/stored-history" in in_conversations
    assert demanded - _named() - in_conversations <= {"translation/unreadable-arguments"}


def test_the_rules_at_the_heart_are_broken_by_doubles() -> None:
    """Prints the MUST rules that no double breaks; their own examples alone show that they work."""
    left = [rule for rule in _must() if rule.id not in _named()]
    heart = [rule for rule in _must() if rule.element in HEART]
    named = [rule for rule in heart if rule.id in _named()]
    print(f"{len(_must()) - len(left)} of {len(_must())} MUST rules of the formats are named by a double; not named:")
    for rule in left:
        print(f"  {rule.id}: {rule.breach}")
    assert len(named) >= len(heart) * 0.6, sorted({rule.id for rule in heart} - _named())


def _must() -> list[Rule]:
    return [
        rule
        for rule in load_corpus().rules.values()
        if rule.level is Level.MUST and not rule.id.startswith("translation/")
    ]


def test_drafts_leave_the_body_alone() -> None:
    body = {"messages": [{"role": "user", "content": "Hi."}]}
    draft = Draft.of(body, "openai_chat", body, "openai_chat")
    draft.messages.clear()
    assert body["messages"]
