"""Write cassettes in vcrpy's JSON layout: equal contents give equal files, written whole or not at all."""

from __future__ import annotations

import errno
import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from toolcall_conformance.basics import atomic_files
from toolcall_conformance.recording.cassettes.interactions import CassetteError


def cassette_path(folder: Path, format_name: str, case: str, *, streamed: bool) -> Path:
    """The path of a case's cassette: ``<folder>/<format>/<family>/<case>.json``, or ``….stream.json``."""
    return folder / format_name / f"{case}{'.stream' if streamed else ''}.json"


def prepare(path: Path) -> None:
    """Make the folder of a cassette and try to write there, before any request is sent. Raises CassetteError."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path.parent) as trial:
            trial.write(b"\n")
    except OSError as error:
        raise CassetteError(
            f"{path.parent}: {_reason(error)}; nothing was recorded. Give another --cassettes"
        ) from None
    if path.is_dir():
        raise CassetteError(f"{path}: is a folder with the name of the cassette; move it away")


def write(path: Path, cassette: Mapping[str, Any]) -> None:
    """Write a cassette in one step; an earlier one stays until then. Raises CassetteError.

    Equal contents give equal bytes: sorted keys, two blanks, ASCII (vcrpy reads files in the locale's encoding).
    """
    try:
        text = json.dumps(cassette, indent=2, sort_keys=True) + "\n"
    except TypeError:
        raise CassetteError(f"{path}: not written: a JSON cassette cannot hold a body that is not UTF-8 text") from None
    try:
        atomic_files.write(path, text)
    except OSError as error:
        earlier = "; the earlier cassette is unchanged" if path.exists() else ""
        raise CassetteError(f"{path}: not written: {_reason(error)}{earlier}") from None


def _reason(error: OSError) -> str:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return "the disk is full"
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return f"the folder cannot be written to ({error.strerror})"
    return str(error.strerror or error)
