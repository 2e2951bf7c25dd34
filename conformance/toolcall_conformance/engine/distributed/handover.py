"""Hands the record of an item to the collector of records without JSON, if both are in one process.

From xdist's workers a record comes as JSON text in a report of pytest. To write and to read that text takes as long as
to make the record. Besides, records share most of their texts, and those that were read do not.
"""

from __future__ import annotations

import pytest

from toolcall_conformance.reports.item_record import ItemRecord


class Handover:
    """Holds the record of an item between the two hooks that make and read its report; open for one item at a time."""

    def __init__(self, *, possible: bool) -> None:
        self._is_possible = possible
        self._open = False
        self._record: ItemRecord | None = None

    def __enter__(self) -> None:
        self._open = self._is_possible

    def __exit__(self, *_error: object) -> None:
        self._open, self._record = False, None

    def offer(self, record: ItemRecord) -> bool:
        """Hand a record over; returns whether that is possible. Nobody may change it afterwards.

        A record with findings is not handed over: its values may be parts of bodies, which JSON text may change.
        """
        is_accepted = self._open and not (record.findings or record.bodies or record.witness or record.against)
        self._record = record if is_accepted else None
        return is_accepted

    def record_of(self, report: pytest.TestReport) -> ItemRecord | None:
        """The record that was handed over for a report, or None."""
        record = self._record
        return record if record is not None and record.nodeid == report.nodeid else None
