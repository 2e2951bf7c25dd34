"""Where two bodies say the same and are written differently: what readings take for one, and comparisons never see.

The readings decide that a string is a list with one text, or that no content is a blank one. So nothing is decided
here: what was read as the same is looked up where it was read, and a difference gets the name of its equivalence. That
is done only where somebody asks what was accepted.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from toolcall_conformance.basics.findings import MISSING
from toolcall_conformance.basics.jsonvalue import equal, join
from toolcall_conformance.basics.reading import Opaque, Reading, Setting
from toolcall_conformance.basics.reading.model import Tool, Unreadable, Value
from toolcall_conformance.judge.translation import identity
from toolcall_conformance.judge.translation.media.media_bytes import base64_spelling, in_pairs, short_base64
from toolcall_conformance.judge.translation.pair import Pair
from toolcall_conformance.judge.translation.schemas.inner_schemas import inner_schemas
from toolcall_conformance.judge.translation.schemas.spelling import COUNTS
from toolcall_conformance.judge.translation.settings.settings import chosen_names
from toolcall_conformance.judge.translation.texts.layout import record_layout
from toolcall_conformance.judge.translation.wire_words import choice_value, resolved, setting_value, written

_CONTENT: Final = ("content", "parts")


def record_notation(pair: Pair) -> None:
    """Record the differences of notation in what a pair has in common."""
    parts = (_arguments, _settings, record_layout, _declarations, _states, _blanks, _silent, _keys, _values_of_reply)
    for record in parts:
        try:
            record(pair)
        except RecursionError:  # pragma: no cover - how deep that is depends on the interpreter
            continue  # nested so deep that nothing can be said


def _stands(reading: Reading, pointer: str | None) -> Any:
    """What stands at a place of a body, as it is written there."""
    return MISSING if pointer is None else resolved(reading, pointer)


def _arguments(pair: Pair) -> None:
    """JSON text of arguments that another writer would have spelt otherwise, and numbers inside."""
    for left, right in pair.calls.items():
        source_call, output_call = pair.source.calls[left], pair.output.calls[right]
        if isinstance(source_call.arguments, Unreadable) or not equal(source_call.arguments, output_call.arguments):
            continue
        where, source = output_call.arguments_pointer or output_call.pointer, source_call.arguments_pointer
        want, got = _stands(pair.source, source), _stands(pair.output, output_call.arguments_pointer)
        if {type(want), type(got)} <= {str, dict} and _spellings(want).isdisjoint(_spellings(got)):
            pair.accept("arguments-as-json", where, source, want, got)
        for pieces in _numbers(source_call.arguments, output_call.arguments):
            pair.accept("number-spelling", where, source, *pieces)


def _spellings(arguments: Any) -> set[str]:
    """A text, or the texts that the usual writers make of an object."""
    if isinstance(arguments, str):
        return {arguments}
    return {json.dumps(arguments, ensure_ascii=False, separators=pair) for pair in ((",", ":"), (", ", ": "))}


def _numbers(left: Any, right: Any) -> Iterator[tuple[Any, Any]]:
    """The numbers inside two equal values that are whole on one side only."""
    if isinstance(left, dict):
        for key, value in left.items():
            yield from _numbers(value, right[key])
    elif isinstance(left, list):
        for left_entry, right_entry in zip(left, right, strict=True):
            yield from _numbers(left_entry, right_entry)
    elif type(left) is not type(right):
        yield left, right


def _settings(pair: Pair) -> None:
    """Numbers, and keys and words beside those that the output's format uses for a setting first of all."""
    for name, setting in pair.source.settings.items():
        other = pair.output.settings.get(name)
        if other is None or not equal(setting.value, other.value):
            continue
        for pieces in _numbers(setting.value, other.value):
            pair.accept("number-spelling", other.pointer, setting.pointer, *pieces)
        if not pair.is_same_format:
            _in_other_words(pair, name, setting, other)


