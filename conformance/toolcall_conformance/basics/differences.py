"""Where two JSON values differ, by path. DeepDiff finds it, and is imported only then."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from toolcall_conformance.basics.findings import MISSING
from toolcall_conformance.basics.jsonvalue import join

_WIDTH = 60


@dataclass(frozen=True, slots=True)
class ValueDifference:
    """A place where two values differ; what is not there on one side is MISSING."""

    pointer: str
    want: Any
    got: Any

    def __str__(self) -> str:
        if self.got is MISSING:
            return f"{self.pointer} is missing, want {_short(self.want)}"
        if self.want is MISSING:
            return f"{self.pointer} is unexpected, got {_short(self.got)}"
        return f"{self.pointer} want {_short(self.want)}, got {_short(self.got)}"


def all_differences(want: Any, got: Any) -> list[ValueDifference]:
    """Where two JSON values differ, by path; entries of lists are held against those that are most like them."""
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


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=repr)
    return text if len(text) <= _WIDTH else f"{text[:_WIDTH]} …"
