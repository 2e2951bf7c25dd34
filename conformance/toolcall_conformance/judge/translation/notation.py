"""Differences of notation: what two bodies write differently and the readings read as the same.

The readings decide that a string is a list with one text, or that no content is a blank one, so comparisons never see
the difference, and nothing is decided here. Each difference is looked up in the bodies and recorded under its
equivalence, only if somebody asks what was accepted.
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
from toolcall_conformance.judge.translation.media.media_identity import base64_end, normal_base64, pair_by_key
from toolcall_conformance.judge.translation.pair import Pair
from toolcall_conformance.judge.translation.schemas.inner_schemas import inner_schemas
from toolcall_conformance.judge.translation.schemas.normal_schemas import COUNT_KEYWORDS
from toolcall_conformance.judge.translation.settings.settings import chosen_tool_names
from toolcall_conformance.judge.translation.texts.layout import record_layout
from toolcall_conformance.judge.translation.wire_words import choice_value, setting_as_written, setting_value, value_at

_CONTENT_KEYS: Final = ("content", "parts")


def record_notation(pair: Pair) -> None:
    """Record the differences of notation between the two bodies of a pair."""
    parts = (
        _record_arguments,
        _record_settings,
        record_layout,
        _record_declarations,
        _record_states,
        _record_blanks,
        _record_implied_members,
        _record_key_case,
        _record_generated_values,
    )
    for record in parts:
        try:
            record(pair)
        except RecursionError:  # pragma: no cover - how deep that is depends on the interpreter
            continue  # nested too deep to be compared


def _raw_value(reading: Reading, pointer: str | None) -> Any:
    """Return the value at a place of a body, as it is written there."""
    return MISSING if pointer is None else value_at(reading, pointer)


def _record_arguments(pair: Pair) -> None:
    """Record arguments whose JSON text another writer would have written differently, and numbers inside."""
    for left, right in pair.call_pairs.items():
        source_call, output_call = pair.source.calls[left], pair.output.calls[right]
        if isinstance(source_call.arguments, Unreadable) or not equal(source_call.arguments, output_call.arguments):
            continue
        where, source = output_call.arguments_pointer or output_call.pointer, source_call.arguments_pointer
        want, got = _raw_value(pair.source, source), _raw_value(pair.output, output_call.arguments_pointer)
        if {type(want), type(got)} <= {str, dict} and _json_texts(want).isdisjoint(_json_texts(got)):
            pair.accept("arguments-as-json", where, source, want, got)
        for pieces in _number_differences(source_call.arguments, output_call.arguments):
            pair.accept("number-spelling", where, source, *pieces)


def _json_texts(arguments: Any) -> set[str]:
    """Return a text, or the texts that the usual JSON writers make of an object."""
    if isinstance(arguments, str):
        return {arguments}
    return {json.dumps(arguments, ensure_ascii=False, separators=pair) for pair in ((",", ":"), (", ", ": "))}


def _number_differences(left: Any, right: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the numbers inside two equal values that are whole on one side only."""
    if isinstance(left, dict):
        for key, value in left.items():
            yield from _number_differences(value, right[key])
    elif isinstance(left, list):
        for left_entry, right_entry in zip(left, right, strict=True):
            yield from _number_differences(left_entry, right_entry)
    elif type(left) is not type(right):
        yield left, right


def _record_settings(pair: Pair) -> None:
    """Record numbers of settings, and keys and words other than those that the output's format prefers."""
    for name, setting in pair.source.settings.items():
        other = pair.output.settings.get(name)
        if other is None or not equal(setting.value, other.value):
            continue
        for pieces in _number_differences(setting.value, other.value):
            pair.accept("number-spelling", other.pointer, setting.pointer, *pieces)
        if not pair.is_same_format:
            _record_setting_words(pair, name, setting, other)


def _record_setting_words(pair: Pair, setting_name: str, setting: Setting, other: Setting) -> None:
    """Record a setting that is under another key, or in other words, than its format prefers."""
    usual_words, got = pair.wire_words["settings"].get(setting_name, ""), setting_as_written(pair.output, other)
    has_same_parent = not isinstance(got, dict) and _parent(usual_words) == _parent(_to_camel_case(other.pointer))
    if has_same_parent and usual_words not in (other.pointer, _to_camel_case(other.pointer)):
        pair.accept("setting-by-another-name", other.pointer, setting.pointer, MISSING, got)
    if setting_name == "response_format" and not equal(want := setting_value(pair, setting_name, setting), got):
        pair.accept("answer-form-in-other-words", other.pointer, setting.pointer, want, got)
    forced = (
        setting_name == "tool_choice" and isinstance(setting.value, dict) and setting.value.get("mode") == "required"
    )
    chosen = chosen_tool_names(pair.output) if forced else None
    want = choice_value(pair, "required", chosen) if chosen is not None and len(chosen) == 1 else got
    if not equal(want, got):
        pair.accept("named-choice-as-required-with-one-tool", other.pointer, setting.pointer, want, got)


