"""What the output's format calls things: the words of findings, as ``wire_words`` in format.json lists them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from toolcall_conformance.basics.findings import MISSING, NOT_KNOWN, Form, OneOf, Words, one_of
from toolcall_conformance.basics.jsonvalue import resolve
from toolcall_conformance.basics.reading import Call, Media, Reading, Result, Setting, Text, Unreadable
from toolcall_conformance.basics.reading.model import Value
from toolcall_conformance.judge.translation.pair import Pair, Sides, call_words

_UNSAID: Final = {"name": {"type": "string", "minLength": 1}, "schema": {"type": "object"}, "strict": {}}
"""The forms of what an answer's format may leave unsaid, and another format must say."""
_ID: Final = {"type": "string", "minLength": 1}


def finish_words(sides: Sides, reasons: Iterable[str], pointer: str) -> Any:
    """What may stand at a place of the output for the reasons that a reply ended."""
    words: Mapping[str, Mapping[str, list[str]]] = sides.words["finish"]
    places = [words[reason] for reason in reasons if reason in words]
    entries = ((place, word) for place in places for word in place.get(pointer or next(iter(place)), ()))
    return one_of((_with_others(words, place, word) for place, word in entries), MISSING)


def first_words(sides: Sides, reasons: Iterable[str]) -> str:
    """The words for some reasons at the place that a client reads first."""
    words = finish_words(sides, reasons, "")
    return " or ".join(words.values) if isinstance(words, OneOf) else str(words or "another reason")


def finish_place(sides: Sides) -> tuple[str, str]:
    """Where the output should say why it ended, if it does not: the nearest place that is there, and the key."""
    pointer = next(iter(next(iter(sides.words["finish"].values()))))
    key = pointer.rpartition("/")[2]
    while pointer and sides.stands(pointer) is MISSING:
        pointer = pointer.rpartition("/")[0]
    return pointer, key


def _with_others(words: Mapping[str, Mapping[str, list[str]]], place: Mapping[str, list[str]], word: str) -> str:
    """A word for a reason; where others have the same word, with what must stand elsewhere to say which it is."""
    first, *others = place.items()
    shared = sum(word in other.get(first[0], ()) for other in words.values() if len(other) > 1) > 1
    if not (shared and others and word in first[1]):
        return word
    conditions = " and ".join(f"{pointer} {' or '.join(map(repr, values))}" for pointer, values in others)
    return Words(f"{word}, with {conditions}")


def said_as(sides: Sides, element: str) -> str:
    """How the output's format says an element, in the corpus's words; empty where it cannot."""
    notation = sides.corpus.expression(sides.output.format, element).get("as", "")
    return f"{sides.output.format} writes this as {notation}" if notation else ""


def setting_name(sides: Sides, name: str) -> str:
    """The key of a setting in the output's format, with the keys around it; the neutral name where it has none."""
    pointer = sides.words["settings"].get(name)
    return name.rpartition(":")[2] if pointer is None else pointer[1:].replace("/", ".")


def setting_value(pair: Pair, name: str, setting: Setting) -> Any:
    """The value of a setting of the source as the output would have it."""
    if pair.source.format == pair.output.format:
        return written(pair.source, setting)
    if name in pair.words["negated"] and isinstance(setting.value, bool):
        return not setting.value
    if name == "response_format":
        return _answer_form(pair, setting)
    if name == "reasoning":
        return _thought(pair, setting)
    return setting.value


def call_value(pair: Pair, call: Call, place: str) -> Any:
    """A call of the source as the output would have it at a place: inside a turn of its own where that is the list.

    Where its id must be made up it is the form of such a call; of a tool that is no function the output's format may
    have no word for it.
    """
    if pair.source.format == pair.output.format:
        return resolved(pair.source, call.pointer)
    if call.kind != "function" or isinstance(call.arguments, Unreadable):
        return Words(call_words(call))
    values = {"$name": pair.names.get(call.name or "", call.name), "$arguments": call.arguments}
    values["$text"] = json.dumps(call.arguments, ensure_ascii=False)
    if call.id and legal_id(pair, call.id):
        values["$id"] = call.id
    form = _filled(pair.words["call"], values)
    turn = pair.words["call_turn"]
    if isinstance(pair.stands(place), list) and turn != "$call":
        if not pair.is_request and place[1:] not in turn:
            return form_of(form, {"$id": _ID})  # no place for calls is there
        form = _filled(turn, {"$call": form}) if pair.is_request else form
    return form if "$id" in values or "$id" not in json.dumps(pair.words["call"]) else form_of(form, {"$id": _ID})


