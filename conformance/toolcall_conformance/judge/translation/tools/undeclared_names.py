"""Names of tools that only calls name: no declaration shows by which name the output has such a tool."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from toolcall_conformance.judge.translation.pair import Pair
from toolcall_conformance.judge.translation.tools.names import legal_name
from toolcall_conformance.judge.translation.tools.similar_names import are_similar


def undeclared_names(pair: Pair) -> Mapping[str, str]:
    """What the output must call the tools that no declaration pairs and whose names the target does not take.

    That is what it calls them, if it is made of their names, and no other tool's; else a name that it may choose.
    """
    enough = int(pair.corpus.alignment.parameters["name_beginning"])
    names: dict[str, str] = {}
    for left, right in sorted(pair.calls.items()):
        name, got = pair.source.calls[left].name, pair.output.calls[right].name
        if not name or got == name or name in pair.names or name in names or legal_name(pair, name):
            continue  # whether the target takes an unchanged name is a rule of its own
        reserved_names = {*names.values(), *pair.names.values()}
        fits = got and got not in reserved_names and legal_name(pair, got) and are_similar(name, got, enough)
        names[name] = got if got and fits else _legal(pair.corpus.format(pair.output.format), name, reserved_names)
    return names


def _legal(target: Mapping[str, Any], name: str, reserved_names: set[str]) -> str:
    """A name made of one: without what the target does not take, as long as it may be, and no other tool's."""
    limit = target.get("name_limit") or len(name)
    plain = re.sub(r"[^a-zA-Z0-9_-]", "_", name)
    candidate, number = plain[:limit], 1
    while candidate in reserved_names:
        number += 1
        candidate = f"{plain[: limit - len(str(number)) - 1]}_{number}"
    return candidate
