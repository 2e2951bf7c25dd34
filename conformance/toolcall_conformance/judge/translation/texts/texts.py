"""Text: none lost, invented, changed, moved past calls or results, or given to the other side."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from itertools import dropwhile
from typing import NamedTuple

from toolcall_conformance.basics.findings import MISSING, Finding, Words
from toolcall_conformance.basics.reading import Call, Reading, Reasoning
from toolcall_conformance.judge.translation.nearest import nearest_place
from toolcall_conformance.judge.translation.outcome.outcome import UNFINISHED, is_unfinished
from toolcall_conformance.judge.translation.pair import Pair
from toolcall_conformance.judge.translation.texts.rendered_text import TextualizedCalls, texts_with_documents
from toolcall_conformance.judge.translation.texts.text_chunks import Haystack, compare_chunks, is_phrase
from toolcall_conformance.judge.translation.texts.text_moves import TextPiece, report_moved, report_system_prompt
from toolcall_conformance.judge.translation.texts.text_places import Conversation, Origins
from toolcall_conformance.judge.translation.texts.text_roles import anchor_pointers
from toolcall_conformance.judge.translation.texts.text_runs import (
    RunPair,
    TextRun,
    merge_runs,
    output_runs,
    pair_runs,
    source_runs,
)
from toolcall_conformance.judge.translation.texts.unknown_items import texts_with_unknown
from toolcall_conformance.judge.translation.texts.white_space import joined_equal, squeeze, trimmed_equal


def compare_texts(pair: Pair) -> Iterator[Finding]:
    """Compare the system prompt, and all other text in its place among calls and results.

    Text that is missing in one place and extra in another has moved. All other text was lost, changed, doubled or
    invented.
    """
    left, right = source_runs(pair), output_runs(pair)
    for pointer in anchor_pointers(pair) if pair.accepted is not None else ():
        pair.accept("user-turn-anchor", pointer, None, MISSING, pair.value_at(pointer))
    places = []
    system = yield from _compare_system(pair, left)
    if system:
        places.append(system)
    left, right = merge_runs([_as_user_run(run) for run in left]), merge_runs([_as_user_run(run) for run in right])
    for place in pair_runs(left, right):
        if not (yield from _report_white_space(pair, place)):
            places.append(place)  # noqa: PERF401 - no comprehension can yield
    lost: list[TextPiece] = []
    fresh: list[TextPiece] = []
    for place in places:
        difference = compare_chunks(pair.corpus, place.old.chunks, place.new.chunks)
        chunks = place.old.chunks
        lost.extend(TextPiece(chunks[at].text, chunks[at].pointer, place) for at in difference.lost)
        fresh.extend(
            TextPiece(rest.text, place.new.chunks[rest.chunk].pointer, place, rest.glued) for rest in difference.fresh
        )
    lost, fresh = yield from report_moved(pair, lost, fresh, Conversation(left), Conversation(right))
    yield from _report_differences(pair, lost, fresh)


def _as_user_run(run: TextRun) -> TextRun:
    """Return system text as user text, which it may become at its place (``late-system-text``); other runs as is."""
    return TextRun("user", run.chunks) if run.side == "system" else run


def _compare_system(pair: Pair, left: list[TextRun]) -> Generator[Finding, None, RunPair | None]:
    """Return the system prompts if they differ. Removes from ``left`` the system text that joined the prompt."""
    old, new = TextRun("system", list(pair.source.system)), TextRun("system", list(pair.output.system))
    hoisted = [run for run in left if run.side == "system"]
    # An unchanged prompt holds no later message, even if it says the same as one.
    if hoisted and new.chunks and not joined_equal(pair.corpus, old.texts, new.texts):
        haystack = Haystack(pair.corpus, new.texts)
        for run in hoisted:
            keys = [(chunk.text.strip(), squeeze(chunk.text)) for chunk in run.chunks]
            if any(haystack.find_words(text, key, 0, haystack.size) is not None for text, key in keys):
                pair.accept("late-system-text", new.pointer, run.pointer, run.full_text, new.full_text)
                old.chunks.extend(run.chunks)
                left.remove(run)
    if joined_equal(pair.corpus, old.texts, new.texts):
        if old.texts != new.texts:
            pair.accept("system-joined", new.pointer, old.pointer, old.texts, new.texts)
        return None
    if trimmed_equal(pair.corpus, old.texts, new.texts):
        yield from report_system_prompt(pair, RunPair(old, new), rule="system-prompt-trimmed")
        return None
    return RunPair(old, new)


def _report_white_space(pair: Pair, place: RunPair) -> Generator[Finding, None, bool]:
    """Whether two runs are equal but for white space. Reports a difference in white space."""
    old, new = place.old, place.new
    if old.key != new.key:
        return False
    if old.chunks and pair.accepted is not None:
        _accept_differences(pair, place)
    if old.chunks and not joined_equal(pair.corpus, old.texts, new.texts):
        if trimmed_equal(pair.corpus, old.texts, new.texts):
            yield from _report_change(pair, place, rule="text-trimmed")
        else:
            yield from _report_change(pair, place, "white space inside the text differs")
    return True


def _accept_differences(pair: Pair, place: RunPair) -> None:
    """Record how two runs with the same text differ: in white space, in side, or in their place among calls."""
    old, new = place.old, place.new

    def accept(name: str) -> None:
        pair.accept(name, new.pointer, old.pointer, old.texts, new.texts)

    if old.texts != new.texts and joined_equal(pair.corpus, old.texts, new.texts):
        accept("text-joined-by-whitespace")
    before, after = (
        [any(chunk.pointer in places for chunk in run.chunks) for places in (special.system_texts, special.after_calls)]
        for special, run in zip(pair.view(_text_pointers_of_both), (old, new), strict=True)
    )
    if before[0] != after[0]:
        accept("late-system-text")
    if before[1] != after[1] and not pair.both_express("text-between-calls"):
        accept("text-before-calls")


class _TextPointers(NamedTuple):
    """Pointers of system texts amid a conversation, and of texts after a call of their turn."""

    system_texts: frozenset[str]
    after_calls: frozenset[str]


def _text_pointers_of_both(pair: Pair) -> tuple[_TextPointers, _TextPointers]:
    """Return the pointers of system texts and of texts after calls, of the source and of the output."""
    return _text_pointers(pair.source), _text_pointers(pair.output)


def _text_pointers(reading: Reading) -> _TextPointers:
    tails = (dropwhile(lambda item: not isinstance(item, Call), turn.items) for turn in reading.turns)
    of_system = (item.pointer for turn in reading.turns if turn.side == "system" for item in turn.items)
    return _TextPointers(frozenset(of_system), frozenset(item.pointer for items in tails for item in items))


def _report_change(pair: Pair, place: RunPair, message: str = "", *, rule: str = "text-changed") -> Iterator[Finding]:
    yield pair.finding(
        f"translation/{rule}",
        place.new.pointer,
        message,
        want=place.old.full_text,
        got=place.new.full_text,
        source=place.old.pointer or None,
    )


def _report_differences(pair: Pair, lost: Iterable[TextPiece], fresh: Iterable[TextPiece]) -> Iterator[Finding]:
    """Report lost and new text, one finding of a kind for each place."""
    missing: dict[int, list[TextPiece]] = {}
    extra: dict[int, list[TextPiece]] = {}
    places: dict[int, RunPair] = {}
    for pieces, by_place in ((lost, missing), (fresh, extra)):
        for piece in pieces:
            places[id(piece.place)] = piece.place
            by_place.setdefault(id(piece.place), []).append(piece)
    origins = Origins(pair)
    added = [piece.text for number, pieces in extra.items() if number not in missing for piece in pieces]
    documents = texts_with_documents(pair, added) if added else set()
    unknown = texts_with_unknown(pair, added) if added else {}
    rendered = pair.view(TextualizedCalls.of).renderings_among(added) | documents | unknown.keys() if added else set()
    thoughts = [item for turn in pair.source.turns for item in turn.items if isinstance(item, Reasoning)]
    for number, place in places.items():
        if number not in missing:
            for piece in extra[number]:
                if piece.text in documents:
                    pair.accept("text-document-as-text", piece.pointer, None, MISSING, piece.text)
                elif piece.text in unknown:
                    pair.accept("unknown-item-as-text", piece.pointer, unknown[piece.text], MISSING, piece.text)
            pieces = [piece for piece in extra[number] if piece.text not in rendered]
            yield from _report_added(pair, place, pieces, origins, thoughts)
        elif place.old.side == "system":
            yield from report_system_prompt(pair, place)
        elif number in extra:
            yield from _report_change(pair, place)
        else:
            yield pair.finding(
                "translation/text-lost",
                place.new.pointer or nearest_place(pair, missing[number][0].pointer),
                want=Words("\n".join(piece.text for piece in missing[number])),
                got=MISSING,
                source=missing[number][0].pointer,
                subject=f"text of {pair.wire_words['roles'][place.old.side]}",
            )


def _report_added(
    pair: Pair, place: RunPair, pieces: Sequence[TextPiece], origins: Origins, thoughts: Sequence[Reasoning]
) -> Iterator[Finding]:
    """Report new text where none was lost: a repetition, reasoning, words inside other text, or an addition."""
    side = place.new.side
    kinds: dict[str, list[TextPiece]] = {}
    for piece in pieces:
        if origins.is_doubled(piece.text, side):
            kinds.setdefault("doubled", []).append(piece)
        elif side == "assistant" and _is_thought(pair, piece.text, [thought.text for thought in thoughts]):
            kinds.setdefault("thought", []).append(piece)
        elif piece.glued and not any(word in piece.text.lower() for word in place.old.hosted_words):
            kinds.setdefault("glued", []).append(piece)
        else:
            kinds.setdefault("invented", []).append(piece)
    for kind, group in kinds.items():
        got, pointer = "\n".join(piece.text for piece in group), group[0].pointer
        if kind == "doubled":
            yield pair.finding(
                "translation/text-duplicated",
                pointer,
                "" if side != "system" else f"text of the {origins.side_of(got)} is in the system prompt once more",
                want=MISSING,
                got=got,
                source=origins.pointer_of(got),
                subject=f"text of {pair.wire_words['roles'][side]}",
            )
        elif kind == "thought":
            source = next((thought.pointer for thought in thoughts if _is_thought(pair, got, [thought.text])), None)
            want = Words("as thinking")
            yield pair.finding("translation/reasoning-as-text", pointer, want=want, got=got, source=source)
        elif kind == "glued" and side == "system":
            yield from report_system_prompt(pair, place, "words were written into the system prompt")
        elif kind == "glued":
            yield from _report_change(pair, place, "words were written into the text")
        elif side == "system":
            yield pair.finding(
                "translation/system-added",
                pointer,
                want=place.old.full_text if place.old.chunks else MISSING,
                got=place.new.full_text,
                source=place.old.pointer or None,
            )
        else:
            yield pair.finding(
                "translation/text-invented",
                pointer,
                want=MISSING,
                got=got,
                subject=f"text of {pair.wire_words['roles'][side]}",
                under=_circumstances(pair, place, pointer, got),
            )


def _circumstances(pair: Pair, place: RunPair, pointer: str, text: str) -> list[str]:
    """Return the circumstances under which a text may describe something that the target cannot express."""
    if place.old.hosted_words:
        pair.accept("hosted-call-as-text", pointer, place.old.pointer or None, MISSING, text, only_translated=True)
    unfinished = not pair.is_request and is_unfinished(pair.corpus, pair.source)
    return ["hosted-step"] * bool(place.old.hosted_words) + [UNFINISHED] * unfinished


def _is_thought(pair: Pair, text: str, thoughts: Sequence[str]) -> bool:
    """Whether text is reasoning of the source, part of it, or contains it."""
    key = squeeze(text)
    for thought in thoughts:
        other = squeeze(thought)
        if (
            key == other
            or (is_phrase(pair.corpus, thought.strip()) and other in key)
            or (is_phrase(pair.corpus, text) and key in other)
        ):
            return True
    return False
