"""Keeps the clients from the network: by a namespace that has loopback alone, where the system lets a user make it.

Elsewhere their proxies are a closed port of loopback, which holds all that asks for a proxy.
"""

from __future__ import annotations

import os
import shutil
import socket
import struct
import subprocess
import sys
from collections.abc import Sequence

WITHIN = "TOOLCALL_CLIENTS_APART"
_PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy")
_CLOSED = "http://127.0.0.1:9"


def isolate_network(command: Sequence[str]) -> None:
    """Run ``command`` again within a namespace without a network, in the place of this process, where that works.

    Returns where this process is in one already, or where none can be had.
    """
    if os.environ.get(WITHIN) or not can_isolate_network():
        return
    os.environ[WITHIN] = "1"
    os.execvp("unshare", ["unshare", "--map-root-user", "--net", *command])


def can_isolate_network() -> bool:
    """Whether a user may make a namespace here (Linux, and not in every container)."""
    if not sys.platform.startswith("linux") or shutil.which("unshare") is None:
        return False
    tried = subprocess.run(["unshare", "--map-root-user", "--net", "true"], capture_output=True, check=False)
    return tried.returncode == 0


def raise_loopback() -> bool:
    """Switch on loopback in a fresh namespace, where it is off; whether no other address can be reached.

    The numbers are those of netdevice(7).
    """
    if not os.environ.get(WITHIN):
        return False
    import fcntl

    get_flags, set_flags, up = 0x8913, 0x8914, 0x1
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        request = struct.pack("16sh14x", b"lo", 0)
        flags = struct.unpack("16sh14x", fcntl.ioctl(control, get_flags, request))[1]
        fcntl.ioctl(control, set_flags, struct.pack("16sh14x", b"lo", flags | up))
    return not has_network()


def has_network() -> bool:
    """Whether there is a way to an address outside; nothing is sent. The address is one for documents (RFC 5737)."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as tried:
        try:
            tried.connect(("192.0.2.1", 9))
        except OSError:
            return False
    return True


def proxies() -> dict[str, str]:
    """The variables that send all that leaves loopback to a closed port."""
    return {**dict.fromkeys(_PROXIES, _CLOSED), "NO_PROXY": "127.0.0.1,localhost", "no_proxy": "127.0.0.1,localhost"}
