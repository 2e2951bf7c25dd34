"""Runs lots of faults, or of other tasks, in one process or in several, and reports progress."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from toolcall_conformance.checks import Harness
from toolcall_conformance.drivers import load_driver
from toolcall_conformance.judge import Judge
from toolcall_conformance.library import load_corpus
from toolcall_conformance.trust.mutation import Mutation, Workshop
from toolcall_conformance.trust.sampling import Lot, Sampler
from toolcall_conformance.trust.table import MutationTable

Progress = Callable[[int, int], None]
Task = TypeVar("Task")
Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class OutputSource:
    """Whose output is damaged: a translator by its spec, which is looked up in ``directory``."""

    translator: str
    directory: Path

    def sampler(self) -> Sampler:
        """A sampler with the translator loaded. Raises SpecError."""
        corpus = load_corpus()
        driver = load_driver(self.translator, directory=self.directory, transports=lambda: corpus.transports)
        return Sampler(Workshop(driver, Harness(Judge(corpus)), MutationTable(corpus)))


def run(source: OutputSource, lots: Sequence[Lot], jobs: int, progress: Progress) -> list[Mutation]:
    """The faults of all lots, judged, in the order of the lots. ``progress`` gets the lots done and the total."""
    parts = [list(lots)] if jobs == 1 else by_route(lots)
    return in_parts(_mutate_lot, source, parts, jobs, progress)


def by_route(lots: Sequence[Lot]) -> list[list[Lot]]:
    """The lots of each route and direction: what is made of a case serves all operators."""
    groups: dict[tuple[str, str, str], list[Lot]] = {}
    for lot in lots:
        groups.setdefault((lot.direction, lot.client, lot.upstream), []).append(lot)
    return list(groups.values())


def _mutate_lot(sampler: Sampler, lot: Lot) -> list[Mutation]:
    return list(sampler.mutations(lot))


def in_parts(
    work: Callable[[Sampler, Task], list[Found]],
    source: OutputSource,
    parts: Sequence[Sequence[Task]],
    jobs: int,
    progress: Progress,
) -> list[Found]:
    """What the work finds in all tasks, in their order; each part in one process, unless there is but one job.

    ``work`` is a function of a module: other processes look it up there. ``progress`` is told tasks done and in all.
    """
    count = sum(map(len, parts))
    if jobs == 1:
        sampler = source.sampler()
        results = []
        for done, task in enumerate((task for part in parts for task in part), 1):
            results += work(sampler, task)
            progress(done, count)
        return results
    return [result for part in _in_processes(work, source, parts, jobs, progress) for result in part]


def _in_processes(
    work: Callable[[Sampler, Task], list[Found]],
    source: OutputSource,
    parts: Sequence[Sequence[Task]],
    jobs: int,
    progress: Progress,
) -> Iterator[list[Found]]:
    from concurrent.futures import ProcessPoolExecutor, as_completed  # costs a start that most commands need not pay

    done, count = 0, sum(map(len, parts))
    with ProcessPoolExecutor(jobs) as pool:
        futures = {pool.submit(_part, work, source, part): len(part) for part in parts}
        for part in as_completed(futures):
            done += futures[part]
            progress(done, count)
        yield from (part.result() for part in futures)


_SAMPLERS: dict[OutputSource, Sampler] = {}


def _part(work: Callable[[Sampler, Task], list[Found]], source: OutputSource, tasks: Sequence[Task]) -> list[Found]:
    """What a process of its own does. It loads the translator once."""
    if source not in _SAMPLERS:
        _SAMPLERS[source] = source.sampler()
    return [result for task in tasks for result in work(_SAMPLERS[source], task)]
