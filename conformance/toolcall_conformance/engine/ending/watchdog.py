"""Starts the watcher: a process that ends a hung run and writes its reports. Sends it what it needs for that.

A process has one watcher, however many runs it has. The watcher only sleeps while calls return.
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
from toolcall_conformance.drivers.python import hang_marks
from toolcall_conformance.engine.ending.process_exit import ExitGuard

# The key of `workerinput` under which xdist's controller sends the user's command.
COMMAND_KEY = "toolcall_command"
_WRITE_SECONDS = 1.0
_CONCLUDE_SECONDS = 20.0


class Watchdog:
    """The watcher, as the run sees it. Messages that it cannot take are dropped: it must never block the run."""

    _instance: Watchdog | None = None

    @classmethod
    def start(cls, config: pytest.Config) -> Watchdog | None:
        """Start to watch a run of pytest. Returns None where no process can be watched."""
        capture = config.pluginmanager.getplugin("capturemanager")
        with capture.global_and_fixture_disabled() if capture is not None else contextlib.nullcontext():
            worker = _worker_name(config)
            return cls.start_for(_isolation_command(config), f"the worker {worker}" if worker else "the run", worker)

    @classmethod
    def start_for(cls, isolation_command: str, run_name: str, worker: str = "") -> Watchdog | None:
        """Start to watch a run or a command, ``run_name`` in sentences. Returns None where no process can be watched.

        ``isolation_command`` runs the same with the translator isolated. ``worker`` is xdist's name of this process, or
        empty.
        """
        if os.name != "posix":  # Windows has no signal on which a process dumps its stack
            return None
        if cls._instance is None or not cls._instance.is_running():
            cls._instance = cls()
        cls._instance.begin_run(isolation_command, run_name, worker)
        return cls._instance

    def __init__(self) -> None:
        self._owner = os.getpid()
        memory, self._stack_file = _open_unnamed_file(), _open_unnamed_file()
        os.truncate(memory, mmap.PAGESIZE)
        self._deadline_cell = memoryview(mmap.mmap(memory, mmap.PAGESIZE)).cast("d")
        read, self._channel = os.pipe()
        life, self._life = os.pipe()  # it ends with this process
        os.set_blocking(self._channel, False)
        passed = (read, life, memory, self._stack_file)
        script = Path(__file__).with_name("watcher.py")
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", os.fspath(script), *map(str, passed)],
            pass_fds=passed,
            stdin=subprocess.DEVNULL,
        )
        os.close(read)
        os.close(life)
        os.close(memory)
        atexit.register(self._kill_process)

    def is_running(self) -> bool:
        """Whether the watcher runs and is this process's own. A fork of this process has none."""
        return os.getpid() == self._owner and self._process.poll() is None

    def begin_run(self, isolation_command: str, run_name: str, worker: str) -> None:
        """Begin to watch the run or command ``run_name``; see :meth:`start_for`."""
        path = [entry for entry in sys.path if isinstance(entry, str)]
        self._send(
            {
                "begin": {
                    "isolation_command": isolation_command,
                    "run_name": run_name,
                    "worker": worker,
                    "path": path,
                }
            }
        )
        if signal.getsignal(signal.SIGUSR1) == signal.SIG_DFL:
            faulthandler.register(signal.SIGUSR1, file=self._stack_file, all_threads=False)
        hang_marks.set_deadline_cell(self._deadline_cell)
        self._guard = ExitGuard(self._await_reports)

    def send_plan(self, content: Mapping[str, Any]) -> None:
        """Send what the reports begin with (``last_report.report_plan``)."""
        self._send({"plan": content})

    def send_item(self, item: Mapping[str, Any], timeout: float) -> None:
        """Send the item that is played next (``last_report.item_facts``), and the time limit of its calls."""
        self._send({"item": item, "timeout": timeout})

    def send_record(self, record: str, duration: float) -> None:
        """Send the record of an item, as JSON text."""
        self._send({"record": record, "duration": duration})

    def end_run(self) -> None:
        """Stop watching: the run is over, or writes its reports itself."""
        hang_marks.set_deadline_cell(None)
        self._send({"rest": True})
        self._guard.lift()
        faulthandler.unregister(signal.SIGUSR1)

    def _await_reports(self) -> None:
        """Wait until the watcher has written the reports: this process ends in the middle of its run."""
        self._send({"dies": True})
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_CONCLUDE_SECONDS)

    def _kill_process(self) -> None:
        """End the watcher: this process ends by itself."""
        if self.is_running():
            self._process.kill()
            self._process.wait()

    def _send(self, message: dict[str, Any]) -> None:
        line = memoryview(json.dumps(message).encode() + b"\n")
        with contextlib.suppress(OSError):
            while line:
                try:
                    line = line[os.write(self._channel, line) :]
                except BlockingIOError:
                    if not select.select([], [self._channel], [], _WRITE_SECONDS)[1]:
                        self._channel = -1  # the watcher reads no more


def _open_unnamed_file() -> int:
    """The descriptor of an open file without a name."""
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())


def _isolation_command(config: pytest.Config) -> str:
    worker = getattr(config, "workerinput", {})
    return str(worker.get(COMMAND_KEY) or isolated_command(config))


def _worker_name(config: pytest.Config) -> str:
    """The name of this process if it is a worker of xdist, else empty."""
    return str(getattr(config, "workerinput", {}).get("workerid", ""))


def isolated_command(config: pytest.Config) -> str:
    """The command that started the run, with the translator isolated."""
    beginning, words = run_command.command_words(config.invocation_params.args)
    return shlex.join([*beginning, "--toolcall-isolated", *words])
