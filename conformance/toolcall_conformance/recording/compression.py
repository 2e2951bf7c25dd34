"""Unpack compressed files and bodies, up to a limit: a few kilobytes can hold gigabytes."""

from __future__ import annotations

import zlib

MAX_UNPACKED = 256 * 2**20
"""The most bytes that a file and all its bodies unpack to. Recorded conversations have some MiB."""

_GZIP = 16 + zlib.MAX_WBITS


class Unpacker:
    """Unpacks the parts of one cassette. Raises ValueError for damaged ones, and when all are too large together."""

    def __init__(self, max_bytes: int = MAX_UNPACKED) -> None:
        self._max_bytes = self._left = max_bytes

    def gzip(self, data: bytes) -> bytes:
        """Unpack gzip of one member or several; zeros may follow it."""
        parts = []
        while data:
            part, data = self._part(data, _GZIP)
            parts.append(part)
            data = data.lstrip(b"\0")
        return b"".join(parts)

    def deflate(self, data: bytes) -> bytes:
        """Unpack with zlib's frame as in RFC 9110, or without it as some servers send."""
        try:
            return self._part(data, zlib.MAX_WBITS)[0]
        except DamagedError:
            return self._part(data, -zlib.MAX_WBITS)[0]

    def _part(self, data: bytes, window: int) -> tuple[bytes, bytes]:
        """The first member, and what follows it."""
        unpacking = zlib.decompressobj(window)
        try:
            content = unpacking.decompress(data, self._left + 1)
        except zlib.error as error:
            raise DamagedError(str(error)) from None
        if len(content) > self._left:
            raise ValueError(f"it unpacks to more than {self._max_bytes / 2**20:g} MiB")
        if not unpacking.eof:
            raise DamagedError("its end is missing")
        self._left -= len(content)
        return content, unpacking.unused_data


class DamagedError(ValueError):
    """Compressed data that is truncated or changed."""
