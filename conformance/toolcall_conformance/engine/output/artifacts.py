"""Writes the bodies of a failing item as files: the translator's input, its output, and the golden."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from toolcall_conformance.basics.findings import MISSING
from toolcall_conformance.basics.known_secrets import redact_bytes
from toolcall_conformance.basics.visible_text import visible_json, visible_lines
from toolcall_conformance.checks import ItemResult
from toolcall_conformance.engine.items.plan import PlannedItem


def item_folder(artifacts: Path, item: PlannedItem) -> Path:
    """The folder of an item's files."""
    return artifacts / item.case.id / item.check / item.name


def write_bodies(artifacts: Path, item: PlannedItem, result: ItemResult) -> Path | None:
    """Write the bodies of every exchange played; return the folder, or None if writing failed."""
    folder = item_folder(artifacts, item)
    clear_bodies(artifacts, item)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for played in result.played:
            bodies = {"input.json": played.source, "produced.json": played.produced, "golden.json": played.golden}
            for end, body in {**bodies, **played.files}.items():
                if body is not MISSING:
                    (folder / f"{played.name}.{end}").write_bytes(_body_bytes(body))
        if result.traceback:
            (folder / "traceback.txt").write_text(visible_lines(result.traceback) + "\n", encoding="utf-8")
    except OSError:
        # The verdict matters more than its files, and the failure text names none then.
        return None
    return folder


def _body_bytes(body: Any) -> bytes:
    """The bytes to write: bytes unchanged, other bodies as JSON with control characters escaped; without secrets."""
    if isinstance(body, bytes):
        return redact_bytes(body)
    return (visible_json(json.dumps(body, indent=2, ensure_ascii=False)) + "\n").encode("utf-8")


def clear_bodies(artifacts: Path, item: PlannedItem) -> None:
    """Remove the item's files of an earlier run."""
    folder = item_folder(artifacts, item)
    if folder.is_dir():
        shutil.rmtree(folder, ignore_errors=True)
