"""The literal examples of the documents, and whether a golden holds one."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FENCED = re.compile(r"^```json\n(.*?)^```", re.MULTILINE | re.DOTALL)
COMMENT = re.compile(r"^//.*$", re.MULTILINE)
#: What names one exchange and no shape: an example and its golden may differ in it.
NAMES = frozenset({"id", "call_id", "tool_call_id", "tool_use_id", "item_id", "model", "sequence_number"})


def blocks(document: str) -> Iterator[tuple[int, str]]:
    """The JSON blocks of a document, each with the number of the line on which its fence opens."""
    for match in FENCED.finditer(document):
        yield document.count("\n", 0, match.start()) + 1, match[1]


def values(block: str) -> list[Any]:
    """The JSON values of a block, which may have several and lines of comment.

    Raises ``ValueError`` where it is no JSON.
    """
    text, decoder, documents = COMMENT.sub("", block).strip(), json.JSONDecoder(), []
    while text:
        value, end = decoder.raw_decode(text)
        documents.append(value)
        text = text[end:].lstrip()
    return documents


def contents(path: Path) -> Any:
    """What a golden has: its JSON, or of a stream the data of its records."""
    if path.suffix != ".sse":
        return json.loads(path.read_bytes())
    lines = path.read_text(encoding="utf-8").splitlines()
    data = (line.removeprefix("data:").strip() for line in lines if line.startswith("data:"))
    return [json.loads(line) for line in data if line != "[DONE]"]


def has_example(example: list[Any], golden: Any) -> bool:
    """Whether a golden has all values of an example, each somewhere in it."""
    return all(any(has_values(value, place) for place in places(golden)) for value in example)


def places(golden: Any) -> Iterator[Any]:
    """A value and all values inside it."""
    yield golden
    inner = golden.values() if isinstance(golden, dict) else golden if isinstance(golden, list) else ()
    for value in inner:
        yield from places(value)


def has_values(example: Any, golden: Any) -> bool:
    """Whether a value has all that the example has: members, entries in their order, and the same words.

    JSON texts are compared as what they say, and a text may be the only block of a list; the values of ``NAMES`` may
    differ.
    """
    if isinstance(example, dict):
        return isinstance(golden, dict) and all(
            key in golden and (key in NAMES or has_values(value, golden[key])) for key, value in example.items()
        )
    if isinstance(example, list):
        return isinstance(golden, list) and _has_in_order(example, golden)
    if isinstance(golden, list):
        return len(golden) == 1 and isinstance(golden[0], dict) and golden[0].get("text") == example
    return type(example) is type(golden) and bool(
        example == golden or _parsed_object(example) == _parsed_object(golden)
    )


def _has_in_order(example: list[Any], golden: list[Any]) -> bool:
    rest = iter(golden)
    return all(any(has_values(member, other) for other in rest) for member in example)


def _parsed_object(value: Any) -> Any:
    """What a JSON text of an object says; any other value stays."""
    if isinstance(value, str) and value.startswith("{"):
        try:
            return json.loads(value)
        except ValueError:
            return value
    return value
