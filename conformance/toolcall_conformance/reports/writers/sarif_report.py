"""Reports in SARIF: one result per cause, at the lines of the translator if they are known."""

from __future__ import annotations

import json
from pathlib import Path

from toolcall_conformance.basics.visible_text import visible_json
from toolcall_conformance.library import Corpus
from toolcall_conformance.reports.run_record import RunRecord
from toolcall_conformance.reports.writers import Writer


def text(run: RunRecord, corpus: Corpus) -> str:
    """Return the text of the report file; its places are relative to the repository of the working directory."""
    # Every run asks all writers for their suffixes.
    from toolcall_conformance.reports.sarif.document import document

    log = document(run, corpus.rules, Path.cwd())
    return visible_json(json.dumps(log, indent=1, ensure_ascii=True)) + "\n"


WRITER = Writer(".sarif", text)
