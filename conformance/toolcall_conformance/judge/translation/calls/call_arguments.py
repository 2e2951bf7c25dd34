"""Arguments of calls in the output: what its format should have, and arguments that are no JSON object.

A model, or a client, wrote text that cannot be read, or JSON of another kind; a translator cannot mend it. It must stay
readable: unchanged where the target has text, else inside an object. ``{}`` may stand for no arguments at all.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from toolcall_conformance.basics.findings import MISSING, Finding, Words
from toolcall_conformance.basics.jsonvalue import JSONError, equal, is_json, parse_arguments
from toolcall_conformance.basics.reading import Call, Reading, Unreadable
from toolcall_conformance.basics.reading.model import Item
from toolcall_conformance.judge.translation.pair import Pair
from toolcall_conformance.library import Corpus


def with_unreadable_arguments(reading: Reading, texts: Mapping[int, str]) -> Reading:
    """Return the reading with calls whose arguments are no JSON as their raw text; ``texts`` are by ordinal.

    For streams: a stream has the text of a call that was cut short, where a whole body would have an empty object.
    """
    cut = {ordinal: text for ordinal, text in texts.items() if is_broken_json(text)}
    if not cut:
        return reading

    def restore_text(item: Item) -> Item:
        if isinstance(item, Call) and item.kind == "function" and item.ordinal in cut:
            return replace(item, arguments=Unreadable(cut[item.ordinal]))
        return item

    turns = [replace(turn, items=[restore_text(item) for item in turn.items]) for turn in reading.turns]
    return replace(reading, turns=turns)


def is_broken_json(text: str) -> bool:
    """Whether a text of arguments is not blank, and no JSON."""
    return bool(text.strip()) and not is_json(text)


def has_odd_arguments(call: Call) -> bool:
    """Whether a call of a function has arguments that are no object."""
    return call.kind == "function" and not isinstance(call.arguments, dict)


def readable_arguments(call: Call) -> Any:
    """Return the arguments of a call as a JSON value: unreadable ones as their text."""
    return call.arguments.raw if isinstance(call.arguments, Unreadable) else call.arguments


def arguments_as_written(pair: Pair, call: Call) -> Any:
    """Return the arguments of an output call; empty ones exactly as the body has them."""
    value = readable_arguments(call)
    return value or pair.value_at(call.arguments_pointer, MISSING)


def compare_odd_arguments(pair: Pair, left: Call, right: Call, subject: str) -> Iterator[Finding]:
    """Report odd arguments that did not stay readable."""
    where = right.arguments_pointer or right.pointer
    if keeps_arguments(left, right, pair.raw_arguments.get(right.ordinal)):
        if not equal(readable_arguments(left), readable_arguments(right)):
            pair.accept(
                "unreadable-arguments-as-text",
                where,
                left.arguments_pointer,
                readable_arguments(left),
                readable_arguments(right),
            )
        return
    if became_empty_object(pair.corpus, left, right):
        pair.accept(
            "empty-arguments", where, left.arguments_pointer, readable_arguments(left), readable_arguments(right)
        )
        return
    replaced = isinstance(left.arguments, Unreadable) or equal(right.arguments, {})
    rule = "translation/unreadable-arguments" if replaced else "translation/arguments"
    if is_call_cut_off(pair, left) and not _is_broken_still(pair, left, right):
        rule = "translation/cut-call-as-whole"
    yield pair.finding(
        rule,
        where,
        want=Words(_as_text(readable_arguments(left))),
        got=arguments_as_written(pair, right),
        source=left.arguments_pointer or left.pointer,
        subject=subject,
    )


def is_call_cut_off(pair: Pair, call: Call) -> bool:
    """Whether the end of its reply cut off a call of the source, so that no client may run it.

    Arguments that are no JSON show it. If the reply's last item has no arguments, or free text for them, nothing shows
    that it is whole.
    """
    end = pair.source.finish
    if pair.is_request or end is None or end.reason not in _cut_call_parameters(pair)["cut"]:
        return False
    if isinstance(call.arguments, Unreadable):
        return True
    items = pair.source.turns[-1].items if pair.source.turns else []
    is_last = bool(items) and isinstance(items[-1], Call) and items[-1].ordinal == call.ordinal
    return is_last and (call.kind == "custom" or equal(call.arguments, {}))


def may_be_dropped(pair: Pair, call: Call) -> bool:
    """Whether a call was cut off, and the output's end does not look like that of a whole reply."""
    end = pair.output.finish
    if end is None or end.reason in pair.corpus.equivalence("finish-next-best").parameters["whole"]:
        return False
    return is_call_cut_off(pair, call)


