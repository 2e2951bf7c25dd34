"""The rules as objects, each from its own file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from toolcall_conformance.basics.findings import Level
from toolcall_conformance.library.files import CorpusError, read_json, require


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule: an id, a level, which bodies it binds, and why; ``fix`` is its breach's usual cause and repair."""

    id: str
    level: Level
    face: str
    sentence: str
    breach: str
    why: str
    fix: str
    element: str
    since: str
    evidence: tuple[Mapping[str, Any], ...]
    raw: Mapping[str, Any] = field(repr=False, hash=False, compare=False)

    def level_in(self, direction: str) -> Level:
        """The level in a body of this direction: what providers refuse says nothing about their replies."""
        level = self.raw.get("level_in_replies") if direction in ("response", "stream") else None
        return Level(level) if level else self.level

    def about(self, message: str) -> Rule:
        """The rule as it speaks of a breach with this message: the kinds of its file may have texts of their own."""
        for kind in self.raw.get("kinds", ()):
            if re.search(kind["message"], message):
                return replace(self, **{name: kind[name] for name in ("breach", "why", "fix") if name in kind})
        return self


class Rules(Mapping[str, Rule]):
    """The rules by id, sorted. The file names give the ids; a file is read when its rule is first needed.

    The file of ``<scope>/<slug>`` is ``<slug>.json`` in the folder of the scope.
    """

    def __init__(self, folders: Mapping[str, Path]) -> None:
        self._folders = folders
        self._read: dict[str, Rule] = {}

    @cached_property
    def paths(self) -> Mapping[str, Path]:
        """The file of each rule."""
        paths = {
            f"{scope}/{path.stem}": path for scope, folder in self._folders.items() for path in _rule_files(folder)
        }
        return dict(sorted(paths.items()))

    def __getitem__(self, rule_id: str) -> Rule:
        if rule_id not in self._read:
            self._read[rule_id] = _rule(rule_id, self.paths[rule_id])
        return self._read[rule_id]

    def __contains__(self, rule_id: object) -> bool:
        return rule_id in self.paths  # Mapping would read the file

    def __iter__(self) -> Iterator[str]:
        return iter(self.paths)

    def __len__(self) -> int:
        return len(self.paths)


def _rule_files(folder: Path) -> Iterator[Path]:
    """The rule files of a folder."""
    if not folder.is_dir():
        raise CorpusError(f"{folder}: no such folder; the corpus is incomplete, install it anew or restore the folder")
    return folder.glob("*.json")


def _rule(rule_id: str, path: Path) -> Rule:
    raw = read_json(path)
    texts = dict.fromkeys(("id", "level", "face", "element", "sentence", "breach", "why", "fix", "since"), str)
    require(path, raw, **texts, evidence=list)
    if raw["id"] != rule_id:
        raise CorpusError(f"{path}: the id {raw['id']!r} differs from the file, {rule_id}; make the two the same")
    if raw["level"] not in set(Level):
        raise CorpusError(f"{path}: `level` is {raw['level']!r}; it must be {', '.join(Level)}")
    return Rule(
        id=rule_id,
        level=Level(raw["level"]),
        face=raw["face"],
        sentence=raw["sentence"],
        breach=raw["breach"],
        why=raw["why"],
        fix=raw["fix"],
        element=raw["element"],
        since=raw["since"],
        evidence=tuple(raw["evidence"]),
        raw=raw,
    )
