"""Losses of what the source says in another spelling than the documented one: a translator may not read that."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from toolcall_conformance import formats
from toolcall_conformance.basics.findings import MISSING, Finding


def with_spellings(source_format: str, findings: Iterable[Finding]) -> list[Finding]:
    """The findings; those on something that is lost or set otherwise name the member that the source spells so."""
    return [_with_spelling(source_format, finding) for finding in findings]


def _with_spelling(source_format: str, finding: Finding) -> Finding:
    hint = unread_spelling(source_format, finding)
    return replace(finding, message=f"{finding.message}; {hint}") if hint else finding


def unread_spelling(source_format: str, finding: Finding) -> str:
    """In words the other spelling in which the source says what is lost; empty if it is the documented one."""
    if finding.source_pointer is None or not (finding.got is MISSING or finding.element == "setting"):
        return ""
    member = formats.get(source_format).undocumented_key(finding.source_pointer)
    return f"the source says it as `{member}`" if member else ""
