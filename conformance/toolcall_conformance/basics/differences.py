"""Differences between two JSON values, by path. DeepDiff finds them, and is imported only when needed."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from toolcall_conformance.basics.findings import MISSING
from toolcall_conformance.basics.jsonvalue import join

_WIDTH = 60


@dataclass(frozen=True, slots=True)
class ValueDifference:
    """A place where two values differ; MISSING on the side that has nothing there."""

    pointer: str
    want: Any
    got: Any

    def __str__(self) -> str:
        if self.got is MISSING:
            return f"{self.pointer} is missing, want {_shorten(self.want)}"
        if self.want is MISSING:
            return f"{self.pointer} is unexpected, got {_shorten(self.got)}"
        return f"{self.pointer} want {_shorten(self.want)}, got {_shorten(self.got)}"


def find_differences(want: Any, got: Any) -> list[ValueDifference]:
    """All places where two JSON values differ; each entry of a list is compared with the most similar one."""
    from deepdiff import DeepDiff

    tree = DeepDiff(want, got, view="tree", ignore_numeric_type_changes=True)
    differences = []
    for kind in tree:
        for level in tree[kind]:
            pointer = join("", *level.path(output_format="list"))
            removed, added = kind.endswith("_removed"), kind.endswith("_added")
            differences.append(
                ValueDifference(pointer, MISSING if added else level.t1, MISSING if removed else level.t2)
            )
    return sorted(differences, key=lambda difference: difference.pointer)


def _shorten(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=repr)
    return text if len(text) <= _WIDTH else f"{text[:_WIDTH]} …"
