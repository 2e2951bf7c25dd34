"""Formats tracebacks for the author of a translator: with their frames, without ours."""

from __future__ import annotations

import traceback
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parents[1]
# Adapters are translators that we ship: their frames are shown.
_ADAPTERS = _PACKAGE / "adapters"
# Frames that run a coroutine or a thread are hidden, too.
_MACHINERY = ("asyncio", "concurrent", "importlib", "threading.py", "<frozen importlib")


def own_frames(error: BaseException) -> str:
    """Format the traceback of ``error`` and its causes, without the frames of our call."""
    summary = traceback.TracebackException.from_exception(error, limit=-30, compact=True)
    pending: list[traceback.TracebackException] = [summary]
    seen: set[int] = set()
    while pending:
        entry = pending.pop()
        if id(entry) in seen:
            continue
        seen.add(id(entry))
        entry.stack = _without_ours(entry.stack)
        pending += [other for other in (entry.__cause__, entry.__context__, *(entry.exceptions or ())) if other]
    return "".join(summary.format()).rstrip("\n")


def last_frame(error: BaseException) -> str:
    """Return where in the user's code ``error`` was raised, as ``file:line``; or an empty string."""
    stack = _without_ours(traceback.extract_tb(error.__traceback__))
    return f"{stack[-1].filename}:{stack[-1].lineno}" if stack else ""


def _without_ours(stack: traceback.StackSummary) -> traceback.StackSummary:
    frames = list(stack)
    while frames and _is_ours(frames[0].filename):
        del frames[0]
    return traceback.StackSummary.from_list(frames)


def _is_ours(filename: str) -> bool:
    path = Path(filename)
    if path.is_relative_to(_PACKAGE) and not path.is_relative_to(_ADAPTERS):
        return True
    standard = Path(traceback.__file__).parent
    return filename.startswith("<frozen importlib") or (
        path.is_relative_to(standard) and path.relative_to(standard).parts[0] in _MACHINERY
    )
