"""What stands around a call, by which calls that are alike are told apart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from toolcall_conformance.basics.reading import Call, Reading, Result, Text
from toolcall_conformance.basics.reading.model import Value
from toolcall_conformance.judge.translation.results.failures import strings_in
from toolcall_conformance.judge.translation.texts.white_space import squeeze


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The number of a call's turn among the assistant's, the text said last before it, and what its results say."""

    turn: int = 0
    text: str = ""
    results: frozenset[str] = frozenset()

    def points(self, other: Surroundings, weights: Mapping[str, int]) -> int:
        """What two surroundings have in common, in points of the corpus."""
        points = weights["turn_points"] if self.turn == other.turn else 0
        if self.text == other.text:
            points += weights["text_points"]
        if self.results == other.results or self.results & other.results:
            points += weights["result_points"]
        return points


def surroundings(reading: Reading, *, say: bool) -> list[Surroundings]:
    """Of every call, in order; all alike unless they are to ``say`` something."""
    calls = reading.calls
    if not say:
        return [Surroundings()] * len(calls)
    results: dict[int | None, set[str]] = {}
    for result in reading.results:
        results.setdefault(result.call, set()).update(_said(result))
    neighborhoods: list[Surroundings] = []
    spoken, turns = "", 0
    for turn in reading.turns:
        turns += turn.side == "assistant"
        for item in turn.items:
            if isinstance(item, Text):
                spoken = squeeze(item.text)
            elif isinstance(item, Call):
                neighborhoods.append(Surroundings(turns, spoken, frozenset(results.get(item.ordinal, ()))))
    return neighborhoods


def _said(result: Result) -> set[str]:
    values = [
        part.text if isinstance(part, Text) else part.value for part in result.parts if isinstance(part, (Text, Value))
    ]
    return {squeeze(text) for value in values for text in strings_in(value)} - {""}
