"""The time, duration and command of a run: the member ``run`` of a report.

It affects no verdict. Reports of golden files and of older versions have none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

_MINUTE = 60
_HOUR = 60 * _MINUTE


def start(command: str) -> dict[str, Any]:
    """Return the member at the start of a run: the time in UTC (RFC 3339), and the user's command."""
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    return {"started": now.replace("+00:00", "Z"), "command": command}


def finish(header: Mapping[str, Any]) -> dict[str, Any]:
    """Return the header with the seconds since the start of the run; unchanged if the start is unknown."""
    if "run" not in header:
        return dict(header)
    seconds = (datetime.now(UTC) - datetime.fromisoformat(header["run"]["started"])).total_seconds()
    # A clock that was set back makes no negative duration.
    return {**header, "run": {**header["run"], "seconds": round(max(0.0, seconds), 1)}}


def merge(parts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the member of a run whose parts ran separately: the first start, and the sum of the seconds.

    It has no command. Empty if a part has no start.
    """
    runs = [part["run"] for part in parts if "run" in part]
    if not runs or len(runs) < len(parts):
        return {}
    seconds = [run["seconds"] for run in runs if "seconds" in run]
    lasted = {"seconds": round(sum(seconds), 1)} if len(seconds) == len(runs) else {}
    return {"run": {"started": min(run["started"] for run in runs), **lasted}}


def date_in_words(started: str) -> str:
    """Return a date as ``2026-11-28 20:13 UTC``."""
    return f"{started[:16].replace('T', ' ')} UTC"


def duration_in_words(seconds: float) -> str:
    """Return a duration as ``9.1 s``, ``2 min 5 s`` or ``1 h 2 min``."""
    whole = round(seconds)
    if seconds < _MINUTE:
        return f"{round(seconds, 1):g} s"
    if whole < _HOUR:
        return f"{whole // _MINUTE} min {whole % _MINUTE} s"
    return f"{whole // _HOUR} h {whole % _HOUR // _MINUTE} min"
