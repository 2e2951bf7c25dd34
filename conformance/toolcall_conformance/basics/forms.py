"""What a JSON Schema allows, in words: ``any string that matches ^toolu_, or null``."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

TYPES: Final[Mapping[str, str]] = {
    "object": "an object",
    "array": "a list",
    "string": "a string",
    "boolean": "true or false",
    "null": "null",
    "number": "a number",
    "integer": "a whole number",
}
"""The types of JSON in words."""

Schema = Mapping[str, Any]

_ANYTHING = "anything"
_FEW = 3


def in_words(schema: Schema, width: int) -> str:
    """What may stand where a schema is to be fitted; what makes it longer than ``width`` is left out if possible.

    It tells the keywords of which findings make a :class:`~toolcall_conformance.basics.findings.Form`, and passes
    over others.
    """
    texts = [_Words(members=members, whole=whole).told(schema) for members in (True, False) for whole in (True, False)]
    return next((text for text in texts if len(text) <= width), texts[-1])


class _Words:
    """Words for schemas, with all of two details: what members of objects must be, and lists that are long."""

    def __init__(self, *, members: bool, whole: bool) -> None:
        self._with_members = members
        self._with_all = whole

    def told(self, schema: Schema) -> str:
        """Words for a value, or for the keys that an object lacks."""
        if "type" not in schema and (keys := self._keys(schema, "the keys ")):
            return keys
        return self.of(schema)

    def of(self, schema: Schema) -> str:
        if "const" in schema:
            return _json(schema["const"])
        if "enum" in schema:
            return self._list(schema["enum"], "or")
        words = self._typed(schema) or _either(map(self.of, _branches(schema))) or _ANYTHING
        return words + self._other_than(schema)

    def _typed(self, schema: Schema) -> str:
        kinds = _kinds(schema)
        limits = {kind: _LIMITS[kind](self, schema) for kind in kinds if kind in _LIMITS}
        free = [_noun(kind, schema) for kind, limit in limits.items() if not limit]
        phrases = [f"any {_enumerated(free, 'or')}"] if free else []
        phrases += [f"any {_noun(kind, schema)}{limit}" for kind, limit in limits.items() if limit]
        return _either([*phrases, *(TYPES[kind] for kind in kinds if kind not in _LIMITS)])

    def _other_than(self, schema: Schema) -> str:
        words = ""
        for exclusion in _each(schema, "not"):
            if values := exclusion.get("enum", [exclusion["const"]] if "const" in exclusion else []):
                words += f" other than {self._list(values, 'or')}"
            elif "pattern" in exclusion:
                words += f" that does not match {exclusion['pattern']}"
            elif "type" in exclusion and not _kinds(schema):
                words += f" other than {_either(TYPES[kind] for kind in _kinds(exclusion))}"
        return words

    def string(self, schema: Schema) -> str:
        inside = schema.get("contentSchema", {}).get("type")
        content = f" of {TYPES[inside]}" if inside else ""
        patterns = " and ".join(_each(schema, "pattern"))
        matching = f" that matches {patterns}" if patterns else ""
        return f"{content}{_count(schema, 'Length', 'character', 'characters')}{matching}"

    def array(self, schema: Schema) -> str:
        entry = self.of(schema["items"]) if schema.get("items") else _ANYTHING
        entries = f", each {entry}" if entry != _ANYTHING else ""
        once = ", each only once" if schema.get("uniqueItems") else ""
        return f"{_count(schema, 'Items', 'entry', 'entries')}{entries}{once}"

    def object(self, schema: Schema) -> str:
        count = _count(schema, "Properties", "key", "keys")
        keys = self._keys(schema)
        without = [key for exclusion in _each(schema, "not") for key in _keys_of(exclusion)]
        both = f" without {'both ' if len(without) > 1 else ''}{self._list(without, 'and')}" if without else ""
        return f"{count}{f' with {keys}' if keys else ''}{both}"

    def number(self, schema: Schema) -> str:
        least, most = schema.get("minimum"), schema.get("maximum")
        if least is not None and most is not None:
            return f" from {least} to {most}"
        if least is None and most is None:
            return f" above {schema['exclusiveMinimum']}" if "exclusiveMinimum" in schema else ""
        return f", at most {most}" if least is None else f", at least {least}"

    def _keys(self, schema: Schema, plain: str = "") -> str:
        """The keys that an object must have, and one of those among which it has a choice."""
        phrases = []
        if required := schema.get("required", ()):
            members = [self._member(key, schema) for key in required]
            is_plain = members == [*map(_json, required)]
            phrases.append(f"{plain}{self._list(required, 'and')}" if is_plain else "; ".join(members))
        branches = _branches(schema)
        if any(map(_keys_of, branches)):
            phrases.append(self._choice(branches, exactly="oneOf" in schema))
        return ", and ".join(phrases)

    def _choice(self, branches: Sequence[Schema], *, exactly: bool) -> str:
        keys = [key for branch in branches for key in _keys_of(branch)[:1]]
        if exactly or not self._with_members or all(map(_asks_only, branches)):
            return f"{'exactly ' if exactly else ''}one of {self._list(keys, 'and')}"
        return _either(map(self._keys, branches))

    def _member(self, key: str, schema: Schema) -> str:
        member_schema = schema.get("properties", {}).get(key, {}) if self._with_members else {}
        must = self.of(member_schema)
        return _json(key) if must == _ANYTHING else f"{_json(key)}: {must}"

    def _list(self, values: Sequence[Any], word: str) -> str:
        examples = values if self._with_all or len(values) <= _FEW + 1 else values[:_FEW]
        rest = len(values) - len(examples)
        return _enumerated([*map(_json, examples), *([f"{rest} more"] if rest else [])], word)


_LIMITS: Final[Mapping[str, Callable[[_Words, Schema], str]]] = {
    "string": _Words.string,
    "array": _Words.array,
    "object": _Words.object,
    "number": _Words.number,
    "integer": _Words.number,
}
_SPEAKS_OF: Final[Mapping[str, frozenset[str]]] = {
    "string": frozenset({"pattern", "minLength", "maxLength", "contentMediaType"}),
    "array": frozenset({"items", "minItems", "maxItems"}),
    "object": frozenset({"minProperties", "maxProperties", "required"}),
    "number": frozenset({"minimum", "maximum", "exclusiveMinimum"}),
}


def _kinds(schema: Schema) -> list[str]:
    """The types that a schema allows, else those that its keywords speak of."""
    types = schema.get("type", [])
    named = [types] if isinstance(types, str) else list(types)
    spoken = schema.keys() | ({"required"} if any(map(_keys_of, _branches(schema))) else set())
    return named or [kind for kind, keywords in _SPEAKS_OF.items() if spoken & keywords]


def _noun(kind: str, schema: Schema) -> str:
    if kind == "string" and schema.get("contentMediaType") == "application/json":
        return "JSON text"
    return TYPES[kind].partition(" ")[2]


def _branches(schema: Schema) -> Sequence[Schema]:
    branches: Sequence[Schema] = schema.get("anyOf", schema.get("oneOf", ()))
    return branches


def _each(schema: Schema, keyword: str) -> list[Any]:
    """What a keyword says: it may stand in a schema, and again in its ``allOf``."""
    return [part[keyword] for part in (schema, *schema.get("allOf", ())) if keyword in part]


def _keys_of(schema: Schema) -> list[str]:
    """The keys that a schema asks for, of those that are spellings of one the first."""
    branches = _branches(schema)
    parts = [*schema.get("allOf", ()), *branches[:1]]
    return [*schema.get("required", ()), *(key for part in parts for key in _keys_of(part))]


def _asks_only(branch: Schema) -> bool:
    """Whether a branch asks for one key, and says no more of it than what it may not be."""
    members = branch.get("properties", {}).values()
    return len(_keys_of(branch)) == 1 and all(member.keys() <= {"not"} for member in members)


def _count(schema: Schema, what: str, singular: str, many: str) -> str:
    least, most = schema.get(f"min{what}"), schema.get(f"max{what}")
    if least is not None and most is not None:
        return f" of {least} to {most} {many}"
    if most is not None:
        return f" of at most {most} {singular if most == 1 else many}"
    return f" of at least {least} {singular if least == 1 else many}" if least else ""


def _either(choices: Iterable[str]) -> str:
    """A choice in words, of which the longest stand last: a comma in them would else be read as part of the choice."""
    return ", or ".join(sorted(choices, key=lambda words: " with " in words or ", each" in words))


def _enumerated(words: Sequence[str], word: str) -> str:
    *first, last = words or [""]
    return f"{', '.join(first)} {word} {last}" if first else last


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
