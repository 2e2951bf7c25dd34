"""What could not be carried is said, never dropped in silence."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Loss:
    """One thing that the target format cannot say.

    ``element`` names what was lost, in the corpus's word if it has one (``tool-strict``, ``signature``,
    ``tool-hosted``, …), ``where`` the place in the source body as far as it is known (a tool's name, a call's id),
    ``note`` what became of it.
    """

    element: str
    note: str
    where: str = ""


class Losses:
    """The losses of one translation, each said once."""

    def __init__(self) -> None:
        self._found: dict[Loss, None] = {}

    def add(self, element: str, note: str, where: object = "") -> None:
        """Note a loss; saying it twice changes nothing."""
        self._found[Loss(element, note, "" if where is None else str(where))] = None

    def __iter__(self) -> Iterator[Loss]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)
