"""Stops a regeneration of goldens and a recording at random moments, and looks at what is left.

``python tests regeneration.killed`` sends SIGINT, SIGTERM and SIGKILL at 200 moments each to ``pytest
--snapshot-update`` and to ``toolcall-conformance record``. Most moments lie in the milliseconds in which files are
written: the process is forked just before, once for each. The others lie anywhere in a whole run. Afterwards every file
must be the old one or the new one, nothing else may be there but temporary files, and no reader may take notice of
these.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

TESTS = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS))

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGKILL)
#: Of this many moments one lies anywhere in a run, the others while files are written.
ANYWHERE = 10
#: A run that takes this long stands still.
PATIENCE = 120.0
Tree = dict[str, bytes]


@dataclass
class Outcome:
    """What was found: how often the files were all old, all new, or of both kinds; and what must not be."""

    states: Counter[str] = field(default_factory=Counter)
    left: int = 0
    read: bool = False
    wrong: list[str] = field(default_factory=list)


@dataclass
class Subject:
    """What is stopped. ``root`` holds the files; ``is_left`` knows a temporary file by its path there.

    ``readers`` returns what readers see of the folder, which temporary files must not change.
    """

    name: str
    root: Path
    old: Tree
    new: Tree
    is_left: Callable[[str], bool]
    readers: Callable[[], Any]

    def restore(self) -> None:
        """Make the folder what it was before."""
        now = tree(self.root)
        for name in now.keys() | self.old.keys():
            if name not in self.old:
                (self.root / name).unlink()
            elif now.get(name) != self.old[name]:
                (self.root / name).parent.mkdir(parents=True, exist_ok=True)
                (self.root / name).write_bytes(self.old[name])

    def look(self, when: str, outcome: Outcome) -> None:
        """Judge the folder as it is."""
        now = tree(self.root)
        left = [name for name in now if self.is_left(name) and name not in self.old | self.new]
        outcome.left += len(left)
        kinds = set()
        for name in (self.old | self.new).keys() | (now.keys() - set(left)):
            content = now.get(name)
            if content not in (self.old.get(name), self.new.get(name)):
                outcome.wrong.append(f"{when}: {name} is neither the old file nor the new one")
            elif self.old.get(name) != self.new.get(name):
                kinds.add("new" if content == self.new.get(name) else "old")
        outcome.states[" and ".join(sorted(kinds))] += 1
        if left and not outcome.read:  # readers take long: once is enough
            outcome.read = True
            readings = self.readers()
            for name in left:
                (self.root / name).unlink()
            if readings != self.readers():
                outcome.wrong.append(f"{when}: a reader takes notice of {', '.join(left)}")


def tree(root: Path) -> Tree:
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def run_and_stop(run: Callable[[Callable[[], None]], None], number: int | None, moment: float) -> float:
    """Fork, call ``run`` there with a function that says "now", and send the signal ``moment`` seconds after it did.

    Returns how long the child ran after "now"; a child that says nothing is waited for. Raises TimeoutError.
    """
    reader, tell = os.pipe()
    child = os.fork()
    if child == 0:
        _silent()
        with contextlib.suppress(BaseException):
            run(lambda: _say(tell))
        os._exit(0)
    os.close(tell)
    os.read(reader, 1)
    os.close(reader)
    started = time.monotonic()
    if number is not None:
        time.sleep(moment)
        os.kill(child, number)
    while os.waitpid(child, os.WNOHANG)[0] == 0:
        if time.monotonic() - started > PATIENCE:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            raise TimeoutError(f"a run did not end within {PATIENCE:g} s after signal {number}")
        time.sleep(0.0005)
    return time.monotonic() - started


def _say(tell: int) -> None:
    os.write(tell, b"!")
    os.close(tell)


def _silent() -> None:
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in range(3):
        os.dup2(nothing, descriptor)


def stop_often(
    subject: Subject, run: Callable[[Callable[[], None]], None], moments: int, chance: random.Random, outcome: Outcome
) -> None:
    """Stop ``run`` at so many moments between its "now" and its end, by each signal."""
    if not moments:
        return
    window = 0.0
    for _ in range(3):
        window = max(window, run_and_stop(run, None, 0))
        if tree(subject.root) != subject.new:
            raise RuntimeError(f"{subject.name}: a run that nobody stops does not make the new files")
        subject.restore()
    for number in SIGNALS:
        for _ in range(moments):
            moment = chance.uniform(0, window)
            run_and_stop(run, number, moment)
            subject.look(f"{subject.name}, {number.name} after {moment * 1000:.2f} ms", outcome)
            subject.restore()


# -- goldens -----------------------------------------------------------------------------------------------------------


class AtTheDoor:
    """A plugin of pytest: where the regeneration is about to write, ``at_writing`` is called with what would write."""

    def __init__(self, at_writing: Callable[[Callable[[], None]], None]) -> None:
        self._at_writing = at_writing

    def pytest_configure(self) -> None:
        from regeneration import hooks
        from regeneration.changes import publish

        vars(hooks).update(
            objections=lambda *_: [],  # examined elsewhere, in a process of its own that takes seconds
            publish=lambda *arguments: self._at_writing(lambda: publish(*arguments)),
        )


def regenerate(corpus: Path, *plugins: object) -> None:
    import pytest

    from regeneration.validation import without

    quick = [
        "-q",
        *without("cacheprovider", "hypothesispytest", "anyio", "xdist", "randomly"),
        "--assert=plain",
        f"--rootdir={TESTS.parent}",
    ]
    goldens = [str(TESTS / "corpus/test_rendered_goldens.py"), f"--corpus={corpus}", "--snapshot-update"]
    with contextlib.redirect_stdout(io.StringIO()):
        pytest.main([*goldens, *quick], plugins=list(plugins))


def goldens(folder: Path, moments: int, chance: random.Random) -> Outcome:
    """Stop the regeneration of two cases whose replies of one format change."""
    from corpus.test_regeneration import CHANGED, FEW, copy_of
    from toolcall_conformance import library

    corpus, outcome = copy_of(folder, FEW[:2]), Outcome()
    exec(compile(CHANGED, "CHANGED", "exec"), {})
    subject = Subject(
        "regeneration",
        corpus,
        tree(corpus),
        {},
        lambda name: Path(name).name.startswith(".rendering-") and Path(name).suffix == ".tmp",
        lambda: {case.id: repr(case.exchanges("gemini")) for case in library.load_corpus(corpus).cases.values()},
    )
    usual = library.default_root

    def at_writing(write: Callable[[], None]) -> None:
        write()
        subject.new = tree(corpus)
        subject.restore()

        def run(now: Callable[[], None]) -> None:
            now()
            write()

        stop_often(subject, run, moments - moments // ANYWHERE, chance, outcome)

    regenerate(corpus, AtTheDoor(at_writing))
    subject.restore()

    def whole(now: Callable[[], None]) -> None:
        now()
        regenerate(corpus, AtTheDoor(lambda write: write()))

    stop_often(subject, whole, moments // ANYWHERE, chance, outcome)
    library.default_root = usual  # which --corpus has replaced
    return outcome


# -- cassettes ---------------------------------------------------------------------------------------------------------

CASE = "shell/realistic"


def provider(corpus: Any) -> tuple[int, str]:
    """A provider on loopback in a process of its own, so that ours has no thread when it forks: its id and address."""
    from cassettes.loopback_provider import PlannedReply, replies
    from cassettes.loopback_provider import provider as on_loopback

    reader, tell = os.pipe()
    child = os.fork()
    if child == 0:
        laid = [
            reply
            for reply in replies(corpus.cases[CASE], "anthropic", streamed=False)
            if isinstance(reply, PlannedReply)
        ]
        _silent()  # it would tell of every client that was stopped in the middle
        with on_loopback() as server:
            server.answers = [lambda request: laid[len(request.body["messages"]) > 1]] * 100_000
            os.write(tell, server.url.encode())
            os.close(tell)
            while os.getppid() != 1:
                time.sleep(1)
        os._exit(0)
    os.close(tell)
    url = os.read(reader, 200).decode()
    os.close(reader)
    return child, url


def record(url: str, cassette_folder: Path) -> None:
    from toolcall_conformance.cli import main

    words = ["--format", "anthropic", "--model", "m", "--case", CASE, "--unary", "--rate", "60000"]
    with contextlib.redirect_stdout(io.StringIO()):
        main(["record", *words, "--cassettes", str(cassette_folder), "--base-url", url])


def cassettes(folder: Path, moments: int, chance: random.Random) -> Outcome:
    """Stop a recording that replaces an earlier cassette."""
    from toolcall_conformance import library
    from toolcall_conformance.basics import atomic_files
    from toolcall_conformance.recording.cassettes.cases import load

    corpus, outcome, cassette_folder = library.load_corpus(), Outcome(), folder / "kept"
    os.environ["ANTHROPIC_API_KEY"] = "key-of-the-harness-0123456789"
    child, url = provider(corpus)
    try:
        path = cassette_folder / "anthropic" / f"{CASE}.json"
        record(url, cassette_folder)
        new = tree(cassette_folder)
        path.write_bytes(new["anthropic/shell/realistic.json"].replace(b'"model": "m"', b'"model": "another"'))
        subject = Subject(
            "record",
            cassette_folder,
            tree(cassette_folder),
            new,
            lambda name: Path(name).name.startswith(".") and Path(name).suffix == ".tmp",
            lambda: sorted(load(corpus, [cassette_folder]).cases),
        )
        if subject.old == new:
            raise RuntimeError("the earlier cassette is the new one")
        write = atomic_files.write

        def at_writing(path: Path, text: str) -> None:
            def run(now: Callable[[], None]) -> None:
                now()
                write(path, text)

            stop_often(subject, run, moments - moments // ANYWHERE, chance, outcome)

        vars(atomic_files)["write"] = at_writing
        record(url, cassette_folder)
        vars(atomic_files)["write"] = write
        subject.restore()

        def whole(now: Callable[[], None]) -> None:
            now()
            record(url, cassette_folder)

        stop_often(subject, whole, moments // ANYWHERE, chance, outcome)
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    return outcome


SUBJECTS = {"goldens": goldens, "cassettes": cassettes}


@contextlib.contextmanager
def scratch() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="killed-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main(arguments: list[str] | None = None) -> int:
    """Print a line for each subject and what is wrong; 1 if anything is."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--moments", type=int, default=200, metavar="N", help="for each signal (default: 200)")
    parser.add_argument("--seed", type=int, default=1, metavar="N")
    parser.add_argument("--only", choices=SUBJECTS, help="stop this alone")
    options = parser.parse_args(arguments)
    bad = 0
    for name, stop in SUBJECTS.items():
        if options.only in (None, name):
            with scratch() as folder:
                started = time.monotonic()
                outcome = stop(folder, options.moments, random.Random(options.seed))
            states = ", ".join(f"{count} {state}" for state, count in sorted(outcome.states.items()))
            print(
                f"{name}: {outcome.states.total()} moments in {time.monotonic() - started:.0f} s: {states}; "
                f"{outcome.left} temporary files left, {len(outcome.wrong)} faults"
            )
            for line in outcome.wrong[:20]:
                print(f"  {line}")
            bad += len(outcome.wrong)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
