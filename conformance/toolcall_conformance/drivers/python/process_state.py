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
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Self

from toolcall_conformance.drivers.python.spare_files import file_reserve

# Both are context managers that contextlib would make three times as slow, and each call goes through both.


class preserve_process_state:  # noqa: N801
    """Keep the streams, the hook and the folder through a limited call of the translator's.

    For whoever waits for the call: a thread that was given up must put nothing back when it ends at last.
    """

    __slots__ = ("_hook", "_streams", "_working_directory")

    def __enter__(self) -> None:
        self._streams, self._hook, self._working_directory = (
            (sys.stdout, sys.stderr, sys.stdin),
            sys.excepthook,
            _working_directory(),
        )
        sys.stdout, sys.stderr = _shield(sys.stdout), _shield(sys.stderr)

    def __exit__(self, *_error: object) -> None:
        sys.stdout, sys.stderr, sys.stdin = self._streams
        sys.excepthook = self._hook
        if self._working_directory is not None and _working_directory() != self._working_directory:
            with contextlib.suppress(OSError):  # it is gone, or may no longer be entered
                os.chdir(self._working_directory)


class preserve_interpreter_state:  # noqa: N801
    """Keep, through a call of the translator's, what our own code needs right behind it, within the time limit."""

    __slots__ = ("_blocked_signals", "_limit")

    def __enter__(self) -> None:
        self._limit, self._blocked_signals = sys.getrecursionlimit(), _blocked_signals()
        file_reserve.lower_limit()

    def __exit__(self, *_error: object) -> None:
        file_reserve.raise_limit()
        if sys.getrecursionlimit() != self._limit:
            sys.setrecursionlimit(self._limit)
        if _blocked_signals() != self._blocked_signals:
            signal.pthread_sigmask(
                signal.SIG_SETMASK, self._blocked_signals
            )  # the last: an alarm that waited rings here


# The function in C within signal.pthread_sigmask, which makes an enumeration of each signal and takes twice as long.
_set_mask: Callable[[int, Iterable[int]], set[int]] | None = getattr(
    sys.modules.get("_signal"), "pthread_sigmask", getattr(signal, "pthread_sigmask", None)
)


def _blocked_signals() -> set[int]:
    return _set_mask(signal.SIG_BLOCK, ()) if _set_mask is not None else set()


def _working_directory() -> str | None:
    try:
        return os.getcwd()  # noqa: PTH109 - asked twice a call, and a path of pathlib takes ten times as long
    except OSError:  # it was deleted
        return None


def _shield(stream: Any) -> Any:
    return stream if stream is None or isinstance(stream, _Shield) else _Shield(stream)


class _Shield:
    """A stream that cannot be closed or detached; pytest still reads what it captures."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    @property
    def buffer(self) -> Any:
        return _shield(self._stream.buffer)

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
