"""The tools of a conversation's user: each call of a reply is answered by what the corpus says of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Unanswered:
    """The calls that the SDK's replies have made and nobody has answered yet, as the SDK's own objects."""

    def __init__(self) -> None:
        self._calls: list[Any] = []

    def add(self, calls: list[Any]) -> None:
        self._calls += calls

    def take(self, words: str, *filters: Callable[[Any], bool]) -> Any:
        """The first call that passes the first of ``filters`` that any passes. Raises AssertionError if none does."""
        for choose in filters:
            for index, call in enumerate(self._calls):
                if choose(call):
                    return self._calls.pop(index)
        raise AssertionError(f"the golden request answers {words}, and no reply before it made that call")
