"""A place where something foreign can put a value: how one is drawn, and what is run with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random

Play = Callable[[Path, str, Random], int]
"""Runs with a value, by its name, in a folder of its own; an exit code as a command has. What else is drawn for it."""


@dataclass(frozen=True)
class Place:
    """``kind`` is the speaker there, and ``weight`` how often it is drawn.

    ``seconds`` is how long a run may take, with all calls within their limits.
    """

    kind: str
    name: str
    values: Callable[[Random], str]
    play: Play
    seconds: float = 30.0
    weight: int = 1

    @property
    def full(self) -> str:
        return f"{self.kind}/{self.name}"
