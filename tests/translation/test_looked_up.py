"""What is looked up among many names or texts is what a search for each of them finds."""

from __future__ import annotations

import random
import re

import pytest

from toolcall_conformance.translation import holders
from toolcall_conformance.translation.holders import Holders
from toolcall_conformance.translation.said_names import NamesInAnyCase, SaidNames
from toolcall_conformance.translation.words import says_name

PIECES = ["a", "B", "b", "1", ".", "-", "_", " ", ":", "é", "İ", "i", "ı", "K", "k", "ß", "ẞ", "ς", "Σ", "]", "^"]


def drawn(random_: random.Random, longest: int, count: int) -> list[str]:
    return ["".join(random_.choices(PIECES, k=random_.randint(1, longest))) for _ in range(count)]


@pytest.mark.parametrize("seed", range(20))
def test_names_said(seed: int) -> None:
    random_ = random.Random(seed)
    names = drawn(random_, 3, 60)
    looked_up = SaidNames([*names, "", None])
    said = [
        (looked_up.said_in(text), {name for name in names if says_name(text, name)}) for text in drawn(random_, 30, 40)
    ]
    assert [found for found, _ in said] == [searched for _, searched in said]
    assert any(found for found, _ in said)


@pytest.mark.parametrize("seed", range(20))
def test_names_in_any_case(seed: int) -> None:
    random_ = random.Random(seed)
    names = drawn(random_, 3, 60)
    looked_up = NamesInAnyCase(names)
    for text in drawn(random_, 30, 40):
        searched = {name for name in names if re.search(re.escape(name), text, re.IGNORECASE)}
        assert searched <= set(looked_up.perhaps_in(text))


@pytest.mark.parametrize("longest", [1, 12, 4096])
@pytest.mark.parametrize("seed", range(5))
def test_holders(seed: int, longest: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(holders, "LONGEST_LISTED", longest)
    monkeypatch.setattr(holders, "MOST_RUNS", 4)
    random_ = random.Random(seed)
    texts = drawn(random_, 30, 60)
    looked_up = Holders(texts)
    pieces = ["", *drawn(random_, 4, 60), *texts, *(text[3:21] for text in texts)]
    for piece in pieces:
        assert looked_up.of(piece) == {number for number, text in enumerate(texts) if piece in text}


def test_few_texts_are_asked() -> None:
    looked_up = Holders(f"toolu_{number:08d} says so" for number in range(1000))
    assert max(len(list(looked_up._asked(f"toolu_{number:08d}"))) for number in range(0, 1000, 50)) <= 100
