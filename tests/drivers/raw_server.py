"""A server on loopback that sends bytes unchanged, HTTP or not."""

from __future__ import annotations

import contextlib
import itertools
import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

Pieces = Callable[[], Iterable[bytes]]


@dataclass
class RawServer:
    """``url`` is its address; ``heads`` has what was asked, ``sent`` how many bytes were answered."""

    url: str
    heads: list[bytes] = field(default_factory=list)
    sent: int = 0


@contextlib.contextmanager
def raw_server(pieces: Pieces) -> Iterator[RawServer]:
    """Answer each connection with ``pieces()`` once its head has come; closes it when they end."""
    listening = socket.create_server(("127.0.0.1", 0))
    server = RawServer(f"http://127.0.0.1:{listening.getsockname()[1]}")
    over = threading.Event()

    def answer(connection: socket.socket) -> None:
        with connection, contextlib.suppress(OSError):
            head = b""
            while b"\r\n\r\n" not in head:
                head += (piece := connection.recv(65536))
                if not piece:
                    return
            server.heads.append(head)
            for piece in pieces():
                if over.is_set():
                    return
                connection.sendall(piece)
                server.sent += len(piece)

    def serve() -> None:
        with contextlib.suppress(OSError):
            while True:
                threading.Thread(target=answer, args=(listening.accept()[0],), daemon=True).start()

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        over.set()
        with contextlib.suppress(OSError):
            listening.shutdown(socket.SHUT_RDWR)  # wakes accept
        listening.close()
        thread.join()


def repeat(data: bytes, pause: float) -> Iterator[bytes]:
    """The same for ever, after a pause each."""
    while True:
        time.sleep(pause)
        yield data


def slowly(data: bytes, pause: float = 0.05) -> Iterator[bytes]:
    """A byte at a time, and the last one for ever."""
    for byte in itertools.chain(data, itertools.repeat(data[-1])):
        yield bytes([byte])
        time.sleep(pause)
