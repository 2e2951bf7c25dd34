"""Text that is no JSON object, and yet says which one was meant."""

from __future__ import annotations

from typing import Any

import pytest

from toolcall_conformance.basics.findings import NOT_KNOWN
from toolcall_conformance.formats.expected_values import (
    MAX_LITERAL_LENGTH,
    OBJECT,
    OBJECT_TEXT,
    intended_json_text,
    intended_object,
    object_of_type,
    python_object,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{'town': 'Lyon', 'late': True, 'stops': [1, None]}", '{"town": "Lyon", "late": true, "stops": [1, null]}'),
        ('"{\\"town\\":\\"Lyon\\"}"', '{"town":"Lyon"}'),
        ("{'town': {1, 2}}", OBJECT_TEXT),
        ("{'town': 1e999}", OBJECT_TEXT),
        ("{'town': b'Lyon'}", OBJECT_TEXT),
        ("{'town': 'Ly", OBJECT_TEXT),
        ("{'town'}", OBJECT_TEXT),
        ('"Lyon"', OBJECT_TEXT),
        ('"[1]"', OBJECT_TEXT),
        ('{"town":"Ly', OBJECT_TEXT),
        ("", OBJECT_TEXT),
    ],
)
def test_the_text_of_an_object(text: str, expected: Any) -> None:
    assert intended_json_text(text) == expected


def test_an_object_in_the_way_of_python() -> None:
    assert python_object("{'index': 0}") == {"index": 0}
    assert python_object(f"{{'text': '{'x' * MAX_LITERAL_LENGTH}'}}") is NOT_KNOWN
    assert python_object("{'a': " + "[" * 9_000 + "]" * 9_000 + "}") is NOT_KNOWN
    assert python_object(None) is NOT_KNOWN


def test_the_object_that_an_event_must_have() -> None:
    assert intended_object("{'index': 0}") == {"index": 0}
    assert intended_object("main.") is OBJECT
    assert intended_object("main.", object_of_type("ping")) == object_of_type("ping")
