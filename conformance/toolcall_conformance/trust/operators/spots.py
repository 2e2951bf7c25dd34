"""The place of a fault, and how an operator says that it changes nothing there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


class Unfit(Exception):  # noqa: N818 - it is no error: the operator has nothing to do there
    """An operator changes nothing at this place."""


@dataclass(frozen=True, slots=True)
class Spot:
    """The place of a fault in the copy ``body``: ``holder[key]`` is what it is about.

    ``donor`` is a body of another conversation.
    """

    body: Any
    pointer: str
    holder: Any
    key: Any
    donor: Any = None

    @property
    def value(self) -> Any:
        return self.holder[self.key]

    def put(self, value: Any) -> None:
        self.holder[self.key] = value

    def next_item(self) -> Any:
        """The next item. Raises Unfit for the last."""
        fit(self.key + 1 < len(self.holder))
        return self.holder[self.key + 1]


Operator = Callable[[Spot], None]
OPERATORS: dict[str, Operator] = {}


def register_operator(change: Operator) -> Operator:
    """Enter an operator under its own name."""
    OPERATORS[change.__name__.strip("_").replace("_", "-")] = change
    return change


def fit(holds: object) -> None:
    """Raises Unfit unless a condition holds."""
    if not holds:
        raise Unfit
