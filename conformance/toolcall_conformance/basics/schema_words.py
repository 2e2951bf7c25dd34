"""Describes in words what a JSON Schema allows: ``any string that matches ^toolu_, or null``."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

TYPE_WORDS: Final[Mapping[str, str]] = {
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
_MAX_EXAMPLES = 3


def describe_schema(schema: Schema, width: int) -> str:
    """The values that a schema allows, in words; details are left out while the text is longer than ``width``.

    It describes the keywords of a :class:`~toolcall_conformance.basics.findings.Form`, and no others.
    """
    texts = [
        _Describer(members=members, with_all=whole).describe(schema)
        for members in (True, False)
        for whole in (True, False)
    ]
    return next((text for text in texts if len(text) <= width), texts[-1])


class _Describer:
    """Describes schemas, with two optional details: what ``members`` of objects must be, and ``with_all`` lists."""

    def __init__(self, *, members: bool, with_all: bool) -> None:
        self._with_members = members
        self._with_all = with_all

    def describe(self, schema: Schema) -> str:
        """Words for a value, or for the keys that an object lacks."""
        if "type" not in schema and (keys := self._keys(schema, "the keys ")):
            return keys
        return self.describe_value(schema)

    def describe_value(self, schema: Schema) -> str:
        if "const" in schema:
            return _json(schema["const"])
        if "enum" in schema:
            return self._list(schema["enum"], "or")
        words = self._type_phrases(schema) or _join_choices(map(self.describe_value, _branches(schema))) or _ANYTHING
        return words + self._exclusions(schema)

    def _type_phrases(self, schema: Schema) -> str:
        kinds = _types(schema)
        limits = {kind: _LIMIT_BY_TYPE[kind](self, schema) for kind in kinds if kind in _LIMIT_BY_TYPE}
        free = [_type_noun(kind, schema) for kind, limit in limits.items() if not limit]
        phrases = [f"any {_enumerate(free, 'or')}"] if free else []
        phrases += [f"any {_type_noun(kind, schema)}{limit}" for kind, limit in limits.items() if limit]
        return _join_choices([*phrases, *(TYPE_WORDS[kind] for kind in kinds if kind not in _LIMIT_BY_TYPE)])

    def _exclusions(self, schema: Schema) -> str:
        words = ""
        for exclusion in _keyword_values(schema, "not"):
            if values := exclusion.get("enum", [exclusion["const"]] if "const" in exclusion else []):
                words += f" other than {self._list(values, 'or')}"
            elif "pattern" in exclusion:
                words += f" that does not match {exclusion['pattern']}"
            elif "type" in exclusion and not _types(schema):
                words += f" other than {_join_choices(TYPE_WORDS[kind] for kind in _types(exclusion))}"
        return words

    def string(self, schema: Schema) -> str:
        inside = schema.get("contentSchema", {}).get("type")
        content = f" of {TYPE_WORDS[inside]}" if inside else ""
        patterns = " and ".join(_keyword_values(schema, "pattern"))
        matching = f" that matches {patterns}" if patterns else ""
        return f"{content}{_count(schema, 'Length', 'character', 'characters')}{matching}"

    def array(self, schema: Schema) -> str:
        entry = self.describe_value(schema["items"]) if schema.get("items") else _ANYTHING
        entries = f", each {entry}" if entry != _ANYTHING else ""
        once = ", each only once" if schema.get("uniqueItems") else ""
        return f"{_count(schema, 'Items', 'entry', 'entries')}{entries}{once}"

    def object(self, schema: Schema) -> str:
        count = _count(schema, "Properties", "key", "keys")
        keys = self._keys(schema)
        without = [key for exclusion in _keyword_values(schema, "not") for key in _required_keys(exclusion)]
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
        """The keys that an object must have, and those among which it must have one."""
        phrases = []
        if required := schema.get("required", ()):
            members = [self._member(key, schema) for key in required]
            is_plain = members == [*map(_json, required)]
            phrases.append(f"{plain}{self._list(required, 'and')}" if is_plain else "; ".join(members))
        branches = _branches(schema)
        if any(map(_required_keys, branches)):
            phrases.append(self._choice(branches, exactly="oneOf" in schema))
        return ", and ".join(phrases)

    def _choice(self, branches: Sequence[Schema], *, exactly: bool) -> str:
        keys = [key for branch in branches for key in _required_keys(branch)[:1]]
        if exactly or not self._with_members or all(map(_only_requires_key, branches)):
            return f"{'exactly ' if exactly else ''}one of {self._list(keys, 'and')}"
        return _join_choices(map(self._keys, branches))

    def _member(self, key: str, schema: Schema) -> str:
        member_schema = schema.get("properties", {}).get(key, {}) if self._with_members else {}
        must = self.describe_value(member_schema)
        return _json(key) if must == _ANYTHING else f"{_json(key)}: {must}"

    def _list(self, values: Sequence[Any], conjunction: str) -> str:
        examples = values if self._with_all or len(values) <= _MAX_EXAMPLES + 1 else values[:_MAX_EXAMPLES]
        rest = len(values) - len(examples)
        return _enumerate([*map(_json, examples), *([f"{rest} more"] if rest else [])], conjunction)


_LIMIT_BY_TYPE: Final[Mapping[str, Callable[[_Describer, Schema], str]]] = {
    "string": _Describer.string,
    "array": _Describer.array,
    "object": _Describer.object,
    "number": _Describer.number,
    "integer": _Describer.number,
}
_KEYWORDS_BY_TYPE: Final[Mapping[str, frozenset[str]]] = {
    "string": frozenset({"pattern", "minLength", "maxLength", "contentMediaType"}),
    "array": frozenset({"items", "minItems", "maxItems"}),
    "object": frozenset({"minProperties", "maxProperties", "required"}),
    "number": frozenset({"minimum", "maximum", "exclusiveMinimum"}),
}


def _types(schema: Schema) -> list[str]:
    """The types that a schema allows, else those that its keywords are about."""
    types = schema.get("type", [])
    named = [types] if isinstance(types, str) else list(types)
    spoken = schema.keys() | ({"required"} if any(map(_required_keys, _branches(schema))) else set())
    return named or [kind for kind, keywords in _KEYWORDS_BY_TYPE.items() if spoken & keywords]


def _type_noun(kind: str, schema: Schema) -> str:
    if kind == "string" and schema.get("contentMediaType") == "application/json":
        return "JSON text"
    return TYPE_WORDS[kind].partition(" ")[2]


def _branches(schema: Schema) -> Sequence[Schema]:
    branches: Sequence[Schema] = schema.get("anyOf", schema.get("oneOf", ()))
    return branches


def _keyword_values(schema: Schema, keyword: str) -> list[Any]:
    """The values of a keyword in a schema and in its ``allOf``."""
    return [part[keyword] for part in (schema, *schema.get("allOf", ())) if keyword in part]


def _required_keys(schema: Schema) -> list[str]:
    """The keys that a schema requires; of several spellings of one key the first."""
    branches = _branches(schema)
    parts = [*schema.get("allOf", ()), *branches[:1]]
    return [*schema.get("required", ()), *(key for part in parts for key in _required_keys(part))]


def _only_requires_key(branch: Schema) -> bool:
    """Whether a branch requires one key, and limits it only by what it must not be."""
    members = branch.get("properties", {}).values()
    return len(_required_keys(branch)) == 1 and all(member.keys() <= {"not"} for member in members)


def _count(schema: Schema, keyword_end: str, singular: str, plural: str) -> str:
    least, most = schema.get(f"min{keyword_end}"), schema.get(f"max{keyword_end}")
    if least is not None and most is not None:
        return f" of {least} to {most} {plural}"
    if most is not None:
        return f" of at most {most} {singular if most == 1 else plural}"
    return f" of at least {least} {singular if least == 1 else plural}" if least else ""


def _join_choices(choices: Iterable[str]) -> str:
    """A choice in words. Phrases with a comma come last, or it would be read as part of the choice."""
    return ", or ".join(sorted(choices, key=lambda words: " with " in words or ", each" in words))


def _enumerate(choices: Sequence[str], conjunction: str) -> str:
    *first, last = choices or [""]
    return f"{', '.join(first)} {conjunction} {last}" if first else last


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
