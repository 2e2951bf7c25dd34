"""Generates scenarios from a seed, and stores them in a temporary file for all routes."""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import json
import random
import tempfile
import weakref
import zlib
from collections.abc import Iterable, Iterator
from typing import Any

from hypothesis import HealthCheck, Phase, find, settings
from hypothesis.errors import NoSuchExample
from hypothesis.internal.conjecture.providers import AVAILABLE_PROVIDERS, HypothesisProvider
from hypothesis.strategies import SearchStrategy

from toolcall_conformance.trust.fuzz.cases import GeneratedScenario
from toolcall_conformance.trust.fuzz.frames import CorpusFrames
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
    """Scenarios from a ``seed``. The same seed, version of Hypothesis and ``frames`` give the same scenarios."""

    def __init__(self, frames: CorpusFrames, seed: int) -> None:
        self._strategy: SearchStrategy[dict[str, Any]] = scenarios(frames)
        self._seed = seed

    def generate(self, count: int) -> Iterator[GeneratedScenario]:
        """``count`` different scenarios; the first of more are the same."""
        scenarios = (drawn for lot in itertools.count() for drawn in self._lot(lot))
        return itertools.islice(_unique(scenarios), count)

    def _lot(self, number: int) -> list[GeneratedScenario]:
        """Scenarios from a seed of their own."""
        batch: list[GeneratedScenario] = []

        def keep(raw: dict[str, Any]) -> bool:
            batch.append(GeneratedScenario(**raw))
            return False

        with contextlib.suppress(NoSuchExample):
            find(self._strategy, keep, settings=_SETTINGS, random=random.Random(f"{self._seed}/{number}"))  # noqa: S311
        return batch


def _unique(scenarios: Iterable[GeneratedScenario]) -> Iterator[GeneratedScenario]:
    """Each scenario once."""
    keys: set[bytes] = set()
    for scenario in scenarios:
        key = hashlib.sha256(scenario.key.encode()).digest()[:16]  # there may be very many
        if key not in keys:
            keys.add(key)
            yield scenario


# A small run needs no file.
_IN_MEMORY = 4_000_000
_FAST = 1


class Spool:
    """JSON values in order, each taken from ``source`` once, when it is first needed."""

    def __init__(self, source: Iterable[Any]) -> None:
        self._source = iter(source)
        self._file = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115 - closed with the spool
        weakref.finalize(self, self._file.close)
        self._ends = [0]

    def __iter__(self) -> Iterator[Any]:
        place = 0
        while place < len(self._ends) - 1 or self._add():
            start, end = self._ends[place : place + 2]
            self._file.seek(start)
            yield json.loads(zlib.decompress(self._file.read(end - start)))
            place += 1

    def _add(self) -> bool:
        """Keep the next value; False if there is none."""
        for value in self._source:
            packed = zlib.compress(json.dumps(value).encode(), _FAST)
            self._file.seek(self._ends[-1])
            self._file.write(packed)
            self._ends.append(self._ends[-1] + len(packed))
            return True
        return False
