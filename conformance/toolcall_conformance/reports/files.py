"""Report files: each is written whole or not at all; the end of its name chooses the writer."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from toolcall_conformance.basics import atomic_files
from toolcall_conformance.basics.atomic_files import NotWrittenError, target_of
from toolcall_conformance.basics.known_secrets import redact_secrets
from toolcall_conformance.library import Corpus
from toolcall_conformance.reports import writers
from toolcall_conformance.reports.run_record import RunRecord


class ReportError(Exception):
    """A report cannot be written or read; the message says where and what to do."""


OPTION = "--toolcall-report"


def verify_writable(path: Path, option: str = OPTION) -> None:
    """Check, before anything runs, that a report can be written to ``path``. Raises ReportError.

    An existing file is not changed; a missing folder is created. ``option`` named the path: messages begin with it.
    """
    if path.is_dir():
        raise ReportError(f"{option}: {path} is a directory; name a file in it")
    _writer_for(path, option)
    try:
        if atomic_files.is_special(target_of(path)):
            return
    except NotWrittenError as error:
        raise ReportError(f"{option}: {path} cannot be written ({error.strerror})") from None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ReportError(f"{option}: the directory {path.parent} cannot be made ({error.strerror})") from None
    try:
        descriptor, name = tempfile.mkstemp(prefix=".writable.", suffix=".tmp", dir=path.parent)
    except OSError as error:
        raise ReportError(f"{option}: {path.parent} is not writable ({error.strerror})") from None
    os.close(descriptor)
    Path(name).unlink()


def write(run: RunRecord, path: Path, corpus: Corpus, option: str = OPTION) -> None:
    """Write the report in one step: ``path`` is the old file or the whole new one. Raises ReportError.

    ``corpus`` has the rules and cases of the report.
    """
    write_text(path, _writer_for(path, option).text(run, corpus), option)


def write_text(path: Path, text: str, option: str) -> None:
    """Write a file in one step, without secrets of the environment. Raises ReportError."""
    try:
        atomic_files.write(path, redact_secrets(text))
    except OSError as error:
        raise ReportError(f"{option}: {path} could not be written ({error.strerror})") from None


def _writer_for(path: Path, option: str) -> writers.Writer:
    writer = writers.writer_for(path.name)
    if writer is None:
        suffixes = ", ".join(writers.writers_by_suffix())
        raise ReportError(f"{option}: a report cannot be named {path.name}; end its name in {suffixes}")
    return writer
