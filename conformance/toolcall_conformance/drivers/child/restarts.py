"""Keeps a child running: starts another after it ended, and gives up after some failed starts in a row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from toolcall_conformance.drivers.child.child import Child
from toolcall_conformance.drivers.outcomes import Crashed, TranslatorError

_MAX_FAILED_STARTS = 3

C = TypeVar("C", bound=Child)
Start = Callable[[], tuple[C, dict[str, Any]] | str]
"""Starts a child and returns it with its answer to ``hello``; or a sentence that says why it failed."""


class RestartedChild(Generic[C]):
    """A child that :meth:`revive` starts again. ``start`` started the first one, too."""

    def __init__(self, child: C, start: Start[C]) -> None:
        self.child = child
        self._start = start
        self._failed_starts = 0
        self._start_error = ""

    def revive(self) -> Crashed | None:
        """Start another child if this one has ended; say why there is none."""
        if self.child.why_ended is None:
            return None
        why_not = self._restart()
        if not why_not:
            return None
        sentence, _, words = why_not.partition("\n")
        return Crashed(TranslatorError(f"could not be asked: {sentence}"), words)

    def _restart(self) -> str:
        """Start another child; return why it failed, or an empty string."""
        if self._failed_starts >= _MAX_FAILED_STARTS:
            return f"it did not start again, {self._failed_starts} times: {self._start_error}"
        started = self._start()
        if isinstance(started, str):
            self._failed_starts += 1
            self._start_error = started
            return f"it did not start again: {started}"
        self._failed_starts = 0
        self.child = started[0]
        return ""
