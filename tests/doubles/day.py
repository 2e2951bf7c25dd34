"""Which of a double's places are tried on a day, in addition to that of its verdict."""

from __future__ import annotations

from zlib import crc32

PLACES = 3
"""So many places of a double are played, beside that of its verdict."""
REST = 3
"""Of doubles that have a verdict, so many take turns at the other places."""


def day_number(name: str, day: int) -> int:
    """The number of a day for one double, so that not all doubles begin at the same place."""
    return day + crc32(name.encode())
