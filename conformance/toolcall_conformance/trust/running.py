"""Runs lots of faults, in one process or in several, and tells how far it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from toolcall_conformance.checks import Harness
from toolcall_conformance.drivers import load_driver
from toolcall_conformance.judge import Judge
from toolcall_conformance.library import load_corpus
from toolcall_conformance.trust.mutation import Mutation, Workshop
from toolcall_conformance.trust.sampling import Lot, Sampler
from toolcall_conformance.trust.table import Table

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Source:
    """Whose output is damaged: a translator by its spec, which is looked up in ``directory``."""

    translator: str
    directory: Path

    def sampler(self) -> Sampler:
        """A sampler with the translator loaded. Raises SpecError."""
        corpus = load_corpus()
        driver = load_driver(self.translator, directory=self.directory, transports=lambda: corpus.transports)
        return Sampler(Workshop(driver, Harness(Judge(corpus)), Table(corpus)))


def run(source: Source, lots: Sequence[Lot], jobs: int, progress: Progress) -> list[Mutation]:
    """The faults of all lots, judged, in the order of the lots. ``progress`` is told lots done and lots in all."""
    if jobs == 1:
        sampler = source.sampler()
        found = []
        for done, lot in enumerate(lots, 1):
            found += list(sampler.made(lot))
            progress(done, len(lots))
        return found
    return [one for part in _in_processes(source, lots, jobs, progress) for one in part]


def _in_processes(source: Source, lots: Sequence[Lot], jobs: int, progress: Progress) -> Iterator[list[Mutation]]:
    """The faults by route and direction, each group in one process: what it makes of a case serves all operators."""
    from concurrent.futures import ProcessPoolExecutor, as_completed  # costs a start that most commands need not pay

    groups: dict[tuple[str, str, str], list[Lot]] = {}
    for lot in lots:
        groups.setdefault((lot.direction, lot.client, lot.upstream), []).append(lot)
    done = 0
    with ProcessPoolExecutor(jobs) as pool:
        parts = {pool.submit(_part, source, group): len(group) for group in groups.values()}
        for part in as_completed(parts):
            done += parts[part]
            progress(done, len(lots))
        yield from (part.result() for part in parts)


_SAMPLERS: dict[Source, Sampler] = {}


def _part(source: Source, lots: Sequence[Lot]) -> list[Mutation]:
    """What a process of its own does. It loads the translator once."""
    if source not in _SAMPLERS:
        _SAMPLERS[source] = source.sampler()
    return [one for lot in lots for one in _SAMPLERS[source].made(lot)]
