"""Compiles JSON Schemas to Python functions that test whether a value fits.

jsonschema finds what is wrong with a body, and takes milliseconds for it. Nearly every part of nearly every body is
valid, which these functions find some twenty times faster; jsonschema gets only what does not fit. They implement the
keywords that the corpus's schemas use, with the meaning of https://json-schema.org/draft/2020-12, and no others.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from toolcall_conformance.basics.jsonvalue import equal, resolve

Fits = Callable[[Any], bool]

_IGNORED_KEYWORDS = frozenset(
    {"$schema", "$id", "$defs", "$comment", "title", "description", "contentMediaType", "x-rule", "x-message", "x-want"}
)
# These are read with the keyword that they belong to.
_COMPANION_KEYWORDS = frozenset({"then", "else"})


class Shapes:
    """A compiled schema document. Raises ValueError for an unknown keyword."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._document = document
        self._compiled: dict[str, Fits] = {}
        self._tests: dict[int, tuple[Any, Fits]] = {}
        for name in ("#", *(f"#/$defs/{name}" for name in document.get("$defs", {}))):
            self.test_at(name)

    def fits(self, value: Any, reference: str = "#") -> bool:
        """Whether ``value`` fits the document, or the part of it that ``reference`` points to, as ``#/$defs/name``."""
        return self.test_at(reference)(value)

    def test_at(self, reference: str) -> Fits:
        """The test for the part of the document that ``reference`` points to."""
        if reference not in self._compiled:
            self._compiled[reference] = self.compile(resolve(self._document, reference.removeprefix("#")))
        return self._compiled[reference]

    def test(self, schema: Any) -> Fits:
        """The test for ``schema``, a part of the document, compiled only once."""
        entry = self._tests.get(id(schema))
        if entry is None:  # the schema is stored with its test, so that no other one gets its id
            entry = self._tests[id(schema)] = schema, self.compile(schema)
        return entry[1]

    def compile(self, schema: Any) -> Fits:
        """Compile the test for ``schema``, a part of the document."""
        if isinstance(schema, bool):
            return lambda _value: schema
        if "$id" in schema and schema is not self._document:
            raise ValueError("only the whole document may have an `$id`: in a part, references would mean other places")
        if (condition := _member_test(schema)) is not None:
            return condition
        of_any: list[Fits] = []
        of_kind: dict[type, list[Fits]] = {}
        only = _PYTHON_TYPES.get(str(schema.get("type")))
        for keyword, keyword_value in schema.items():
            if keyword in _TYPED_COMPILER_BY_KEYWORD:
                kind, make = _TYPED_COMPILER_BY_KEYWORD[keyword]
                of_kind.setdefault(kind, []).append(make(keyword_value, schema, self))
            elif keyword in _COMPILER_BY_KEYWORD and not (keyword == "type" and only):
                of_any.append(_COMPILER_BY_KEYWORD[keyword](keyword_value, schema, self))
            elif keyword not in _COMPILER_BY_KEYWORD.keys() | _IGNORED_KEYWORDS | _COMPANION_KEYWORDS:
                raise ValueError(f"the keyword {keyword!r} is not known here; use other keywords, or add it")
        if only is not None:  # a keyword about another kind demands nothing
            tests = [_of_kind(only, of_kind.get(only, [])), *of_any]
        else:
            tests = [*of_any, *(_if_of_kind(kind, about) for kind, about in of_kind.items())]
        return tests[0] if len(tests) == 1 else _all_pass(tests)


def _member_test(schema: Mapping[str, Any]) -> Fits | None:
    """A fast test for the most frequent condition: an object with one member that is a certain text; else None."""
    if schema.keys() == {"type", "properties", "required"} and schema["type"] == "object":
        [(key, member), *others] = schema["properties"].items()
        if (
            not others
            and schema["required"] == [key]
            and member.keys() == {"const"}
            and isinstance(member["const"], str)
        ):
            text = member["const"]
            return lambda value: isinstance(value, dict) and value.get(key) == text
    return None


def _all_pass(tests: Sequence[Fits]) -> Fits:
    def fits(value: Any) -> bool:
        for test in tests:  # noqa: SIM110 - all() takes twice the time, and this is where the time goes
            if not test(value):
                return False
        return True

    return fits


def _any_passes(tests: Sequence[Fits]) -> Fits:
    def fits(value: Any) -> bool:
        for test in tests:  # noqa: SIM110 - as above
            if test(value):
                return True
        return False

    return fits


def _of_kind(kind: type, tests: Sequence[Fits]) -> Fits:
    """A test that a value is of a kind and passes the tests for it."""

    def fits(value: Any) -> bool:
        if not isinstance(value, kind):
            return False
        for test in tests:  # noqa: SIM110 - as above
            if not test(value):
                return False
        return True

    return fits


def _if_of_kind(kind: type, tests: Sequence[Fits]) -> Fits:
    """A test that a value, if it is of a kind, passes the tests for it."""

    def fits(value: Any) -> bool:
        if isinstance(value, kind):
            for test in tests:
                if not test(value):
                    return False
        return True

    return fits


def _type(types: Any, _schema: Any, _shapes: Shapes) -> Fits:
    if isinstance(types, str):
        return _TEST_BY_TYPE[types]
    return _any_passes([_TEST_BY_TYPE[name] for name in types])


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


_TEST_BY_TYPE: Mapping[str, Fits] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "number": _is_number,
    "integer": lambda value: _is_number(value) and (isinstance(value, int) or value.is_integer()),
}


def _reference(reference: str, _schema: Any, shapes: Shapes) -> Fits:
    test: Fits | None = None

    def fits(value: Any) -> bool:
        nonlocal test
        if test is None:  # looked up when it runs: definitions may be circular
            test = shapes.test_at(reference)
        return test(value)

    return fits


