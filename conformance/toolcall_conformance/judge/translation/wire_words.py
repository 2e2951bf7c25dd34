"""The output's format in its own words: what findings want there, by ``wire_words`` in format.json."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from toolcall_conformance.basics.findings import MISSING, NOT_KNOWN, Form, OneOf, Words, one_of
from toolcall_conformance.basics.jsonvalue import resolve
from toolcall_conformance.basics.reading import Call, Media, Reading, Result, Setting, Text, Unreadable
from toolcall_conformance.basics.reading.model import Value
from toolcall_conformance.judge.translation.pair import Pair, Sides, describe_call

_OPEN_PART_SCHEMAS: Final = {"name": {"type": "string", "minLength": 1}, "schema": {"type": "object"}, "strict": {}}
"""Schemas of the parts that one format's response format may omit, and another's must have."""
_ID_SCHEMA: Final = {"type": "string", "minLength": 1}


def finish_words(sides: Sides, reasons: Iterable[str], pointer: str) -> Any:
    """Return the words that a place of the output may have for the reasons that a reply ended; MISSING for none."""
    words: Mapping[str, Mapping[str, list[str]]] = sides.wire_words["finish"]
    places = [words[reason] for reason in reasons if reason in words]
    entries = ((place, word) for place in places for word in place.get(pointer or next(iter(place)), ()))
    return one_of((_word_with_conditions(words, place, word) for place, word in entries), MISSING)


def first_words(sides: Sides, reasons: Iterable[str]) -> str:
    """Return the words for some reasons at the place that a client reads first, as one text."""
    words = finish_words(sides, reasons, "")
    return " or ".join(words.values) if isinstance(words, OneOf) else str(words or "another reason")


def finish_place(sides: Sides) -> tuple[str, str]:
    """Return where the output should say why it ended, if it does not: the nearest existing place, and the key."""
    pointer = next(iter(next(iter(sides.wire_words["finish"].values()))))
    key = pointer.rpartition("/")[2]
    while pointer and sides.value_at(pointer) is MISSING:
        pointer = pointer.rpartition("/")[0]
    return pointer, key


def _word_with_conditions(
    words: Mapping[str, Mapping[str, list[str]]], place: Mapping[str, list[str]], word: str
) -> str:
    """Return a word for a reason; if other reasons share it, with the conditions that tell them apart."""
    first, *others = place.items()
    shared = sum(word in other.get(first[0], ()) for other in words.values() if len(other) > 1) > 1
    if not (shared and others and word in first[1]):
        return word
    conditions = " and ".join(f"{pointer} {' or '.join(map(repr, values))}" for pointer, values in others)
    return Words(f"{word}, with {conditions}")


def notation_hint(sides: Sides, element: str) -> str:
    """Return a hint how the output's format writes an element, in the corpus's words; blank if it cannot."""
    notation = sides.corpus.expression(sides.output.format, element).get("as", "")
    return f"{sides.output.format} writes this as {notation}" if notation else ""


def setting_key(sides: Sides, setting_name: str) -> str:
    """Return a setting's dotted key in the output's format, or its neutral name if the format has none."""
    pointer = sides.wire_words["settings"].get(setting_name)
    return setting_name.rpartition(":")[2] if pointer is None else pointer[1:].replace("/", ".")


def setting_value(pair: Pair, setting_name: str, setting: Setting) -> Any:
    """Return the value of a setting of the source as the output would have it."""
    if pair.source.format == pair.output.format:
        return setting_as_written(pair.source, setting)
    if setting_name in pair.wire_words["negated"] and isinstance(setting.value, bool):
        return not setting.value
    if setting_name == "response_format":
        return _response_format_value(pair, setting)
    if setting_name == "reasoning":
        return _reasoning_value(pair, setting)
    return setting.value


def call_value(pair: Pair, call: Call, place: str) -> Any:
    """Return a call of the source as the output would have it at a place: in a turn of its own if that is the list.

    Returns a form of such a call if its id must be made up, and words for a tool that is no function: the output's
    format may be unable to call it.
    """
    if pair.source.format == pair.output.format:
        return value_at(pair.source, call.pointer)
    if call.kind != "function" or isinstance(call.arguments, Unreadable):
        return Words(describe_call(call))
    values = {"$name": pair.tool_names.get(call.name or "", call.name), "$arguments": call.arguments}
    values["$text"] = json.dumps(call.arguments, ensure_ascii=False)
    if call.id and is_legal_id(pair, call.id):
        values["$id"] = call.id
    form = _fill_template(pair.wire_words["call"], values)
    turn = pair.wire_words["call_turn"]
    if isinstance(pair.value_at(place), list) and turn != "$call":
        if not pair.is_request and place[1:] not in turn:
            return form_with(form, {"$id": _ID_SCHEMA})  # no place for calls is there
        form = _fill_template(turn, {"$call": form}) if pair.is_request else form
    return (
        form
        if "$id" in values or "$id" not in json.dumps(pair.wire_words["call"])
        else form_with(form, {"$id": _ID_SCHEMA})
    )


def result_value(pair: Pair, result: Result) -> Any:
    """Return the content of a result of the source as the output would have it; words if it holds media."""
    if pair.source.format == pair.output.format and result.content_pointer is not None:
        return value_at(pair.source, result.content_pointer)
    if any(isinstance(part, Media) for part in result.parts):
        return Words(result_words(result))
    values = [part.value for part in result.parts if isinstance(part, Value)]
    template = pair.wire_words["failure" if result.error else "result"]
    if values and isinstance(template, dict):
        return values[0]
    texts = [part.text for part in result.parts if isinstance(part, Text)]
    text = json.dumps(values[0], ensure_ascii=False) if values else "\n".join(texts)
    return _fill_template(template, {"$text": text})


def result_words(result: Result) -> str:
    """Return the content of a result as text."""
    texts = (
        part.text
        if isinstance(part, Text)
        else json.dumps(part.value, ensure_ascii=False)
        if isinstance(part, Value)
        else f"{part.kind} {part.mime}"
        for part in result.parts
    )
    return ", ".join(texts)


def form_with(value: Any, open_parts: Mapping[str, Any]) -> Form:
    """Return the form of an object or list in which only the parts in ``open_parts`` vary, by their schemas."""
    return Form(_schema_of(value, open_parts))


def _schema_of(value: Any, open_parts: Mapping[str, Any]) -> Any:
    if isinstance(value, str) and value in open_parts:
        return open_parts[value]
    if isinstance(value, list):
        return {"type": "array", "items": _schema_of(value[0], open_parts)} if value else {"const": value}
    if isinstance(value, dict) and any(f'"{part}"' in json.dumps(value) for part in open_parts):
        members = {key: _schema_of(entry, open_parts) for key, entry in value.items()}
        return {"type": "object", "required": list(value), "properties": members}
    return {"const": value}


def is_legal_id(pair: Pair, call_id: str) -> bool:
    """Whether the target's provider accepts this id unchanged."""
    limit, pattern = pair.target.get("id_limit"), pair.target.get("id_pattern")
    if not call_id or (limit is not None and len(call_id) > limit):
        return False
    return pattern is None or re.fullmatch(pattern, call_id) is not None


