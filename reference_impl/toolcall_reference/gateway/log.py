"""What the gateway says on stderr: a line for each exchange, and its own faults; of the same one a line a second."""

from __future__ import annotations

import asyncio
import logging
import sys
import time
import traceback
from typing import Any

from aiohttp.http_exceptions import HttpProcessingError
from aiohttp.web import RequestPayloadError

_APART_SECONDS = 1.0
_MOST_KINDS = 200
_MOST_LETTERS = 120


def shown(text: str) -> str:
    """A text of somebody else's for a terminal: what is no visible character is escaped."""
    return "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in text)


class Log:
    """Says what fails. Of the same fault, by its kind and place, the traceback comes once, and then a line a second."""

    def __init__(self) -> None:
        self._seen: dict[str, tuple[float, int]] = {}

    def fault(self, error: BaseException) -> None:
        """Say what went wrong in the gateway itself."""
        frames = traceback.extract_tb(error.__traceback__)
        place = f"{frames[-1].filename}:{frames[-1].lineno}" if frames else "nowhere"
        kind = f"{type(error).__name__} at {place}"
        if self._due(kind, f"{kind}: {error}"):
            traceback.print_exception(error, file=sys.stderr)

    def of_loop(self, _loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Say what asyncio met, for ``loop.set_exception_handler``."""
        error = context.get("exception")
        what = f"{context.get('message')}: {error}" if isinstance(error, OSError) else None
        if what is None and isinstance(error, BaseException):
            self.fault(error)
        elif self._due(what or str(context.get("message")), ""):
            print(f"toolcall gateway: {shown(what or str(context.get('message')))}", file=sys.stderr, flush=True)

    def logger(self) -> logging.Logger:
        """A logger for aiohttp's server: what is no request of HTTP is told in a line, and all else is a fault."""
        logger = logging.Logger("toolcall gateway")  # noqa: LOG001 - one for each gateway, apart from those of the process
        logger.addHandler(_Served(self))
        return logger

    def no_request(self, error: Exception) -> None:
        """Say that a client sent what is no request of HTTP."""
        what = " ".join(str(error).split())
        kind = f"a client sent no HTTP request: {what[:_MOST_LETTERS]}"
        if self._due(kind, kind):
            print(f"toolcall gateway: {shown(kind)}", file=sys.stderr, flush=True)

    def _due(self, kind: str, again: str) -> bool:
        """Whether a kind is new. One that is not is told in a line, once a second."""
        now = time.monotonic()
        last_time, more = self._seen.get(kind, (0.0, 0))
        if kind not in self._seen:
            if len(self._seen) >= _MOST_KINDS:
                self._seen.pop(next(iter(self._seen)))
            self._seen[kind] = (now, 0)
            return True
        if now - last_time < _APART_SECONDS:
            self._seen[kind] = (last_time, more + 1)
            return False
        self._seen[kind] = (now, 0)
        print(f"toolcall gateway: again ({more + 1} times): {shown(again or kind)}", file=sys.stderr, flush=True)
        return False


class _Served(logging.Handler):
    def __init__(self, log: Log) -> None:
        super().__init__(logging.WARNING)
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        if isinstance(error, (HttpProcessingError, RequestPayloadError)):
            self._log.no_request(error)
        elif error is not None:
            self._log.fault(error)
