"""One text in other pieces, or at another legal place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from toolcall_conformance.findings import MISSING
from toolcall_conformance.reading import Call, Hosted, Result, Text
from toolcall_conformance.reading.model import Reading
from toolcall_conformance.translation.anchors import anchors
from toolcall_conformance.translation.chunks import squeeze
from toolcall_conformance.translation.holding import FirstHolding
from toolcall_conformance.translation.joining import joined_equal
from toolcall_conformance.translation.runs import TextRun, merge_runs, output_runs, pair_runs, source_runs
from toolcall_conformance.translation.search_sources import Told, texts_of
from toolcall_conformance.translation.tolerances.registry import Bodies, Occurrence, tolerance


def _same_texts(bodies: Bodies) -> Iterator[tuple[Text, Text]]:
    """Texts that both bodies have, each with the first that says the same, system text aside."""
    others: dict[str, list[Text]] = {}
    for text in _texts(bodies.pair.output):
        others.setdefault(squeeze(text.text), []).append(text)
    for text in _texts(bodies.pair.source):
        if twins := others.get(squeeze(text.text)):
            yield text, twins.pop(0)


def _texts(reading: Reading) -> Iterator[Text]:
    return (item for turn in reading.turns for item in turn.items if isinstance(item, Text))


@tolerance("string-as-text-part")
def string_as_text_part(bodies: Bodies) -> Iterator[Occurrence]:
    """A text is a string here and a list with one part there."""
    for one, two in _same_texts(bodies):
        at_the_top = bodies.pair.is_same_format and _is_body(one) != _is_body(two)
        if at_the_top or _is_part(one) != _is_part(two):
            yield Occurrence(two.pointer, one.pointer)


def _is_body(text: Text) -> bool:
    """Whether a text is itself a member of the body, as Responses take the input."""
    return text.pointer.rpartition("/")[0] == ""


def _is_part(text: Text) -> bool:
    """Whether a text stands in a part of a list: what is in it has the part's index in its pointer."""
    *_, number, key = ["", *text.pointer.split("/")]
    return number.isdecimal() and key == "text"


@tolerance("user-turn-anchor")
def user_turn_anchor(bodies: Bodies) -> Iterator[Occurrence]:
    """Words of the translator's own stand where the format wants the user."""
    for pointer in sorted(anchors(bodies.pair)):
        yield Occurrence(pointer, None)


@tolerance("text-joined-by-whitespace")
def text_joined_by_whitespace(bodies: Bodies) -> Iterator[Occurrence]:
    """Neighbouring texts were joined or split."""
    for place in pair_runs(merge_runs(source_runs(bodies.pair)), merge_runs(output_runs(bodies.pair))):
        if _respelt(bodies, place.old, place.new):
            yield Occurrence(place.new.pointer, place.old.pointer, place.old.texts, place.new.texts)


@tolerance("system-joined")
def system_joined(bodies: Bodies) -> Iterator[Occurrence]:
    """The system's texts were joined or split."""
    old, new = TextRun("system", list(bodies.pair.source.system)), TextRun("system", list(bodies.pair.output.system))
    if _respelt(bodies, old, new):
        yield Occurrence(new.pointer, old.pointer, old.texts, new.texts)


def _respelt(bodies: Bodies, old: TextRun, new: TextRun) -> bool:
    """Whether two runs are the same text in other chunks."""
    return bool(old.chunks) and old.texts != new.texts and joined_equal(bodies.pair.corpus, old.texts, new.texts)


@tolerance("system-as-developer")
def system_as_developer(bodies: Bodies) -> Iterator[Occurrence]:
    """The system's text stands in another slot: a key of the body here, a message of some role there."""
    for one, two in zip(bodies.pair.source.system, bodies.pair.output.system, strict=False):
        want, got = _slot(one.pointer, bodies.before), _slot(two.pointer, bodies.after)
        if want != got:
            yield Occurrence(two.pointer, one.pointer, want, got)


def _slot(pointer: str, body: object) -> str:
    message = _message(pointer, body)
    return str(message["role"]) if message is not None else pointer.split("/")[1]


def _message(pointer: str, body: object) -> dict[str, object] | None:
    """The message of a request in which something stands, None where it stands in none."""
    *_, key, number = ["", "", *pointer.split("/")[:3]]
    entries = body.get(key) if isinstance(body, dict) else None
    if not isinstance(entries, list) or not number.isdecimal():
        return None
    message = entries[int(number)]
    return message if isinstance(message, dict) and "role" in message else None


@tolerance("assistant-text-as-own-message")
def assistant_text_as_own_message(bodies: Bodies) -> Iterator[Occurrence]:
    """Text beside a call has a message of its own on one side, and shares one with the call on the other."""
    shared = {squeeze(text.text): text for text, alone in _beside_calls(bodies.pair.source, bodies.before) if not alone}
    apart = {squeeze(text.text): text for text, alone in _beside_calls(bodies.pair.source, bodies.before) if alone}
    for text, alone in _beside_calls(bodies.pair.output, bodies.after):
        twin = (shared if alone else apart).get(squeeze(text.text))
        if twin is not None:
            yield Occurrence(text.pointer, twin.pointer)


