"""Every MUST rule has a double that breaks it, and a harmless variant that comes near it; what lacks one is listed.

``ratchet.json`` lists the MUST rules that still lack one, and under ``warning`` the SHOULD rules of translation that no
double breaks. The list only shrinks: a new double takes its rule out and lowers FROZEN, and a new rule cannot come in.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from pathlib import Path

import pytest

from doubles.catalogue import doubles
from toolcall_conformance.basics.findings import Level
from toolcall_conformance.library import load_corpus

RATCHET = json.loads(Path(__file__).with_name("ratchet.json").read_bytes())
FROZEN = {"broken": 0, "harmless": 0, "warning": 0}
"""How many rules are listed. Lower it with every line that goes; never raise it."""
LAST = (0, 1, 0)
"""The corpus version of the youngest rules that may be listed."""

NEVER_ALONE = {"translation/stream-equals-reply"}
"""What differs from the unstreamed reply breaks a rule of its own, too."""

RULES = load_corpus().rules


def covered(kind: str) -> set[str]:
    """The rules that a broken double breaks, that a harmless one comes near, or that any breaks."""
    return {
        rule
        for double in doubles()
        if kind in (double.kind, "warning")
        for rule in (double.beside if kind == "harmless" else double.rules)
    }


WANTED = {
    "broken": "a broken double of it",
    "harmless": "a harmless variant with it in `beside`",
    "warning": "a warning double of it",
}


def complaints(
    kind: str, demanded: Mapping[str, str], done: Collection[str], listed: Collection[str], frozen: int
) -> list[str]:
    """What is wrong with a list; ``demanded`` are the rules with the corpus version that each came in with."""
    remedy = WANTED[kind]
    problems = [f"{rule}: has a double now, remove the line" for rule in listed if rule in done]
    problems += [f"{rule}: is no such rule, remove the line" for rule in listed if rule not in demanded]
    problems += [
        f"{rule}: came after the list was frozen; add {remedy}"
        for rule in listed
        if rule in demanded and tuple(map(int, demanded[rule].split("."))) > LAST
    ]
    problems += [
        f"{rule}: add {remedy}; the list takes no new rule" for rule in demanded if rule not in {*done, *listed}
    ]
    if len(listed) > frozen:
        problems.append(f"{len(listed)} rules are listed, {frozen} were: add {remedy} instead of a line")
    elif len(listed) < frozen:
        problems.append(f"lower FROZEN to {len(listed)}, so that the lines do not come back")
    return problems


MUSTS = {rule.id: rule.raw["since"] for rule in RULES.values() if rule.level is Level.MUST}
SHOULDS = {
    rule.id: rule.raw["since"]
    for rule in RULES.values()
    if rule.level is Level.SHOULD
    and (rule.raw["check"] == "judge" or rule.id.startswith("translation/stream-"))
    and rule.id not in NEVER_ALONE
}
DEMANDED = {"broken": MUSTS, "harmless": MUSTS, "warning": SHOULDS}


@pytest.mark.parametrize("kind", FROZEN)
def test_the_list_is_what_is_missing(kind: str) -> None:
    assert RATCHET[kind] == sorted(set(RATCHET[kind]))
    assert complaints(kind, DEMANDED[kind], covered(kind), RATCHET[kind], FROZEN[kind]) == []


@pytest.mark.parametrize("kind", FROZEN)
@pytest.mark.parametrize(("since", "listed"), [("0.1.0", False), ("0.1.0", True), ("0.2.0", True)])
def test_a_new_rule_cannot_enter(kind: str, since: str, listed: bool) -> None:
    """Whether the list names it or not."""
    new = "gemini/made-up"
    lines = [*RATCHET[kind], new] if listed else RATCHET[kind]
    problems = complaints(kind, DEMANDED[kind] | {new: since}, covered(kind), lines, FROZEN[kind])
    assert any(new in each or "rules are listed" in each for each in problems)


def test_a_rule_that_has_its_double_must_leave() -> None:
    demanded = {"gemini/one": "0.1.0", "gemini/two": "0.1.0"}
    assert complaints("broken", demanded, {"gemini/two"}, ["gemini/one"], 1) == []
    assert complaints("broken", demanded, {*demanded}, ["gemini/one"], 1) == [
        "gemini/one: has a double now, remove the line"
    ]
    assert complaints("broken", demanded, {*demanded}, [], 1) == [
        "lower FROZEN to 0, so that the lines do not come back"
    ]


def test_what_a_variant_comes_near_is_a_must_of_its_own() -> None:
    """Of its format or of translation, and of its direction."""
    for double in doubles(kind="harmless"):
        for rule in double.beside:
            assert rule.partition("/")[0] in ("translation", "otel", double.format), f"{double.name}: {rule}"
            assert rule in MUSTS, f"{double.name}: {rule}"
