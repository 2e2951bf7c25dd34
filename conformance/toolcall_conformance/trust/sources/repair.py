"""Repairs an output by what findings want: each ``want`` is put at its place."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from toolcall_conformance.basics.findings import MISSING, NOT_KNOWN, Finding, Form, OneOf, is_json_value
from toolcall_conformance.basics.jsonvalue import JSONError, deep_copy, equal, parse_arguments, resolve, unescape
from toolcall_conformance.trust.nodes import holder_of


def repair(body: Any, findings: Iterable[Finding], choice: int = 0) -> Any | None:
    """A copy of a body with all wants at their places; None where no finding says anything that can be put.

    Of several right values the one of number ``choice`` is put. Later places come first, so that what is taken out of
    a list, or put into it, moves no place that is still to be repaired; the holder of a place comes after it.
    """
    changed = deep_copy(body)
    for finding in sorted(findings, key=lambda finding: _order(finding.pointer), reverse=True):
        stands = _value_at(changed, finding.pointer)
        want = value_of(replace(finding, got=stands) if isinstance(stands, dict) else finding, choice)
        if isinstance(stands, str) and _is_json_of(stands, finding.got) and not isinstance(want, str):
            want = json.dumps(want, ensure_ascii=False) if is_json_value(want) else want
        if want is not NOT_KNOWN:
            changed = _with(changed, finding.pointer, want, insert=finding.got is MISSING)
    return None if equal(changed, body) else changed


def _value_at(body: Any, pointer: str) -> Any:
    try:
        return resolve(body, pointer)
    except LookupError:
        return MISSING


def _is_json_of(text: str, value: Any) -> bool:
    """Whether a text is the JSON of a value that is no text itself."""
    try:
        return not isinstance(value, str) and equal(parse_arguments(text), value)
    except JSONError:
        return False


def value_of(finding: Finding, choice: int = 0) -> Any:
    """The value that a finding wants: MISSING for none, NOT_KNOWN where it does not say."""
    want = finding.want
    if isinstance(want, OneOf):  # of a choice between values and words, only the values can be put there
        values = [value for value in want.values if value is MISSING or is_json_value(value)]
        return values[choice % len(values)] if values else NOT_KNOWN
    if isinstance(want, Form):
        return instance(want.schema, finding.got, choice)
    return want if want is MISSING or is_json_value(want) else NOT_KNOWN


def _order(pointer: str) -> list[tuple[int, int, str]]:
    return [(1, int(token), "") if token.isdecimal() else (0, 0, token) for token in pointer.split("/")[1:]]


def _with(body: Any, pointer: str, want: Any, *, insert: bool) -> Any:
    """The body with a value at a place; unchanged where there can be no such place."""
    if not pointer:  # a lack in a body is reported at the body, its want in words
        return deep_copy(want) if isinstance(want, dict) and not insert else body
    try:
        holder, key = holder_of(body, pointer)
    except (LookupError, ValueError):
        return body if want is MISSING else _with_holder(body, pointer, want)
    if isinstance(holder, list) and isinstance(key, int):
        _into_list(holder, key, want, insert=insert)
    elif isinstance(holder, dict):
        if want is MISSING:
            holder.pop(key, None)
        elif insert and isinstance(holder.get(key), list) and not isinstance(want, list):
            holder[key].append(deep_copy(want))  # a lack in a list is reported at the list
        else:
            holder[key] = deep_copy(want)
    return body


def _into_list(holder: list[Any], key: int, want: Any, *, insert: bool) -> None:
    if want is MISSING:
        del holder[key : key + 1]
    elif insert or key >= len(holder):
        holder.insert(key, deep_copy(want))
    else:
        holder[key] = deep_copy(want)


def _with_holder(body: Any, pointer: str, want: Any) -> Any:
    """The body with a value at a place whose holder is not there: the holder is made, an object or a list."""
    above, _, token = pointer.rpartition("/")
    try:
        holder = resolve(body, above)
    except LookupError:
        return _with(
            body, above, [deep_copy(want)] if token.isdecimal() else {unescape(token): deep_copy(want)}, insert=False
        )
    if isinstance(holder, (dict, list)):
        return body
    return _with(body, above, {unescape(token): deep_copy(want)}, insert=False)


def instance(schema: Mapping[str, Any], got: Any = MISSING, choice: int = 0) -> Any:
    """The plainest value that fits a form, with as much of ``got`` as possible. NOT_KNOWN where it is open.

    Of words and branches that it leaves a choice between, those of number ``choice``.
    """
    if "const" in schema:
        return schema["const"]
    if schema.get("enum"):
        return schema["enum"][choice % len(schema["enum"])]
    for keyword in ("anyOf", "oneOf"):
        if schema.get(keyword):
            return instance(schema[keyword][choice % len(schema[keyword])], got, choice)
    kinds = schema.get("type", "object" if "required" in schema else None)
    kind = kinds[0] if isinstance(kinds, list) else kinds
    maker = _MADE.get(str(kind))
    return NOT_KNOWN if maker is None else maker(schema, got, choice)


def _object(schema: Mapping[str, Any], got: Any, choice: int) -> Any:
    value = dict(got) if isinstance(got, dict) else {}
    for key in schema.get("required", ()):
        entry = instance(schema.get("properties", {}).get(key, {}), value.get(key, MISSING), choice)
        value[key] = {} if entry is NOT_KNOWN else entry
    return value


def _array(schema: Mapping[str, Any], got: Any, choice: int) -> Any:
    value = list(got) if isinstance(got, list) else []
    while len(value) < schema.get("minItems", 0):
        entry = instance(schema.get("items", {}), MISSING, choice)
        value.append({} if entry is NOT_KNOWN else entry)
    if schema.get("uniqueItems") is True:
        value = [entry for at, entry in enumerate(value) if not any(equal(entry, other) for other in value[:at])]
    return value[: schema.get("maxItems", len(value))]


def _text(schema: Mapping[str, Any], got: Any, _choice: int) -> Any:
    exclusion = schema.get("not", {})
    refused = [*exclusion.get("enum", ()), *([exclusion["const"]] if "const" in exclusion else ())]
    if "contentMediaType" in schema:
        return "{}"
    value = got if isinstance(got, str) and "pattern" not in schema and got not in refused else "x"
    value = value[: schema.get("maxLength", len(value))]
    while len(value) < schema.get("minLength", 0) or value in refused:
        value += "x"
    return value


def _number(schema: Mapping[str, Any], got: Any, _choice: int) -> Any:
    is_number = isinstance(got, (int, float)) and not isinstance(got, bool)
    value = got if is_number and not ("integer" in str(schema.get("type")) and isinstance(got, float)) else 1
    value = max(value, schema.get("minimum", value))
    value = min(value, schema.get("maximum", value))
    return value + 1 if value == schema.get("not", {}).get("const") else value


_MADE: Mapping[str, Any] = {
    "object": _object,
    "array": _array,
    "string": _text,
    "integer": _number,
    "number": _number,
    "boolean": lambda _schema, got, _choice: got if isinstance(got, bool) else False,
    "null": lambda _schema, _got, _choice: None,
}
