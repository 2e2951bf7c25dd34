"""Restores what a translator changes in the process that it shares with pytest.

That is: the standard streams, the working directory, the limit of recursion, the hook for uncaught exceptions, and
which signals are blocked.

It also reserves file descriptors for our own code: a translator may open fewer files than the process. A translator
that leaks descriptors then fails its own calls, and the judge can still read the corpus, import modules and write
reports.
"""

from __future__ import annotations

import contextlib
import io
import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Self

try:
    import resource as _resource
except ImportError:  # Windows has no such limit
    _resource: Any = None  # type: ignore[no-redef]

_MAX_RESERVED = 64


class FileReserve:
    """The limit of open files of this process: lower within a call of the translator than outside.

    If a translator sets the limit itself, it stays as it is from then on.
    """

    def __init__(self) -> None:
        self._limit_within = self._limit_outside = (0, 0)
        if _resource is None:
            return
        soft, hard = _resource.getrlimit(_resource.RLIMIT_NOFILE)
        if soft == _resource.RLIM_INFINITY:
            return
        spared = min(_MAX_RESERVED, soft // 4)
        most = soft + spared if hard == _resource.RLIM_INFINITY else min(soft + spared, hard)
        self._limit_outside, self._limit_within = (most, hard), (most - spared, hard)

    def lower_limit(self) -> None:
        """Lower the limit: a call of the translator begins."""
        if self._limit_within[0]:
            with contextlib.suppress(ValueError, OSError):
                _resource.setrlimit(_resource.RLIMIT_NOFILE, self._limit_within)

    def raise_limit(self) -> None:
        """Raise the limit: the call is over."""
        if not self._limit_within[0]:
            return
        if _resource.getrlimit(_resource.RLIMIT_NOFILE) not in (self._limit_within, self._limit_outside):
            self._limit_within = self._limit_outside = (0, 0)
            return
        with contextlib.suppress(ValueError, OSError):
            _resource.setrlimit(_resource.RLIMIT_NOFILE, self._limit_outside)


file_reserve = FileReserve()


# Both context managers would be three times as slow with contextlib, and each call goes through both.


class preserve_process_state:  # noqa: N801
    """Restore the streams, the hook and the working directory after a limited call of the translator.

    Used by the thread that waits for the call: an abandoned thread must restore nothing when it ends.
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
    """Restore, within the time limit of a call, what our own code needs right after it."""

    __slots__ = ("_blocked_signals", "_limit")

    def __enter__(self) -> None:
        self._limit, self._blocked_signals = sys.getrecursionlimit(), _blocked_signals()
        file_reserve.lower_limit()

    def __exit__(self, *_error: object) -> None:
        file_reserve.raise_limit()
        if sys.getrecursionlimit() != self._limit:
            sys.setrecursionlimit(self._limit)
        if _blocked_signals() != self._blocked_signals:
            signal.pthread_sigmask(signal.SIG_SETMASK, self._blocked_signals)  # last: a blocked alarm rings here


# The C function within signal.pthread_sigmask, which converts each signal to an enum and takes twice as long.
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
