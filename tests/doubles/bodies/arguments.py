"""Arguments that are encoded wrongly, rounded, mangled or lost."""

from __future__ import annotations

import html
import json
from collections.abc import Callable
from typing import Any

from doubles.body import ANTHROPIC, CHAT, GEMINI, OBJECT_ARGUMENTS, RESPONSES, TEXT_ARGUMENTS, broken, need
from doubles.draft import Draft, Skip

RULE = "translation/arguments"
ENCODED = {CHAT: "openai_chat/call-arguments", RESPONSES: "openai_responses/arguments-string"}
OBJECTS = {ANTHROPIC: "anthropic/call-input-object", GEMINI: "gemini/call-args-object"}


def every(draft: Draft, change: Callable[[Any], Any]) -> None:
    """Change every leaf of every call's arguments; Skip if that changes nothing."""
    hit = False
    for call in draft.calls:
        before = call.arguments
        after = leaves(before, change)
        if json.dumps(after) != json.dumps(before):
            call.arguments, hit = after, True
    need(hit)


def leaves(value: Any, change: Callable[[Any], Any]) -> Any:
    if isinstance(value, dict):
        return {key: leaves(entry, change) for key, entry in value.items()}
    if isinstance(value, list):
        return [leaves(entry, change) for entry in value]
    return change(value)


@broken(RULE, target=TEXT_ARGUMENTS)
def arguments_double_encoded(draft: Draft) -> None:
    """The arguments are JSON text inside JSON text."""
    for call in need(draft.calls):
        call.raw = json.dumps(call.raw)


@broken(RULE, target=TEXT_ARGUMENTS, check="response")
def reply_arguments_double_encoded(draft: Draft) -> None:
    """The arguments of a reply are JSON text inside JSON text."""
    arguments_double_encoded(draft)


@broken(ENCODED)
def arguments_object_for_text(draft: Draft) -> None:
    """The arguments are an object where their JSON text belongs."""
    for call in need(draft.calls):
        call.raw = call.arguments


@broken(ENCODED, check="response")
def reply_arguments_object_for_text(draft: Draft) -> None:
    """The arguments of a reply are an object where their JSON text belongs."""
    arguments_object_for_text(draft)


@broken(OBJECTS)
def arguments_text_for_object(draft: Draft) -> None:
    """The arguments are JSON text where the object belongs."""
    for call in need(draft.calls):
        call.raw = json.dumps(call.raw)


@broken(OBJECTS, check="response")
def reply_arguments_text_for_object(draft: Draft) -> None:
    """The arguments of a reply are JSON text where the object belongs."""
    arguments_text_for_object(draft)


@broken(RULE, check="response")
def argument_number_changed(draft: Draft) -> None:
    """A number of the arguments is another one."""
    every(draft, lambda leaf: leaf + 1 if isinstance(leaf, int) and not isinstance(leaf, bool) else leaf)


@broken(RULE, target=(ANTHROPIC, CHAT, RESPONSES), sources=(ANTHROPIC, CHAT, RESPONSES))
def big_integer_rounded(draft: Draft) -> None:
    """A whole number beyond 2^53 went through a double."""
    every(draft, lambda leaf: int(float(leaf)) if isinstance(leaf, int) and not isinstance(leaf, bool) else leaf)


@broken(RULE)
def float_cut(draft: Draft) -> None:
    """A number with a fraction became a whole one."""
    every(draft, lambda leaf: int(leaf) if isinstance(leaf, float) else leaf)


@broken(RULE)
def numbers_as_text(draft: Draft) -> None:
    """Numbers of the arguments became texts."""
    every(draft, lambda leaf: str(leaf) if isinstance(leaf, (int, float)) and not isinstance(leaf, bool) else leaf)


@broken(RULE)
def booleans_as_text(draft: Draft) -> None:
    """Truth values of the arguments became texts."""
    every(draft, lambda leaf: str(leaf).lower() if isinstance(leaf, bool) else leaf)


@broken(RULE, check="response")
def unicode_mangled(draft: Draft) -> None:
    """UTF-8 was read as Latin-1."""
    every(draft, lambda leaf: leaf.encode().decode("latin-1") if isinstance(leaf, str) else leaf)


@broken(RULE)
def unicode_replaced(draft: Draft) -> None:
    """Characters beyond ASCII became question marks."""
    every(draft, lambda leaf: leaf.encode("ascii", "replace").decode() if isinstance(leaf, str) else leaf)


@broken(RULE)
def newlines_escaped_twice(draft: Draft) -> None:
    r"""A line break became the two characters \n."""
    every(draft, lambda leaf: leaf.replace("\n", "\\n") if isinstance(leaf, str) else leaf)


@broken(RULE, check="response")
def backslashes_lost(draft: Draft) -> None:
    """Backslashes of the arguments are gone."""
    every(draft, lambda leaf: leaf.replace("\\", "") if isinstance(leaf, str) else leaf)


@broken(RULE)
def arguments_html_escaped(draft: Draft) -> None:
    """Quotes and angle brackets came out as HTML entities."""
    every(draft, lambda leaf: html.escape(leaf) if isinstance(leaf, str) else leaf)


