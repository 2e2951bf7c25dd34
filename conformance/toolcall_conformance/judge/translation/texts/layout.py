"""Where texts stand in two bodies: as a string or in a list of parts, in which message, in which slot of the system's.

The readings take all of these for the same text. What differs is recorded under the equivalence that lets it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from toolcall_conformance.basics.findings import MISSING
from toolcall_conformance.basics.jsonvalue import join
from toolcall_conformance.basics.reading import Call, Reading, Result, Text
from toolcall_conformance.judge.translation.pair import Pair
from toolcall_conformance.judge.translation.texts.text_chunks import squeeze
from toolcall_conformance.judge.translation.wire_words import resolved


@dataclass(frozen=True, slots=True)
class _Standing:
    """A text and how it stands in its body; None where that says nothing.

    ``form``: as a string, in a part, or as a member of the body. ``slot``: of the system's, where. ``refusal``: under
    the key for refusals. ``alone``: beside calls, in a message of its own. ``last`` is the text before it in its turn,
    ``together`` whether both are in one message.
    """

    text: Text
    form: str | None = None
    slot: str | None = None
    refusal: bool | None = None
    alone: bool | None = None
    last: str | None = None
    together: bool | None = None


def record_layout(pair: Pair) -> None:
    """Record how texts that both bodies have stand otherwise; each is held against the first that says the same."""
    alike = pair.is_same_format
    others: dict[str, list[_Standing]] = {}
    for new in _conversation(pair.output, alike=alike):
        others.setdefault(squeeze(new.text.text), []).append(new)
    old_texts = _conversation(pair.source, alike=alike)
    twins = [(old, others[key].pop(0)) for old in old_texts if others.get(key := squeeze(old.text.text))]
    twins += zip(*(_system(reading, alike=alike) for reading in (pair.source, pair.output)), strict=False)
    for old, new in twins:
        for name, before, after in _compared(old, new):
            if before is not None and after is not None and before != after:
                values = (before, after) if name == "system-as-developer" else (MISSING, MISSING)
                pair.accept(name, new.text.pointer, old.text.pointer, *values)


def _compared(old: _Standing, new: _Standing) -> Iterator[tuple[str, str | bool | None, str | bool | None]]:
    """What an equivalence lets be another on the other side: its name, and what it is on both sides."""
    yield "string-as-text-part", old.form, new.form
    yield "system-as-developer", old.slot, new.slot
    yield "refusal-as-text", old.refusal, new.refusal
    yield "assistant-text-as-own-message", old.alone, new.alone
    if old.last == new.last:
        yield "turns-merged", old.together, new.together


def _system(reading: Reading, *, alike: bool) -> Iterator[_Standing]:
    for text in reading.system:
        yield _Standing(text, None if alike else _form(text), _slot(reading, text.pointer))


def _conversation(reading: Reading, *, alike: bool) -> Iterator[_Standing]:
    """The texts of turns and results, in bodies of one format (``alike``) or of two."""
    for turn in reading.turns:
        calls = {_message(reading, item.pointer) for item in turn.items if isinstance(item, Call)}
        last, at = None, ""
        for item in turn.items:
            if isinstance(item, Text):
                own = _message(reading, item.pointer)
                yield _Standing(
                    item,
                    "body" if alike and _is_body(item) else _form(item),
                    refusal=None if alike else item.pointer.rpartition("/")[2] == "refusal",
                    alone=(own != "" and own not in calls) if calls else None,
                    last=last,
                    together=None if last is None else own == at,
                )
                last, at = squeeze(item.text), own
            elif isinstance(item, Result) and not alike:
                yield from (_Standing(part, _form(part)) for part in item.parts if isinstance(part, Text))


def _is_body(text: Text) -> bool:
    """Whether a text is itself a member of the body, as Responses take the input."""
    return text.pointer.rpartition("/")[0] == ""


def _form(text: Text) -> str:
    """Whether a text stands in a part of a list: what is in it has the part's index in its pointer."""
    *_, number, key = ["", *text.pointer.split("/")]
    return "part" if number.isdecimal() and key == "text" else "string"


def _message(reading: Reading, pointer: str) -> str:
    """The pointer of the innermost object with a role around a place; blank where there is none."""
    value, at, message_pointer = reading.body, "", ""
    for token in pointer.split("/")[1:]:
        try:
            value = value[int(token)] if isinstance(value, list) else value[token]
        except (LookupError, TypeError, ValueError):  # pragma: no cover - a reading points at what is there
            break
        at = join(at, token)
        if isinstance(value, dict) and "role" in value:
            message_pointer = at
    return message_pointer


def _slot(reading: Reading, pointer: str) -> str:
    """Where a text of the system stands: in a message of which role, or under which key of the body."""
    message = _message(reading, pointer)
    return str(resolved(reading, message)["role"]) if message else pointer.split("/")[1]
