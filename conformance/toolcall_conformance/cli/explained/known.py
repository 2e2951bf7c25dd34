"""How a finding is entered among the known failures: the lines of the file, ready to copy."""

from __future__ import annotations

import json

from toolcall_conformance.cli.explained.model import Part


def known(rule: str, items: str) -> Part:
    """The entry for all findings of a rule in items that fit a pattern; see docs/known-failures.md."""
    lines = [
        "[[known]]  # for --toolcall-known-failures",
        f"rule = {_toml(rule)}",
        'reason = "…"',
        f"items = [{_toml(items)}]",
    ]
    if "*" in items.partition("/")[0]:
        lines.append("wide = true")
    return Part("known", "", tuple(lines), value="\n".join(lines))


def _toml(text: str) -> str:
    """A basic string of TOML; what JSON escapes is escaped alike."""
    return json.dumps(text, ensure_ascii=False)
