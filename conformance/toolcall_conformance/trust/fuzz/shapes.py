"""Hypothesis strategies for what tools take and give: names, texts, JSON values."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

# What every API takes as the name of a function and of its parameters.
NAMES = st.text("abcdefghijklmnopqrstuvwxyz0123456789_", max_size=8).map(lambda rest: f"f{rest}")
# Sixty-four characters are the most that all of them take.
_LONG = st.sampled_from(
    ["Get-It", "F", "f-0", "_f", "fetch__all-the-lines-of-one-order-for-the-customer-who-placed-it"]
)
TOOL_NAMES = st.one_of(NAMES, _LONG)
_ODD_KEYS = st.sampled_from(["type", "properties", "items", "name", "id", "output", "error", "a b", "ключ", "$ref"])
_CHARACTERS = st.characters(exclude_categories=["Cs"], exclude_characters="\x00")
# What programs take for something else than text, or cut, escape and compare in a wrong way.
_ODD_TEXTS = st.sampled_from(
    [
        "null",
        "true",
        "0",
        "1e5",
        "{}",
        "[]",
        '""',
        '{"a":1}',
        "\\",
        '"',
        "</s>",
        "a\r\nb",
        "\ufeffa",
        "é",
        "e\u0301",
        "👩\u200d🚀",
    ]
)
ANY_TEXTS = st.one_of(st.text(_CHARACTERS, max_size=30), _ODD_TEXTS)
# APIs refuse a message of blanks alone.
TEXTS = ANY_TEXTS.filter(lambda text: bool(text.strip()))
# Beyond 2^53 a number of JSON is not the same for every reader; such have their own case.
_INTEGERS = st.integers(-(2**53) + 1, 2**53 - 1)
_FLOATS = st.floats(-1e15, 1e15, allow_nan=False, allow_infinity=False).filter(lambda value: value % 1 != 0)
_SCALARS = st.one_of(ANY_TEXTS, _INTEGERS, _FLOATS, st.booleans(), st.none())
_KEYS = st.one_of(NAMES, _ODD_KEYS)
VALUES: SearchStrategy[Any] = st.recursive(
    _SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(_KEYS, inner, max_size=3)),
    max_leaves=6,
)
#: The arguments of a call: an object of any JSON values, empty too.
ARGUMENTS = st.dictionaries(_KEYS, VALUES, max_size=4)
#: An object as the result of a tool. Some formats give members such as an error's a meaning of their own.
OBJECTS = st.dictionaries(NAMES, VALUES, max_size=4)
#: Values by the simple types of JSON Schema.
OF_TYPE: dict[str, SearchStrategy[Any]] = {
    "string": ANY_TEXTS,
    "integer": _INTEGERS,
    "number": st.one_of(_INTEGERS, _FLOATS),
    "boolean": st.booleans(),
    "null": st.none(),
}
