"""Hands the record of an item over from who makes it to who keeps it, where both are in one process.

A record crosses from xdist's workers as text, in a report of pytest's. To write that text and to read it again takes as
long as to make the record; and what is read is new, while made records share most of their texts.
"""

from __future__ import annotations

import pytest

from toolcall_conformance.reports.item_record import ItemRecord


class Handover:
    """Open while an item is played whose report goes straight to all who read it."""

    def __init__(self, *, possible: bool) -> None:
        self._is_possible = possible
        self._open = False
        self._record: ItemRecord | None = None

    def __enter__(self) -> None:
        self._open = self._is_possible

    def __exit__(self, *_error: object) -> None:
        self._open, self._record = False, None

    def offer(self, record: ItemRecord) -> bool:
        """Hand a record over, if that is possible: nobody may change it any more.

        One with findings is not: values in it may be parts of bodies, which need not be what is read from its text.
        """
        is_accepted = self._open and not (record.findings or record.bodies or record.witness or record.against)
        self._record = record if is_accepted else None
        return is_accepted

    def record_of(self, report: pytest.TestReport) -> ItemRecord | None:
        """The record that a report would hold as text otherwise."""
        record = self._record
        return record if record is not None and record.nodeid == report.nodeid else None
