"""Lists in a schema whose members are different ones by the standard, and which have one twice.

What is compared is spelt out and folded before. So this looks at the schema as it is written, at every place in it:
inside definitions and branches too, and in a schema that the translator made up itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

from toolcall_conformance.basics.jsonvalue import canonical, join, resolve
from toolcall_conformance.judge.translation.schemas.inner_schemas import inner_schemas
from toolcall_conformance.judge.translation.schemas.schema_pair import SchemaDifference

_LISTS: Final = ("required", "type", "enum")


def find_listed_twice(source: Any, output: Any) -> Iterator[SchemaDifference]:
    """Every list of the output that has a member twice, but those that the source has with the same member twice."""
    repeats = list(_repeating(output))
    source_repeats = {(key, twice) for _, key, _, twice in _repeating(source)} if repeats else set()
    for pointer, key, listed, twice in repeats:
        if (key, twice) not in source_repeats:
            once = {canonical(entry): entry for entry in listed}
            yield SchemaDifference(
                "translation/schema-listed-twice",
                join(pointer, key),
                _same_place(source, pointer),
                want=[*once.values()],
                got=listed,
            )


def _repeating(whole: Any) -> Iterator[tuple[str, str, Any, frozenset[str]]]:
    """The pointer of each schema with such a list, the list's keyword, the list, and what it has more than once."""
    for pointer, schema in inner_schemas(whole):
        for key in _LISTS:
            listed = schema.get(key)
            members = Counter(map(canonical, listed)) if isinstance(listed, list) else Counter[str]()
            twice = frozenset(member for member, count in members.items() if count > 1)
            if twice:
                yield pointer, key, listed, twice


def _same_place(source: Any, pointer: str) -> str:
    """The like place of the source; its root where there is none."""
    try:
        resolve(source, pointer)
    except LookupError:
        return ""
    return pointer
