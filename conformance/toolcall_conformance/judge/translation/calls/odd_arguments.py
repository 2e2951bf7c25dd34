"""Arguments that are no JSON object: text that cannot be read, and JSON of another kind.

A model, or a client, wrote them; a translator cannot mend them. They must stay readable: as they are where the target
has text, else inside an object; and what says that there are no arguments may be ``{}``.
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


def with_raw(reading: Reading, texts: Mapping[int, str]) -> Reading:
    """The reading with the text of its calls' arguments where that is no JSON value; ``texts`` are by ordinals.

    Of a stream: there a call cut short has a text, and where a whole body must have an object an empty one.
    """
    cut = {ordinal: text for ordinal, text in texts.items() if is_cut(text)}
    if not cut:
        return reading

    def raw(item: Item) -> Item:
        if isinstance(item, Call) and item.kind == "function" and item.ordinal in cut:
            return replace(item, arguments=Unreadable(cut[item.ordinal]))
        return item

    turns = [replace(turn, items=[raw(item) for item in turn.items]) for turn in reading.turns]
    return replace(reading, turns=turns)


def is_cut(text: str) -> bool:
    """Whether there is a text of arguments, and it is no JSON."""
    return bool(text.strip()) and not is_json(text)


def is_odd(call: Call) -> bool:
    """Whether a call of a function has arguments that are no object."""
    return call.kind == "function" and not isinstance(call.arguments, dict)


def shown(call: Call) -> Any:
    """The arguments as far as they can be shown: their value, or what stands there."""
    return call.arguments.raw if isinstance(call.arguments, Unreadable) else call.arguments


def stands_as(pair: Pair, call: Call) -> Any:
    """The arguments of a call of the output; what reads as none just as it stands there."""
    value = shown(call)
    return value or pair.stands(call.arguments_pointer, MISSING)


def compare_odd(pair: Pair, left: Call, right: Call, subject: str) -> Iterator[Finding]:
    """The finding for odd arguments that did not stay readable."""
    where = right.arguments_pointer or right.pointer
    if keeps(left, right, pair.raw_arguments.get(right.ordinal)):
        if not equal(shown(left), shown(right)):
            pair.accept("unreadable-arguments-as-text", where, left.arguments_pointer, shown(left), shown(right))
        return
    if means_empty(pair.corpus, left, right):
        pair.accept("empty-arguments", where, left.arguments_pointer, shown(left), shown(right))
        return
    replaced = isinstance(left.arguments, Unreadable) or equal(right.arguments, {})
    rule = "translation/unreadable-arguments" if replaced else "translation/arguments"
    if is_cut_off(pair, left) and not _is_broken_still(pair, left, right):
        rule = "translation/cut-call-as-whole"
    yield pair.finding(
        rule,
        where,
        want=Words(_in_text(shown(left))),
        got=stands_as(pair, right),
        source=left.arguments_pointer or left.pointer,
        subject=subject,
    )


def is_cut_off(pair: Pair, call: Call) -> bool:
    """Whether the end of its reply cut off a call of the source, so that no client may run it.

    Arguments that are no JSON show it. Of the reply's last item nothing shows that it is whole where it has no
    arguments, or free text for them.
    """
    end = pair.source.finish
    if pair.is_request or end is None or end.reason not in _parameters(pair)["cut"]:
        return False
    if isinstance(call.arguments, Unreadable):
        return True
    items = pair.source.turns[-1].items if pair.source.turns else []
    is_last = bool(items) and isinstance(items[-1], Call) and items[-1].ordinal == call.ordinal
    return is_last and (call.kind == "custom" or equal(call.arguments, {}))


def may_be_dropped(pair: Pair, call: Call) -> bool:
    """Whether a call was cut off, and the output's end lets nobody take the reply for a whole one."""
    end = pair.output.finish
    if end is None or end.reason in pair.corpus.equivalence("finish-next-best").parameters["whole"]:
        return False
    return is_cut_off(pair, call)


def _parameters(pair: Pair) -> Mapping[str, Any]:
    return pair.corpus.equivalence("cut-call-dropped").parameters


def _is_broken_still(pair: Pair, left: Call, right: Call) -> bool:
    """Whether the arguments of a call that was cut off still show that: no tool takes them for its own."""
    raw_arguments = pair.raw_arguments.get(right.ordinal)
    if isinstance(right.arguments, Unreadable) or (raw_arguments is not None and is_cut(raw_arguments)):
        return True
    return isinstance(left.arguments, Unreadable) and any(
        shows_cut(left.arguments.raw, value) for value in values_within(right.arguments)
    )


def shows_cut(text: Any, value: Any) -> bool:
    """Whether a value holds a text that was cut, or its beginning, which no reader takes for whole either."""
    if not (isinstance(text, str) and isinstance(value, str) and value.strip()):
        return False
    return text in value or (text.startswith(value) and is_cut(value))


def _in_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def keeps(left: Call, right: Call, raw_arguments: str | None = None) -> bool:
    """Whether one call's arguments are another's, or hold them; ``raw_arguments`` is their text in a stream."""
    expected = shown(left)
    return (raw_arguments is not None and says(expected, raw_arguments)) or any(
        says(expected, value) for value in values_within(shown(right))
    )


def means_empty(corpus: Corpus, left: Call, right: Call) -> bool:
    """Whether arguments that say that there are none became ``{}``."""
    empty = corpus.equivalence("empty-arguments").parameters["empty"]
    return equal(right.arguments, {}) and any(equal(shown(left), value) for value in empty)


def says(expected: Any, value: Any) -> bool:
    """Whether a value is the wanted one, its JSON text, or what it is the JSON text of."""
    if equal(expected, value):
        return True
    return any(isinstance(text, str) and _spells(text, other) for text, other in ((value, expected), (expected, value)))


def _spells(text: str, value: Any) -> bool:
    try:
        return equal(parse_arguments(text), value)
    except JSONError:
        return False


def values_within(value: Any) -> Iterator[Any]:
    """A value and the values inside it, however deep."""
    yield value
    if isinstance(value, (dict, list)):
        for entry in value.values() if isinstance(value, dict) else value:
            yield from values_within(entry)
