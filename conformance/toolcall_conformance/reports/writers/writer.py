"""The record of a kind of report."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from toolcall_conformance.reports.model import RunRecord


@dataclass(frozen=True, slots=True)
class Writer:
    """One kind of report: ``text`` renders a run; names of such files end in ``suffix``."""

    suffix: str
    text: Callable[[RunRecord], str]
