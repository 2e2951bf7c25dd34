"""Starts a process that ends a run which stands still, and writes its reports; tells it what it needs for that.

There is one such process in a process, whatever number of runs it has. It only sleeps while calls return.
"""

from __future__ import annotations

import atexit
import contextlib
import faulthandler
import json
import mmap
import os
import select
import shlex
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from toolcall_conformance.basics import run_command
from toolcall_conformance.drivers.python import hang_marks as standing
from toolcall_conformance.engine.ending.exits import Guard

# The key under which xdist's controller tells its workers the command that the user gave.
COMMAND = "toolcall_command"
_WRITE_SECONDS = 1.0
_CONCLUDE_SECONDS = 20.0


class Watchdog:
    """The process beside this one. What it cannot be told is lost: it must never hold up a run."""

    _one: Watchdog | None = None

    @classmethod
    def of(cls, config: pytest.Config) -> Watchdog | None:
        """The watchdog of this process, which knows nothing of a run yet; None where there can be none."""
        capture = config.pluginmanager.getplugin("capturemanager")
        with capture.global_and_fixture_disabled() if capture is not None else contextlib.nullcontext():
            worker = _worker(config)
            return cls.of_any(_advice(config), f"the worker {worker}" if worker else "the run", worker)

    @classmethod
    def of_any(cls, advice: str, whose: str, worker: str = "") -> Watchdog | None:
        """The watchdog of this process, for a run or a command, ``whose``; None where there can be none.

        ``advice`` is the command that isolates the translator, ``worker`` xdist's name of this process, if it has one.
        """
        if os.name != "posix":  # Windows has no signal that says where a process stands
            return None
        if cls._one is None or not cls._one.runs():
            cls._one = cls()
        cls._one.begin(advice, whose, worker)
        return cls._one

    def __init__(self) -> None:
        self._owner = os.getpid()
        memory, self._stand = _file(), _file()
        os.truncate(memory, mmap.PAGESIZE)
        self._cell = memoryview(mmap.mmap(memory, mmap.PAGESIZE)).cast("d")
        read, self._to = os.pipe()
        life, self._life = os.pipe()  # it ends with this process
        os.set_blocking(self._to, False)
        passed = (read, life, memory, self._stand)
        script = Path(__file__).with_name("watcher.py")
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", os.fspath(script), *map(str, passed)],
            pass_fds=passed,
            stdin=subprocess.DEVNULL,
        )
        os.close(read)
        os.close(life)
        os.close(memory)
        atexit.register(self._leave)

    def runs(self) -> bool:
        """Whether it is there. A copy of this process has none."""
        return os.getpid() == self._owner and self._process.poll() is None

    def begin(self, advice: str, whose: str, worker: str) -> None:
        """Begin what ``of_any`` is for."""
        path = [entry for entry in sys.path if isinstance(entry, str)]
        self._tell({"begin": {"advice": advice, "whose": whose, "worker": worker, "path": path}})
        if signal.getsignal(signal.SIGUSR1) == signal.SIG_DFL:
            faulthandler.register(signal.SIGUSR1, file=self._stand, all_threads=False)
        standing.show_in(self._cell)
        self._guard = Guard(self._await_reports)

    def plan(self, content: Mapping[str, Any]) -> None:
        """Say what the reports begin with."""
        self._tell({"plan": content})

    def plays(self, item: Mapping[str, Any], seconds: float) -> None:
        """Say which item is played now: its ``nodeid``, and for reports what a record says of it."""
        self._tell({"item": item, "seconds": seconds})

    def keep(self, record: str, duration: float) -> None:
        """Hand over the record of an item."""
        self._tell({"record": record, "duration": duration})

    def rest(self) -> None:
        """The run is over, or writes its reports itself."""
        standing.show_in(None)
        self._tell({"rest": True})
        self._guard.lift()
        faulthandler.unregister(signal.SIGUSR1)

    def _await_reports(self) -> None:
        """The process is about to end amid its run: wait until the watcher has written what there is."""
        self._tell({"dies": True})
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_CONCLUDE_SECONDS)

    def _leave(self) -> None:
        """This process ends by itself: nobody is to watch it any more."""
        if self.runs():
            self._process.kill()
            self._process.wait()

    def _tell(self, message: dict[str, Any]) -> None:
        line = memoryview(json.dumps(message).encode() + b"\n")
        with contextlib.suppress(OSError):
            while line:
                try:
                    line = line[os.write(self._to, line) :]
                except BlockingIOError:
                    if not select.select([], [self._to], [], _WRITE_SECONDS)[1]:
                        self._to = -1  # it does not read any more


def _file() -> int:
    """A file without a name, open."""
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())


def _advice(config: pytest.Config) -> str:
    worker = getattr(config, "workerinput", {})
    return str(worker.get(COMMAND) or command(config))


def _worker(config: pytest.Config) -> str:
    """The name of xdist's worker that this process is, or nothing."""
    return str(getattr(config, "workerinput", {}).get("workerid", ""))


def command(config: pytest.Config) -> str:
    """What the user wrote to start the run, with the translator isolated."""
    beginning, words = run_command.command_words(config.invocation_params.args)
    return shlex.join([*beginning, "--toolcall-isolated", *words])
