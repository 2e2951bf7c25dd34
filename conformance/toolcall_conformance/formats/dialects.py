"""Dialects of a format: what servers that are compatible with its API do otherwise, habit by habit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

Habit = Callable[[Any], Any]
"""Takes a reply, or the events of a stream, which it may change, and returns what the server sends in its place."""


class Dialect(Protocol):
    """The habits of compatible servers: a package's module ``dialect``."""

    STREAMED: Any
    WHOLE: Any
