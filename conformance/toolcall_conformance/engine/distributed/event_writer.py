"""Writes the events of our items from a worker of pytest-xdist to its controller: in batches, to a file.

xdist sends six events for each test, and execnet writes and reads each of their values in Python; each event wakes the
controller. That took a fifth of a run. The events and their order stay the same: `event_reader` reads the file a few
times a second, and before each message of xdist's own. What a worker has written outlives it.

This needs one method of xdist. Without it, and for workers on other machines, events are sent one by one, as xdist
does. A batch has the events of one item only: by the events that it has, the controller knows the test in which a
worker died.
"""

from __future__ import annotations

import contextlib
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from toolcall_conformance.basics.jsonvalue import pack, unpack
from toolcall_conformance.engine.items.selection import PREFIX

EVENTS_FILE_KEY: Final = "toolcall_events"
"""The key of ``workerinput`` under which the controller sends the path of the file that it reads."""

Event = tuple[str, dict[str, Any]]

# xdist's last event of a test.
_LAST_EVENT: Final = "runtest_protocol_complete"

_MAX_FILE_BYTES: Final = 64 * 1024 * 1024
"""The largest file in bytes; it may be in memory. An item that passes needs 1.3 KB."""

# The header of a batch: the length of its events in bytes, and the number of xdist's own messages before it.
_BATCH_HEADER: Final = struct.Struct(">II")


def batch_events(config: pytest.Config) -> None:
    """Let a worker write the events of its items to the file of its controller, if there is one."""
    path = getattr(config, "workerinput", {}).get(EVENTS_FILE_KEY)
    if path is None:
        return
    for plugin in config.pluginmanager.get_plugins():
        if is_event_sender(plugin):
            with contextlib.suppress(OSError):  # the file is not there for this process
                sender = _EventWriter(Path(path), plugin.sendevent)
                plugin.sendevent = sender.send
                config.add_cleanup(sender.close)


def is_event_sender(plugin: object) -> bool:
    """Whether a plugin is the one of xdist that sends a worker's events to the controller."""
    return callable(getattr(plugin, "sendevent", None)) and hasattr(plugin, "channel")


class _EventWriter:
    """Holds the events of an item until its last one, then writes them. If the item ends the process, they are lost."""

    def __init__(self, path: Path, alone: Callable[..., None]) -> None:
        self._file = path.open("r+b", buffering=0)  # makes no file: nobody would read it
        with contextlib.suppress(OSError):  # Windows keeps the name of an open file; the controller deletes it there
            path.unlink()
        self._send_by_xdist = alone
        self._message_count = 0
        self._pending: list[Event] = []

    def close(self) -> None:
        """Close the file. Later events are sent by xdist."""
        self._file.close()

    def send(self, name: str, **arguments: Any) -> None:
        """Send an event, or hold it."""
        if _nodeid(arguments).startswith(f"{PREFIX}::"):
            self._pending.append((name, arguments))
        elif name == _LAST_EVENT and self._pending:
            self._pending.append((name, arguments))
            self._send_pending()
        else:
            self._send_pending()
            self._send_message(name, arguments)

    def _send_message(self, name: str, arguments: dict[str, Any]) -> None:
        self._message_count += 1
        self._send_by_xdist(name, **arguments)

    def _send_pending(self) -> None:
        events, self._pending = self._pending, []
        if events and not self._write_batch(events):
            for name, arguments in events:
                self._send_message(name, arguments)

    def _write_batch(self, events: list[Event]) -> bool:
        """Write the events; returns whether that succeeded."""
        try:
            payload = pack(events)
        except ValueError:  # another plugin put a value into a report that this cannot write
            return False
        record = _BATCH_HEADER.pack(len(payload), self._message_count) + payload
        try:
            is_written = self._has_room(record) and self._file.write(record) == len(record)
        except OSError:  # no space is left
            is_written = False
        if not is_written:
            self._file.close()  # the reader waits for the rest of a record for ever
        return is_written

    def _has_room(self, record: bytes) -> bool:
        return not self._file.closed and self._file.tell() + len(record) <= _MAX_FILE_BYTES


def _nodeid(arguments: dict[str, Any]) -> str:
    """The id of the test that an event is about."""
    return str(arguments.get("nodeid") or arguments.get("data", {}).get("nodeid", ""))


def split_batches(data: bytes) -> tuple[list[tuple[int, list[Event]]], bytes]:
    """The complete batches in ``data``, each as (number of messages before it, events), and the rest of the bytes."""
    batches, start = list[tuple[int, list[Event]]](), 0
    while len(data) >= start + _BATCH_HEADER.size:
        length, before = _BATCH_HEADER.unpack_from(data, start)
        end = start + _BATCH_HEADER.size + length
        if end > len(data):
            break
        batches.append((before, unpack(data[start + _BATCH_HEADER.size : end])))
        start = end
    return batches, data[start:]
