"""Losses of values that the source has in another notation than the documented one, which a translator may not read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from toolcall_conformance import formats
from toolcall_conformance.basics.findings import MISSING, Finding


def mention_spellings(source_format: str, findings: Iterable[Finding]) -> list[Finding]:
    """The findings; those on a lost value or a changed setting mention the member that the source writes so."""
    return [_mention_spelling(source_format, finding) for finding in findings]


def _mention_spelling(source_format: str, finding: Finding) -> Finding:
    hint = unread_spelling(source_format, finding)
    return replace(finding, message=f"{finding.message}; {hint}") if hint else finding


def unread_spelling(source_format: str, finding: Finding) -> str:
    """The undocumented notation of a lost value in the source, in words; empty if it is the documented one."""
    if finding.source_pointer is None or not (finding.got is MISSING or finding.element == "setting"):
        return ""
    member = formats.get(source_format).undocumented_key(finding.source_pointer)
    return f"the source says it as `{member}`" if member else ""
