"""Tool names: legal in the target, distinct, and restored in the calls of replies.

A name that the target allows is never changed. Any other is cleaned, cut and ends in a hash of the whole name, so its
rewrite does not depend on other declarations. Restoring needs the declarations: a session remembers those of its
request.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property

from toolcall_reference.basics.jsontext import digest

_UNSAFE_CHARACTERS = re.compile(r"[^a-zA-Z0-9_-]+")
_HASH_LENGTH = 8


@dataclass(frozen=True)
class NameRule:
    """The tool names that a format allows."""

    pattern: str
    limit: int

    def allows(self, tool_name: str) -> bool:
        """Whether ``tool_name`` is legal unchanged."""
        return len(tool_name) <= self.limit and self._full_match(tool_name) is not None

    @cached_property
    def _full_match(self) -> Callable[[str], object]:
        return re.compile(self.pattern).fullmatch


def fit_name(tool_name: str, rule: NameRule) -> str:
    """``tool_name`` if ``rule`` allows it, else its rewrite, which is legal in every format."""
    if rule.allows(tool_name):
        return tool_name
    clean = _UNSAFE_CHARACTERS.sub("_", tool_name)
    if not re.match(r"[a-zA-Z_]", clean):
        clean = "_" + clean
    return f"{clean[: 63 - _HASH_LENGTH]}_{digest('name', tool_name, length=_HASH_LENGTH)}"


@dataclass(slots=True)
class NameMap:
    """One request's tool names: source name to target name, and back."""

    rule: NameRule | None
    target_names: dict[str, str] = field(default_factory=dict)
    source_names: dict[str, str] = field(default_factory=dict)

    def declare(self, names: Iterable[str]) -> None:
        """Add names; unchanged names come first, so that no rewrite can collide with them."""
        new_names = [name for name in dict.fromkeys(names) if name not in self.target_names]
        fitting = {name: fit_name(name, self.rule) if self.rule else name for name in new_names}
        for name in sorted(new_names, key=lambda name: fitting[name] != name) if len(new_names) > 1 else new_names:
            target = fitting[name]
            while target in self.source_names:
                target = f"{target[: 63 - _HASH_LENGTH]}_{digest('name', name, target, length=_HASH_LENGTH)}"
            self.target_names[name] = target
            self.source_names[target] = name

    def target_name(self, source_name: str) -> str:
        """The target's name for the source's ``source_name``."""
        wire_name = self.target_names.get(source_name)
        if wire_name is None:
            self.declare([source_name])
            wire_name = self.target_names[source_name]
        return wire_name

    def source_name(self, target_name: str) -> str:
        """The source's name for the target's ``target_name``; an undeclared name is returned unchanged."""
        return self.source_names.get(target_name, target_name)
