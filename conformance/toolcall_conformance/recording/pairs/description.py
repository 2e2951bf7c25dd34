"""Reads and checks the TOML file that says which golden files belong together."""

from __future__ import annotations

import difflib
import json
import re
import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from toolcall_conformance.basics import foreign_files
from toolcall_conformance.basics.close_names import close_name_hint
from toolcall_conformance.recording.pairs.templates import PatternError, Template


class PairsError(Exception):
    """A file of pairs that cannot be used: which, where in it, and what to do."""


class UnreadableGoldenError(Exception):
    """A golden file that holds no body: why. The other pairs are judged."""


_SCHEMA = Path(__file__).with_name("pairs.schema.json")
_ENDS = ("client", "upstream")


@dataclass(frozen=True, slots=True)
class PairTable:
    """One table ``[[pairs]]``: where its files are, and what they hold.

    ``ends`` are the formats that the table itself names, by ``client`` and ``upstream``.
    """

    source: Template
    output: Template
    direction: str
    ends: Mapping[str, str]
    source_body: str
    output_body: str
    client_model: str | None
    upstream_model: str | None


@dataclass(frozen=True, slots=True)
class Description:
    """The file. ``words`` are formats by the words of paths, None for a word of no format that is judged."""

    path: Path
    kinds: Sequence[PairTable]
    words: Mapping[str, str | None]
    redacted: Sequence[re.Pattern[str]]
    leave_out: Sequence[str]

    @property
    def folder(self) -> Path:
        return self.path.parent


def read_description(path: Path, formats: Collection[str]) -> Description:
    """Read a file of pairs. Raises PairsError."""
    document = _toml(path)
    _check(path, document)
    format_by_word: dict[str, str | None] = {name: name for name in formats}
    for word, name in document.get("formats", {}).items():
        if name is not False and name not in formats:
            raise PairsError(
                f"{path}: [formats]: {word} = {name!r} is no format{close_name_hint(name, formats)}; they are "
                f"{', '.join(formats)}; write {word} = false for one that is not judged"
            )
        format_by_word[word] = name or None
    tables = [_pair_table(path, number, table, format_by_word) for number, table in enumerate(document["pairs"], 1)]
    return Description(path, tables, format_by_word, _patterns(path, document), document.get("leave_out", ()))


def _pair_table(
    path: Path, number: int, table: Mapping[str, Any], format_by_word: Mapping[str, str | None]
) -> PairTable:
    location = f"{path}: [[pairs]] number {number}"
    templates = {}
    for key in ("source", "output"):
        try:
            templates[key] = Template.of(table[key])
        except PatternError as error:
            raise PairsError(f"{location}: {key}: {error}") from None
    source, output = templates["source"], templates["output"]
    if unknown := [name for name in source.fields if name not in output.fields]:
        raise PairsError(
            f"{location}: {{{unknown[0]}}} is in source and not in output ({output.text}): an output could belong "
            "to several sources; use the same fields"
        )
    format_by_end = {}
    for end in _ENDS:
        if end in table:
            if format_by_word.get(table[end]) is None:
                raise PairsError(
                    f"{location}: {end} = {table[end]!r} is no format{close_name_hint(table[end], format_by_word)}"
                )
            format_by_end[end] = str(format_by_word[table[end]])
        elif end not in output.fields:
            near = difflib.get_close_matches(end, [name for name in output.fields if name not in _ENDS], n=1)
            hint = f"; did you mean {{{end}}} by {{{near[0]}}}?" if near else ""
            raise PairsError(
                f"{location}: which format is the {end}'s? Put {{{end}}} into output, or write {end} = …{hint}"
            )
    return PairTable(
        source,
        output,
        table.get("direction", "request"),
        format_by_end,
        table.get("source_body", ""),
        table.get("output_body", ""),
        table.get("client_model"),
        table.get("upstream_model"),
    )


def _patterns(path: Path, document: Mapping[str, Any]) -> list[re.Pattern[str]]:
    patterns = []
    for text in document.get("redacted", ()):
        try:
            patterns.append(re.compile(text))
        except re.error as error:
            raise PairsError(f"{path}: redacted: {text!r} is no regular expression: {error}") from None
    return patterns


def _toml(path: Path) -> Any:
    try:
        return foreign_files.parse_toml(foreign_files.read_text(path))
    except FileNotFoundError:
        raise PairsError(f"{path} is not there; `toolcall-conformance new-pairs FOLDER` writes one") from None
    except IsADirectoryError:
        raise PairsError(
            f"{path} is a folder; name the file in it, or write one: toolcall-conformance new-pairs {path}"
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise PairsError(f"{path} {foreign_files.toml_fault(error)}") from None
    except tomllib.TOMLDecodeError as error:
        fault = foreign_files.toml_fault(error)
        raise PairsError(f"{path} {fault}; write regular expressions between single quotes") from None


def _check(path: Path, document: Any) -> None:
    import jsonschema

    schema = json.loads(_SCHEMA.read_text(encoding="utf-8"))
    errors = [*jsonschema.Draft202012Validator(schema).iter_errors(document)]
    unknown = [
        error for error in errors if error.validator == "additionalProperties"
    ]  # a misspelt key is also a missing one
    breach = jsonschema.exceptions.best_match(unknown or errors)
    if breach is None:
        return
    place = _place([*breach.absolute_path])
    if breach.validator == "additionalProperties":
        properties = breach.schema.get("properties", {})
        for name in breach.instance:
            if name not in properties:
                raise PairsError(
                    f"{path}: {place} has no key {name!r}{close_name_hint(name, properties)}; its keys are "
                    f"{', '.join(properties)}"
                )
    if breach.validator == "required":
        missing = "a table [[pairs]] with source and output" if place == "the file" else "source and output"
        raise PairsError(f"{path}: {place} needs {missing}")
    if place.startswith("[formats]"):
        raise PairsError(f"{path}: {place}: give the name of a format, or false for one that is not judged")
    description = breach.schema.get("description", "") if isinstance(breach.schema, dict) else ""
    raise PairsError(f"{path}: {place}: {breach.message}{f' ({description})' if description else ''}")


def _place(steps: list[Any]) -> str:
    """A place of the file as its reader writes it."""
    if steps[:1] == ["pairs"] and len(steps) > 1:
        return ": ".join([f"[[pairs]] number {steps[1] + 1}", *map(str, steps[2:])])
    if steps[:1] == ["formats"] and len(steps) > 1:
        return f"[formats]: {steps[1]}"
    return ".".join(map(str, steps)) or "the file"
