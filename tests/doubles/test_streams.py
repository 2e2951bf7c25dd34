"""Stream doubles: the check ``stream`` sees every fault under its rule, and lets every habit through."""

from __future__ import annotations

import pytest

from doubles.streams.model import StreamDouble, stream_doubles
from doubles.streams.running import Told, play, run, surprise
from toolcall_conformance.checks import WAYS
from toolcall_conformance.findings import Level, Verdict
from toolcall_conformance.library import load_corpus

ALL = list(stream_doubles())
SPARED = [double for double in ALL if double.spares is not None]


def named(double: StreamDouble) -> str:
    return f"{double.kind}:{double.name}"


@pytest.mark.parametrize("double", ALL, ids=named)
def test_the_check_gives_the_verdict(double: StreamDouble) -> None:
    """A broken one fails on its rules and those that follow from it, on no other; a harmless one passes."""
    found = run(double)
    assert not surprise(double, found)
    if double.kind == "broken":
        assert found.result.verdict is Verdict.FAIL
    elif double.kind == "warning":
        assert found.result.verdict is Verdict.WARN


@pytest.mark.parametrize("double", SPARED, ids=named)
def test_it_passes_where_its_fault_cannot_show(double: StreamDouble) -> None:
    assert double.spared is not None
    found = play(double, *double.spared, double.upstream)
    assert not found.named(Level.MUST), found.result.findings
    assert not found.result.reason


@pytest.mark.parametrize("double", [double for double in ALL if double.kind != "broken"], ids=named)
def test_it_changes_what_came(double: StreamDouble) -> None:
    """Else it would pass for nothing."""
    if double.fault == "as-it-is":
        pytest.skip("the reference itself")
    itself = next(one for one in ALL if one.fault == "as-it-is" and one.client == double.client)
    before = play(itself, double.case, double.variant, double.upstream)
    after = run(double)
    # Of one that holds what comes the times are others, of one that raises, that it raised.
    assert [_what(told) for told in before.told] != [_what(told) for told in after.told]


def _what(told: Told) -> object:
    return told.came, told.taken, told.raised


def test_there_are_enough() -> None:
    """Prints how many there are, counted once where they are the same for several formats."""
    faults = {kind: {one.change for one in ALL if one.kind == kind} for kind in ("broken", "warning", "harmless")}
    print({kind: (len(changes), sum(one.kind == kind for one in ALL)) for kind, changes in faults.items()})
    assert len(faults["broken"]) >= 100
    assert len(faults["harmless"]) >= 35


def test_every_double_says_what_it_does() -> None:
    for double in ALL:
        assert double.title, double.name
        assert double.variant in WAYS["stream"], double.name
        assert (double.kind == "harmless") == (not double.rules), double.name
        levels = {load_corpus().rule(rule).level for rule in (*double.rules, *double.follows, *double.warns)}
        assert double.kind != "broken" or Level.MUST in levels, double.name
        assert set(double.rules).isdisjoint(double.follows), double.name


def test_every_rule_of_the_check_is_broken_by_a_double() -> None:
    rules = {rule for double in ALL for rule in double.rules}
    of_streams = [rule for rule in load_corpus().rules.values() if rule.raw.get("direction") == "stream"]
    must = [rule for rule in of_streams if rule.level is Level.MUST]
    left = [rule.id for rule in must if rule.id not in rules]
    print(f"{len(must) - len(left)} of {len(must)} MUST rules of streams are named by a double; not named: {left}")
    assert left == []
    translation = {rule.id for rule in load_corpus().rules.values() if rule.id.startswith("translation/stream-")}
    assert translation - rules <= {"translation/stream-equals-reply"}


def test_stream_equals_reply_is_told_with_the_fault() -> None:
    """It never stands alone here: what differs from the reply breaks a rule of its own."""
    double = next(one for one in ALL if one.fault == "text-behind-the-call-dropped")
    assert "translation/stream-equals-reply" in run(double).named(Level.SHOULD)
