"""The record of a kind of report."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from toolcall_conformance.library import Corpus
from toolcall_conformance.reports.run_record import RunRecord


@dataclass(frozen=True, slots=True)
class Writer:
    """One kind of report: ``text`` renders a run; names of such files end in ``suffix``.

    ``text`` is given the corpus that the run was judged by, for its rules and cases. It may be a newer one than that
    of the run where a report is read from a file.
    """

    suffix: str
    text: Callable[[RunRecord, Corpus], str]
