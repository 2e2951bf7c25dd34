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
    """Change every leaf of every call's arguments; Skip if that changes nothing, or the model wrote no object."""
    for call in Draft(draft.source, draft.source_format).calls:
        _ = call.arguments
    hit = False
    for call in draft.function_calls:
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


@broken(
    RULE,
    target=TEXT_ARGUMENTS,
    check="response",
    fault="reply-arguments-double-encoded",
    title="The arguments of a reply are JSON text inside JSON text",
)
@broken(RULE, target=TEXT_ARGUMENTS)
def arguments_double_encoded(draft: Draft) -> None:
    """The arguments are JSON text inside JSON text."""
    for call in need(draft.function_calls):
        call.raw = json.dumps(call.raw)


@broken(
    ENCODED,
    check="response",
    fault="reply-arguments-object-for-text",
    title="The arguments of a reply are an object where their JSON text belongs",
)
@broken(ENCODED)
def arguments_object_for_text(draft: Draft) -> None:
    """The arguments are an object where their JSON text belongs."""
    for call in need(draft.calls):
        call.raw = call.arguments


@broken(
    OBJECTS,
    check="response",
    fault="reply-arguments-text-for-object",
    title="The arguments of a reply are JSON text where the object belongs",
)
@broken(OBJECTS)
def arguments_text_for_object(draft: Draft) -> None:
    """The arguments are JSON text where the object belongs."""
    for call in need(draft.function_calls):
        call.raw = json.dumps(call.raw)


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
    for call in draft.function_calls:
        arguments = {key: value for key, value in call.arguments.items() if value}
        if arguments != call.arguments:
            call.arguments, hit = arguments, True
    need(hit)


@broken(RULE, check="response", fault="reply-arguments-emptied", title="The calls of a reply have no arguments")
@broken(RULE)
def arguments_emptied(draft: Draft) -> None:
    """The calls of the history have no arguments any more."""
    for call in need([call for call in draft.calls if call.arguments]):
        call.arguments = {}


@broken(RULE, check="response")
def argument_names_in_camel_case(draft: Draft) -> None:
    """The arguments' names are spelt in camelCase, as if they were keys of the format."""
    hit = False
    for call in draft.whole_calls:
        named = {_camel(key): value for key, value in call.arguments.items()}
        if named != call.arguments:
            call.arguments, hit = named, True
    need(hit)


def _camel(key: str) -> str:
    first, *rest = key.split("_")
    return first + "".join(word.title() for word in rest)


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
    for call in draft.function_calls:
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
    ids = {call.id for call in Draft(draft.source, draft.source_format).calls}
    need({first.id, second.id} <= ids)  # with new ids it is the order of the calls that changed
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


def _leaves(fault: str, title: str, kind: Any, change: Callable[[Any], Any], **where: Any) -> None:
    """A double that changes every leaf of a kind; a truth value is no number."""

    def changed(leaf: Any) -> Any:
        fits = isinstance(leaf, kind) and (kind is bool or not isinstance(leaf, bool))
        return change(leaf) if fits else leaf

    broken(RULE, fault=fault, title=title, **where)(lambda draft: every(draft, changed))


_leaves(
    "argument-number-changed", "A number of the arguments is another one", int, lambda leaf: leaf + 1, check="response"
)
_leaves(
    "big-integer-rounded",
    "A whole number beyond 2^53 went through a double",
    int,
    lambda leaf: int(float(leaf)),
    target=(ANTHROPIC, CHAT, RESPONSES),
    sources=(ANTHROPIC, CHAT, RESPONSES),
)
_leaves("float-cut", "A number with a fraction became a whole one", float, int)
_leaves("numbers-as-text", "Numbers of the arguments became texts", (int, float), str)
_leaves("booleans-as-text", "Truth values of the arguments became texts", bool, lambda leaf: str(leaf).lower())
_leaves(
    "unicode-mangled", "UTF-8 was read as Latin-1", str, lambda leaf: leaf.encode().decode("latin-1"), check="response"
)
_leaves(
    "unicode-replaced",
    "Characters beyond ASCII became question marks",
    str,
    lambda leaf: leaf.encode("ascii", "replace").decode(),
)
_leaves(
    "newlines-escaped-twice", r"A line break became the two characters \n", str, lambda leaf: leaf.replace("\n", "\\n")
)
_leaves(
    "backslashes-lost",
    "Backslashes of the arguments are gone",
    str,
    lambda leaf: leaf.replace("\\", ""),
    check="response",
)
_leaves("arguments-html-escaped", "Quotes and angle brackets came out as HTML entities", str, html.escape)
_leaves("arguments-trimmed", "White space at the ends of arguments is gone", str, lambda leaf: leaf.strip())
_leaves("argument-text-parsed", "A text argument that happens to be JSON became the value it spells", str, _parsed)
