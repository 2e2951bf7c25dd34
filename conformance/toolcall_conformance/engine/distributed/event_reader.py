"""Reads in the controller of pytest-xdist the events that its workers write to files, twenty times a second.

A message for each item would wake a thread for each, which took a tenth of a run. `event_writer` writes the files.
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

from toolcall_conformance.engine.distributed.event_writer import EVENTS_FILE_KEY, Event, split_batches

_POLL_SECONDS: Final = 0.05
"""The pause between two reads of the files."""

_BATCH_EVENT: Final = "toolcall_events"


class EventReader:
    """Reads the files of all workers. Events and messages of a worker keep their order."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._workers: list[_WorkerEvents] = []
        self._stopped = threading.Event()

    def attach_worker(self, node: Any) -> None:
        """Let a worker that has no channel yet write its events to a file. Workers on other machines send messages."""
        has_hooks = hasattr(node, "process_from_remote") and hasattr(node, "notify_inproc")
        if not has_hooks or hasattr(node, "channel") or not getattr(node.gateway.spec, "popen", False):
            return
        if not self._workers:
            threading.Thread(target=self._poll, name="toolcall-events", daemon=True).start()
            self._config.add_cleanup(self._stop)
        with contextlib.suppress(OSError):  # there is no place for a file
            self._workers.append(_WorkerEvents(node))

    def _poll(self) -> None:
        while not self._stopped.wait(_POLL_SECONDS):
            for worker in tuple(self._workers):
                worker.read_new()

    def _stop(self) -> None:
        self._stopped.set()
        for worker in self._workers:
            worker.close()


class _WorkerEvents:
    """The controller's end of one worker."""

    def __init__(self, node: Any) -> None:
        number, path = tempfile.mkstemp(prefix="toolcall-", suffix=".events")
        self._path, self._file = Path(path), os.fdopen(number, "rb")
        self._unread = b""
        self._batches: deque[tuple[int, list[Event]]] = deque()
        self._message_count = 0
        self._lock = threading.Lock()
        self._node, self._enable_batches = node, _enable_batches(node)
        self._receive: Callable[[Any], None] = node.process_from_remote
        node.process_from_remote = self._receive_message
        node.workerinput[EVENTS_FILE_KEY] = path

    def read_new(self) -> None:
        """Read what the worker has written since."""
        with self._lock:
            self._read_batches()

    def close(self) -> None:
        """Close the file, and delete it if the worker did not."""
        with self._lock:
            self._file.close()
        with contextlib.suppress(OSError):  # deleted already; or, on Windows, open still
            self._path.unlink()

    def _receive_message(self, event: Any) -> None:
        """Receive a message of xdist's own, or the end of the worker, after all events before it."""
        with self._lock:
            self._read_batches()
            self._receive(event)
            self._message_count += 1

    def _read_batches(self) -> None:
        if self._file.closed:
            return
        whole, self._unread = split_batches(self._unread + self._file.read())
        self._batches.extend(whole)
        self._deliver_ready()

    def _deliver_ready(self) -> None:
        """Deliver each batch whose preceding messages have all arrived."""
        if not self._batches or self._batches[0][0] > self._message_count:
            return
        with self._notify_at_once() if self._enable_batches else contextlib.nullcontext():
            while self._batches and self._batches[0][0] <= self._message_count:
                for event in self._batches.popleft()[1]:
                    self._receive(event)

    @contextlib.contextmanager
    def _notify_at_once(self) -> Iterator[None]:
        """Give all events of a batch to the controller's loop in one turn: each turn changes threads."""
        events: list[Event] = []
        self._node.notify_inproc = lambda name, **arguments: events.append((name, arguments))
        try:
            yield
        finally:
            del self._node.notify_inproc
            self._node.notify_inproc(_BATCH_EVENT, events=events)


def _enable_batches(node: Any) -> bool:
    """Let the controller's loop take several events in one turn; returns whether it is xdist's own loop."""
    manager = getattr(getattr(node, "config", None), "pluginmanager", None)
    session = manager.get_plugin("dsession") if manager is not None else None
    if session is None:
        return False

    def take(events: Iterable[Event]) -> None:
        for name, arguments in events:
            getattr(session, f"worker_{name}")(**arguments)

    setattr(session, f"worker_{_BATCH_EVENT}", take)
    return True
