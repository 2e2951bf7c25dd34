"""The report file: one JSON document, written whole or not at all."""

from __future__ import annotations

import json
import os
import tempfile
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import Any

from toolcall_conformance.reports.model import RunRecord
from toolcall_conformance.reports.summary import COUNTS, count_of, losses, matrix, roots

FORMAT = "1"
SCHEMA_PATH = Path(__file__).with_name("report.schema.json")


class ReportError(Exception):
    """A report that cannot be written; the message says where and what to do."""


def verify_writable(path: Path) -> None:
    """Make sure, before anything runs, that ``path`` can be written; what stands there is not touched."""
    if path.is_dir():
        raise ReportError(f"--toolcall-report: {path} is a directory; name a file in it")
    if not path.parent.is_dir():
        raise ReportError(f"--toolcall-report: there is no directory {path.parent}; make it first")
    try:
        descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    except OSError as error:
        raise ReportError(f"--toolcall-report: {path.parent} is not writable ({error.strerror})") from None
    os.close(descriptor)
    Path(name).unlink()


def document(run: RunRecord) -> dict[str, Any]:
    """The report as JSON; ``footer`` is last, so that a report that was cut off has none."""
    counts = Counter(count_of(item) for item in run.items)
    counts["not_applicable"] = len(run.not_applicable)
    return {
        "format": FORMAT,
        **run.header,
        "counts": {name: counts[name] for name in COUNTS},
        "matrix": matrix(run),
        "roots": [root.to_json() for root in roots(run.items)],
        "losses": [asdict(row) for row in losses(run.items)],
        "stale_known_failures": list(run.stale),
        "items": [item.to_json() for item in run.items],
        "footer": {"complete": run.complete, "items": len(run.items)},
    }


def write(run: RunRecord, path: Path) -> None:
    """Write the report in one step: at any moment there is the old file or the whole new one. Raises ReportError."""
    text = json.dumps(document(run), indent=1, ensure_ascii=True) + "\n"
    temporary: Path | None = None
    try:
        descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        temporary = Path(name)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        # mkstemp makes files that only their owner reads; a report is an ordinary file.
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(path)
    except OSError as error:
        if temporary is not None:
            temporary.unlink(missing_ok=True)
        raise ReportError(f"--toolcall-report: {path} could not be written ({error.strerror})") from None


def read(path: Path) -> dict[str, Any]:
    """A report from a file; ReportError if it is missing, cut off or no report."""
    try:
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ReportError(f"{path}: cannot be read ({error.strerror})") from None
    except ValueError:
        raise ReportError(f"{path}: not JSON; the report was cut off or is none, run pytest again") from None
    footer = found.get("footer") if isinstance(found, dict) else None
    if not isinstance(footer, dict) or footer.get("items") != len(found.get("items", ())):
        raise ReportError(
            f"{path}: the footer is missing or counts other items; the report was cut off, run pytest again"
        )
    return found


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
