"""Lists in a schema whose members are different ones by the standard, and which have one twice.

What is compared is spelt out and folded before. So this looks at the schema as it is written, at every place in it:
inside definitions and branches too, and in a schema that the translator made up itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

from toolcall_conformance.jsonvalue import canonical, join, resolve
from toolcall_conformance.translation.schema_pair import SchemaDifference
from toolcall_conformance.translation.spelling import SCHEMA_LISTS, SCHEMA_MAPS, SCHEMAS

_LISTS: Final = ("required", "type", "enum")
_MAPS: Final = (*SCHEMA_MAPS, "$defs", "definitions")


def find_listed_twice(source: Any, output: Any) -> Iterator[SchemaDifference]:
    """Every list of the output that has a member twice, but those that the source has with the same member twice."""
    found = list(_repeating(output))
    known = {(key, twice) for _, key, _, twice in _repeating(source)} if found else set()
    for pointer, key, listed, twice in found:
        if (key, twice) not in known:
            once = {canonical(one): one for one in listed}
            yield SchemaDifference(
                "translation/schema-listed-twice",
                join(pointer, key),
                _same_place(source, pointer),
                want=[*once.values()],
                got=listed,
            )


def _repeating(whole: Any) -> Iterator[tuple[str, str, Any, frozenset[str]]]:
    """The pointer of each schema with such a list, the list's keyword, the list, and what it has more than once."""
    for pointer, schema in _schemas(whole):
        for key in _LISTS:
            listed = schema.get(key)
            members = Counter(map(canonical, listed)) if isinstance(listed, list) else Counter[str]()
            twice = frozenset(member for member, count in members.items() if count > 1)
            if twice:
                yield pointer, key, listed, twice


def _schemas(whole: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """A schema as it is written and all schemas in it; without recursion, since schemas may be deep."""
    waiting: list[tuple[str, Any]] = [("", whole)]
    while waiting:
        pointer, schema = waiting.pop()
        if not isinstance(schema, dict):
            continue
        yield pointer, schema
        inner: list[tuple[str, Any]] = []
        for key, value in schema.items():
            if key in SCHEMAS and isinstance(value, dict):
                inner.append((join(pointer, key), value))
            elif key in (*SCHEMA_LISTS, "items") and isinstance(value, list):
                inner.extend((join(pointer, key, at), entry) for at, entry in enumerate(value))
            elif key in _MAPS and isinstance(value, dict):
                inner.extend((join(pointer, key, name), entry) for name, entry in value.items())
        waiting.extend(reversed(inner))


def _same_place(source: Any, pointer: str) -> str:
    """The like place of the source; its root where there is none."""
    try:
        resolve(source, pointer)
    except LookupError:
        return ""
    return pointer
