"""Planned refusals, and the cassettes in a folder."""

from __future__ import annotations

import json
from pathlib import Path

from cassettes.loopback_provider import PlannedReply

CASE = "shell/realistic"
JSON = {"content-type": "application/json"}


def refusal(status: int, message: str, **headers: str) -> PlannedReply:
    """An error as most APIs send it."""
    return PlannedReply(json.dumps({"error": {"message": message}}).encode(), status, {**JSON, **headers})


def earlier(tmp_path: Path, name: str = "anthropic", case: str = CASE) -> Path:
    """A cassette from an earlier day, which must be there afterwards."""
    path = tmp_path / "kept" / name / f"{case}.json"
    path.parent.mkdir(parents=True)
    path.write_text("earlier")
    return path


def files(tmp_path: Path) -> list[str]:
    return sorted(str(path.relative_to(tmp_path / "kept")) for path in (tmp_path / "kept").rglob("*") if path.is_file())