def result_value(pair: Pair, result: Result) -> Any:
    """The content of a result of the source as the output would have it; words of one that holds media."""
    if pair.source.format == pair.output.format and result.content_pointer is not None:
        return resolved(pair.source, result.content_pointer)
    if any(isinstance(part, Media) for part in result.parts):
        return Words(result_words(result))
    values = [part.value for part in result.parts if isinstance(part, Value)]
    template = pair.words["failure" if result.error else "result"]
    if values and isinstance(template, dict):
        return values[0]
    texts = [part.text for part in result.parts if isinstance(part, Text)]
    text = json.dumps(values[0], ensure_ascii=False) if values else "\n".join(texts)
    return _filled(template, {"$text": text})


def result_words(result: Result) -> str:
    """What a result says, in words."""
    texts = (
        part.text
        if isinstance(part, Text)
        else json.dumps(part.value, ensure_ascii=False)
        if isinstance(part, Value)
        else f"{part.kind} {part.mime}"
        for part in result.parts
    )
    return ", ".join(texts)


def form_of(value: Any, open_parts: Mapping[str, Any]) -> Form:
    """The form of an object, or of a list, of which only the parts are open that ``open_parts`` have schemas for."""
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


def legal_id(pair: Pair, call_id: str) -> bool:
    """Whether the target's provider takes this id as it is."""
    limit, pattern = pair.target.get("id_limit"), pair.target.get("id_pattern")
    if not call_id or (limit is not None and len(call_id) > limit):
        return False
    return pattern is None or re.fullmatch(pattern, call_id) is not None


def _answer_form(pair: Pair, setting: Setting) -> Any:
    """A response format as the output's format writes it; of which the form where the output must say more."""
    response_format = setting.value if isinstance(setting.value, dict) else {}
    template = pair.words["response_format"].get(response_format.get("type"))
    keys = ("name", "schema", "strict")
    needed = json.dumps(template)
    if template is None:
        return Words(str(response_format.get("type") or setting.value))
    variables = {f"${key}": response_format[key] for key in keys if response_format.get(key) is not None}
    unsaid = {
        f"${key}": schema for key, schema in _UNSAID.items() if f"${key}" not in variables and f'"${key}"' in needed
    }
    form = _filled(template, variables)
    return form_of(form, unsaid) if unsaid else form


def _thought(pair: Pair, setting: Setting) -> Any:
    """How much to think as the output's format says it; in words where they measure it differently."""
    reasoning = setting.value if isinstance(setting.value, dict) else {}
    for measure, template in pair.words["reasoning"].items():
        if measure in reasoning:
            return _filled(template, {f"${measure}": reasoning[measure]})
    return Words(" ".join(f"{measure} {value}" for measure, value in reasoning.items()) or str(setting.value))


def written(reading: Reading, setting: Setting) -> Any:
    """The value of a setting just as it stands in its body."""
    value = resolved(reading, setting.pointer)
    return setting.value if value is MISSING else value


def resolved(reading: Reading, pointer: str) -> Any:
    """What stands at a place of a body; MISSING for none."""
    try:
        return resolve(reading.body, pointer)
    except LookupError:  # pragma: no cover - a reading's pointers resolve
        return MISSING


def choice_value(sides: Sides, mode: str, names: Iterable[str] | None) -> Any:
    """A tool choice as the output's format writes it; ``names`` are the tools that alone may be called.

    NOT_KNOWN for a mode that no format has: a source may say anything.
    """
    words = sides.words["choice"]
    allowed = None if names is None else sorted(names)
    if not allowed or mode == "none":
        return words.get(mode, NOT_KNOWN)
    if mode == "required" and len(allowed) == 1:
        return _filled(words["named"], {"$name": allowed[0]})
    if "subset" not in words:
        return words.get(mode, NOT_KNOWN)
    entries = [_filled(words["tool"], {"$name": name}) for name in allowed]
    return _filled(words["subset"], {"$mode": mode, "$tools": entries})


def _filled(template: Any, values: Mapping[str, Any]) -> Any:
    if isinstance(template, dict):
        return {key: _filled(entry, values) for key, entry in template.items()}
    if isinstance(template, list):
        return [_filled(entry, values) for entry in template]
    return values.get(template, template) if isinstance(template, str) else template


def usage_pointer(sides: Sides, reading: Reading, name: str) -> str:
    """Where a body counts tokens of a kind; the object of the counts where it does not, else the whole body."""
    pointer = sides.corpus.format(reading.format)["wire_words"]["usage"].get(name, "")
    while pointer:
        try:
            resolve(reading.body, pointer)
        except LookupError:
            pointer = pointer.rpartition("/")[0]
        else:
            break
    return str(pointer)
