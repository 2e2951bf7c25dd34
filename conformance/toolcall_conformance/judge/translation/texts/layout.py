"""How texts are laid out in two bodies: as a string or in a part, in which message, in which slot for instructions.

The readings take all of these for the same text. A difference is recorded under the equivalence that allows it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from toolcall_conformance.basics.findings import MISSING
from toolcall_conformance.basics.jsonvalue import join
from toolcall_conformance.basics.reading import Call, Reading, Result, Text
from toolcall_conformance.judge.translation.pair import Pair
from toolcall_conformance.judge.translation.texts.white_space import squeeze
from toolcall_conformance.judge.translation.wire_words import value_at


@dataclass(frozen=True, slots=True)
class _TextLayout:
    """A text and its layout in the body; None where that is not compared.

    ``form``: "string", "part", or "body" for a member of the body itself. ``slot``: the role or key that holds a system
    text. ``is_refusal``: under the key for refusals. ``is_own_message``: in a message of its own, apart from the turn's
    calls. ``text_before`` is the text before it in its turn, ``in_same_message`` whether both are in one message.
    """

    text: Text
    form: str | None = None
    slot: str | None = None
    is_refusal: bool | None = None
    is_own_message: bool | None = None
    text_before: str | None = None
    in_same_message: bool | None = None


def record_layout(pair: Pair) -> None:
    """Record differences in layout between texts that both bodies have; equal texts are matched in order."""
    same_format = pair.is_same_format
    others: dict[str, list[_TextLayout]] = {}
    for new in _conversation_layouts(pair.output, same_format=same_format):
        others.setdefault(squeeze(new.text.text), []).append(new)
    old_texts = _conversation_layouts(pair.source, same_format=same_format)
    twins = [(old, others[key].pop(0)) for old in old_texts if others.get(key := squeeze(old.text.text))]
    twins += zip(
        *(_system_layouts(reading, same_format=same_format) for reading in (pair.source, pair.output)), strict=False
    )
    for old, new in twins:
        for name, before, after in _values_by_equivalence(old, new):
            if before is not None and after is not None and before != after:
                values = (before, after) if name == "system-as-developer" else (MISSING, MISSING)
                pair.accept(name, new.text.pointer, old.text.pointer, *values)


def _values_by_equivalence(
    old: _TextLayout, new: _TextLayout
) -> Iterator[tuple[str, str | bool | None, str | bool | None]]:
    """Yield (equivalence, source's value, output's value) for each property that an equivalence lets differ."""
    yield "string-as-text-part", old.form, new.form
    yield "system-as-developer", old.slot, new.slot
    yield "refusal-as-text", old.is_refusal, new.is_refusal
    yield "assistant-text-as-own-message", old.is_own_message, new.is_own_message
    if old.text_before == new.text_before:
        yield "turns-merged", old.in_same_message, new.in_same_message


def _system_layouts(reading: Reading, *, same_format: bool) -> Iterator[_TextLayout]:
    """Yield the system prompt's texts with their layout."""
    for text in reading.system:
        yield _TextLayout(text, None if same_format else _text_form(text), _system_slot(reading, text.pointer))


def _conversation_layouts(reading: Reading, *, same_format: bool) -> Iterator[_TextLayout]:
    """Yield the texts of turns and results with their layout; ``same_format``: both bodies are of one format."""
    for turn in reading.turns:
        calls = {_message_pointer(reading, item.pointer) for item in turn.items if isinstance(item, Call)}
        last, at = None, ""
        for item in turn.items:
            if isinstance(item, Text):
                message_pointer = _message_pointer(reading, item.pointer)
                yield _TextLayout(
                    item,
                    "body" if same_format and _is_member_of_body(item) else _text_form(item),
                    is_refusal=None if same_format else item.pointer.rpartition("/")[2] == "refusal",
                    is_own_message=(message_pointer != "" and message_pointer not in calls) if calls else None,
                    text_before=last,
                    in_same_message=None if last is None else message_pointer == at,
                )
                last, at = squeeze(item.text), message_pointer
            elif isinstance(item, Result) and not same_format:
                yield from (_TextLayout(part, _text_form(part)) for part in item.parts if isinstance(part, Text))


def _is_member_of_body(text: Text) -> bool:
    """Whether a text is itself a member of the body, as the Responses API takes its input."""
    return text.pointer.rpartition("/")[0] == ""


def _text_form(text: Text) -> str:
    """Return "part" if a text is in a part of a list, else "string": a part has its index in the text's pointer."""
    *_, number, key = ["", *text.pointer.split("/")]
    return "part" if number.isdecimal() and key == "text" else "string"


def _message_pointer(reading: Reading, pointer: str) -> str:
    """Return the pointer of the innermost object with a role around a place; blank if there is none."""
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


def _system_slot(reading: Reading, pointer: str) -> str:
    """Return where a system text is: the role of its message, or the key of the body."""
    message = _message_pointer(reading, pointer)
    return str(value_at(reading, message)["role"]) if message else pointer.split("/")[1]
