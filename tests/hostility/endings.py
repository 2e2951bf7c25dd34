"""What a translator does to its process, or to its interpreter: only one in a process of its own may."""

from __future__ import annotations

import atexit
import builtins
import contextlib
import ctypes
import fcntl
import functools
import gc
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any


def _hold() -> None:
    """Wait in C, with the interpreter's lock, for ever."""
    lock = ctypes.create_string_buffer(128)
    for _ in range(2):
        ctypes.PyDLL(None).pthread_mutex_lock(lock)


def _rubbish() -> None:
    for number in range(3, 64):
        try:
            os.set_blocking(number, False)
            os.write(number, b'{"seq": 1}\n\xff\0')
        except OSError:
            pass


def _start() -> None:
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])


def _fork() -> None:
    if not os.fork():
        time.sleep(600)
        os._exit(0)


def _leave_threads() -> None:
    for _ in range(20):
        threading.Thread(target=time.sleep, args=(600,)).start()


def _deaf() -> None:
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGALRM, signal.SIGHUP, signal.SIGUSR1):
        signal.signal(number, signal.SIG_IGN)
    while True:
        try:
            time.sleep(600)
        except BaseException:
            continue


def _raise(*_: Any) -> None:
    raise ZeroDivisionError


ENDINGS: Mapping[str, Callable[[], Any]] = {
    "exit-0": lambda: os._exit(0),
    "exit-3": lambda: os._exit(3),
    "segfault": lambda: os.kill(os.getpid(), signal.SIGSEGV),
    "kill": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "stop": lambda: os.kill(os.getpid(), signal.SIGSTOP),
    "hold": _hold,
    "orphan": _start,
    "fork": _fork,
    "threads": _leave_threads,
    "at-exit": lambda: atexit.register(time.sleep, 600),
    "memory": lambda: bytearray(2**45),
    "deaf": _deaf,
    "folder": lambda: os.chdir("/"),
    "environment": os.environ.clear,
}
"""By name, what is done to the process."""
WRECKS: Mapping[str, Callable[[], Any]] = {
    "closes": lambda: os.closerange(0, 256),
    "rubbish": _rubbish,
    "modules": sys.modules.clear,
    "import": lambda: setattr(builtins, "__import__", None),
    "json": lambda: setattr(json, "dumps", None),
    "write": lambda: setattr(os, "write", None),
    "sleep": lambda: setattr(time, "sleep", None),
    "streams": lambda: sys.__dict__.update(stdin=None, stdout=None, stderr=None),
    "recursion": lambda: sys.setrecursionlimit(60),
    "trace": lambda: sys.settrace(_raise),
    "collect": lambda: gc.set_threshold(1),
    "print": lambda: print("x" * 20_000_000),
    "builtins": builtins.__dict__.clear,
}
"""By name, what is done to the interpreter or to the channel."""


def _at_exit() -> None:
    atexit.register(os._exit, 0)


def _from_a_thread() -> None:
    threading.Thread(target=os._exit, args=(0,)).start()
    time.sleep(600)


def _from_a_signal() -> None:
    signal.signal(signal.SIGUSR2, lambda *_: os._exit(0))
    os.kill(os.getpid(), signal.SIGUSR2)


def _from_a_callback() -> None:
    libc = ctypes.CDLL(None)
    libc.qsort((ctypes.c_int * 2)(1, 0), 2, 4, ctypes.CFUNCTYPE(ctypes.c_int)(lambda: os._exit(0)))


def _leave() -> None:
    os._exit(0)


LEAVES: Mapping[str, Callable[[], Any]] = {
    "exit-0": _leave,
    "at-exit-0": _at_exit,
    "thread-0": _from_a_thread,
    "signal-0": _from_a_signal,
    "callback-0": _from_a_callback,
    "exit-3": ENDINGS["exit-3"],
    "kill": ENDINGS["kill"],
    "segfault": ENDINGS["segfault"],
    "native-0": lambda: ctypes.CDLL(None)._exit(0),
    "other-program": lambda: os.execv(sys.executable, [sys.executable, "-c", ""]),
}
"""By name, how the process of a run ends before its verdicts are there."""
UNSEEN = ("native-0", "other-program")
"""No code of Python can give these another exit code; a report of an earlier run must not stay in place."""


def _many_files() -> None:
    with contextlib.suppress(OSError):
        while True:
            KEPT.append(os.open(os.devnull, os.O_RDONLY))


def _write_other_entries(path: Path) -> None:
    path.write_text("# mine\nbox/two alpha/text-kept\n", encoding="utf-8")


def _folder(path: Path) -> None:
    path.unlink(missing_ok=True)
    path.mkdir(exist_ok=True)


def _link(path: Path) -> None:
    path.unlink(missing_ok=True)
    path.symlink_to("/dev/full")


def _lock_folder(path: Path) -> None:
    KEPT.append(os.open(path.parent, os.O_RDONLY))
    fcntl.flock(KEPT[-1], fcntl.LOCK_EX)


KEPT: list[int] = []
CHANGES: Mapping[str, Callable[[Path], Any]] = {
    "gone": lambda path: path.unlink(missing_ok=True),
    "other": _write_other_entries,
    "half": lambda path: path.write_bytes(path.read_bytes()[:30]),
    "bytes": lambda path: path.write_bytes(bytes(range(256))),
    "folder": _folder,
    "link": _link,
    "longer": lambda path: path.write_bytes(path.read_bytes() * 50),
    "locked": _lock_folder,
    "files": lambda _path: _many_files(),
    "nothing": lambda _path: None,
}
"""By name, what is done to a file that the run has read and will write, or to what writing it takes."""
TO_THE_PROCESS: Mapping[str, Mapping[str, Callable[[], Any]]] = {
    "ends": ENDINGS,
    "dies": {name: deed for name, deed in ENDINGS.items() if name not in ("orphan", "fork")},
    "wrecks": WRECKS,
    "leaves": LEAVES,
    "changes": {
        name: functools.partial(deed, Path(os.environ.get("HOSTILITY_HOME", "."), "known.toml"))
        for name, deed in CHANGES.items()
    },
}
"""By the way of being hostile. What ``dies`` leaves no process behind: only an isolated translator's are found."""
