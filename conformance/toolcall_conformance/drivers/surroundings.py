"""What a translator may change of the process that it shares with pytest, and what is then put back.

The standard streams, the working directory, the limit of recursion, the hook for uncaught exceptions, and which signals
are blocked.
"""

from __future__ import annotations

import contextlib
import io
import os
import signal
import sys
from collections.abc import Iterator
from typing import Any, Self


@contextlib.contextmanager
def kept() -> Iterator[None]:
    """Keep the streams, the hook and the folder through a limited call of the translator's.

    For whoever waits for the call: a thread that was given up must put nothing back when it ends at last.
    """
    streams, hook, folder = (sys.stdout, sys.stderr, sys.stdin), sys.excepthook, _folder()
    sys.stdout, sys.stderr = _shielded(streams[0]), _shielded(streams[1])
    try:
        yield
    finally:
        sys.stdout, sys.stderr, sys.stdin = streams
        sys.excepthook = hook
        if folder is not None and _folder() != folder:
            with contextlib.suppress(OSError):  # it is gone, or may no longer be entered
                os.chdir(folder)


@contextlib.contextmanager
def able_to_go_on() -> Iterator[None]:
    """Keep, through a call of the translator's, what our own code needs right behind it, within the time limit."""
    limit, blocked = sys.getrecursionlimit(), _blocked()
    try:
        yield
    finally:
        if sys.getrecursionlimit() != limit:
            sys.setrecursionlimit(limit)
        if _blocked() != blocked:
            signal.pthread_sigmask(signal.SIG_SETMASK, blocked)  # the last: an alarm that waited rings here


def _blocked() -> set[int]:
    return signal.pthread_sigmask(signal.SIG_BLOCK, ()) if hasattr(signal, "pthread_sigmask") else set()


def _folder() -> str | None:
    try:
        return os.getcwd()  # noqa: PTH109 - asked twice a call, and a path of pathlib takes ten times as long
    except OSError:  # it was deleted
        return None


def _shielded(stream: Any) -> Any:
    return stream if stream is None or isinstance(stream, _Shield) else _Shield(stream)


class _Shield:
    """A stream that cannot be closed or detached; pytest still reads what it captures."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    @property
    def buffer(self) -> Any:
        return _shielded(self._stream.buffer)

    def close(self) -> None:
        """Do nothing."""

    def detach(self) -> Any:
        """Refuse, as streams do that cannot."""
        raise io.UnsupportedOperation("detach")

    def __iter__(self) -> Iterator[Any]:
        return iter(self._stream)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.flush()
