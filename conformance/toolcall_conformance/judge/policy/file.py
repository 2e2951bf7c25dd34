"""Reads the file of a policy."""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from toolcall_conformance.basics import foreign_files
from toolcall_conformance.library import Corpus

Words = Mapping[str, str]


class PolicyError(ValueError):
    """A wrong policy; the message says where it is wrong, and what to write."""


@dataclass(frozen=True, slots=True)
class Policy:
    """The content of a policy's file; ``schemas/policy.schema.json`` of the corpus describes each table."""

    filtered: frozenset[str] = frozenset()
    guidance: Words = field(default_factory=dict)
    clean_system: Words = field(default_factory=dict)
    rename: Words = field(default_factory=dict)
    parameters: Mapping[str, Words] = field(default_factory=dict)
    validates: bool = False
    raw: Mapping[str, Any] = field(default_factory=dict, compare=False)

    @classmethod
    def of(cls, table: Mapping[str, Any]) -> Policy:
        """A policy from the content of its file, which fits the schema."""
        return cls(
            frozenset(table.get("filter", {}).get("tools", ())),
            table.get("guidance", {}),
            table.get("clean_system", {}),
            table.get("rename", {}),
            table.get("parameters", {}),
            table.get("validate", {}).get("arguments", False),
            raw=table,
        )


def load_policy(corpus: Corpus, path: Path) -> Policy:
    """Read a policy from a file of TOML, or of JSON if its name ends so. Raises PolicyError."""
    try:
        text = foreign_files.read_text(path)
        table = foreign_files.parse_json(text) if path.suffix == ".json" else foreign_files.parse_toml(text)
    except OSError as error:
        raise PolicyError(f"{path}: {error.strerror or error}; name the file of a policy") from None
    except ValueError as error:  # no UTF-8, no TOML, no JSON
        raise PolicyError(f"{path}: {error}") from None
    _verify(corpus, path, table)
    return Policy.of(table)


def _verify(corpus: Corpus, path: Path, table: Any) -> None:
    import jsonschema

    schema = json.loads((corpus.root / "schemas" / "policy.schema.json").read_text(encoding="utf-8"))
    properties = schema["properties"]
    for key in table if isinstance(table, dict) else ():
        if key not in properties:
            close = difflib.get_close_matches(key, properties, n=1)
            advice = f"did you mean {close[0]}?" if close else f"there are {', '.join(properties)}"
            raise PolicyError(f"{path}: there is no table {key!r}; {advice}")
    for error in jsonschema.Draft202012Validator(schema).iter_errors(table):
        where = ".".join(map(str, error.absolute_path))
        raise PolicyError(f"{path}: {where or 'the file'}: {error.message}")
    filtered = table.get("filter", {}).get("tools", [])
    for key in ("guidance", "clean_system"):
        for name in table.get(key, {}):
            if name not in filtered:
                raise PolicyError(f"{path}: {key} names {name!r}, which is not filtered; add it to filter.tools")
    for name in (*table.get("rename", {}), *table.get("parameters", {})):
        if name in filtered:
            raise PolicyError(f"{path}: {name!r} is filtered and mapped at once; take it out of one of them")
    _verify_reversible(path, {"rename": table.get("rename", {})})
    _verify_reversible(path, {f"parameters.{name}": words for name, words in table.get("parameters", {}).items()})


def _verify_reversible(path: Path, tables: Mapping[str, Words]) -> None:
    for where, words in tables.items():
        names = [*words.values()]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise PolicyError(f"{path}: {where} gives the name {twice!r} twice, so there is no way back")