def _cut_call_parameters(pair: Pair) -> Mapping[str, Any]:
    return pair.corpus.equivalence("cut-call-dropped").parameters


def _is_broken_still(pair: Pair, left: Call, right: Call) -> bool:
    """Whether the arguments of a call that was cut off still show that, so that no tool takes them."""
    raw_arguments = pair.raw_arguments.get(right.ordinal)
    if isinstance(right.arguments, Unreadable) or (raw_arguments is not None and is_broken_json(raw_arguments)):
        return True
    return isinstance(left.arguments, Unreadable) and any(
        holds_cut_text(left.arguments.raw, value) for value in inner_values(right.arguments)
    )


def holds_cut_text(text: Any, value: Any) -> bool:
    """Whether a value holds a text that was cut, or its beginning, which no reader takes for whole either."""
    if not (isinstance(text, str) and isinstance(value, str) and value.strip()):
        return False
    return text in value or (text.startswith(value) and is_broken_json(value))


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def keeps_arguments(left: Call, right: Call, raw_arguments: str | None = None) -> bool:
    """Whether one call's arguments are another's, or hold them; ``raw_arguments`` is their text in a stream."""
    expected = readable_arguments(left)
    return (raw_arguments is not None and is_same_json(expected, raw_arguments)) or any(
        is_same_json(expected, value) for value in inner_values(readable_arguments(right))
    )


def became_empty_object(corpus: Corpus, left: Call, right: Call) -> bool:
    """Whether arguments that mean "no arguments" became ``{}``."""
    empty = corpus.equivalence("empty-arguments").parameters["empty"]
    return equal(right.arguments, {}) and any(equal(readable_arguments(left), value) for value in empty)


def is_same_json(expected: Any, value: Any) -> bool:
    """Whether a value is the expected one or its JSON text, or the expected one is the JSON text of the value."""
    if equal(expected, value):
        return True
    return any(
        isinstance(text, str) and _is_json_text_of(text, other)
        for text, other in ((value, expected), (expected, value))
    )


def _is_json_text_of(text: str, value: Any) -> bool:
    """Whether a text is the JSON text of a value."""
    try:
        return equal(parse_arguments(text), value)
    except JSONError:
        return False


def inner_values(value: Any) -> Iterator[Any]:
    """Yield a value and the values inside it, however deep."""
    yield value
    if isinstance(value, (dict, list)):
        for entry in value.values() if isinstance(value, dict) else value:
            yield from inner_values(entry)


def expected_arguments(pair: Pair, left: Call, right: Call) -> Any:
    """Return the source's arguments as the output should have them: an object, its JSON text, or free text.

    Words, where the output's call is of a kind that takes no such arguments.
    """
    arguments = _arguments_of_kind(left, right)
    if isinstance(arguments, str):
        return arguments
    if not isinstance(arguments, dict):
        return Words(json.dumps(left.arguments, ensure_ascii=False))
    has_text = "$text" in json.dumps(pair.wire_words["call"]) and isinstance(
        pair.value_at(right.arguments_pointer), str
    )
    is_text = has_text and isinstance(arguments_as_written(pair, right), str)
    return json.dumps(arguments, ensure_ascii=False) if is_text else arguments


def _arguments_of_kind(left: Call, right: Call) -> Any:
    """Return the arguments of a call as a call of another kind has them: a function has a key for free text."""
    if left.kind == right.kind:
        return left.arguments
    if right.kind != "function":
        return None
    if left.kind == "custom" and isinstance(left.arguments, str):
        keys = [*right.arguments] if isinstance(right.arguments, dict) else []
        return {keys[0] if len(keys) == 1 else "input": left.arguments}
    return left.arguments if isinstance(left.arguments, dict) else None
