"""Text that moved: what is missing in one place and extra in another, and where that is no fault."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Collection, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass

from toolcall_conformance.basics.findings import MISSING, Finding, Words
from toolcall_conformance.basics.reading import Call, Reading
from toolcall_conformance.judge.translation.pair import Pair
from toolcall_conformance.judge.translation.texts.text_chunks import Haystack, is_phrase
from toolcall_conformance.judge.translation.texts.text_places import Conversation
from toolcall_conformance.judge.translation.texts.text_runs import RunPair
from toolcall_conformance.judge.translation.texts.white_space import squeeze


@dataclass(slots=True)
class TextPiece:
    """Text that only one of two paired runs has: an old chunk, or a stretch of new text (perhaps ``glued``)."""

    text: str
    pointer: str
    place: RunPair
    glued: bool = False


def report_moved(
    pair: Pair, lost: Sequence[TextPiece], fresh: Sequence[TextPiece], left: Conversation, right: Conversation
) -> Generator[Finding, None, tuple[list[TextPiece], list[TextPiece]]]:
    """Report missing text that is in another place. Returns the text still missing and the text still extra."""
    if not lost or not fresh:
        return list(lost), list(fresh)
    haystack = Haystack(pair.corpus, [piece.text for piece in fresh])
    claimed: dict[int, list[tuple[int, int]]] = {}
    missing: list[TextPiece] = []
    moves: dict[tuple[int, int], list[tuple[TextPiece, TextPiece]]] = {}
    for piece in lost:
        match = _claim_new_text(pair, piece, fresh, haystack, claimed)
        if match is None:
            missing.append(piece)
        else:
            moves.setdefault((id(piece.place), id(match.place)), []).append((piece, match))
    missing_pointers = {piece.pointer for piece in missing}
    added = {piece.pointer for number, piece in enumerate(fresh) if number not in claimed and not piece.glued}
    places_apart = _places_pulled_apart([each for pieces in moves.values() for each in pieces], right, added)
    for pieces in moves.values():
        if id(pieces[0][0].place) not in places_apart and not _is_closed_up(*pieces[0], left, missing_pointers):
            yield from _report_move(pair, pieces, left, right)
    rest: list[TextPiece] = []
    for number, piece in enumerate(fresh):
        if number not in claimed:
            rest.append(piece)
            continue
        piece_haystack = Haystack(pair.corpus, [piece.text])
        low = 0
        for start, end in [*claimed[number], (piece_haystack.size, piece_haystack.size)]:
            if start > low:
                rest.append(TextPiece(piece_haystack.raw_text(low, start), piece.pointer, piece.place, piece.glued))
            low = end
    return missing, rest


def _is_closed_up(old: TextPiece, new: TextPiece, left: Conversation, missing_pointers: Collection[str]) -> bool:
    """Whether two texts of one side meet only because all between them is gone, so that neither moved."""
    old_run, new_run = old.place.old, new.place.old
    if old_run is new_run or old_run.side != new.place.new.side or not new_run.chunks:
        return False
    first, last = sorted((left.run_number(old.pointer), left.run_number(new_run.pointer)))
    between = left.runs[first + 1 : last]
    return bool(between) and all(
        not run.landmark and all(chunk.pointer in missing_pointers for chunk in run.chunks) for run in between
    )


def _places_pulled_apart(
    moves: Iterable[tuple[TextPiece, TextPiece]], right: Conversation, added: Collection[str]
) -> set[int]:
    """Return the places whose texts are apart in the output, in order, with only new text between them.

    A translator that writes ``{}`` for a lost call puts it between two texts, and moves neither.
    """
    by_place: dict[int, list[tuple[TextPiece, TextPiece]]] = {}
    for old, new in moves:
        by_place.setdefault(id(old.place), []).append((old, new))
    return {place for place, pieces in by_place.items() if _is_pulled_apart(pieces, right, added)}


def _is_pulled_apart(
    pieces: Sequence[tuple[TextPiece, TextPiece]], right: Conversation, added: Collection[str]
) -> bool:
    """Whether the pieces of one place are apart in the output, in order, with only new text between them."""
    old_place = pieces[0][0].place
    side = old_place.old.side
    if not old_place.new.chunks or side == "system" or any(new.place.new.side != side for _, new in pieces):
        return False
    new_run_numbers = {old.pointer: right.run_number(new.pointer) for old, new in pieces}
    default = right.run_number(old_place.new.pointer)
    order = [new_run_numbers.get(chunk.pointer, default) for chunk in old_place.old.chunks]
    if len(set(order)) == 1 or order != sorted(order):
        return False
    moved_pointers = {
        chunk.pointer for place in (old_place, *(new.place for _, new in pieces)) for chunk in place.new.chunks
    }
    return all(
        not run.landmark and all(chunk.pointer in added or chunk.pointer in moved_pointers for chunk in run.chunks)
        for run in right.runs[order[0] : order[-1] + 1]
    )


def _claim_new_text(
    pair: Pair,
    piece: TextPiece,
    fresh: Sequence[TextPiece],
    haystack: Haystack,
    claimed: dict[int, list[tuple[int, int]]],
) -> TextPiece | None:
    """Return the unclaimed new text that contains a missing chunk whole: at its place if possible, else on its side."""
    text, key = piece.text.strip(), squeeze(piece.text)
    starts = haystack.whole_matches(text, key)
    if not starts and is_phrase(pair.corpus, text):
        at = haystack.find_words(text, key, 0, haystack.size)
        starts = [] if at is None else [at]
    best: tuple[tuple[bool, bool], int, tuple[int, int]] | None = None
    for start in starts:
        number = haystack.chunk_at(start)
        base = haystack.chunk_start(number)
        region = (start - base, start - base + len(key))
        if haystack.chunk_at(start + len(key) - 1) != number or not _is_free(region, claimed.get(number, [])):
            continue
        place = fresh[number].place
        grade = (place is not piece.place, place.new.side != piece.place.old.side)
        if best is None or grade < best[0]:
            best = (grade, number, region)
        if not any(grade):
            break
    if best is None:
        return None
    insort(claimed.setdefault(best[1], []), best[2])
    return fresh[best[1]]


def _is_free(region: tuple[int, int], regions: Sequence[tuple[int, int]]) -> bool:
    """Whether a region overlaps none of the sorted regions."""
    at = bisect_left(regions, region)
    return (at == len(regions) or region[1] <= regions[at][0]) and (at == 0 or regions[at - 1][1] <= region[0])


def _report_move(
    pair: Pair, pieces: Sequence[tuple[TextPiece, TextPiece]], left: Conversation, right: Conversation
) -> Iterator[Finding]:
    """Report pieces that moved together as one finding: by role, by order, or by place."""
    (old, new), *_ = pieces
    old_place, new_place = old.place, new.place
    want = "\n".join(piece.text for piece, _ in pieces)
    if old_place.old.side == "system":
        if old_place is new_place:
            yield from report_system_prompt(pair, old_place, "the system prompt is in another order")
        else:
            yield from _report_role(pair, "system-prompt", old, new, want)
    elif old_place.old.side != new_place.new.side:
        yield from _report_role(pair, "text-role", old, new, want)
    elif _moved_after_results(old, new, left, right):
        pair.accept("user-text-behind-results", new.pointer, old.pointer, want, new.text)
    else:
        yield pair.finding(
            "translation/text-moved-in-turn"
            if old_place is not new_place and _moved_within_turn(pair, old, new, left, right)
            else "translation/text-moved",
            new.pointer,
            "text is in another order" if old_place is new_place else "",
            want=left.describe_place(pair, old.pointer),
            got=right.describe_place(pair, new.pointer),
            source=old.pointer,
            subject=want[:80],
        )


def report_system_prompt(
    pair: Pair, place: RunPair, message: str = "", *, rule: str = "system-prompt"
) -> Iterator[Finding]:
    """Report another system prompt than the source's."""
    new = place.new
    yield pair.finding(
        f"translation/{rule}",
        new.pointer,
        message,
        want=Words(place.old.full_text) if not new.chunks else place.old.full_text if place.old.chunks else MISSING,
        got=new.full_text if new.chunks else MISSING,
        source=place.old.pointer or None,
    )