def _if(subschema: Any, schema: Any, shapes: Shapes) -> Fits:
    condition = shapes.compile(subschema)
    then, otherwise = shapes.compile(schema.get("then", True)), shapes.compile(schema.get("else", True))
    if "else" not in schema:
        return lambda value: not condition(value) or then(value)
    return lambda value: then(value) if condition(value) else otherwise(value)


def _not(subschema: Any, _schema: Any, shapes: Shapes) -> Fits:
    test = shapes.compile(subschema)
    return lambda value: not test(value)


def _all_of(branches: Any, _schema: Any, shapes: Shapes) -> Fits:
    return _all_pass([shapes.compile(branch) for branch in branches])


def _any_of(branches: Any, _schema: Any, shapes: Shapes) -> Fits:
    return _any_passes([shapes.compile(branch) for branch in branches])


def _one_of(branches: Any, _schema: Any, shapes: Shapes) -> Fits:
    tests = [shapes.compile(branch) for branch in branches]
    return lambda value: sum(test(value) for test in tests) == 1


def _const(expected: Any, _schema: Any, _shapes: Shapes) -> Fits:
    return (
        (lambda value: bool(value == expected)) if isinstance(expected, str) else lambda value: equal(value, expected)
    )


def _enum(options: Any, _schema: Any, _shapes: Shapes) -> Fits:
    texts = frozenset(option for option in options if isinstance(option, str))
    others = [option for option in options if not isinstance(option, str)]
    return lambda value: value in texts if isinstance(value, str) else any(equal(value, option) for option in others)


def _properties(properties: Any, _schema: Any, shapes: Shapes) -> Fits:
    tests = {key: shapes.compile(schema) for key, schema in properties.items() if schema is not True}

    def fits(value: Any) -> bool:
        for key, entry in value.items():  # a body has fewer members than a schema knows
            test = tests.get(key)
            if test is not None and not test(entry):
                return False
        return True

    return fits


def _pattern_properties(patterns: Any, _schema: Any, shapes: Shapes) -> Fits:
    tests = [(re.compile(pattern), shapes.compile(schema)) for pattern, schema in patterns.items()]
    return lambda value: all(
        test(entry) for pattern, test in tests for key, entry in value.items() if pattern.search(key)
    )


def _additional_properties(subschema: Any, schema: Any, shapes: Shapes) -> Fits:
    test = shapes.compile(subschema)
    named = frozenset(schema.get("properties", {}))
    patterns = [re.compile(pattern) for pattern in schema.get("patternProperties", {})]

    def fits(value: Any) -> bool:
        for key in value.keys() - named:
            if not test(value[key]) and not any(pattern.search(key) for pattern in patterns):
                return False
        return True

    return fits


def _property_names(subschema: Any, _schema: Any, shapes: Shapes) -> Fits:
    test = shapes.compile(subschema)
    return lambda value: all(map(test, value))


def _required(keys: Any, _schema: Any, _shapes: Shapes) -> Fits:
    names = frozenset(keys)
    return lambda value: value.keys() >= names


def _items(subschema: Any, _schema: Any, shapes: Shapes) -> Fits:
    test = shapes.compile(subschema)
    return lambda value: all(map(test, value))


def _contains(subschema: Any, _schema: Any, shapes: Shapes) -> Fits:
    test = shapes.compile(subschema)
    return lambda value: any(map(test, value))


def compile_pattern(pattern: str) -> re.Pattern[str]:
    """Compile a pattern in ECMA's dialect, as JSON Schema has it: ``$`` never matches before a last line break."""
    return re.compile(re.sub(r"(\\.)|\$", lambda match: match[1] or r"\Z", pattern))


def _pattern(pattern: str, _schema: Any, _shapes: Shapes) -> Fits:
    search = compile_pattern(pattern).search
    return lambda value: search(value) is not None


def _minimum(minimum: float, _schema: Any, _shapes: Shapes) -> Fits:
    return lambda value: not _is_number(value) or value >= minimum


def _maximum(maximum: float, _schema: Any, _shapes: Shapes) -> Fits:
    return lambda value: not _is_number(value) or value <= maximum


def _at_least(minimum: int, _schema: Any, _shapes: Shapes) -> Fits:
    return lambda value: len(value) >= minimum


def _at_most(maximum: int, _schema: Any, _shapes: Shapes) -> Fits:
    return lambda value: len(value) <= maximum


Compiler = Callable[[Any, Any, Shapes], Fits]

_PYTHON_TYPES: Mapping[str, type] = {"object": dict, "array": list, "string": str}

# The compilers by keyword; each gets the keyword's value, its schema object, and the document.
_COMPILER_BY_KEYWORD: Mapping[str, Compiler] = {
    "type": _type,
    "$ref": _reference,
    "if": _if,
    "not": _not,
    "allOf": _all_of,
    "anyOf": _any_of,
    "oneOf": _one_of,
    "const": _const,
    "enum": _enum,
    "minimum": _minimum,
    "maximum": _maximum,
}

# The compilers of keywords for one kind of value; their tests get only such values.
_TYPED_COMPILER_BY_KEYWORD: Mapping[str, tuple[type, Compiler]] = {
    "properties": (dict, _properties),
    "patternProperties": (dict, _pattern_properties),
    "additionalProperties": (dict, _additional_properties),
    "propertyNames": (dict, _property_names),
    "required": (dict, _required),
    "items": (list, _items),
    "contains": (list, _contains),
    "pattern": (str, _pattern),
    "minLength": (str, _at_least),
    "maxLength": (str, _at_most),
    "minItems": (list, _at_least),
    "maxItems": (list, _at_most),
    "minProperties": (dict, _at_least),
    "maxProperties": (dict, _at_most),
}
