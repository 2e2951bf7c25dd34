"""The command under a finding runs just that item again: whatever is collected can be asked for by its id."""

from __future__ import annotations

from functools import cache

import pytest

from every import every
from toolcall_conformance.checks import CHECKS
from toolcall_conformance.engine.items.plan import PlannedItem, plan_items
from toolcall_conformance.engine.items.selection import SelectionError, parse_selection
from toolcall_conformance.library import load_corpus

CORPUS = load_corpus()
CASES = {case.id: case.formats for case in CORPUS.cases.values()}


@cache
def kinds() -> dict[tuple[str, str], PlannedItem]:
    """One item for each check, route and variant; to find them the whole corpus is read."""
    return {(item.check, item.name): item for item in plan_items(CORPUS)}


def selected_items(*arguments: str) -> set[str]:
    """The names of the items of ``kinds``, as ``check::route-variant``, that arguments for a case select."""
    selection = parse_selection(
        [f"toolcall::shell/seed::{argument}" for argument in arguments],
        cases=CASES,
        checks=tuple(CHECKS),
        formats=CORPUS.formats,
    )
    return {
        f"{check}::{name}"
        for (check, name), item in kinds().items()
        if selection.selects("shell/seed", check, item.route_part, item.variant)
    }


@every("item", lambda: kinds().values(), id=lambda item: f"{item.check}-{item.name}")
def test_an_id_selects_its_item_and_no_other(item: PlannedItem) -> None:
    assert selected_items(f"{item.check}::{item.name}") == {f"{item.check}::{item.name}"}


def test_a_star_takes_the_variants_in() -> None:
    route = "agent_loop::anthropic-to-gemini"
    all_of_them = {f"{check}::{name}" for check, name in kinds() if f"{check}::{name}".startswith(route)}
    assert len(all_of_them) > 1
    assert selected_items(f"{route}*") == all_of_them
    assert selected_items("request::anthropic-to-gemini*") == {"request::anthropic-to-gemini"}


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ("stream::anthropic-to-gemini-swapped", "there is no variant 'swapped'; there are concurrent, cut, recut"),
        ("agent_loop::anthropic-to-gemini-swaped", "did you mean swapped"),
        ("request::anthropic-to-gemini-cut", "there is no variant 'cut'; there are none"),
        ("agent_loop::anthropic-to-gemmini*", "there is no route 'anthropic-to-gemmini'; did you mean anthropic-to-"),
        ("agent_loop::*", "there is no route ''"),
    ],
)
def test_a_variant_of_another_check(wrong: str, sentence: str) -> None:
    with pytest.raises(SelectionError, match=sentence):
        selected_items(wrong)
