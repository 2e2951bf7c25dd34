"""One text in other pieces, or at another legal place."""

from __future__ import annotations

from collections.abc import Iterator

from toolcall_conformance.findings import MISSING
from toolcall_conformance.reading import Call, Hosted, Result, Text
from toolcall_conformance.reading.model import Reading
from toolcall_conformance.translation.chunks import squeeze
from toolcall_conformance.translation.joining import joined_equal
from toolcall_conformance.translation.runs import Run, aligned, merged, output_runs, source_runs
from toolcall_conformance.translation.tolerances.registry import Place, Seen, tolerance


def _same_texts(seen: Seen) -> Iterator[tuple[Text, Text]]:
    """Texts that both bodies have, each with the first that says the same, system text aside."""
    others: dict[str, list[Text]] = {}
    for text in _texts(seen.pair.output):
        others.setdefault(squeeze(text.text), []).append(text)
    for text in _texts(seen.pair.source):
        if twins := others.get(squeeze(text.text)):
            yield text, twins.pop(0)


def _texts(reading: Reading) -> Iterator[Text]:
    return (item for turn in reading.turns for item in turn.items if isinstance(item, Text))


@tolerance("string-as-text-part")
def string_as_text_part(seen: Seen) -> Iterator[Place]:
    """A text is a string here and a list with one part there."""
    for one, two in _same_texts(seen):
        if _is_part(one) != _is_part(two):
            yield Place(two.pointer, one.pointer)


def _is_part(text: Text) -> bool:
    """Whether a text stands in a part of a list: what is in it has the part's index in its pointer."""
    *_, number, key = ["", *text.pointer.split("/")]
    return number.isdecimal() and key == "text"


@tolerance("text-joined-by-whitespace")
def text_joined_by_whitespace(seen: Seen) -> Iterator[Place]:
    """Neighbouring texts were joined or split."""
    for place in aligned(merged(source_runs(seen.pair)), merged(output_runs(seen.pair))):
        if _respelt(seen, place.old, place.new):
            yield Place(place.new.pointer, place.old.pointer, place.old.texts, place.new.texts)


@tolerance("system-joined")
def system_joined(seen: Seen) -> Iterator[Place]:
    """The system's texts were joined or split."""
    old, new = Run("system", list(seen.pair.source.system)), Run("system", list(seen.pair.output.system))
    if _respelt(seen, old, new):
        yield Place(new.pointer, old.pointer, old.texts, new.texts)


def _respelt(seen: Seen, old: Run, new: Run) -> bool:
    """Whether two runs are the same text in other chunks."""
    return bool(old.chunks) and old.texts != new.texts and joined_equal(seen.pair.corpus, old.texts, new.texts)


@tolerance("system-as-developer")
def system_as_developer(seen: Seen) -> Iterator[Place]:
    """The system's text stands in another slot: a key of the body here, a message of some role there."""
    for one, two in zip(seen.pair.source.system, seen.pair.output.system, strict=False):
        want, got = _slot(one.pointer, seen.before), _slot(two.pointer, seen.after)
        if want != got:
            yield Place(two.pointer, one.pointer, want, got)


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
def assistant_text_as_own_message(seen: Seen) -> Iterator[Place]:
    """Text beside a call has a message of its own on one side, and shares one with the call on the other."""
    shared = {squeeze(text.text): text for text, alone in _beside_calls(seen.pair.source, seen.before) if not alone}
    apart = {squeeze(text.text): text for text, alone in _beside_calls(seen.pair.source, seen.before) if alone}
    for text, alone in _beside_calls(seen.pair.output, seen.after):
        twin = (shared if alone else apart).get(squeeze(text.text))
        if twin is not None:
            yield Place(text.pointer, twin.pointer)


def _beside_calls(reading: Reading, body: object) -> Iterator[tuple[Text, bool]]:
    """Texts of turns with calls, and whether they stand in messages of their own."""
    for turn in reading.turns:
        calls = [item for item in turn.items if isinstance(item, Call)]
        for text in turn.items if calls else ():
            if isinstance(text, Text):
                own = _message(text.pointer, body)
                yield text, own is not None and all(_message(call.pointer, body) is not own for call in calls)


@tolerance("text-before-calls")
def text_before_calls(seen: Seen) -> Iterator[Place]:
    """Text behind a call was put before it, where a format keeps no order between the two."""
    if seen.pair.both("text-between-calls"):
        return
    behind = {text.pointer for text in _behind_calls(seen.pair.output)}
    late = {text.pointer for text in _behind_calls(seen.pair.source)}
    for one, two in _same_texts(seen):
        if (one.pointer in late) != (two.pointer in behind):
            yield Place(two.pointer, one.pointer)
    joined = [text for text in _behind_calls(seen.pair.source) if text.pointer not in _matched(seen)]
    for text in joined:
        whole = next((two for two in _texts(seen.pair.output) if squeeze(text.text) in squeeze(two.text)), None)
        if whole is not None and whole.pointer not in behind:
            yield Place(whole.pointer, text.pointer)


def _matched(seen: Seen) -> set[str]:
    return {one.pointer for one, _ in _same_texts(seen)}


def _behind_calls(reading: Reading) -> Iterator[Text]:
    for turn in reading.turns:
        called = False
        for item in turn.items:
            called = called or isinstance(item, Call)
            if called and isinstance(item, Text):
                yield item


@tolerance("user-text-behind-results")
def user_text_behind_results(seen: Seen) -> Iterator[Place]:
    """User text from before the results of its turn stands behind them."""
    before = {text.pointer for text, answered in _of_users(seen.pair.source) if not answered}
    behind = {text.pointer for text, answered in _of_users(seen.pair.output) if answered}
    for one, two in _same_texts(seen):
        if one.pointer in before and two.pointer in behind:
            yield Place(two.pointer, one.pointer)


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
def late_system_text(seen: Seen) -> Iterator[Place]:
    """System text in the middle of the conversation is user text, or joined the system prompt."""
    texts = [item for turn in seen.pair.output.turns if turn.side == "user" for item in turn.items]
    others = [*seen.pair.output.system, *(item for item in texts if isinstance(item, Text))]
    for turn in seen.pair.source.turns:
        for item in turn.items if turn.side == "system" else ():
            twin = next(
                (two for two in others if isinstance(item, Text) and squeeze(item.text) in squeeze(two.text)), None
            )
            if twin is not None:
                yield Place(twin.pointer, item.pointer)


@tolerance("hosted-call-as-text")
def hosted_call_as_text(seen: Seen) -> Iterator[Place]:
    """A step that the provider ran itself is words in the output."""
    steps = [item for turn in seen.pair.source.turns for item in turn.items if isinstance(item, Hosted)]
    if not steps or any(isinstance(item, Hosted) for turn in seen.pair.output.turns for item in turn.items):
        return
    said = {squeeze(text.text) for text in _texts(seen.pair.source)}
    for place in aligned(merged(source_runs(seen.pair)), merged(output_runs(seen.pair))):
        for text in place.new.chunks if place.old.hosted else ():
            if squeeze(text.text) not in said and any(word in text.text.lower() for word in place.old.hosted):
                yield Place(text.pointer, steps[0].pointer, MISSING, text.text)
