"""What a worker of pytest-xdist tells its controller of an item of ours, as one message of bytes.

xdist sends six events for each test, and execnet writes and reads each value of them in Python; each event wakes the
controller. That took a fifth of a run. What is told, and in which order, stays as it is. Each end rests on one method
of xdist; where one of the two is not there, events are sent one by one, as xdist sends them. Only the events of one
item go together: by those that it has, the controller knows which test a worker died in.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

import pytest

from toolcall_conformance.engine.selection import PREFIX
from toolcall_conformance.jsonvalue import packed, unpacked

TOGETHER: Final = "toolcall_events"
"""The name of the message, and the key under which the controller says that it can read one."""

# The last event of a test, by which the controller knows which test a worker died in.
_LAST: Final = "runtest_protocol_complete"

Event = tuple[str, dict[str, Any]]


def receive_together(node: Any) -> None:
    """Let the controller's end of a worker, which has no channel yet, read the events of an item in one message."""
    receive: Callable[[Any], None] | None = getattr(node, "process_from_remote", None)
    if receive is None or hasattr(node, "channel"):
        return

    takes = _takes_several(node)

    def received(told: Any) -> None:
        if isinstance(told, tuple) and told[0] == TOGETHER:
            with _at_once(node) if takes else contextlib.nullcontext():
                for event in unpacked(told[1]):
                    receive(event)
        else:
            receive(told)

    node.process_from_remote = received
    node.workerinput[TOGETHER] = True


def _takes_several(node: Any) -> bool:
    """Teach the controller's loop to take several events in one turn, if it is as xdist has it."""
    manager = getattr(getattr(node, "config", None), "pluginmanager", None)
    session = manager.get_plugin("dsession") if manager is not None else None
    if session is None or not hasattr(node, "notify_inproc"):
        return False

    def take(events: Iterable[Event]) -> None:
        for name, said in events:
            getattr(session, f"worker_{name}")(**said)

    setattr(session, f"worker_{TOGETHER}", take)
    return True


@contextlib.contextmanager
def _at_once(node: Any) -> Iterator[None]:
    """Hand what is received meanwhile to the controller's loop at once: each turn of it is one of another thread."""
    events: list[Event] = []
    node.notify_inproc = lambda name, **said: events.append((name, said))
    try:
        yield
    finally:
        del node.notify_inproc
        node.notify_inproc(TOGETHER, events=events)


def send_together(config: pytest.Config) -> None:
    """Let a worker send the events of an item in one message, if its controller can read one."""
    if not getattr(config, "workerinput", {}).get(TOGETHER):
        return
    for plugin in config.pluginmanager.get_plugins():
        if callable(getattr(plugin, "sendevent", None)) and hasattr(plugin, "channel"):
            plugin.sendevent = _Sender(plugin.channel, plugin.sendevent).send


class _Sender:
    """Holds the events of an item until its last one. An item that ends the process is told of by nobody, as ever."""

    def __init__(self, channel: Any, alone: Callable[..., None]) -> None:
        self._channel = channel
        self._alone = alone
        self._held: list[Event] = []

    def send(self, name: str, **said: Any) -> None:
        """Send an event, or hold it."""
        if _nodeid(said).startswith(f"{PREFIX}::"):
            self._held.append((name, said))
        elif name == _LAST and self._held:
            self._held.append((name, said))
            self._send_held()
        else:
            self._send_held()
            self._alone(name, **said)

    def _send_held(self) -> None:
        held, self._held = self._held, []
        if not held:
            return
        try:
            message = packed(held)
        except ValueError:  # another plugin put into a report what only execnet, or nobody, can write
            for name, said in held:
                self._alone(name, **said)
        else:
            self._channel.send((TOGETHER, message))


def _nodeid(said: dict[str, Any]) -> str:
    """The id of the test that an event is about."""
    return str(said.get("nodeid") or said.get("data", {}).get("nodeid", ""))
