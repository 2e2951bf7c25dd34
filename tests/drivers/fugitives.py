"""A command whose processes try to outlive it: ``fugitives.py KIND TOKEN``. It prints a line when they run.

Each has the token among its arguments, so that a list of processes shows those that are left.
"""

from __future__ import annotations

import os
import signal
import sys
import time

KIND, TOKEN = sys.argv[1:3]
SLEEP = [sys.executable, "-I", "-S", "-c", "import time; time.sleep(60)", TOKEN]


def leave() -> None:
    """Do as daemons do: another session, no controlling terminal, no open pipe."""
    os.setsid()
    if os.fork():
        os._exit(0)
    os.chdir("/")
    os.closerange(0, 256)


def deaf() -> None:
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)


def hop() -> None:
    """Be another process each millisecond, whose parent is gone. Ends by itself, should a test not end it."""
    os.setsid()
    until = time.monotonic() + 30
    while time.monotonic() < until:
        time.sleep(0.001)
        if os.fork():
            os._exit(0)


def child() -> None:
    match KIND:
        case "setsid":
            os.setsid()
        case "daemon":
            leave()
        case "deaf":
            os.setsid()
            deaf()
        case "nameless":  # without the variables that a search by environment would look for
            leave()
            os.execve(SLEEP[0], SLEEP, {})
        case "hopping":
            hop()
        case "orphaning":  # its parent, the command, is gone
            leave()
        case "stopped":
            os.setsid()
            os.kill(os.getpid(), signal.SIGSTOP)
    os.execv(SLEEP[0], SLEEP)


if KIND == "deaf":
    deaf()
for _ in range(3):
    if os.fork() == 0:
        child()
print("they run", flush=True)
if KIND != "orphaning":
    time.sleep(60)
