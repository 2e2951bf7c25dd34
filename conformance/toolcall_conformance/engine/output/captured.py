"""What was captured of all items together: as much of it as a terminal shows, and each text once."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from toolcall_conformance.engine.output.sanitizing import MAX_CAPTURED_OF_ALL

# A shorter text takes no more room than the words that it stands above.
_MIN_CUT = 200


def cut_captured(reports: Iterable[pytest.TestReport], room: int = MAX_CAPTURED_OF_ALL) -> None:
    """Cut what is shown of reports, in their order. The files of failing items have it whole."""
    first: dict[str, str] = {}
    for report in reports:
        sections = []
        for name, text in report.sections:
            content = text
            if len(text) > _MIN_CUT:
                content = _excerpt(text, first.setdefault(text, report.nodeid), report.nodeid, room)
            sections.append((name, content))
            room -= len(content)
        report.sections = sections


def _excerpt(text: str, first: str, nodeid: str, room: int) -> str:
    if first != nodeid:
        return f"(the same as of {first})"
    if len(text) > room:
        return (
            f"({len(text):,} characters: left out; the files of a failing item have them, and a run of only "
            "this item shows them)"
        )
    return text