@broken(RULE)
def arguments_trimmed(draft: Draft) -> None:
    """White space at the ends of arguments is gone."""
    every(draft, lambda leaf: leaf.strip() if isinstance(leaf, str) else leaf)


@broken(RULE)
def argument_dropped(draft: Draft) -> None:
    """The last argument of the first call is gone."""
    call = need(draft.calls)[0]
    arguments = need(call.arguments)
    call.arguments = dict(list(arguments.items())[:-1])


@broken(RULE, check="response")
def optional_arguments_dropped(draft: Draft) -> None:
    """Only the first argument of each call comes through."""
    for call in need([call for call in draft.calls if len(call.arguments) > 1]):
        call.arguments = dict(list(call.arguments.items())[:1])


@broken(RULE)
def empty_arguments_dropped(draft: Draft) -> None:
    """Arguments that are false, zero or empty are taken for absent."""
    hit = False
    for call in draft.calls:
        kept = {key: value for key, value in call.arguments.items() if value}
        if kept != call.arguments:
            call.arguments, hit = kept, True
    need(hit)


@broken(RULE)
def arguments_emptied(draft: Draft) -> None:
    """The calls of the history have no arguments any more."""
    for call in need([call for call in draft.calls if call.arguments]):
        call.arguments = {}


@broken(RULE, check="response")
def reply_arguments_emptied(draft: Draft) -> None:
    """The calls of a reply have no arguments."""
    arguments_emptied(draft)


@broken(RULE, check="response")
def argument_names_in_camel_case(draft: Draft) -> None:
    """The arguments' names are spelt in camelCase, as if they were keys of the format."""
    hit = False
    for call in draft.calls:
        named = {_camel(key): value for key, value in call.arguments.items()}
        if named != call.arguments:
            call.arguments, hit = named, True
    need(hit)


def _camel(key: str) -> str:
    first, *rest = key.split("_")
    return first + "".join(word.title() for word in rest)


@broken(RULE)
def argument_text_parsed(draft: Draft) -> None:
    """A text argument that happens to be JSON became the value it spells."""
    every(draft, lambda leaf: _parsed(leaf) if isinstance(leaf, str) else leaf)


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


@broken(RULE, check="response")
def argument_lists_joined(draft: Draft) -> None:
    """Lists of texts became one text."""
    hit = False
    for call in draft.calls:
        for key, value in (arguments := call.arguments).items():
            if isinstance(value, list) and all(isinstance(entry, str) for entry in value):
                call.arguments, hit = {**arguments, key: ",".join(value)}, True
    need(hit)


@broken(RULE)
def nested_arguments_as_text(draft: Draft) -> None:
    """Objects and lists inside the arguments became their JSON text."""
    hit = False
    for call in draft.calls:
        flat = {
            key: json.dumps(value) if isinstance(value, (dict, list)) else value
            for key, value in call.arguments.items()
        }
        if flat != call.arguments:
            call.arguments, hit = flat, True
    need(hit)


@broken({CHAT: RULE, RESPONSES: RULE, ANTHROPIC: "anthropic/call-input-object"})
def null_for_no_arguments(draft: Draft) -> None:
    """A call without arguments says null."""
    for call in need([call for call in draft.calls if not call.arguments]):
        call.raw = None if draft.format == ANTHROPIC else "null"


@broken(OBJECTS | {CHAT: RULE, RESPONSES: RULE}, check="response")
def list_for_no_arguments(draft: Draft) -> None:
    """A call without arguments says an empty list, as PHP does."""
    # Where the source's own call lacks them, its fault excuses the shape, and another rule names the list.
    need(draft.source_format != CHAT or '"arguments"' in json.dumps(draft.source))
    for call in need([call for call in draft.calls if not call.arguments]):
        call.raw = [] if draft.format in OBJECT_ARGUMENTS else "[]"


@broken(RULE, target=(ANTHROPIC, CHAT, RESPONSES), check="response", sources=(ANTHROPIC, CHAT, RESPONSES))
def arguments_exchanged(draft: Draft) -> None:
    """Two parallel calls have each other's arguments, under their own ids."""
    first, second = need(draft.calls[:2] if len(draft.calls) > 1 else [])
    need(first.arguments != second.arguments)
    given = {call.id for call in Draft(draft.source, draft.source_format).calls}
    need({first.id, second.id} <= given)  # with new ids it is the order of the calls that changed
    first.arguments, second.arguments = second.arguments, first.arguments


@broken(RULE, check="response")
def arguments_wrapped(draft: Draft) -> None:
    """The arguments stand inside one more object."""
    for call in need([call for call in draft.calls if call.arguments]):
        call.arguments = {"input": call.arguments}


@broken(RULE, target=TEXT_ARGUMENTS, check="response")
def arguments_cut(draft: Draft) -> None:
    """The text of the arguments breaks off."""
    hit = False
    for call in draft.calls:
        if call.raw != "{}":
            call.raw, hit = call.raw[: len(call.raw) // 2], True
    if not hit:
        raise Skip
