"""Writes ``corpus/keys.md``, the keys of the corpus's own files, from ``corpus/schemas/``: ``python tests keys.page``.

The ``description`` in its schema says what a key means. A key whose schema is a reference to an object of ``$defs``
leads to that object, which is described once, after the keys of the file.
"""

from __future__ import annotations

import json
import sys
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from toolcall_conformance.basics import atomic_files
from toolcall_conformance.library import default_root, read_json

PAGE = default_root() / "keys.md"
WIDTH = 120
#: An object with more keys of one definition than this says so once.
MAX_ALIKE = 10
TYPES = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "true or false",
    "null": "null",
    "array": "list",
    "object": "object",
}
HEAD = Path(__file__).with_name("keys.md.in")

Schema = Mapping[str, Any]


def schemas() -> dict[str, Schema]:
    """The schemas of the corpus's own files by name."""
    paths = sorted((default_root() / "schemas").glob("*.schema.json"))
    return {path.name.removesuffix(".schema.json"): read_json(path) for path in paths}


def page(schemas_by_name: Mapping[str, Schema]) -> str:
    """The whole page."""
    return (
        HEAD.read_text(encoding="utf-8")
        + _contents(schemas_by_name)
        + "".join(_section(*entry) for entry in schemas_by_name.items())
    )


def _contents(schemas_by_name: Mapping[str, Schema]) -> str:
    rows = sorted((*_split_title(schema), name) for name, schema in schemas_by_name.items())
    lines = [f"| `{files}` | {what} | [{name}](#{name}) |" for files, what, name in rows]
    return "\n".join(["| File | What it is | Keys |", "|---|---|---|", *lines, ""])


def _split_title(schema: Schema) -> tuple[str, str]:
    """The path of the files and what they are."""
    files, _, what = schema["title"].partition(": ")
    return files, what


def _section(name: str, schema: Schema) -> str:
    """A heading, what the files are, their keys, and those of each definition; empty lines between."""
    files, what = _split_title(schema)
    blocks = [[f"## {name}"], _wrap(f"`{files}`: {what}.")]
    blocks += [_wrap(text) for text in schema.get("description", "").split("\n\n")]
    blocks.append([*_key_lines(schema, schema, "")])
    for named, inner in schema.get("$defs", {}).items():
        if is_object(inner):
            blocks.append(_wrap(f"`{named}`: {inner.get('description', '')}".rstrip()))
            blocks.append([*_key_lines(inner, schema, "")])
    return "".join("\n" + "\n".join([*lines, ""]) for lines in blocks if lines)


def _key_lines(schema: Schema, root: Schema, indent: str) -> Iterator[str]:
    """The lines on the keys of a schema, and on those inside them."""
    schemas_by_key = keys(schema)
    alike = {inner.get("$ref") for inner in schemas_by_key.values()}
    if len(schemas_by_key) > MAX_ALIKE and len(alike) == 1 and None not in alike:
        names = ", ".join(f"`{key}`" for key in schemas_by_key)
        yield from _wrap(f"{indent}- Each is of the kind `{_last_part(str(*alike))}`: {names}.", indent)
        return
    for key, inner in schemas_by_key.items():
        need = "" if key in schema.get("required", ()) else ", optional"
        yield from _wrap(f"{indent}- `{key}` ({kind(inner, root)}{need}): {describe(inner, root)}", indent)
        yield from _key_lines(inner, root, f"{indent}  ")
    for inner in _inside(schema):
        yield from _key_lines(inner, root, indent)


def keys(schema: Schema) -> dict[str, Schema]:
    """The keys that a schema names by itself or in a branch, each with its schema."""
    schemas_by_key: dict[str, Schema] = {
        key: inner for key, inner in schema.get("properties", {}).items() if isinstance(inner, dict)
    }
    for branch in _branches(schema):
        schemas_by_key |= {
            key: inner for key, inner in keys(branch).items() if key not in schemas_by_key and "description" in inner
        }
    return schemas_by_key


def _branches(schema: Schema) -> Iterator[Schema]:
    for word in ("allOf", "anyOf", "oneOf"):
        yield from schema.get(word, ())
    yield from (schema[word] for word in ("then", "else") if word in schema)


def _inside(schema: Schema) -> Iterator[Schema]:
    """What the entries of a list are, and the values of an object with free keys."""
    for word in ("items", "additionalProperties"):
        if isinstance(schema.get(word), dict):
            yield schema[word]


def is_object(schema: Schema) -> bool:
    """Whether a definition has keys of its own, so that the page describes it by itself; other ones it shows in place.

    >>> is_object({"type": "array", "items": {"properties": {"a": {}}}}), is_object({"type": "string"})
    (True, False)
    """
    return bool(keys(schema)) or any(is_object(inner) for inner in _inside(schema))


def describe(schema: Schema, root: Schema) -> str:
    """What a key means, in its own words or in those of what it refers to; empty if nobody says it."""
    target = _target(schema, root)
    description = schema.get("description") or ("" if target is None else target.get("description", ""))
    return str(description)


def kind(schema: Schema, root: Schema) -> str:
    """The type of a value, in words."""
    target = _target(schema, root)
    if target is not None:
        return f"`{_last_part(schema['$ref'])}`" if is_object(target) else kind(target, root)
    if "const" in schema:
        return f"`{json.dumps(schema['const'])}`"
    if "enum" in schema:
        return " or ".join(f"`{json.dumps(value).strip(chr(34))}`" for value in schema["enum"])
    stated = schema.get("type", "any")
    words = [TYPES.get(word, word) for word in ([stated] if isinstance(stated, str) else stated)]
    inner = schema.get("items") or {}
    if words == ["list"] and inner:
        return f"list of {kind(inner, root)}"
    inner = schema.get("additionalProperties")
    if words == ["object"] and isinstance(inner, dict):
        return f"object by name, each {kind(inner, root)}"
    return " or ".join(words)


def _target(schema: Schema, root: Schema) -> Schema | None:
    """The definition that a schema refers to."""
    target: Schema | None = root["$defs"][_last_part(schema["$ref"])] if "$ref" in schema else None
    return target


def _last_part(reference: str) -> str:
    return reference.rpartition("/")[2]


def _wrap(text: str, indent: str | None = None) -> list[str]:
    """Lines that fit; those of a list entry are indented below its first word."""
    return textwrap.wrap(
        text,
        WIDTH,
        subsequent_indent="" if indent is None else f"{indent}  ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def undescribed_keys(schema: Schema, root: Schema, path: str = "") -> Iterator[str]:
    """The keys without a word on what they mean."""
    for key, inner in keys(schema).items():
        if not describe(inner, root):
            yield f"{path}/{key}"
        yield from undescribed_keys(inner, root, f"{path}/{key}")
    for inner in _inside(schema):
        yield from undescribed_keys(inner, root, path)
    for name, inner in schema.get("$defs", {}).items():
        yield from undescribed_keys(inner, root, f"{path}/$defs/{name}")


def main() -> int:
    atomic_files.write_all([(PAGE, page(schemas()).encode())])
    return 0


if __name__ == "__main__":
    sys.exit(main())
