"""When a run was, how long it took, and which command started it: the member ``run`` of a report.

It decides no verdict. Runs of golden files and of older versions have none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

_MINUTE = 60
_HOUR = 60 * _MINUTE


def start(command: str) -> dict[str, Any]:
    """The member as a run begins: the time in UTC (RFC 3339), and the command that the user wrote."""
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    return {"started": now.replace("+00:00", "Z"), "command": command}


def finish(header: Mapping[str, Any]) -> dict[str, Any]:
    """The header of a run with the seconds since its start; the same where the start is not known."""
    if "run" not in header:
        return dict(header)
    seconds = (datetime.now(UTC) - datetime.fromisoformat(header["run"]["started"])).total_seconds()
    # A clock that was set back makes no negative duration.
    return {**header, "run": {**header["run"], "seconds": round(max(0.0, seconds), 1)}}


def merge(parts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The member of a whole whose parts ran by themselves: the first start, and the seconds of all together.

    No one command ran them. Nothing if a part does not say when it was.
    """
    runs = [part["run"] for part in parts if "run" in part]
    if not runs or len(runs) < len(parts):
        return {}
    seconds = [run["seconds"] for run in runs if "seconds" in run]
    lasted = {"seconds": round(sum(seconds), 1)} if len(seconds) == len(runs) else {}
    return {"run": {"started": min(run["started"] for run in runs), **lasted}}


def date_in_words(started: str) -> str:
    """``2026-11-28 20:13 UTC``."""
    return f"{started[:16].replace('T', ' ')} UTC"


def duration_in_words(seconds: float) -> str:
    """``9.1 s``, ``2 min 5 s``, ``1 h 2 min``."""
    whole = round(seconds)
    if seconds < _MINUTE:
        return f"{round(seconds, 1):g} s"
    if whole < _HOUR:
        return f"{whole // _MINUTE} min {whole % _MINUTE} s"
    return f"{whole // _HOUR} h {whole % _HOUR // _MINUTE} min"