def _beside_calls(reading: Reading, body: object) -> Iterator[tuple[Text, bool]]:
    """Texts of turns with calls, and whether they stand in messages of their own."""
    for turn in reading.turns:
        calls = [item for item in turn.items if isinstance(item, Call)]
        for text in turn.items if calls else ():
            if isinstance(text, Text):
                own = _message(text.pointer, body)
                yield text, own is not None and all(_message(call.pointer, body) is not own for call in calls)


@tolerance("text-before-calls")
def text_before_calls(bodies: Bodies) -> Iterator[Occurrence]:
    """Text behind a call was put before it, where a format keeps no order between the two."""
    if bodies.pair.both("text-between-calls"):
        return
    behind = {text.pointer for text in _behind_calls(bodies.pair.output)}
    late = {text.pointer for text in _behind_calls(bodies.pair.source)}
    for one, two in _same_texts(bodies):
        if (one.pointer in late) != (two.pointer in behind):
            yield Occurrence(two.pointer, one.pointer)
    matched = {one.pointer for one, _ in _same_texts(bodies)}
    joined = [text for text in _behind_calls(bodies.pair.source) if text.pointer not in matched]
    for text, whole in _held_by(joined, list(_texts(bodies.pair.output))):
        if whole.pointer not in behind:
            yield Occurrence(whole.pointer, text.pointer)


def _held_by(texts: Iterable[Text], others: Sequence[Text]) -> Iterator[tuple[Text, Text]]:
    """The texts that one of the others holds, each with the first that does; white space aside."""
    holding = FirstHolding(squeeze(other.text) for other in others)
    for text in texts:
        number = holding.of(squeeze(text.text))
        if number is not None:
            yield text, others[number]


def _behind_calls(reading: Reading) -> Iterator[Text]:
    for turn in reading.turns:
        called = False
        for item in turn.items:
            called = called or isinstance(item, Call)
            if called and isinstance(item, Text):
                yield item


@tolerance("user-text-behind-results")
def user_text_behind_results(bodies: Bodies) -> Iterator[Occurrence]:
    """User text from before the results of its turn stands behind them."""
    before = {text.pointer for text, answered in _of_users(bodies.pair.source) if not answered}
    behind = {text.pointer for text, answered in _of_users(bodies.pair.output) if answered}
    for one, two in _same_texts(bodies):
        if one.pointer in before and two.pointer in behind:
            yield Occurrence(two.pointer, one.pointer)


def _of_users(reading: Reading) -> Iterator[tuple[Text, bool]]:
    """User text in turns with results, and whether a result stands before it in its turn."""
    for turn in reading.turns:
        if turn.side == "user" and any(isinstance(item, Result) for item in turn.items):
            answered = False
            for item in turn.items:
                answered = answered or isinstance(item, Result)
                if isinstance(item, Text):
                    yield item, answered


@tolerance("late-system-text")
def late_system_text(bodies: Bodies) -> Iterator[Occurrence]:
    """System text in the middle of the conversation is user text, or joined the system prompt."""
    texts = [item for turn in bodies.pair.output.turns if turn.side == "user" for item in turn.items]
    others = [*bodies.pair.output.system, *(item for item in texts if isinstance(item, Text))]
    late = [item for turn in bodies.pair.source.turns if turn.side == "system" for item in turn.items]
    for text, twin in _held_by([item for item in late if isinstance(item, Text)], others):
        yield Occurrence(twin.pointer, text.pointer)


@tolerance("hosted-call-as-text")
def hosted_call_as_text(bodies: Bodies) -> Iterator[Occurrence]:
    """A step that the provider ran itself is words in the output."""
    steps = [item for turn in bodies.pair.source.turns for item in turn.items if isinstance(item, Hosted)]
    if not steps or any(isinstance(item, Hosted) for turn in bodies.pair.output.turns for item in turn.items):
        return
    said = {squeeze(text.text) for text in _texts(bodies.pair.source)}
    for place in pair_runs(merge_runs(source_runs(bodies.pair)), merge_runs(output_runs(bodies.pair))):
        for text in place.new.chunks if place.old.hosted else ():
            if squeeze(text.text) not in said and any(word in text.text.lower() for word in place.old.hosted):
                yield Occurrence(text.pointer, steps[0].pointer, MISSING, text.text)


@tolerance("search-source-as-text")
def search_source_as_text(bodies: Bodies) -> Iterator[Occurrence]:
    """The title and source of a search result stand as text beside its own."""
    told = list(texts_of(bodies.pair.output))
    labelled, places = {one.labels for one in told}, Told(told)
    for text in texts_of(bodies.pair.source):
        place = places.place_of(text) if text.labels and text.labels not in labelled else ""
        if place:
            yield Occurrence(place, text.pointer, list(text.labels), text.text)
