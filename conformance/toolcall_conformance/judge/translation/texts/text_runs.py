"""A conversation as runs of text between landmarks, and which runs of two bodies are at one place."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from toolcall_conformance.basics.reading import Call, Hosted, Reading, Result, Text
from toolcall_conformance.judge.translation.calls.sequences import aligned_slices, common_positions
from toolcall_conformance.judge.translation.media.captions import (
    captions_and_placeholders,
    captions_with_source_ids,
    redundant_captions,
    texts_without_placeholders,
)
from toolcall_conformance.judge.translation.pair import Pair
from toolcall_conformance.judge.translation.texts.text_roles import anchor_pointers
from toolcall_conformance.judge.translation.texts.white_space import squeeze
from toolcall_conformance.library import Corpus

_RESULTS_LANDMARK = "results "


@dataclass(slots=True)
class TextRun:
    """Uninterrupted text of one side, or a landmark (a call or results) between such texts.

    ``hosted_words`` name the steps in it that the provider ran itself.
    """

    side: str
    chunks: list[Text] = field(default_factory=list)
    landmark: str = ""
    hosted_words: frozenset[str] = frozenset()

    @property
    def key(self) -> str:
        """Equal for equal landmarks, and for texts that differ in white space only."""
        return self.landmark or f"{self.side}:{''.join(squeeze(chunk.text) for chunk in self.chunks)}"

    @property
    def is_results(self) -> bool:
        """Whether this is a landmark of results, and not of a call."""
        return self.landmark.startswith(_RESULTS_LANDMARK)

    @property
    def texts(self) -> list[str]:
        """The texts of the chunks."""
        return [chunk.text for chunk in self.chunks]

    @property
    def pointer(self) -> str:
        """The pointer of the first chunk; blank without chunks."""
        return self.chunks[0].pointer if self.chunks else ""

    @property
    def full_text(self) -> str:
        """All the text, one chunk a line."""
        return "\n".join(self.texts)


@dataclass(slots=True, eq=False)
class RunPair:
    """Two runs at one place of the conversation; one of them may have no chunks."""

    old: TextRun
    new: TextRun


def source_runs(pair: Pair) -> list[TextRun]:
    """Return the source's conversation as runs. Hosted steps open a run: the output may have text in their place."""
    same = {call: call for call in pair.call_pairs}
    interleaved = pair.both_express("text-between-calls")
    return _build_runs(
        pair.corpus,
        pair.source,
        same,
        _batch_by_ordinal(pair),
        interleaved=interleaved,
        hosted=True,
        excluded=redundant_captions(pair),
    )


def output_runs(pair: Pair) -> list[TextRun]:
    """Return the output's conversation as runs, with the source's landmarks and without captions of moved media."""
    back = {right: left for left, right in pair.call_pairs.items()}
    interleaved = pair.both_express("text-between-calls")
    excluded = captions_and_placeholders(pair) | anchor_pointers(pair)
    runs = _build_runs(
        pair.corpus, pair.output, back, _batch_by_ordinal(pair), interleaved=interleaved, excluded=excluded
    )
    source_texts = {**texts_without_placeholders(pair), **captions_with_source_ids(pair)}
    for run in runs if source_texts else ():
        run.chunks = [replace(chunk, text=source_texts.get(chunk.pointer, chunk.text)) for chunk in run.chunks]
    return runs


def merge_runs(runs: Sequence[TextRun]) -> list[TextRun]:
    """Join neighbouring runs of one side."""
    merged_runs: list[TextRun] = []
    for run in runs:
        last = merged_runs[-1] if merged_runs else None
        if last and not run.landmark and not last.landmark and last.side == run.side:
            merged_runs[-1] = TextRun(
                run.side, [*last.chunks, *run.chunks], hosted_words=last.hosted_words | run.hosted_words
            )
        else:
            merged_runs.append(run)
    return merged_runs


