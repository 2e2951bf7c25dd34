"""Arguments that are legal and rare, and arguments that are no object: rounded, cleaned, guessed or thrown away."""

from __future__ import annotations

import json
import unicodedata
from typing import Any

from doubles.bodies.arguments import every, leaves
from doubles.body import CHAT, OBJECT_ARGUMENTS, RESPONSES, TEXT_ARGUMENTS, broken, harmless, need, warning
from doubles.draft import Draft

RULE = "translation/arguments"
LOST = "translation/unreadable-arguments"
MEMBERS = ("arguments/empty-members",)
NUMBERS = ("arguments/numbers",)
DIGITS = ("history/schema-as-result",)
CONTROL = ("arguments/control-characters",)
NOTHING = ("arguments/nothing-said",)
NO_OBJECT = ("arguments/no-object",)
NO_JSON = ("arguments/no-json",)
TWICE = ("arguments/key-twice",)
LARGE = ("arguments/large",)
BUFFER = 16384


def _pruned(value: Any, gone: Any) -> Any:
    """A value without the members and entries that are ``gone``."""
    if isinstance(value, dict):
        return {key: _pruned(entry, gone) for key, entry in value.items() if entry != gone or entry is False}
    return [_pruned(entry, gone) for entry in value if entry != gone] if isinstance(value, list) else value


def _prune(draft: Draft, gone: Any) -> None:
    hit = False
    for call in draft.calls:
        after = _pruned(call.arguments, gone)
        hit = hit or after != call.arguments
        call.arguments = after
    need(hit)


@broken(RULE, check="response", cases=MEMBERS)
def null_members_dropped(draft: Draft) -> None:
    """Members that are null are taken for absent; the tool was told to clear them."""
    _prune(draft, None)


@broken(RULE, check="response", cases=MEMBERS)
def empty_arrays_dropped(draft: Draft) -> None:
    """Members that are empty arrays are taken for absent."""
    _prune(draft, [])


@broken(RULE, cases=MEMBERS)
def null_as_text(draft: Draft) -> None:
    """A null in the arguments of the history is the text null."""
    for call in need(draft.calls):
        call.arguments = leaves(call.arguments, lambda leaf: "null" if leaf is None else leaf)


def _number(leaf: Any) -> bool:
    return isinstance(leaf, (int, float)) and not isinstance(leaf, bool)


@broken(RULE, check="response", cases=(*NUMBERS, *DIGITS))
def tiny_numbers_rounded(draft: Draft) -> None:
    """Numbers were written with six digits behind the point."""
    every(draft, lambda leaf: round(leaf, 6) if isinstance(leaf, float) else leaf)


@broken(RULE, check="response", cases=DIGITS)
def accents_composed(draft: Draft) -> None:
    """Letters and their accents became single characters, as no file is called."""
    every(draft, lambda leaf: unicodedata.normalize("NFC", leaf) if isinstance(leaf, str) else leaf)


@broken(RULE, check="response", cases=NUMBERS)
def numbers_cut_to_32_bits(draft: Draft) -> None:
    """Whole numbers beyond 32 bits were cut."""
    every(draft, lambda leaf: max(-(2**31), min(leaf, 2**31 - 1)) if isinstance(leaf, int) else leaf)


@broken(RULE, cases=NUMBERS)
def signs_lost(draft: Draft) -> None:
    """Numbers below zero lost their sign."""
    every(draft, lambda leaf: abs(leaf) if _number(leaf) else leaf)


@harmless(check="response", cases=NUMBERS, beside=RULE)
def whole_numbers_without_point(draft: Draft) -> None:
    """A whole number that was written with a fraction of zero is written without."""
    every(draft, lambda leaf: int(leaf) if isinstance(leaf, float) and leaf.is_integer() else leaf)


@broken(RULE, check="response", cases=CONTROL)
def control_characters_stripped(draft: Draft) -> None:
    """Control characters were cleaned away."""
    every(draft, lambda leaf: "".join(sign for sign in leaf if sign >= " ") if isinstance(leaf, str) else leaf)


@broken(RULE, cases=CONTROL)
def escapes_read_twice(draft: Draft) -> None:
    r"""What looks like an escape, such as \u0041, became the character that it would mean."""
    every(draft, lambda leaf: leaf.replace("\\u0041", "A") if isinstance(leaf, str) else leaf)


