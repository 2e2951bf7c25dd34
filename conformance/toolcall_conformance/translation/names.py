"""Whether a tool name may stay as it is in the target format."""

from __future__ import annotations

import re

from toolcall_conformance.translation.pair import Pair


def legal_name(pair: Pair, name: str) -> bool:
    """Whether the target's provider takes this tool name as it is."""
    limit, pattern = pair.target.get("name_limit"), pair.target.get("name_pattern")
    if limit is not None and len(name) > limit:
        return False
    return pattern is None or re.search(pattern, name) is not None