def _in_other_words(pair: Pair, name: str, setting: Setting, other: Setting) -> None:
    """Record that a setting stands under another key, or in other words, than its format uses first of all."""
    usual, got = pair.words["settings"].get(name, ""), written(pair.output, other)
    beside = not isinstance(got, dict) and _holder(usual) == _holder(_camel(other.pointer))
    if beside and usual not in (other.pointer, _camel(other.pointer)):
        pair.accept("setting-by-another-name", other.pointer, setting.pointer, MISSING, got)
    if name == "response_format" and not equal(want := setting_value(pair, name, setting), got):
        pair.accept("answer-form-in-other-words", other.pointer, setting.pointer, want, got)
    forced = name == "tool_choice" and isinstance(setting.value, dict) and setting.value.get("mode") == "required"
    chosen = chosen_names(pair.output) if forced else None
    want = choice_value(pair, "required", chosen) if chosen is not None and len(chosen) == 1 else got
    if not equal(want, got):
        pair.accept("named-choice-as-required-with-one-tool", other.pointer, setting.pointer, want, got)


def _declarations(pair: Pair) -> None:
    for tool, twin in pair.twins:
        if tool.kind == twin.kind == "function":
            both = [_stands(pair.source, tool.pointer), _stands(pair.output, twin.pointer)]
            types = [schema.get("type") == "custom" for schema in both if isinstance(schema, dict)]
            if any(types) and not all(types):
                pair.accept("type-custom", twin.pointer, tool.pointer)
            bounds = [_bound_as_text(side, each) for side, each in ((pair.source, tool), (pair.output, twin))]
            if (bounds[0] is None) != (bounds[1] is None):
                pair.accept("schema-bound-as-text", bounds[1] or twin.pointer, bounds[0] or tool.pointer)
        elif tool.kind == twin.kind == "custom" and tool.grammar == twin.grammar:
            formats = [_format_of(side, each) for side, each in ((pair.source, tool), (pair.output, twin))]
            if not equal(*formats):
                pair.accept("default-absent", twin.pointer, tool.pointer, *formats, only_translated=True)
    before, after = (
        {_holder(tool.pointer): None for tool in side.tools if tool.kind != "hosted"}
        for side in (pair.source, pair.output)
    )
    if (len(before) > 1) != (len(after) > 1):
        where, source = next(reversed(after), ""), next(reversed(before), None)
        pair.accept("tool-containers", where, source, len(before), len(after))


def _format_of(reading: Reading, tool: Tool) -> Any:
    """What a declaration of a free-text tool says of the form of the text."""
    declared = _stands(reading, tool.pointer)
    inner = declared.get("custom", declared) if isinstance(declared, dict) else {}
    return inner.get("format", MISSING) if isinstance(inner, dict) else MISSING


def _bound_as_text(reading: Reading, tool: Tool) -> str | None:
    """Where a schema, as its body has it, writes a bound as text."""
    schemas = inner_schemas(_stands(reading, tool.schema_pointer))
    pointers = (join(at, key) for at, schema in schemas for key in COUNTS if isinstance(schema.get(key), str))
    return next((f"{tool.schema_pointer}{inside}" for inside in pointers), None)


def _holder(pointer: str) -> str:
    return pointer.rpartition("/")[0]


def _states(pair: Pair) -> None:
    """Sealed state in another spelling of base64, where the provider takes it as bytes."""
    if not pair.target.get("opaque_as_bytes"):
        return
    before, after = (
        [item for turn in side.turns for item in turn.items if isinstance(item, Opaque)]
        for side in (pair.source, pair.output)
    )
    for old, new in in_pairs(before, after, lambda state: base64_spelling(state.value)):
        if old.value != new.value:
            pair.accept("base64-alphabet", new.pointer, old.pointer, short_base64(old.value), short_base64(new.value))