def pair_runs(left: Sequence[TextRun], right: Sequence[TextRun]) -> list[RunPair]:
    """Pair runs at one place: equal ones between the same landmarks, then those of one side in the gaps between."""
    marks = [[at for at, run in enumerate(runs) if run.landmark] for runs in (left, right)]
    same = common_positions([left[at].key for at in marks[0]], [right[at].key for at in marks[1]])
    pairs = [(marks[0][left_at], marks[1][right_at]) for left_at, right_at in same]
    places: list[RunPair] = []
    low = (0, 0)
    for left_end, right_end in [*pairs, (len(left), len(right))]:
        places.extend(_pair_between_landmarks(left[low[0] : left_end], right[low[1] : right_end]))
        low = (left_end + 1, right_end + 1)
    return places


def _pair_between_landmarks(left: Sequence[TextRun], right: Sequence[TextRun]) -> list[RunPair]:
    """Pair the runs between two landmarks; a run without a partner is paired with an empty one."""
    left, right = (merge_runs([run for run in runs if not run.landmark]) for runs in (left, right))
    places: list[RunPair] = []
    for are_equal, mine, others in aligned_slices([run.key for run in left], [run.key for run in right]):
        olds, news = left[mine], right[others]
        if are_equal:
            places.extend(map(RunPair, olds, news))
            continue
        if not any(new.side == "assistant" for new in news):  # an omitted hosted step separates no texts
            olds = merge_runs([run for run in olds if run.chunks])
        for old in olds:
            twin = next((new for new in news if new.side == old.side), None)
            if twin is not None:
                news.remove(twin)
            places.append(RunPair(old, twin or TextRun(old.side)))
        places.extend(RunPair(TextRun(new.side), new) for new in news)
    return places


def _batch_by_ordinal(pair: Pair) -> dict[int, int]:
    return {call.ordinal: call.batch for call in pair.source.calls}


def _build_runs(
    corpus: Corpus,
    reading: Reading,
    ordinals: Mapping[int, int],
    batches: Mapping[int, int],
    *,
    interleaved: bool,
    hosted: bool = False,
    excluded: frozenset[str] = frozenset(),
) -> list[TextRun]:
    """Return runs and landmarks. Calls and results of one side only are no landmarks; ``excluded`` texts are left out.

    Results of one batch are one landmark, however many there are and in which order. Where one of the formats cannot
    say how text and calls of a turn interleave, a turn's text is put before its calls.
    """
    runs: list[TextRun] = []

    def open_run(side: str) -> TextRun:
        if not runs or runs[-1].landmark or runs[-1].side != side:
            runs.append(TextRun(side))
        return runs[-1]

    for turn in reading.turns:
        items = list(turn.items)
        if turn.side == "assistant" and not interleaved:
            items.sort(key=lambda item: isinstance(item, Call))
        for item in items:
            if isinstance(item, Text):
                if item.pointer not in excluded:
                    open_run(turn.side).chunks.append(item)
            elif isinstance(item, Hosted) and hosted:
                run = open_run(turn.side)
                run.hosted_words |= _hosted_words(corpus, item)
            elif isinstance(item, Call) and item.ordinal in ordinals:
                runs.append(TextRun(turn.side, landmark=f"call {ordinals[item.ordinal]}"))
            elif isinstance(item, Result) and item.call is not None and item.call in ordinals:
                landmark = f"{_RESULTS_LANDMARK}{batches.get(ordinals[item.call], 0)}"
                if not runs or runs[-1].landmark != landmark:
                    runs.append(TextRun(turn.side, landmark=landmark))
    return runs


def _hosted_words(corpus: Corpus, step: Hosted) -> frozenset[str]:
    """Return words that name a hosted step: ``web_search_call`` → web_search_call, search; and the tool's name."""
    equivalence = corpus.equivalence("hosted-call-as-text")
    shortest = equivalence.parameters["shortest_word"]
    names = {step.type, *([step.name] if step.name else [])}
    words = {word for name in names for word in re.findall(r"[a-z]+", name.lower()) if len(word) >= shortest}
    return frozenset(map(str.lower, names)) | (words - equivalence.words["common"])
