"""Asks a gateway whether it is ready: one GET, within one time limit and one size limit, that follows no redirect."""

from __future__ import annotations

import http.client
import io
import re
import socket
import ssl
import time
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

from toolcall_conformance.basics.visible_text import pluralize

# Only the head of an answer is read. Servers limit a request's head to 8 to 64 KiB; some send hints before the answer.
MAX_HEAD_BYTES = 256 * 1024
_MAX_LINE_BYTES = 8 * 1024
_MAX_SHOWN = 60
_STATUS = re.compile(rb"HTTP/[0-9][.][0-9] ([1-9][0-9]{2})\b")
_TARGET_CHARACTERS = "%/?&=~:@!$'()*+,;[]"


@dataclass(frozen=True, slots=True)
class ProbeAnswer:
    """The outcome of a GET: its status, or None and why there is none. ``location`` is where a redirect points."""

    status: int | None
    location: str = ""
    why: str = ""

    def __str__(self) -> str:
        if self.status is None:
            return self.why
        return f"it answered {self.status}" + (f", a redirect to {self.location!r:.200}" if self.location else "")


def is_listening(host: str, port: int, seconds: float) -> bool:
    """Whether something accepts connections there."""
    try:
        with socket.create_connection((host, port), seconds):
            return True
    except (OSError, UnicodeError):  # no name that a resolver takes
        return False


def send_probe(url: str, seconds: float, limit: int = MAX_HEAD_BYTES) -> ProbeAnswer:
    """Send one GET to an ``http`` or ``https`` URL and read the head of its answer; never raises because of it.

    ``seconds`` limit the whole, ``limit`` the bytes that are read. A redirect is an answer and is not followed: it
    could lead to any other machine. No proxy is used.
    """
    wire: _LimitedConnection | None = None
    try:
        end = time.monotonic() + seconds
        with _connect(url, seconds, end) as connection:
            wire = _LimitedConnection(connection, end, limit)
            wire.send(_request(url))
            return _read_final_answer(io.BufferedReader(wire))
    except TimeoutError:
        progress = "no connection" if wire is None else f"{pluralize(wire.byte_count, 'byte')} and no answer"
        return ProbeAnswer(None, why=f"{progress} within {seconds:.1f} s")
    except _TooLargeError:
        return ProbeAnswer(None, why=f"more than {limit:,} bytes arrived without an answer")
    except (OSError, ValueError) as error:  # no URL, a certificate, a refused connection
        return ProbeAnswer(None, why=_one_line(error))
    except http.client.HTTPException as error:
        return ProbeAnswer(None, why=f"the output is not HTTP ({_one_line(error) or type(error).__name__})")


def _read_final_answer(reader: io.BufferedReader) -> ProbeAnswer:
    """Read the first final answer, after any such as 103 Early Hints. Raises OSError and HTTPException."""
    while True:
        line = reader.readline(_MAX_LINE_BYTES)
        if not line:
            raise ConnectionResetError("the connection was closed without an answer")
        match = _STATUS.match(line)
        if match is None:
            raise http.client.BadStatusLine(line[:_MAX_SHOWN].decode("ascii", "backslashreplace"))
        headers = http.client.parse_headers(reader)
        status = int(match[1])
        if status >= 200:
            return ProbeAnswer(status, headers.get("location", "") if status // 100 == 3 else "")


def _connect(url: str, seconds: float, end: float) -> socket.socket:
    parts = urlsplit(url)
    host, secure = parts.hostname or "", parts.scheme == "https"
    connection = socket.create_connection((host, parts.port or (443 if secure else 80)), seconds)
    if not secure:
        return connection
    try:
        connection.settimeout(max(end - time.monotonic(), 0.001))  # of the handshake as a whole
        return ssl.create_default_context().wrap_socket(connection, server_hostname=host)
    except BaseException:
        connection.close()
        raise


def _request(url: str) -> bytes:
    parts = urlsplit(url)
    target = quote((parts.path or "/") + (f"?{parts.query}" if parts.query else ""), safe=_TARGET_CHARACTERS)
    host = parts.netloc.rpartition("@")[2]
    lines = [f"GET {target} HTTP/1.1", f"Host: {host}", "Accept: */*", "Connection: close"]
    return "\r\n".join([*lines, "", ""]).encode("utf-8")


class _TooLargeError(Exception):
    """More bytes arrived than are allowed."""


class _LimitedConnection(io.RawIOBase):
    """A connection with a limit of time and of bytes."""

    def __init__(self, connection: socket.socket, end: float, limit: int) -> None:
        self._connection = connection
        self._end = end
        self._limit = limit
        self.byte_count = 0

    def readable(self) -> bool:
        return True

    def send(self, data: bytes) -> None:
        self._connection.settimeout(self._seconds_left())
        self._connection.sendall(data)

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override] # wider in typeshed
        # Each read has the remaining time only: single bytes must not prolong the whole.
        self._connection.settimeout(self._seconds_left())
        count = self._connection.recv_into(buffer)
        self.byte_count += count
        if self.byte_count > self._limit:
            raise _TooLargeError
        return count

    def _seconds_left(self) -> float:
        left = self._end - time.monotonic()
        if left <= 0:
            raise TimeoutError
        return left


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split())[:200]
