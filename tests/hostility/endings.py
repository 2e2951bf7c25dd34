"""What a translator does to its process, or to its interpreter: only one in a process of its own may."""

from __future__ import annotations

import atexit
import builtins
import ctypes
import gc
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
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


def _raising(*_: Any) -> None:
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
    "trace": lambda: sys.settrace(_raising),
    "collect": lambda: gc.set_threshold(1),
    "print": lambda: print("x" * 20_000_000),
    "builtins": builtins.__dict__.clear,
}
"""By name, what is done to the interpreter or to the channel."""
TO_THE_PROCESS: Mapping[str, Mapping[str, Callable[[], Any]]] = {
    "ends": ENDINGS,
    "dies": {name: deed for name, deed in ENDINGS.items() if name not in ("orphan", "fork")},
    "wrecks": WRECKS,
}
"""By the way of being hostile. What ``dies`` leaves no process behind: only an isolated translator's are found."""