def _report_role(pair: Pair, rule: str, old: TextPiece, new: TextPiece, text: str) -> Iterator[Finding]:
    """Report text that the output gives to another side, in the words of its format."""
    roles = pair.wire_words["roles"]
    want, got = roles[old.place.old.side], roles[new.place.new.side]
    yield pair.finding(
        f"translation/{rule}",
        new.pointer,
        f"text of {want} is text of {got}",
        want=want,
        got=got,
        source=old.pointer,
        subject=text[:80],
    )


def _moved_after_results(old: TextPiece, new: TextPiece, left: Conversation, right: Conversation) -> bool:
    """Whether text from between calls and their results comes right after these: some providers want that."""
    if old.place.old.side != "user":
        return False
    at, new_at = left.run_number(old.pointer), right.run_number(new.pointer)
    following = [run for run in left.runs[at + 1 : at + 2] if run.is_results]
    return new_at > 0 and [run.landmark for run in following] == [right.runs[new_at - 1].landmark]


def _moved_within_turn(pair: Pair, old: TextPiece, new: TextPiece, left: Conversation, right: Conversation) -> bool:
    """Whether text moved only among the calls of its own turn, and not to a place that the provider refuses."""
    at, new_at = left.run_number(old.pointer), right.run_number(new.pointer)
    if left.results_before(at) != right.results_before(new_at):
        return False
    before, after = _calls_of_turn(pair.source, old.pointer), _calls_of_turn(pair.output, new.pointer)
    of_turn = {f"call {call}" for call in before if pair.call_pairs.get(call) in after}
    if pair.is_request and pair.target.get("refuses_text_behind_calls"):
        was_last = all(left.is_landmark_before(landmark, at) for landmark in of_turn)
        is_last = all(right.is_landmark_before(landmark, new_at) for landmark in of_turn)
        return bool(of_turn) and (was_last or not is_last)
    return bool(of_turn)


def _calls_of_turn(reading: Reading, pointer: str) -> set[int]:
    """Return the ordinals of the calls in the turn of a text."""
    turn = reading.turns[reading.turn_by_pointer[pointer]]
    return {item.ordinal for item in turn.items if isinstance(item, Call)}
