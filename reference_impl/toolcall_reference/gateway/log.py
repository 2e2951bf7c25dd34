"""The gateway's log on stderr: its own faults, each repeated at most once a second."""

from __future__ import annotations

import asyncio
import logging
import sys
import time
import traceback
from typing import Any

from aiohttp.http_exceptions import HttpProcessingError
from aiohttp.web import RequestPayloadError

_REPEAT_SECONDS = 1.0
_MAX_KINDS = 200
_MAX_LETTERS = 120


def escape_text(text: str) -> str:
    """Escape the invisible characters of foreign text for a terminal."""
    return "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in text)


class Log:
    """Prints faults: of equal kind and place, the traceback once, and then at most a line a second."""

    def __init__(self) -> None:
        self._seen: dict[str, tuple[float, int]] = {}

    def report_fault(self, error: BaseException) -> None:
        """Print a fault of the gateway itself."""
        frames = traceback.extract_tb(error.__traceback__)
        place = f"{frames[-1].filename}:{frames[-1].lineno}" if frames else "nowhere"
        kind = f"{type(error).__name__} at {place}"
        if self._is_due(kind, f"{kind}: {error}"):
            traceback.print_exception(error, file=sys.stderr)

    def report_loop_error(self, _loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Print an error of the event loop, for ``loop.set_exception_handler``."""
        error = context.get("exception")
        message = f"{context.get('message')}: {error}" if isinstance(error, OSError) else None
        if message is None and isinstance(error, BaseException):
            self.report_fault(error)
        elif self._is_due(message or str(context.get("message")), ""):
            print(
                f"toolcall gateway: {escape_text(message or str(context.get('message')))}", file=sys.stderr, flush=True
            )

    def logger(self) -> logging.Logger:
        """A logger for aiohttp's server: an illegal HTTP request is a line, anything else a fault."""
        logger = logging.Logger("toolcall gateway")  # noqa: LOG001 - one for each gateway, apart from those of the process
        logger.addHandler(_ServerLogHandler(self))
        return logger

    def report_bad_request(self, error: Exception) -> None:
        """Print that a client sent an illegal HTTP request."""
        message = " ".join(str(error).split())
        kind = f"a client sent no HTTP request: {message[:_MAX_LETTERS]}"
        if self._is_due(kind, kind):
            print(f"toolcall gateway: {escape_text(kind)}", file=sys.stderr, flush=True)

    def _is_due(self, kind: str, again: str) -> bool:
        """Whether a kind is new. A repeated one is printed as a line, at most once a second."""
        now = time.monotonic()
        last_time, more = self._seen.get(kind, (0.0, 0))
        if kind not in self._seen:
            if len(self._seen) >= _MAX_KINDS:
                self._seen.pop(next(iter(self._seen)))
            self._seen[kind] = (now, 0)
            return True
        if now - last_time < _REPEAT_SECONDS:
            self._seen[kind] = (last_time, more + 1)
            return False
        self._seen[kind] = (now, 0)
        print(f"toolcall gateway: again ({more + 1} times): {escape_text(again or kind)}", file=sys.stderr, flush=True)
        return False


class _ServerLogHandler(logging.Handler):
    def __init__(self, log: Log) -> None:
        super().__init__(logging.WARNING)
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        if isinstance(error, (HttpProcessingError, RequestPayloadError)):
            self._log.report_bad_request(error)
        elif error is not None:
            self._log.report_fault(error)
