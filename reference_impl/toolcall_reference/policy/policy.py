"""A policy and its TOML file."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from toolcall_reference.conversation.intermediate import Tool

Words = Mapping[str, str]

_TABLES = ("filter", "guidance", "clean_system", "rename", "parameters", "validate")
_EXAMPLE = 'write it as a table, such as [rename] with cat = "read_file"'


class PolicyError(ValueError):
    """A mistake in a policy; the message says where, and what to write."""


@dataclass(frozen=True)
class Policy:
    """How a client's tools are changed on the way to the provider and back.

    ``filter``: names of functions and custom tools that are not sent upstream. ``guidance``: text that is added to the
    system prompt, by filtered tool. ``clean_system``: the replacement of a filtered tool's name in the client's system
    prompt, by tool. ``rename``: the provider's tool name by the client's. ``parameters``: by the client's tool name,
    the provider's parameter names by the client's. ``validate``: refuse calls whose arguments do not match the declared
    parameters. Raises PolicyError for contradictions.
    """

    filter: frozenset[str] = frozenset()
    guidance: Words = field(default_factory=dict)
    clean_system: Words = field(default_factory=dict)
    rename: Words = field(default_factory=dict)
    parameters: Mapping[str, Words] = field(default_factory=dict)
    validate: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "filter", frozenset(self.filter))
        for key in ("guidance", "clean_system"):
            for name in getattr(self, key).keys() - self.filter:
                raise PolicyError(f"{key} names {name!r}, which is not filtered; add it to the tools of [filter]")
        for name in sorted({*self.rename, *self.parameters} & self.filter):
            raise PolicyError(f"{name!r} is filtered and mapped at once; take it out of one of them")
        for where, names in (
            ("rename", self.rename),
            *((f"parameters.{name}", new) for name, new in self._parameter_tables()),
        ):
            twice = sorted(name for name in names.values() if list(names.values()).count(name) > 1)
            if twice:
                raise PolicyError(f"{where} gives the name {twice[0]!r} twice, so there is no way back; give another")

    def _parameter_tables(self) -> list[tuple[str, Words]]:
        return sorted(self.parameters.items())

    @classmethod
    def load(cls, path: Path | str) -> Policy:
        """Read a policy from a TOML file. Raises PolicyError."""
        try:
            table = tomllib.loads(Path(path).read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise PolicyError(f"{path}: {error}") from None
        try:
            return cls.of(table)
        except PolicyError as error:
            raise PolicyError(f"{path}: {error}") from None

    @classmethod
    def of(cls, table: Mapping[str, Any]) -> Policy:
        """A policy from the content of its file. Raises PolicyError."""
        for key, value in table.items():
            if key not in _TABLES:
                raise PolicyError(f"there is no table {key!r}; there are {', '.join(_TABLES)}")
            if not isinstance(value, dict):
                raise PolicyError(f"{key} is {value!r:.40}; {_EXAMPLE}")
        parameters = table.get("parameters", {})
        return cls(
            filter=frozenset(_parse_names(_single_key_table(table, "filter", "tools").get("tools", []))),
            guidance=_parse_words(table, "guidance"),
            clean_system=_parse_words(table, "clean_system"),
            rename=_parse_words(table, "rename"),
            parameters={name: _parse_words(parameters, name, "parameters.") for name in parameters},
            validate=_parse_flag(_single_key_table(table, "validate", "arguments").get("arguments", False)),
        )

    def is_compatible(self, tool: Tool) -> bool:
        """Whether a declared tool is sent upstream."""
        return tool.kind == "hosted" or tool.name not in self.filter


def _single_key_table(table: Mapping[str, Any], key: str, member: str) -> Mapping[str, Any]:
    inner: Mapping[str, Any] = table.get(key, {})
    for name in inner.keys() - {member}:
        raise PolicyError(f"{key} has no key {name!r}; it has {member!r}")
    return inner


def _parse_names(value: Any) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise PolicyError(f"filter.tools is {value!r:.60}; make it a list of names")
    return value


def _parse_words(table: Mapping[str, Any], key: str, prefix: str = "") -> dict[str, str]:
    words = table.get(key, {})
    if not isinstance(words, dict):
        raise PolicyError(f"{prefix}{key} is {words!r:.40}; {_EXAMPLE}")
    for name, value in words.items():
        if not isinstance(value, str):
            raise PolicyError(f"{prefix}{key}.{name} is {value!r:.40}; make it a text")
    return dict(words)


def _parse_flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise PolicyError(f"validate.arguments is {value!r:.40}; make it true or false")
    return value
