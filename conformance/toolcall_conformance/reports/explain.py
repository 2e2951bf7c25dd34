"""Explain where two large values differ. Imports DeepDiff, so this module is imported only when needed."""

from __future__ import annotations

import json
from typing import Any

from toolcall_conformance.jsonvalue import join

_SHOWN = 5
_WIDTH = 60


def differences(want: Any, got: Any) -> list[str]:
    """The first few differences, one a line, each with its JSON Pointer."""
    from deepdiff import DeepDiff

    tree = DeepDiff(want, got, view="tree", ignore_numeric_type_changes=True)
    found = []
    for kind in sorted(tree):
        for level in tree[kind]:
            pointer = join("", *level.path(output_format="list"))
            if kind.endswith("_removed"):
                found.append(f"{pointer} is missing, want {_short(level.t1)}")
            elif kind.endswith("_added"):
                found.append(f"{pointer} is unexpected, got {_short(level.t2)}")
            else:
                found.append(f"{pointer} want {_short(level.t1)}, got {_short(level.t2)}")
    found.sort()
    return found if len(found) <= _SHOWN else [*found[:_SHOWN], f"and {len(found) - _SHOWN} more differences"]


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=repr)
    return text if len(text) <= _WIDTH else f"{text[:_WIDTH]} …"
