"""Report files: each is written whole or not at all; the end of its name chooses the writer."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from toolcall_conformance import whole_files
from toolcall_conformance.library import Corpus
from toolcall_conformance.reports import writers
from toolcall_conformance.reports.model import RunRecord


class ReportError(Exception):
    """A report cannot be written or read; the message says where and what to do."""


def verify_writable(path: Path) -> None:
    """Check, before anything runs, that a report can be written to ``path``; an existing file is not touched."""
    if path.is_dir():
        raise ReportError(f"--toolcall-report: {path} is a directory; name a file in it")
    _writer(path)
    if not path.parent.is_dir():
        raise ReportError(f"--toolcall-report: there is no directory {path.parent}; make it first")
    try:
        descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    except OSError as error:
        raise ReportError(f"--toolcall-report: {path.parent} is not writable ({error.strerror})") from None
    os.close(descriptor)
    Path(name).unlink()


def write(run: RunRecord, path: Path, corpus: Corpus) -> None:
    """Write the report in one step: ``path`` is the old file or the whole new one. Raises ReportError.

    ``corpus`` has the rules and cases that the report tells of.
    """
    text = _writer(path).text(run, corpus)
    try:
        whole_files.write(path, text)
    except OSError as error:
        raise ReportError(f"--toolcall-report: {path} could not be written ({error.strerror})") from None


def _writer(path: Path) -> writers.Writer:
    found = writers.writer_for(path.name)
    if found is None:
        suffixes = ", ".join(writers.known())
        raise ReportError(f"--toolcall-report: a report cannot be named {path.name}; end its name in {suffixes}")
    return found
