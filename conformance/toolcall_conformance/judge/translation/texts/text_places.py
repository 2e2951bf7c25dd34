"""Where a text stands among the calls, results and other texts of a conversation."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import cached_property

from toolcall_conformance.basics.reading import Call
from toolcall_conformance.judge.translation.pair import Pair, call_words
from toolcall_conformance.judge.translation.texts.text_runs import TextRun


class Conversation:
    """The runs of one side of a pair, with what stands before each."""

    def __init__(self, runs: Sequence[TextRun]) -> None:
        self.runs = runs
        self._where = {chunk.pointer: at for at, run in reversed([*enumerate(runs)]) for chunk in run.chunks}

    def holding(self, pointer: str) -> int:
        """The number of the run that holds a text."""
        return self._where[pointer]

    def has_before(self, landmark: str, at: int) -> bool:
        """Whether a landmark stands before a run."""
        return self._landmarks.get(landmark, at) < at

    def results_before(self, at: int) -> frozenset[str]:
        """The landmarks of results before a run."""
        count = bisect_left([where for where, _ in self._results], at)
        if count not in self._sets:
            self._sets[count] = frozenset(landmark for _, landmark in self._results[:count])
        return self._sets[count]

    def place(self, pair: Pair, pointer: str) -> str:
        """The place of a text: behind which words, call or results it stands."""
        at = self.holding(pointer)
        run, roles = self.runs[at], pair.words["roles"]
        number = [chunk.pointer for chunk in run.chunks].index(pointer)
        if number:
            return f"after the text {run.chunks[number - 1].text[:80]!r}"
        if not at:
            return "at the start"
        before = self.runs[at - 1]
        kind, _, ordinal = before.landmark.partition(" ")
        if not kind:
            return f"after the text {before.chunks[-1].text[:80]!r} of {roles[before.side]}"
        if kind == "call":
            return f"after {call_words(pair.source.calls[int(ordinal)])}"
        answered = _batch(pair.source.calls, int(ordinal))
        return f"after the results of {' and '.join(map(call_words, answered))}"

    @cached_property
    def _landmarks(self) -> dict[str, int]:
        return {run.landmark: at for at, run in reversed([*enumerate(self.runs)])}

    @cached_property
    def _results(self) -> list[tuple[int, str]]:
        return [(at, run.landmark) for at, run in enumerate(self.runs) if run.landmark.startswith("results")]

    @cached_property
    def _sets(self) -> dict[int, frozenset[str]]:
        return {}


def _batch(calls: Sequence[Call], number: int) -> Sequence[Call]:
    """The first and the last call of a batch."""
    start = bisect_left(calls, number, key=lambda call: call.batch)
    end = bisect_right(calls, number, key=lambda call: call.batch)
    return [calls[start], *calls[max(start + 1, end - 1) : end]]
