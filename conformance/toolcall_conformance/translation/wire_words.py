"""What the output's format calls things: the words of findings, as ``wire_words`` in format.json lists them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from toolcall_conformance.findings import MISSING, NOT_KNOWN, one_of
from toolcall_conformance.jsonvalue import resolve
from toolcall_conformance.reading import Call, Reading, Setting, Unreadable
from toolcall_conformance.translation.pair import Pair, Sides


def finish_words(sides: Sides, reasons: Iterable[str], pointer: str) -> Any:
    """What may stand at a place of the output for the reasons that a reply ended."""
    words: Mapping[str, Mapping[str, list[str]]] = sides.words["finish"]
    places = [words[reason] for reason in reasons if reason in words]
    if not pointer:
        return one_of((word for place in places for word in next(iter(place.values()))), MISSING)
    return one_of((word for place in places for word in place.get(pointer, ())), MISSING)


def said_as(sides: Sides, element: str) -> str:
    """How the output's format says an element, in the corpus's words; empty where it cannot."""
    said = sides.corpus.expression(sides.output.format, element).get("as", "")
    return f"{sides.output.format} writes this as {said}" if said else ""


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


def call_value(pair: Pair, call: Call) -> Any:
    """A call of the source as the output would have it, without its id; of a tool that is no function as it stands."""
    stands = resolved(pair.source, call.pointer)
    if call.kind != "function" or isinstance(call.arguments, Unreadable) or pair.source.format == pair.output.format:
        return stands
    values = {"$name": pair.names.get(call.name or "", call.name), "$arguments": call.arguments}
    return _filled(pair.words["call"], {**values, "$text": json.dumps(call.arguments, ensure_ascii=False)})


def _answer_form(pair: Pair, setting: Setting) -> Any:
    """A response format as the output's format writes it; as the source does where the output must say more."""
    asked = setting.value if isinstance(setting.value, dict) else {}
    template = pair.words["response_format"].get(asked.get("type"))
    keys = ("name", "schema", "strict")
    needed = json.dumps(template)
    if template is None or any(f'"${key}"' in needed and asked.get(key) is None for key in keys):
        return written(pair.source, setting)
    return _filled(template, {f"${key}": asked.get(key) for key in keys})


def _thought(pair: Pair, setting: Setting) -> Any:
    """How much to think as the output's format says it; as the source does where they measure it differently."""
    asked = setting.value if isinstance(setting.value, dict) else {}
    for measure, template in pair.words["reasoning"].items():
        if measure in asked:
            return _filled(template, {f"${measure}": asked[measure]})
    return written(pair.source, setting)


def written(reading: Reading, setting: Setting) -> Any:
    """The value of a setting just as it stands in its body."""
    found = resolved(reading, setting.pointer)
    return setting.value if found is MISSING else found


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
