"""Kinds of reports: each module here is one.

A module exports ``WRITER``, a :class:`Writer`. The end of the report's file name chooses it.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass

from toolcall_conformance.library import Corpus
from toolcall_conformance.reports.run_record import RunRecord

__all__ = ["Writer", "writer_for", "writers_by_suffix"]


def writers_by_suffix() -> dict[str, Writer]:
    """Return every writer by its suffix, sorted. Imports all modules of the package."""
    modules = [importlib.import_module(f"{__name__}.{module.name}") for module in pkgutil.iter_modules(__path__)]
    writers = [module.WRITER for module in modules if hasattr(module, "WRITER")]
    return {writer.suffix: writer for writer in sorted(writers, key=lambda entry: str(entry.suffix))}


def writer_for(file_name: str) -> Writer | None:
    """Return the writer with the longest suffix of this file name, or None."""
    fitting = [writer for suffix, writer in writers_by_suffix().items() if file_name.lower().endswith(suffix)]
    return max(fitting, key=lambda writer: len(writer.suffix), default=None)


@dataclass(frozen=True, slots=True)
class Writer:
    """A kind of report: ``text`` renders a run; the names of its files end in ``suffix``.

    ``text`` gets the corpus of the run, for its rules and cases; for a stored report it may be a newer one.
    """

    suffix: str
    text: Callable[[RunRecord, Corpus], str]
