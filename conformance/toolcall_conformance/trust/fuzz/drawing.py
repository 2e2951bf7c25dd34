"""Draws scenarios from a seed."""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import random
from collections.abc import Iterable, Iterator
from typing import Any

from hypothesis import HealthCheck, Phase, find, settings
from hypothesis.errors import NoSuchExample
from hypothesis.internal.conjecture.providers import AVAILABLE_PROVIDERS, HypothesisProvider
from hypothesis.strategies import SearchStrategy

from toolcall_conformance.trust.fuzz.generators import Bricks
from toolcall_conformance.trust.fuzz.rendering import Drawn
from toolcall_conformance.trust.fuzz.scenarios import scenarios


class _Provider(HypothesisProvider):
    """Draws the same in every process: Hypothesis draws constants of whatever modules are loaded, too."""

    def _maybe_draw_constant(self, *_: Any, **__: Any) -> None:
        return None


_BACKEND = "toolcall"
AVAILABLE_PROVIDERS[_BACKEND] = _Provider
_SETTINGS = settings(
    backend=_BACKEND,
    max_examples=25,
    database=None,
    deadline=None,
    derandomize=False,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)


class ScenarioSource:
    """Scenarios from a ``seed``. The same seed, version of Hypothesis and ``bricks`` give the same scenarios."""

    def __init__(self, bricks: Bricks, seed: int) -> None:
        self._strategy: SearchStrategy[dict[str, Any]] = scenarios(bricks)
        self._seed = seed

    def drawn(self, count: int) -> Iterator[Drawn]:
        """``count`` different scenarios; the first of more are the same."""
        every = (drawn for lot in itertools.count() for drawn in self._lot(lot))
        return itertools.islice(_different(every), count)

    def _lot(self, number: int) -> list[Drawn]:
        """Scenarios from a seed of their own."""
        lot: list[Drawn] = []

        def keep(raw: dict[str, Any]) -> bool:
            lot.append(Drawn(**raw))
            return False

        with contextlib.suppress(NoSuchExample):
            find(self._strategy, keep, settings=_SETTINGS, random=random.Random(f"{self._seed}/{number}"))  # noqa: S311
        return lot


def _different(every: Iterable[Drawn]) -> Iterator[Drawn]:
    """Each scenario once."""
    keys: set[bytes] = set()
    for drawn in every:
        key = hashlib.sha256(drawn.key.encode()).digest()[:16]  # there may be very many
        if key not in keys:
            keys.add(key)
            yield drawn
