"""Limits the time and the bytes of a whole exchange: an HTTP client's own limits hold for each byte alone."""

# ruff: noqa: SLF001 - httpx2 hands the network's place on to httpcore2 by none of its arguments

from __future__ import annotations

import time
from typing import Any

from toolcall_conformance.basics.visible_text import pluralize
from toolcall_conformance.recording.compression import Unpacker


class LimitError(Exception):
    """A limit was reached; the message is a sentence without its subject: the limit, its option, the bytes so far."""


class Budget:
    """What one exchange may use: ``timeout`` seconds from :meth:`begin` on, and ``max_bytes`` received bytes."""

    def __init__(self, timeout: float, max_bytes: int) -> None:
        self._timeout = timeout
        self._max_bytes = max_bytes
        self.begin()

    def begin(self) -> None:
        """Begin an exchange."""
        self._end = time.monotonic() + self._timeout
        self._received = 0

    def remaining(self, timeout: float | None = None) -> float:
        """The seconds that a step may take, at most ``timeout``. Raises LimitError."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise self.too_late()
        return left if timeout is None else min(left, timeout)

    def too_late(self) -> LimitError:
        """The error for an exchange whose time is up."""
        progress = f"{pluralize(self._received, 'byte')} had arrived" if self._received else "nothing had arrived"
        return LimitError(f"was not done within {self._timeout:g} s, {progress}; raise --timeout")

    def take(self, count: int) -> None:
        """Count received bytes. Raises LimitError."""
        self._received += count
        if self._received > self._max_bytes:
            raise LimitError(f"sent more than {self._max_bytes:,} bytes, and may be endless; raise --max-bytes")

    def unpack(self, body: bytes, encodings: str) -> bytes:
        """A body without its ``content-encoding``. Raises LimitError where it is too large, damaged or unknown."""
        unpacker = Unpacker(self._max_bytes)
        try:
            for encoding in reversed([part.strip().lower() for part in encodings.split(",") if part.strip()]):
                body = _unpack(body, encoding, unpacker)
        except ValueError as error:
            raise LimitError(
                f"sent a reply that cannot be unpacked ({error}; --max-bytes is {self._max_bytes:,})"
            ) from None
        return body


def _unpack(body: bytes, encoding: str, unpacker: Unpacker) -> bytes:
    match encoding:
        case "gzip" | "x-gzip":
            return unpacker.gzip(body)
        case "deflate":
            return unpacker.deflate(body)
        case "identity":
            return body
    raise ValueError(f"it is packed as {encoding!r:.40}, though it was asked for as it is")


def limit_client(client: Any, budget: Budget) -> None:
    """Let all connections of an ``httpx2.Client`` use one budget. Raises LimitError for an httpx2 built otherwise.

    Only where the bytes are read can a limit hold for headers that drip as well, and below vcrpy, which reads a whole
    reply before anybody sees it. httpx2 has no argument for that, httpcore2 has: ``network_backend``.
    """
    try:
        for transport in (client._transport, *client._mounts.values()):
            if transport is not None:  # None: a host that the environment exempts from its proxy
                pool = transport._pool
                pool._network_backend = _Backend(pool._network_backend, budget)
    except AttributeError as error:
        raise LimitError(f"cannot be limited: this httpx2 is built otherwise ({error}); install httpx2 2.16") from None


class _Backend:
    """httpcore2's network, whose connections draw on the budget."""

    def __init__(self, network: Any, budget: Budget) -> None:
        self._network = network
        self._budget = budget

    def connect_tcp(self, *arguments: Any, timeout: float | None = None, **options: Any) -> Any:
        stream = self._network.connect_tcp(*arguments, timeout=self._budget.remaining(timeout), **options)
        return _Stream(stream, self._budget)

    def sleep(self, seconds: float) -> None:
        self._network.sleep(seconds)


class _Stream:
    """A connection of httpcore2's that draws on the budget."""

    def __init__(self, stream: Any, budget: Budget) -> None:
        self._stream = stream
        self._budget = budget

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        data: bytes = self._stream.read(max_bytes, self._budget.remaining(timeout))
        self._budget.take(len(data))
        return data

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, self._budget.remaining(timeout))

    def close(self) -> None:
        self._stream.close()

    def start_tls(self, *arguments: Any, timeout: float | None = None, **options: Any) -> Any:
        return _Stream(
            self._stream.start_tls(*arguments, timeout=self._budget.remaining(timeout), **options), self._budget
        )

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)
