"""Where a text is: its place among calls, results and other texts, and its origin in the source."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate

from toolcall_conformance.basics.reading import Call, Text
from toolcall_conformance.judge.translation.pair import Pair, describe_call
from toolcall_conformance.judge.translation.texts.text_chunks import is_phrase
from toolcall_conformance.judge.translation.texts.text_runs import TextRun, source_runs
from toolcall_conformance.judge.translation.texts.white_space import squeeze


class Conversation:
    """The runs of one side of a pair, to look up where a text is among them."""

    def __init__(self, runs: Sequence[TextRun]) -> None:
        self.runs = runs
        self._run_numbers = {chunk.pointer: at for at, run in reversed([*enumerate(runs)]) for chunk in run.chunks}

    def run_number(self, pointer: str) -> int:
        """Return the number of the run that contains the text at a pointer."""
        return self._run_numbers[pointer]

    def is_landmark_before(self, landmark: str, run_number: int) -> bool:
        """Whether a landmark comes before a run."""
        return self._landmarks.get(landmark, run_number) < run_number

    def results_before(self, run_number: int) -> frozenset[str]:
        """Return the landmarks of results before a run."""
        count = bisect_left([where for where, _ in self._results], run_number)
        if count not in self._results_cache:
            self._results_cache[count] = frozenset(landmark for _, landmark in self._results[:count])
        return self._results_cache[count]

    def describe_place(self, pair: Pair, pointer: str) -> str:
        """Describe the place of a text: after which words, call or results it is."""
        at = self.run_number(pointer)
        run, roles = self.runs[at], pair.wire_words["roles"]
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
            return f"after {describe_call(pair.source.calls[int(ordinal)])}"
        answered = _batch_ends(pair.source.calls, int(ordinal))
        return f"after the results of {' and '.join(map(describe_call, answered))}"

    @cached_property
    def _landmarks(self) -> dict[str, int]:
        return {run.landmark: at for at, run in reversed([*enumerate(self.runs)])}

    @cached_property
    def _results(self) -> list[tuple[int, str]]:
        return [(at, run.landmark) for at, run in enumerate(self.runs) if run.landmark.startswith("results")]

    @cached_property
    def _results_cache(self) -> dict[int, frozenset[str]]:
        return {}


def _batch_ends(calls: Sequence[Call], number: int) -> Sequence[Call]:
    """Return the first and the last call of a batch."""
    start = bisect_left(calls, number, key=lambda call: call.batch)
    end = bisect_right(calls, number, key=lambda call: call.batch)
    return [calls[start], *calls[max(start + 1, end - 1) : end]]


class Origins:
    """The texts of the source: chunks and joined runs, each with the sides that have it."""

    def __init__(self, pair: Pair) -> None:
        self._corpus = pair.corpus
        self._sides: dict[str, set[str]] = {}
        self._chunks: list[Text] = []
        for run in [TextRun("system", list(pair.source.system)), *source_runs(pair)]:
            self._chunks.extend(run.chunks)
            for text in [*run.texts, "".join(run.texts)]:
                self._sides.setdefault(squeeze(text), set()).add(run.side)
        self._squeezed = [squeeze(chunk.text) for chunk in self._chunks]
        self._first: dict[str, int] = {}
        for at, squeezed in enumerate(self._squeezed):
            self._first.setdefault(squeezed, at)
        # What is squeezed has no line break.
        self._whole = "\n".join(self._squeezed)
        self._starts = [0, *accumulate(len(text) + 1 for text in self._squeezed)]

    def pointer_of(self, text: str) -> str | None:
        """Return where the source has a text, or else a line of it; None if nowhere."""
        keys = [squeeze(line) for line in (text, *text.splitlines())]
        for key in filter(None, keys):
            at = self._first.get(key, -1)
            start = self._whole.find(key) if at < 0 else self._starts[at]
            if start >= 0:
                return self._chunks[bisect_right(self._starts, start) - 1].pointer
        chunks = zip(self._chunks, self._squeezed, strict=True)
        inner = (chunk for chunk, chunk_text in chunks if chunk_text in keys[0])
        return next((chunk.pointer for chunk in inner), None)

    def side_of(self, text: str) -> str:
        """Return whose text it is in the source, in words."""
        return "conversation" if self._sides.get(squeeze(text)) != {"system"} else "system prompt"

    def is_doubled(self, text: str, side: str) -> bool:
        """Whether a new text repeats one of the source. A prompt may repeat a line of its own, not all of itself."""
        if side == "system" and is_phrase(self._corpus, text) and squeeze(text) in self._sides:
            return True
        return bool(self._sides_with(text, side) - ({"system"} if side == "system" else set()))

    def _sides_with(self, text: str, side: str) -> set[str]:
        """Return the sides of the source that have a text, or a line of it. Few words count on the same side only."""
        matches: set[str] = set()
        for line in {text, *text.splitlines()}:
            sides = self._sides.get(squeeze(line), set())
            if is_phrase(self._corpus, line.strip()):
                matches |= sides
            elif line == text:
                matches |= sides & {side}
        return matches
