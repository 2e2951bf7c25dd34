"""Losses: what a translation could not carry. Nothing is dropped silently."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Loss:
    """One thing that the target format cannot express.

    ``element`` names what was lost, by the corpus's word if it has one (``tool-strict``, ``signature``,
    ``tool-hosted``, …); ``where`` is its place in the source body if known (a tool's name, a call's id); ``note`` says
    what replaced it.
    """

    element: str
    note: str
    where: str = ""


class Losses:
    """The losses of one translation, without duplicates."""

    def __init__(self) -> None:
        self._losses: dict[Loss, None] = {}

    def add(self, element: str, note: str, where: object = "") -> None:
        """Record a loss."""
        self._losses[Loss(element, note, "" if where is None else str(where))] = None

    def __iter__(self) -> Iterator[Loss]:
        return iter(self._losses)

    def __len__(self) -> int:
        return len(self._losses)
