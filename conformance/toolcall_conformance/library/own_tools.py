"""The tools that an API itself defines, as objects: what they are for, and who runs them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any


@dataclass(frozen=True, slots=True)
class OwnTool:
    """A tool of an API: ``run_by`` is client, provider or nobody, ``called`` the name of its calls if they have none.

    ``where`` are values that a declaration must have, by JSON Pointer. ``type`` and they may have ``*`` for any text.
    ``functions`` are the names of its calls where one declaration stands for several functions, ``excluded`` the place
    at which a declaration lists those of them that it does without.
    """

    type: str
    run_by: str
    purpose: str
    called: str | None
    where: Mapping[str, str]
    functions: frozenset[str] = frozenset()
    excluded: str | None = None

    def fits(self, declared: str, declaration: Any) -> bool:
        """Whether a declaration of the type ``declared`` is of this tool."""
        return fnmatchcase(declared, self.type) and all(
            fnmatchcase(str(_at(declaration, pointer)), pattern) for pointer, pattern in self.where.items()
        )

    def functions_of(self, declaration: Any) -> frozenset[str]:
        """The functions that a declaration declares together."""
        without = _at(declaration, self.excluded) if self.excluded else None
        return self.functions - set(map(str, without if isinstance(without, list) else ()))


@dataclass(frozen=True, slots=True)
class OwnTools:
    """All tools of an API; ``waiting_steps`` are the steps after which a provider waits for its client's word."""

    tools: tuple[OwnTool, ...]
    waiting_steps: frozenset[str]

    @classmethod
    def of(cls, raw: Mapping[str, Any]) -> OwnTools:
        """The tools as ``own-tools.json`` has them."""
        tools = (
            OwnTool(
                tool["type"],
                tool["run_by"],
                tool["purpose"],
                tool.get("called"),
                tool.get("where", {}),
                frozenset(tool.get("functions", ())),
                tool.get("excluded"),
            )
            for tool in raw["tools"]
        )
        return cls(tuple(tools), frozenset(raw["waiting_steps"]))

    def find(self, declared: str | None, declaration: Any) -> OwnTool | None:
        """The tool that a declaration is of; None where the API has none of this type."""
        return next((tool for tool in self.tools if declared and tool.fits(declared, declaration)), None)


def _at(value: Any, pointer: str) -> Any:
    for key in pointer.split("/")[1:]:
        value = value.get(key) if isinstance(value, dict) else None
    return value
