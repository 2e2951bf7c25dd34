"""Session doubles: their checks see every fault that lives in a conversation, and let every habit through."""

from __future__ import annotations

import pytest

from doubles.sessions.model import SessionDouble, session_doubles
from doubles.sessions.running import first_seen, items, play, told
from toolcall_conformance.findings import Level, Verdict
from toolcall_conformance.library import load_corpus

ALL = list(session_doubles())
FAULTS = [
    pytest.param(double, variant, id=f"{double.name}-{variant or 'plain'}")
    for double in ALL
    for variant in double.variants
]
HABITS = [pytest.param(double, id=double.name) for double in ALL if double.kind == "harmless"]


@pytest.mark.parametrize(("double", "variant"), FAULTS)
def test_its_check_sees_it(double: SessionDouble, variant: str) -> None:
    result = play(double, double.check, variant)
    must, should = told(result, Level.MUST), told(result, Level.SHOULD)
    if double.kind == "broken":
        assert result.verdict is Verdict.FAIL
        assert must & set(double.rules), f"MUST {sorted(must)}, SHOULD {sorted(should)}"
    else:
        assert not must
        assert should & set(double.rules), f"SHOULD {sorted(should)}"


@pytest.mark.parametrize("double", HABITS)
def test_a_habit_passes_everywhere(double: SessionDouble) -> None:
    for check, variant in items(double):
        result = play(double, check, variant)
        assert not told(result, Level.MUST), f"{check} {variant}: {result.findings}"
        assert told(result, Level.SHOULD) <= set(double.warns), f"{check} {variant}: {result.findings}"


def test_every_session_double_says_what_it_does() -> None:
    for double in ALL:
        assert double.title, double.name
        levels = {load_corpus().rule(rule).level for rule in double.rules}
        if double.kind == "broken":
            assert Level.MUST in levels, double.name


def test_some_faults_are_seen_by_the_loop_alone() -> None:
    """Prints which check saw each fault first, and which faults no single body shows."""
    seen = {double.fault: first_seen(double) for double in ALL if double.kind != "harmless"}
    alone = [name for name, item in seen.items() if item and item.startswith("agent_loop")]
    for name, item in seen.items():
        print(f"{item:25} {name}")
    print(f"seen by the loop alone: {', '.join(alone)}")
    assert {"results-by-position", "state-shared-by-all"} <= set(alone)