def _record_declarations(pair: Pair) -> None:
    """Record differences of notation in tool declarations, and in the lists that hold them."""
    for tool, twin in pair.tool_pairs:
        if tool.kind == twin.kind == "function":
            both = [_raw_value(pair.source, tool.pointer), _raw_value(pair.output, twin.pointer)]
            types = [schema.get("type") == "custom" for schema in both if isinstance(schema, dict)]
            if any(types) and not all(types):
                pair.accept("type-custom", twin.pointer, tool.pointer)
            bounds = [_text_bound_pointer(side, each) for side, each in ((pair.source, tool), (pair.output, twin))]
            if (bounds[0] is None) != (bounds[1] is None):
                pair.accept("schema-bound-as-text", bounds[1] or twin.pointer, bounds[0] or tool.pointer)
        elif tool.kind == twin.kind == "custom" and tool.grammar == twin.grammar:
            formats = [_free_text_format(side, each) for side, each in ((pair.source, tool), (pair.output, twin))]
            if not equal(*formats):
                pair.accept("default-absent", twin.pointer, tool.pointer, *formats, only_translated=True)
    before, after = (
        {_parent(tool.pointer): None for tool in side.tools if tool.kind != "hosted"}
        for side in (pair.source, pair.output)
    )
    if (len(before) > 1) != (len(after) > 1):
        where, source = next(reversed(after), ""), next(reversed(before), None)
        pair.accept("tool-containers", where, source, len(before), len(after))


def _free_text_format(reading: Reading, tool: Tool) -> Any:
    """Return what the declaration of a free-text tool says about the form of the text."""
    declared = _raw_value(reading, tool.pointer)
    inner = declared.get("custom", declared) if isinstance(declared, dict) else {}
    return inner.get("format", MISSING) if isinstance(inner, dict) else MISSING


def _text_bound_pointer(reading: Reading, tool: Tool) -> str | None:
    """Return the place of the first bound that a schema, as its body has it, writes as text; or None."""
    schemas = inner_schemas(_raw_value(reading, tool.schema_pointer))
    pointers = (join(at, key) for at, schema in schemas for key in COUNT_KEYWORDS if isinstance(schema.get(key), str))
    return next((f"{tool.schema_pointer}{inside}" for inside in pointers), None)


def _parent(pointer: str) -> str:
    return pointer.rpartition("/")[0]


def _record_states(pair: Pair) -> None:
    """Record sealed state in another notation of base64, where the provider takes it as bytes."""
    if not pair.target.get("opaque_as_bytes"):
        return
    before, after = (
        [item for turn in side.turns for item in turn.items if isinstance(item, Opaque)]
        for side in (pair.source, pair.output)
    )
    for old, new in pair_by_key(before, after, lambda state: normal_base64(state.value)):
        if old.value != new.value:
            pair.accept("base64-alphabet", new.pointer, old.pointer, base64_end(old.value), base64_end(new.value))


def _record_blanks(pair: Pair) -> None:
    """Record messages without content (or with null, an empty list or blank text), and parts with blank text.

    Recorded are those of the body that has more of them: which of them belong together cannot be decided.
    """
    before, after = dict(_blank_places(pair.source)), dict(_blank_places(pair.output))
    for pointer, value in after.items():
        if before.get(pointer, "nothing") != value:
            source = pointer if pointer in before else None
            pair.accept("blank-text-absent", pointer, source, before.get(pointer, MISSING), value)
    for pointer, value in before.items() if len(before) > len(after) else ():
        if pointer not in after:
            pair.accept("blank-text-absent", "", pointer, value)


def _blank_places(reading: Reading) -> Iterator[tuple[str, Any]]:
    """Yield (pointer, value) for every place of a body that has no content."""
    for pointer, value in _objects(reading):
        if "role" in value:
            key = next((key for key in _CONTENT_KEYS if key in value), None)
            if key is None:
                yield pointer, MISSING
            elif value[key] in (None, []) or _is_blank(value[key]):
                yield join(pointer, key), value[key]
        if _is_blank(value.get("text")):
            yield join(pointer, "text"), value["text"]


def _is_blank(value: Any) -> bool:
    return isinstance(value, str) and not value.strip()


def _record_implied_members(pair: Pair) -> None:
    """Record members of the output that say explicitly what holds without them."""
    implied = pair.target["implied"]
    for at, value in _objects(pair.output) if not pair.is_same_format else ():
        for key, member in value.items():
            if any(equal(member, default) for default in implied.get(key, ())):
                pair.accept("default-absent", join(at, key), None, MISSING, member)


def _objects(reading: Reading) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the objects of a body that its format defines, with their pointers: none in arguments, results, schemas."""
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


def _record_key_case(pair: Pair) -> None:
    """Record keys in snake_case where protobuf's JSON has camelCase."""
    if pair.corpus.format(pair.source.format).get("omits_zeros", False):
        for pointer, key in _snake_case_keys(pair.source):
            pair.accept("proto-json-names", "", pointer, key)
    if pair.target.get("omits_zeros", False):
        for pointer, key in _snake_case_keys(pair.output):
            pair.accept("proto-json-names", pointer, None, _to_camel_case(key), key)


def _snake_case_keys(reading: Reading) -> Iterator[tuple[str, str]]:
    return ((join(at, key), key) for at, value in _objects(reading) for key in value if _to_camel_case(key) != key)


def _to_camel_case(key: str) -> str:
    first, *others = key.split("_")
    return first + "".join(word[:1].upper() + word[1:] for word in others)


def _record_generated_values(pair: Pair) -> None:
    """Record a reply's own id or time, and members that protobuf's JSON may leave out."""
    before, after = pair.source.body, pair.output.body
    if pair.is_request or not isinstance(after, dict):
        return
    same = pair.source.format == pair.output.format
    for key in pair.target["generated_keys"]:
        want = before.get(key, MISSING) if same and isinstance(before, dict) else MISSING
        if key in after and after[key] != want:
            pair.accept("generated-values", join("", key), None, want, after[key])
    if same and pair.target.get("omits_zeros", False):
        for pointer, want, got in identity.find_differences(before, after):
            if got is MISSING and isinstance(want, dict) and all(map(identity.is_zero, want.values())):
                pair.accept("proto-json-zeros", pointer, None, want)
