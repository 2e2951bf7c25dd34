"""How the controller of pytest-xdist reads what its workers have written of items: twenty times a second.

A message for each item wakes a thread for each, which took a tenth of a run. `sent_events` says what is written.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from toolcall_conformance.engine.distributed.sent_events import FILE, Event, records

_EVERY: Final = 0.05
"""How many seconds pass between two looks at the files."""

_SEVERAL: Final = "toolcall_events"


class Reader:
    """Reads the files of all workers. Nothing is read twice, and nothing before what a worker told before it."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._workers: list[_Worker] = []
        self._over = threading.Event()

    def read_from(self, node: Any) -> None:
        """Have a worker, which has no channel yet, write its events to a file. Workers elsewhere send messages."""
        has_hooks = hasattr(node, "process_from_remote") and hasattr(node, "notify_inproc")
        if not has_hooks or hasattr(node, "channel") or not getattr(node.gateway.spec, "popen", False):
            return
        if not self._workers:
            threading.Thread(target=self._look, name="toolcall-events", daemon=True).start()
            self._config.add_cleanup(self._end)
        with contextlib.suppress(OSError):  # there is no place for a file
            self._workers.append(_Worker(node))

    def _look(self) -> None:
        while not self._over.wait(_EVERY):
            for worker in tuple(self._workers):
                worker.look()

    def _end(self) -> None:
        self._over.set()
        for worker in self._workers:
            worker.end()


class _Worker:
    """The controller's end of one worker."""

    def __init__(self, node: Any) -> None:
        number, path = tempfile.mkstemp(prefix="toolcall-", suffix=".events")
        self._path, self._file = Path(path), os.fdopen(number, "rb")
        self._unread = b""
        self._waiting: deque[tuple[int, list[Event]]] = deque()
        self._messages = 0
        self._lock = threading.Lock()
        self._node, self._takes_several = node, _takes_several(node)
        self._receive: Callable[[Any], None] = node.process_from_remote
        node.process_from_remote = self._received
        node.workerinput[FILE] = path

    def look(self) -> None:
        """Take what the worker has written since."""
        with self._lock:
            self._take()

    def end(self) -> None:
        """Read no more, and delete the file where the worker did not."""
        with self._lock:
            self._file.close()
        with contextlib.suppress(OSError):  # deleted already; or, on Windows, open still
            self._path.unlink()

    def _received(self, event: Any) -> None:
        """Take a message of xdist's own, or the end of the worker, after all that was written before it."""
        with self._lock:
            self._take()
            self._receive(event)
            self._messages += 1

    def _take(self) -> None:
        if self._file.closed:
            return
        whole, self._unread = records(self._unread + self._file.read())
        self._waiting.extend(whole)
        self._pass_on()

    def _pass_on(self) -> None:
        """Pass on each record that no message must come before."""
        if not self._waiting or self._waiting[0][0] > self._messages:
            return
        with self._at_once() if self._takes_several else contextlib.nullcontext():
            while self._waiting and self._waiting[0][0] <= self._messages:
                for event in self._waiting.popleft()[1]:
                    self._receive(event)

    @contextlib.contextmanager
    def _at_once(self) -> Iterator[None]:
        """Hand what is received meanwhile to the controller's loop at once: each turn of it changes threads."""
        events: list[Event] = []
        self._node.notify_inproc = lambda name, **arguments: events.append((name, arguments))
        try:
            yield
        finally:
            del self._node.notify_inproc
            self._node.notify_inproc(_SEVERAL, events=events)


def _takes_several(node: Any) -> bool:
    """Teach the controller's loop to take several events in one turn, if it is as xdist has it."""
    manager = getattr(getattr(node, "config", None), "pluginmanager", None)
    session = manager.get_plugin("dsession") if manager is not None else None
    if session is None:
        return False

    def take(events: Iterable[Event]) -> None:
        for name, arguments in events:
            getattr(session, f"worker_{name}")(**arguments)

    setattr(session, f"worker_{_SEVERAL}", take)
    return True
