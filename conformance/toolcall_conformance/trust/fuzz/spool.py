"""Keeps drawn conversations in a temporary file: all routes play the same ones, and memory holds one of them."""

from __future__ import annotations

import json
import tempfile
import weakref
import zlib
from collections.abc import Iterable, Iterator
from typing import Any

# A small run needs no file.
_IN_MEMORY = 4_000_000
_FAST = 1


class Spool:
    """JSON values one behind the other, taken from ``source`` when they are first asked for, and only once."""

    def __init__(self, source: Iterable[Any]) -> None:
        self._source = iter(source)
        self._file = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115 - closed with the spool
        weakref.finalize(self, self._file.close)
        self._ends = [0]

    def __iter__(self) -> Iterator[Any]:
        place = 0
        while place < len(self._ends) - 1 or self._add():
            start, end = self._ends[place : place + 2]
            self._file.seek(start)
            yield json.loads(zlib.decompress(self._file.read(end - start)))
            place += 1

    def _add(self) -> bool:
        """Keep the next value; False if there is none."""
        for value in self._source:
            packed = zlib.compress(json.dumps(value).encode(), _FAST)
            self._file.seek(self._ends[-1])
            self._file.write(packed)
            self._ends.append(self._ends[-1] + len(packed))
            return True
        return False
