"""Remembers what pure functions made of bytes: the items of a run read the same bodies and streams again and again."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import TypeVar

T = TypeVar("T")

LONGEST = 50_000
"""So many bytes a call may have and be remembered: long ones are rare, and would fill the memory."""


def remembered(most: int) -> Callable[[Callable[..., T]], Callable[..., T]]:
    """Let a function of texts and bytes remember its last ``most`` results.

    Equal arguments then give the very same object: nobody may change it.
    """

    def decorate(function: Callable[..., T]) -> Callable[..., T]:
        remembering = lru_cache(maxsize=most)(function)

        @wraps(function)
        def call(*arguments: str | bytes) -> T:
            return remembering(*arguments) if sum(map(len, arguments)) <= LONGEST else function(*arguments)

        return call

    return decorate
