"""A drawn case as a folder that ``--toolcall-corpus`` reads."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

from toolcall_conformance.trust.fuzz.rendering import DrawnCase


def write(folder: Path, case: DrawnCase) -> None:
    """Write a corpus folder with this one case; a folder of that name is replaced. Raises OSError."""
    temporary = folder.with_name(f".{folder.name}.{os.getpid()}.tmp")
    shutil.rmtree(temporary, ignore_errors=True)
    try:
        place = temporary / "scenarios" / case.id
        place.mkdir(parents=True)
        (temporary / "tools").mkdir()
        _write_json(place / "scenario.json", dict(case.scenario))
        for name, tool in case.drawn.tools.items():
            _write_json(temporary / "tools" / f"{name}.json", tool)
        for format_name, texts in case.texts.items():
            (place / format_name).mkdir()
            for name, text in texts.items():
                (place / format_name / name).write_bytes(text.encode())
        shutil.rmtree(folder, ignore_errors=True)
        temporary.replace(folder)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _write_json(path: Path, value: object) -> None:
    path.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