@broken(RULE, check="response", cases=CONTROL)
def separators_as_line_breaks(draft: Draft) -> None:
    """Every kind of line separator became a line break."""
    every(draft, lambda leaf: "\n".join(leaf.splitlines()) if isinstance(leaf, str) else leaf)


@broken("translation/call-lost", check="response", cases=NOTHING, sources=TEXT_ARGUMENTS)
def calls_without_object_dropped(draft: Draft) -> None:
    """Calls whose arguments are null or an empty array are dropped as not well formed."""
    for call in need(draft.calls)[:2]:
        call.holder.remove(call.entry)


@harmless(check="response", target=TEXT_ARGUMENTS, sources=TEXT_ARGUMENTS, cases=NOTHING, beside=RULE)
def nothing_as_empty_object(draft: Draft) -> None:
    """Arguments that say that there are none are an empty object."""
    for call in need(draft.calls):
        call.raw = "{}"


@warning(LOST, target=OBJECT_ARGUMENTS, sources=(CHAT,), cases=NO_JSON)
@warning(
    LOST,
    check="response",
    sources=TEXT_ARGUMENTS,
    cases=NO_OBJECT,
    fault="reply-no-object-emptied",
    title="Arguments of a reply that are no object were thrown away",
)
def no_object_emptied(draft: Draft) -> None:
    """Arguments of the history that are no object were thrown away."""
    for call in need(draft.calls):
        call.arguments = {}


@warning(LOST, check="response", target=OBJECT_ARGUMENTS, sources=(CHAT,), cases=NO_JSON)
def cut_arguments_guessed(draft: Draft) -> None:
    """Arguments that were cut off are closed, as if the model had written them so."""
    need(draft.calls)[0].arguments = {"x": [1], "y": [2]}


@broken(RULE, target=OBJECT_ARGUMENTS, check="response", sources=TEXT_ARGUMENTS, cases=NO_OBJECT)
def first_entry_taken(draft: Draft) -> None:
    """Of arguments that are an array the first entry alone came through."""
    need(draft.calls)[0].arguments = {"value": ["e2"]}


@harmless(check="response", target=OBJECT_ARGUMENTS, sources=TEXT_ARGUMENTS, cases=NO_OBJECT, beside=RULE)
def value_wrapped(draft: Draft) -> None:
    """Arguments that are no object stand as they are inside one, under the translator's own key."""
    for call, value in zip(need(draft.calls), (["e2", "e4"], "g1f3", 64), strict=True):
        call.arguments = {"value": value}


@broken(RULE, sources=TEXT_ARGUMENTS, cases=TWICE)
@broken(
    RULE,
    check="response",
    sources=TEXT_ARGUMENTS,
    cases=TWICE,
    fault="reply-first-of-two-keys",
    title="Of a key that occurs twice in a reply's arguments the first one counts",
)
def first_of_two_keys(draft: Draft) -> None:
    """Of a key that occurs twice in the history's arguments the first one counts."""
    for call in need(draft.calls):
        call.raw = (
            {"from": "d1", "to": "h5"} if draft.format not in TEXT_ARGUMENTS else json.dumps({"from": "d1", "to": "h5"})
        )


@harmless(target=(CHAT, RESPONSES), sources=TEXT_ARGUMENTS, cases=TWICE, beside=RULE)
def key_once(draft: Draft) -> None:
    """Of a key that occurs twice only the one that counts is written."""
    for call in need(draft.calls):
        call.raw = '{"from": "d1", "to": "f3"}'


@broken("translation/call-lost", check="response", cases=LARGE)
def large_calls_dropped(draft: Draft) -> None:
    """A call of a reply whose arguments do not fit into a buffer of 16 KB is dropped."""
    for call in need([call for call in draft.calls if _size(call.arguments) > BUFFER]):
        call.holder.remove(call.entry)


@broken(RULE, cases=LARGE)
def large_arguments_cut(draft: Draft) -> None:
    """Texts in the arguments of the history end where a buffer of 16 KB was full."""
    every(draft, lambda leaf: leaf[:BUFFER] if isinstance(leaf, str) else leaf)


@harmless(target=TEXT_ARGUMENTS, cases=LARGE, beside=RULE)
def large_arguments_escaped(draft: Draft) -> None:
    """Large arguments are written in ASCII, with every other character as an escape."""
    for call in need(draft.calls):
        call.raw = json.dumps(call.arguments, indent=1)


def _size(arguments: Any) -> int:
    return len(json.dumps(arguments))
