"""Memoizes pure functions of bytes: the items of a run read the same bodies and streams again and again."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import TypeVar

T = TypeVar("T")

MAX_MEMOIZED_BYTES = 50_000
"""The most bytes of a memoized call's arguments: longer ones are rare, and would fill the memory."""


def memoize(max_results: int) -> Callable[[Callable[..., T]], Callable[..., T]]:
    """Decorate a function of texts and bytes so that it keeps its last ``max_results`` results.

    Equal arguments then give the very same object, which must never be changed.
    """

    def decorate(function: Callable[..., T]) -> Callable[..., T]:
        cached_function = lru_cache(maxsize=max_results)(function)

        @wraps(function)
        def call(*arguments: str | bytes) -> T:
            is_short = sum(map(len, arguments)) <= MAX_MEMOIZED_BYTES
            return cached_function(*arguments) if is_short else function(*arguments)

        return call

    return decorate