def _blanks(pair: Pair) -> None:
    """A message without content, or with null, an empty list or blank text in its place; a part with blank text.

    Listed where one body has more such places than the other: which of them belong together cannot be decided.
    """
    before, after = dict(_said_nothing(pair.source)), dict(_said_nothing(pair.output))
    for pointer, value in after.items():
        if before.get(pointer, "nothing") != value:
            source = pointer if pointer in before else None
            pair.accept("blank-text-absent", pointer, source, before.get(pointer, MISSING), value)
    for pointer, value in before.items() if len(before) > len(after) else ():
        if pointer not in after:
            pair.accept("blank-text-absent", "", pointer, value)


def _said_nothing(reading: Reading) -> Iterator[tuple[str, Any]]:
    """What says nothing in a body, by pointer."""
    for pointer, value in _objects(reading):
        if "role" in value:
            key = next((key for key in _CONTENT if key in value), None)
            if key is None:
                yield pointer, MISSING
            elif value[key] in (None, []) or _is_blank(value[key]):
                yield join(pointer, key), value[key]
        if _is_blank(value.get("text")):
            yield join(pointer, "text"), value["text"]


def _is_blank(value: Any) -> bool:
    return isinstance(value, str) and not value.strip()


def _silent(pair: Pair) -> None:
    """Members of the output that say aloud what holds without them."""
    implied = pair.target["implied"]
    for at, value in _objects(pair.output) if not pair.is_same_format else ():
        for key, member in value.items():
            if any(equal(member, default) for default in implied.get(key, ())):
                pair.accept("default-absent", join(at, key), None, MISSING, member)


def _objects(reading: Reading) -> Iterator[tuple[str, dict[str, Any]]]:
    """The objects of a body that the format defines, with their pointers: none in arguments, results and schemas."""
    closed = {call.arguments_pointer for call in reading.calls} | {tool.schema_pointer for tool in reading.tools}
    closed |= {part.pointer for result in reading.results for part in result.parts if isinstance(part, Value)}
    places: list[tuple[str, Any]] = [("", reading.body)]
    while places:
        pointer, value = places.pop()
        if pointer in closed:
            continue
        if isinstance(value, dict):
            yield pointer, value
            places += [(join(pointer, key), entry) for key, entry in value.items()]
        elif isinstance(value, list):
            places += [(join(pointer, index), entry) for index, entry in enumerate(value)]


def _keys(pair: Pair) -> None:
    """Keys in snake_case, where protobuf's JSON has camelCase."""
    if pair.corpus.format(pair.source.format).get("omits_zeros", False):
        for pointer, key in _in_snake_case(pair.source):
            pair.accept("proto-json-names", "", pointer, key)
    if pair.target.get("omits_zeros", False):
        for pointer, key in _in_snake_case(pair.output):
            pair.accept("proto-json-names", pointer, None, _camel(key), key)


def _in_snake_case(reading: Reading) -> Iterator[tuple[str, str]]:
    return ((join(at, key), key) for at, value in _objects(reading) for key in value if _camel(key) != key)


def _camel(key: str) -> str:
    first, *others = key.split("_")
    return first + "".join(word[:1].upper() + word[1:] for word in others)


def _values_of_reply(pair: Pair) -> None:
    """A reply's own id or time, and members that protobuf's JSON may leave out."""
    before, after = pair.source.body, pair.output.body
    if pair.is_request or not isinstance(after, dict):
        return
    same = pair.source.format == pair.output.format
    for key in pair.target["generated_keys"]:
        want = before.get(key, MISSING) if same and isinstance(before, dict) else MISSING
        if key in after and after[key] != want:
            pair.accept("generated-values", join("", key), None, want, after[key])
    if same and pair.target.get("omits_zeros", False):
        for pointer, want, got in identity.differences(before, after):
            if got is MISSING and isinstance(want, dict) and all(map(identity.is_zero, want.values())):
                pair.accept("proto-json-zeros", pointer, None, want)
