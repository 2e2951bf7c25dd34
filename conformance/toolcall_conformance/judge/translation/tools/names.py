"""Whether a tool name may stay as it is in the target format."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from toolcall_conformance.judge.translation.pair import Sides


def legal_name(sides: Sides, name: str) -> bool:
    """Whether the target's provider takes this tool name as it is, and the format that it had to pass, if any."""
    formats = [sides.output.format, sides.through] if sides.through else [sides.output.format]
    return all(_takes(sides.corpus.format(each), name) for each in formats)


def _takes(data: Mapping[str, Any], name: str) -> bool:
    limit, pattern = data.get("name_limit"), data.get("name_pattern")
    if limit is not None and len(name) > limit:
        return False
    return pattern is None or re.fullmatch(pattern, name) is not None
