"""Reports in HTML: one page for a browser."""

from __future__ import annotations

from toolcall_conformance.library import Corpus
from toolcall_conformance.reports.run_record import RunRecord
from toolcall_conformance.reports.writers import Writer


def text(run: RunRecord, corpus: Corpus) -> str:
    """Return the text of the page."""
    # Every run asks all writers for their suffixes.
    from toolcall_conformance.reports.html import page

    return page(run, corpus)


WRITER = Writer(".html", text)