def _response_format_value(pair: Pair, setting: Setting) -> Any:
    """Return a response format as the output's format writes it; its form where the output must say more."""
    response_format = setting.value if isinstance(setting.value, dict) else {}
    template = pair.wire_words["response_format"].get(response_format.get("type"))
    keys = ("name", "schema", "strict")
    needed = json.dumps(template)
    if template is None:
        return Words(str(response_format.get("type") or setting.value))
    values = {f"${key}": response_format[key] for key in keys if response_format.get(key) is not None}
    open_parts = {
        f"${key}": schema
        for key, schema in _OPEN_PART_SCHEMAS.items()
        if f"${key}" not in values and f'"${key}"' in needed
    }
    form = _fill_template(template, values)
    return form_with(form, open_parts) if open_parts else form


def _reasoning_value(pair: Pair, setting: Setting) -> Any:
    """Return a measure of thinking as the output's format writes it; words where the formats measure differently."""
    reasoning = setting.value if isinstance(setting.value, dict) else {}
    for measure, template in pair.wire_words["reasoning"].items():
        if measure in reasoning:
            return _fill_template(template, {f"${measure}": reasoning[measure]})
    return Words(" ".join(f"{measure} {value}" for measure, value in reasoning.items()) or str(setting.value))


def setting_as_written(reading: Reading, setting: Setting) -> Any:
    """Return the value of a setting as its body has it."""
    value = value_at(reading, setting.pointer)
    return setting.value if value is MISSING else value


def value_at(reading: Reading, pointer: str) -> Any:
    """Return the value at a place of a body; MISSING if there is none."""
    try:
        return resolve(reading.body, pointer)
    except LookupError:  # pragma: no cover - a reading's pointers resolve
        return MISSING


def choice_value(sides: Sides, mode: str, names: Iterable[str] | None) -> Any:
    """Return a tool choice as the output's format writes it; ``names`` are the only tools that may be called.

    NOT_KNOWN for a mode that no format has: a source may say anything.
    """
    words = sides.wire_words["choice"]
    allowed = None if names is None else sorted(names)
    if not allowed or mode == "none":
        return words.get(mode, NOT_KNOWN)
    if mode == "required" and len(allowed) == 1:
        return _fill_template(words["named"], {"$name": allowed[0]})
    if "subset" not in words:
        return words.get(mode, NOT_KNOWN)
    entries = [_fill_template(words["tool"], {"$name": name}) for name in allowed]
    return _fill_template(words["subset"], {"$mode": mode, "$tools": entries})


def _fill_template(template: Any, values: Mapping[str, Any]) -> Any:
    if isinstance(template, dict):
        return {key: _fill_template(entry, values) for key, entry in template.items()}
    if isinstance(template, list):
        return [_fill_template(entry, values) for entry in template]
    return values.get(template, template) if isinstance(template, str) else template


def usage_pointer(sides: Sides, reading: Reading, token_kind: str) -> str:
    """Return where a body counts tokens of a kind, else its object of counts, else blank for the whole body."""
    pointer = sides.corpus.format(reading.format)["wire_words"]["usage"].get(token_kind, "")
    while pointer:
        try:
            resolve(reading.body, pointer)
        except LookupError:
            pointer = pointer.rpartition("/")[0]
        else:
            break
    return str(pointer)
