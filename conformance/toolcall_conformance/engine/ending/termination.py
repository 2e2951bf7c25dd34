"""Writes the reports of a run that SIGTERM or pytest-timeout ends, as Ctrl-C does."""

from __future__ import annotations

import importlib
import signal
import threading
from collections.abc import Callable, Generator
from typing import Any

import pytest

from toolcall_conformance.drivers.child.process import is_sigterm_ours

_EXIT_CODE = 128 + signal.SIGTERM


class TerminatedError(KeyboardInterrupt):
    """SIGTERM was received. As a KeyboardInterrupt it passes the drivers and ends the session."""


class Termination:
    """Active in the process that the user started. ``write_reports`` writes those of the items that have run so far."""

    def __init__(self, write_reports: Callable[[], object]) -> None:
        self._write_reports = write_reports
        self._session: pytest.Session | None = None
        self._previous_handler: Any = None
        self._finishing = self._terminated = False

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        self._session = session
        if threading.current_thread() is threading.main_thread() and is_sigterm_ours():
            self._previous_handler = signal.signal(signal.SIGTERM, self._handle_sigterm)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Generator[None]:
        self._finishing = True
        try:
            yield
        finally:
            self._restore()
        if self._terminated:
            session.exitstatus = _EXIT_CODE

    def _handle_sigterm(self, _number: int, _frame: object) -> None:
        """End the session, or finish its reports. A second SIGTERM ends the process at once."""
        self._restore()
        self._terminated = True
        if self._finishing:
            return
        reason = "SIGTERM: the reports hold what ran until now"
        if self._session is not None:
            self._session.shouldstop = reason  # a translator may catch all exceptions
        raise TerminatedError(reason)

    def _restore(self) -> None:
        if self._previous_handler is not None:
            signal.signal(signal.SIGTERM, self._previous_handler)
            self._previous_handler = None

    @pytest.hookimpl(optionalhook=True, tryfirst=True)
    def pytest_timeout_set_timer(self, item: pytest.Item, settings: Any) -> bool | None:
        """Write the reports before pytest-timeout ends the process, as its method ``thread`` does."""
        if settings.method != "thread":
            return None
        timer = threading.Timer(settings.timeout, self._end_by_timeout, (item, settings))

        def cancel() -> None:
            timer.cancel()
            timer.join()

        setattr(item, "cancel_timeout", cancel)  # noqa: B010 - where pytest-timeout looks for it
        timer.start()
        return True

    def _end_by_timeout(self, item: pytest.Item, settings: Any) -> None:
        try:
            self._write_reports()
        finally:
            importlib.import_module("pytest_timeout").timeout_timer(item, settings)
