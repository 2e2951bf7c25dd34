"""Formats tracebacks for the author of a translator: with their frames, without ours."""

from __future__ import annotations

import itertools
import re
import traceback
from pathlib import Path
from types import FrameType, TracebackType

from toolcall_conformance.basics.visible_text import shorten
from toolcall_conformance.drivers.python.blame import is_installed
from toolcall_conformance.drivers.python.foreign import PASSED_EXCEPTIONS, make_encodable, text_of, type_name

_MAX_CHARACTERS = 1_000_000
_PACKAGE = Path(__file__).resolve().parents[2]
# Adapters are translators that we ship: their frames are shown.
_ADAPTERS = _PACKAGE / "adapters"
# Frames that run a coroutine or a thread are hidden, too.
_MACHINERY = ("asyncio", "concurrent", "importlib", "threading.py", "<frozen importlib")


def format_own_frames(error: BaseException) -> str:
    """Format the traceback of ``error`` and its causes, without the frames of our call; a long one without its middle.

    Only the name and text of an exception that cannot be formatted.
    """
    try:
        return make_encodable(shorten(_format_frames(error), _MAX_CHARACTERS))
    except PASSED_EXCEPTIONS:
        raise
    except BaseException:
        return f"{type_name(error)}: {text_of(error)}"


def _format_frames(error: BaseException) -> str:
    summary = traceback.TracebackException.from_exception(error, limit=-30, compact=True)
    pending: list[traceback.TracebackException] = [summary]
    ids: set[int] = set()
    while pending:
        entry = pending.pop()
        if id(entry) in ids:
            continue
        ids.add(id(entry))
        entry.stack = _drop_our_frames(entry.stack)
        pending += [other for other in (entry.__cause__, entry.__context__, *(entry.exceptions or ())) if other]
    return "".join(summary.format()).rstrip("\n")


def traceback_of(error: BaseException) -> TracebackType | None:
    """The traceback of ``error``, even if its class overrides the attribute."""
    trace: TracebackType | None = BaseException.__dict__["__traceback__"].__get__(error)
    return trace


def raised_at(error: BaseException) -> str:
    """Return where in the user's code ``error`` was raised, as ``file:line``; or an empty string."""
    stack = _drop_our_frames(traceback.extract_tb(traceback_of(error)))
    return f"{stack[-1].filename}:{stack[-1].lineno}" if stack else ""


def user_line(frame: FrameType) -> str:
    """The innermost line of the user's code in a thread, as ``file:line``; empty if all frames are of libraries."""
    stack = reversed(traceback.extract_stack(frame))
    location = next((entry for entry in stack if not is_installed(entry.filename)), None)
    return f"{location.filename}:{location.lineno}" if location is not None else ""


# What ``faulthandler`` prints of a thread, and after a fatal error.
_DUMPED_STACK = re.compile(r"^.*\(most recent call first\):\n((?:  File \"[^\n]*\n?)+)", re.MULTILINE)
_EXTENSIONS = re.compile(r"^Extension modules: .*\n?", re.MULTILINE)


def reorder_dump(dump: str) -> str:
    """Reorder a dump of ``faulthandler`` as in a traceback: the innermost frame last, and without our frames."""

    def reorder(match: re.Match[str]) -> str:
        files = [(line, _is_ours(line.split('"')[1])) for line in match[1].splitlines()]
        inner = itertools.dropwhile(lambda entry: entry[1], files)  # ours may wait for its piece of a stream
        lines = [line for line, _ in itertools.takewhile(lambda entry: not entry[1], inner)]
        return "\n".join(["Traceback (most recent call last):", *reversed(lines), ""]) if lines else ""

    return _EXTENSIONS.sub("", _DUMPED_STACK.sub(reorder, dump)).rstrip("\n")


def _drop_our_frames(stack: traceback.StackSummary) -> traceback.StackSummary:
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


# The line that names an exception, in a traceback's usual form and in a frame of box drawing.
_ERROR_LINE = re.compile(r"(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Exit|Interrupt|Failure|Fault|Panic)\b(?::|$)")
_BOX = " \t|" + "".join(map(chr, range(0x2500, 0x2580)))
"""Blanks and lines of box drawing (https://www.unicode.org/charts/PDF/U2500.pdf)."""


def error_line(traceback_text: str) -> str:
    """The last line of an output that names an error, else the last line that has a word.

    Frames and rules that some printers draw around a traceback are not words.
    """
    lines = [line for line in (line.strip(_BOX) for line in traceback_text.splitlines()) if re.search(r"\w", line)]
    error_lines = [line for line in lines if _ERROR_LINE.match(line)]
    return (error_lines or lines or [""])[-1]
