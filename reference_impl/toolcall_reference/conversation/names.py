"""Names of tools: legal in the target, told apart, and restored on calls that come back.

A name that the target takes is never changed. Any other is cleaned, cut and ends in a hash of the whole name, so the
rewrite of a name does not depend on what else is declared. The way back needs the declarations: a session remembers
those of its request.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property

from toolcall_reference.basics.jsontext import digest

_UNSAFE = re.compile(r"[^a-zA-Z0-9_-]+")
_HASH = 8


@dataclass(frozen=True)
class NameRule:
    """What a format takes as a tool name."""

    pattern: str
    limit: int

    def allows(self, name: str) -> bool:
        """Whether the format takes ``name`` as it is."""
        return len(name) <= self.limit and self._matched(name) is not None

    @cached_property
    def _matched(self) -> Callable[[str], object]:
        return re.compile(self.pattern).fullmatch


def fit(name: str, rule: NameRule) -> str:
    """``name`` if ``rule`` allows it, else its rewrite, which is legal in every format."""
    if rule.allows(name):
        return name
    clean = _UNSAFE.sub("_", name)
    if not re.match(r"[a-zA-Z_]", clean):
        clean = "_" + clean
    return f"{clean[: 63 - _HASH]}_{digest('name', name, length=_HASH)}"


@dataclass(slots=True)
class NameMap:
    """One request's names: source name to target name, and back."""

    rule: NameRule | None
    forward: dict[str, str] = field(default_factory=dict)
    back: dict[str, str] = field(default_factory=dict)

    def declare(self, names: Iterable[str]) -> None:
        """Take names in, those that stay as they are first, so that no rewrite can take their place."""
        new_names = [name for name in dict.fromkeys(names) if name not in self.forward]
        fitting = {name: fit(name, self.rule) if self.rule else name for name in new_names}
        for name in sorted(new_names, key=lambda name: fitting[name] != name) if len(new_names) > 1 else new_names:
            target = fitting[name]
            while target in self.back:
                target = f"{target[: 63 - _HASH]}_{digest('name', name, target, length=_HASH)}"
            self.forward[name] = target
            self.back[target] = name

    def to(self, name: str) -> str:
        """The target's name of ``name``."""
        wire_name = self.forward.get(name)
        if wire_name is None:
            self.declare([name])
            wire_name = self.forward[name]
        return wire_name

    def restore(self, name: str) -> str:
        """The source's name of the target's ``name``; a name that nobody declared is left as it is."""
        return self.back.get(name, name)
