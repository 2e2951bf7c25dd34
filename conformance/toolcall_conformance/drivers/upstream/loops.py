"""Runs an event loop in a thread of its own."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

T = TypeVar("T")

_CANCEL_SECONDS = 1.0


class LoopThread:
    """A running event loop. No exception of a task ends it; with asyncio alone SystemExit would.

    With ``quiet`` the loop does not report failures of abandoned tasks.
    """

    def __init__(self, name: str, *, quiet: bool = False) -> None:
        self.loop = asyncio.new_event_loop()
        if quiet:
            self.loop.set_exception_handler(lambda _loop, _context: None)
        self._stopping = False
        self._thread = threading.Thread(target=self._run_loop, name=name, daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Run ``work`` in the loop."""
        return asyncio.run_coroutine_threadsafe(work, self.loop)

    def stop(self, seconds: float) -> bool:
        """Cancel all tasks and end; False if a task still blocks the loop, which then ends after that task."""
        self.run(self._cancel_tasks())
        self._thread.join(seconds)
        return not self._thread.is_alive()

    async def _cancel_tasks(self) -> None:
        others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in others:
            task.cancel()
        if others:
            await asyncio.wait(others, timeout=_CANCEL_SECONDS)
        await asyncio.sleep(0)  # the loop reports a closed connection in its next round
        await asyncio.sleep(0)
        self._stopping = True
        self.loop.stop()

    def _run_loop(self) -> None:
        asyncio.set_event_loop(self.loop)
        while not self._stopping:
            with contextlib.suppress(BaseException):
                self.loop.run_forever()
        self.loop.close()
