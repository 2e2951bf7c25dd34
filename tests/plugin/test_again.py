"""The command under a finding runs just that item again: whatever is collected can be asked for by its id."""

from __future__ import annotations

import pytest

from toolcall_conformance.checks import CHECKS
from toolcall_conformance.engine.plan import Planned, items
from toolcall_conformance.engine.selection import SelectionError, parse
from toolcall_conformance.library import load_corpus

CORPUS = load_corpus()
# One item for each check, route and variant.
KINDS = {(item.check, item.name): item for item in items(CORPUS)}


@pytest.mark.parametrize("item", KINDS.values(), ids=lambda item: f"{item.check}-{item.name}")
def test_an_id_selects_its_item(item: Planned) -> None:
    cases = {case.id: case.formats for case in CORPUS.cases.values()}
    wanted = parse([item.nodeid], cases=cases, checks=tuple(CHECKS), formats=CORPUS.formats)
    assert wanted.has(item.case.id, item.check, str(item.route), item.variant)
    if item.variant:  # the plain id stands for all variants
        assert not wanted.has(item.case.id, item.check, str(item.route), "")


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ("stream::anthropic-to-gemini-swapped", "there is no variant 'swapped'; there are cut, recut"),
        ("agent_loop::anthropic-to-gemini-swaped", "did you mean swapped"),
        ("request::anthropic-to-gemini-cut", "there is no variant 'cut'; there are none"),
    ],
)
def test_a_variant_of_another_check(wrong: str, sentence: str) -> None:
    cases = {case.id: case.formats for case in CORPUS.cases.values()}
    with pytest.raises(SelectionError, match=sentence):
        parse([f"toolcall::shell/seed::{wrong}"], cases=cases, checks=tuple(CHECKS), formats=CORPUS.formats)
