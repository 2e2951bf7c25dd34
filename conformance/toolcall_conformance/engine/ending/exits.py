"""Keeps a translator from ending the process of a run with an exit code that says all is well.

``os._exit(0)`` ends a process at once: no report, no summary, and a shell that goes on. Code that is not Python can do
so past this guard; then only the report, which is missing or incomplete, tells of it.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from typing import NoReturn

FAILURE_CODE = 70
"""The exit code of a run that its translator ended with 0: sysexits.h's for an error within a program."""

exit_codes: list[int] = []
"""The exit codes of the runs of this process that it ends with, in their order."""

_exit: Callable[[int], NoReturn] = os._exit


class ExitGuard:
    """Stands in for ``os._exit`` in one process, until ``lift``. Copies of the process end as they like.

    ``last`` is called before the process ends. Whoever kept the guard from the run on ends with the run's exit code.
    """

    def __init__(self, last: Callable[[], None]) -> None:
        self._on_exit, self._owner, self._is_active = last, os.getpid(), True
        os._exit = self._end

    def lift(self) -> None:
        """The run writes its reports itself from now on."""
        self._is_active = False
        if os._exit == self._end:
            os._exit = _exit  # type: ignore[assignment]

    def _end(self, status: int) -> NoReturn:
        if os.getpid() != self._owner:
            _exit(status)
        if self._is_active:
            if hasattr(signal, "pthread_sigmask"):  # a call's time limit must not ring here
                signal.pthread_sigmask(signal.SIG_SETMASK, signal.valid_signals())
            self._on_exit()
        _exit(status or (FAILURE_CODE if self._is_active else exit_codes[-1] if exit_codes else 0))
