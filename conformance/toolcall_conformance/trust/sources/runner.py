"""Runs draws in one process or in several."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from toolcall_conformance.drivers import Driver, load_driver
from toolcall_conformance.drivers.loading import OTHER_PROCESSES, Isolation
from toolcall_conformance.judge import Judge
from toolcall_conformance.library import Corpus, load_corpus
from toolcall_conformance.trust.sources.draws import Draw, Draws
from toolcall_conformance.trust.sources.trials import DrawTrier, TriedDraw
from toolcall_conformance.trust.table import MutationTable

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class TrialSettings:
    """What is to be tried: a translator, looked up in ``directory``, with the corpus and with what is in ``folders``.

    ``against`` is the directory in which an older version of it is found by the same spec. With ``dialects`` only
    replies in the dialects of compatible servers are tried.
    """

    translator: str
    directory: Path
    folders: tuple[Path, ...] = ()
    against: Path | None = None
    dialects: bool = False


class TrialRunner:
    """Makes and tries draws. Raises SpecError when it is made."""

    def __init__(self, options: TrialSettings) -> None:
        corpus = load_corpus()
        driver = load_driver(options.translator, directory=options.directory, transports=lambda: corpus.transports)
        older = _older(options.translator, options.against, corpus) if options.against is not None else None
        judge = Judge(corpus)
        self.draws = Draws(judge, MutationTable(corpus), options.folders, dialects=options.dialects)
        self.trier = DrawTrier(driver, judge, older)

    def try_number(self, seed: int, number: int) -> TriedDraw | None:
        """What becomes of the draw of that number; None where nothing was found to draw."""
        draw = self.draws.draw(seed, number)
        return None if draw is None else self.result(draw)

    def result(self, draw: Draw) -> TriedDraw:
        """What becomes of a draw. Where the judge itself fails, that is its outcome: it must take any JSON."""
        try:
            return self.trier.try_draw(draw)
        except Exception as error:  # one fault of the judge's own must not end the run
            reason = f"the judge raised {type(error).__name__}: {error}"
            return TriedDraw(draw.name, draw.source.way, draw.client, draw.upstream, "failed", reason=reason)


def _older(spec: str, directory: Path, corpus: Corpus) -> Driver:
    """The translator of the same spec in another directory: in a process of its own, which imports that one."""
    isolation = None if spec.startswith(OTHER_PROCESSES) else Isolation()
    return load_driver(spec, directory=directory, transports=lambda: corpus.transports, isolation=isolation)


def run(options: TrialSettings, seed: int, count: int, jobs: int, progress: Progress) -> list[TriedDraw]:
    """The results of the first draws of a seed, in their order. ``progress`` gets the draws done and the total."""
    if jobs > 1:
        return [*_in_processes(options, seed, count, jobs, progress)]
    machine, results = TrialRunner(options), []
    for number in range(count):
        results.append(machine.try_number(seed, number))
        progress(number + 1, count)
    return [result for result in results if result is not None]


def _in_processes(options: TrialSettings, seed: int, count: int, jobs: int, progress: Progress) -> Iterator[TriedDraw]:
    from concurrent.futures import ProcessPoolExecutor, as_completed  # costs a start that most commands need not pay

    done, size = 0, max(count // (jobs * 10), 1)
    parts = [range(at, min(at + size, count)) for at in range(0, count, size)]
    with ProcessPoolExecutor(jobs) as pool:
        futures = {pool.submit(_part, options, seed, part): len(part) for part in parts}
        for part in as_completed(futures):
            done += futures[part]
            progress(done, count)
        yield from (result for part in futures for result in part.result())


_MACHINES: dict[TrialSettings, TrialRunner] = {}


def _part(options: TrialSettings, seed: int, numbers: Sequence[int]) -> list[TriedDraw]:
    """What a process of its own does. It loads the translator once."""
    if options not in _MACHINES:
        _MACHINES[options] = TrialRunner(options)
    return [result for number in numbers if (result := _MACHINES[options].try_number(seed, number)) is not None]
