"""What is looked up among many names or texts is what a search for each of them finds."""

from __future__ import annotations

import math
import random
import re

import pytest

from toolcall_conformance.judge.translation.texts import text_search
from toolcall_conformance.judge.translation.texts.text_search import PieceSearch
from toolcall_conformance.judge.translation.texts.words import NameMentions, NamesInAnyCase, mentions_name
from tracing import count_lines

PIECES = ["a", "B", "b", "1", ".", "-", "_", " ", ":", "é", "İ", "i", "ı", "K", "k", "ß", "ẞ", "ς", "Σ", "]", "^"]


def draw_texts(random_: random.Random, longest: int, count: int) -> list[str]:
    return ["".join(random_.choices(PIECES, k=random_.randint(1, longest))) for _ in range(count)]


@pytest.mark.parametrize("seed", range(20))
def test_names_in_the_text(seed: int) -> None:
    random_ = random.Random(seed)
    names = draw_texts(random_, 3, 60)
    looked_up = NameMentions([*names, "", None])
    name_pairs = [
        (looked_up.names_in(text), {name for name in names if mentions_name(text, name)})
        for text in draw_texts(random_, 30, 40)
    ]
    assert [names for names, _ in name_pairs] == [searched for _, searched in name_pairs]
    assert any(names for names, _ in name_pairs)


@pytest.mark.parametrize("seed", range(20))
def test_names_in_any_case(seed: int) -> None:
    random_ = random.Random(seed)
    names = draw_texts(random_, 3, 60)
    looked_up = NamesInAnyCase(names)
    for text in draw_texts(random_, 30, 40):
        searched = {name for name in names if re.search(re.escape(name), text, re.IGNORECASE)}
        assert searched <= set(looked_up.candidates_in(text))


@pytest.mark.parametrize("window", [1, 12, 4096])
@pytest.mark.parametrize("seed", range(5))
def test_piece_search(seed: int, window: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_search, "WINDOW", window)
    monkeypatch.setattr(text_search, "MAX_RUNS", 4)
    random_ = random.Random(seed)
    texts = [*draw_texts(random_, 30, 60), "".join(draw_texts(random_, 30, 60))]
    pieces = ["", *draw_texts(random_, 4, 60), *texts, *(text[3:21] for text in texts), texts[-1][5:50]]
    looked_up = PieceSearch(texts, pieces)
    for piece in pieces:
        assert looked_up.texts_with(piece) == {number for number, text in enumerate(texts) if piece in text}


@pytest.mark.parametrize(
    "form", ["toolu_{:08d}", "{:08d}000000", "{:020b}", "{}", "the same words around {:06d} each time"]
)
def test_work_of_piece_search(form: str) -> None:
    def work(size: int) -> int:
        pieces = [form.format(number) for number in range(size)]
        texts = [f"he says {piece} here" for piece in pieces]
        return count_lines(lambda: PieceSearch([*texts, " ".join(texts)], pieces), text_search.__file__).total()

    assert math.log2(work(1600) / work(400)) / 2 < 1.2
