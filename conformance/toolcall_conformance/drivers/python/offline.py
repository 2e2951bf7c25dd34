"""Keeps a translator of this interpreter from fetching the addresses in its input: a run never touches the network.

A translator may fetch the address of a picture in a body, to send it as bytes. The addresses of the corpus lead
nowhere, and real ones must not be fetched. So a call that tries to reach the host of an address in its input gets the
error that there is no such host, and its outcome is inapplicable.
"""

from __future__ import annotations

import re
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, TypeVar
from urllib.parse import urlsplit

from toolcall_conformance.drivers.outcomes import Inapplicable

T = TypeVar("T")

_ADDRESS: Final = re.compile(r"https?://[^\s\"'\\<>()]+", re.IGNORECASE)
_LOCAL_HOST: Final = re.compile(r"(localhost|127\.[0-9.]+|::1|0\.0\.0\.0)?")
"""Hosts of this machine, which a translator may reach: the scripted provider is there."""


@dataclass(eq=False, slots=True)
class HostWatch:
    """A call whose input has ``addresses``, by host. ``fetched`` is the one that it tried to reach."""

    addresses: dict[str, str]
    fetched: str = ""

    def checked_outcome(self, outcome: T) -> T | Inapplicable:
        """The outcome of the call; Inapplicable if it tried to fetch an address."""
        if not self.fetched:
            return outcome
        return Inapplicable(
            f"the translator fetches {self.fetched}, which its input names, and a run never touches the network: what "
            "it makes of the bytes is not known"
        )


_watches: list[HostWatch] = []
_lock = threading.Lock()


@contextmanager
def watch_hosts(value: Any, data: bytes | None = None) -> Iterator[HostWatch]:
    """Watch the calls in this context. ``value`` is the input, ``data`` the same, packed, if it is known."""
    watch = HostWatch({} if data is not None and b"://" not in data else _addresses_by_host(value))
    if not watch.addresses:
        yield watch
        return
    _add_audit_hook()
    with _lock:
        _watches.append(watch)
    try:
        yield watch
    finally:
        with _lock:
            _watches.remove(watch)


def _addresses_by_host(value: Any) -> dict[str, str]:
    """The addresses in the texts of a JSON value, by their hosts; of each host the first."""
    addresses: dict[str, str] = {}
    left = [value]
    while left:
        item = left.pop()
        if isinstance(item, str):
            addresses |= {host: text for host, text in _remote_addresses(item) if host not in addresses}
        elif isinstance(item, (dict, list, tuple)):
            left += reversed(list(item.values()) if isinstance(item, dict) else item)
    return addresses


def _remote_addresses(text: str) -> Iterator[tuple[str, str]]:
    for address in _ADDRESS.findall(text) if "://" in text else ():
        try:
            host = (urlsplit(address).hostname or "").rstrip(".")
        except ValueError:  # no address after all
            continue
        if not _LOCAL_HOST.fullmatch(host):
            yield host, address


@cache
def _add_audit_hook() -> None:
    """Add an audit hook for hosts that this process looks up or connects to. Such hooks cannot be removed."""
    sys.addaudithook(_audit)


def _audit(event: str, arguments: tuple[Any, ...]) -> None:
    if not _watches or not event.startswith("socket."):
        return
    if event in ("socket.getaddrinfo", "socket.gethostbyname"):
        host = arguments[0]
    elif event == "socket.connect" and isinstance(arguments[1], tuple):
        host = arguments[1][0]
    else:
        return
    name = (host.decode("ascii", "replace") if isinstance(host, bytes) else str(host)).lower().rstrip(".")
    for watch in tuple(_watches):
        if name in watch.addresses:
            watch.fetched = watch.addresses[name]
            raise socket.gaierror(socket.EAI_NONAME, f"{name} is not there: the run is offline")
