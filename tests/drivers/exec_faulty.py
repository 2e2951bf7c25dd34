"""A child for the miniature formats that does one thing wrong: ``python exec_faulty.py FAULT``.

Faults of a call come with the first request of the case box/two, and a case ``fault/NAME`` has the fault of its name.
Every process writes its id to the file ``pids``.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from exec_protocol import WORDS, die, tell, write  # type: ignore[import-not-found]  # a child finds it beside itself

FAULT = sys.argv[1]
FOREVER = 600.0
routes: dict[str, dict[str, str]] = {}


def note(pid: int) -> int:
    with Path("pids").open("a", encoding="utf-8") as file:
        file.write(f"{pid}\n")
    return pid


def kill() -> None:
    os.write(2, WORDS)
    os.kill(os.getpid(), signal.SIGSEGV)


def hang() -> None:
    os.write(2, WORDS)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    time.sleep(FOREVER)


def endless() -> None:
    write(b'{"seq": 1, "body": "')
    piece = b"x" * 1_000_000
    for _ in range(1_000):
        write(piece)


def close_output() -> None:
    os.close(1)
    time.sleep(FOREVER)


def write_half_and_exit() -> None:
    write(b'{"seq": 5, "bo')
    os._exit(0)


def noise_for_ever() -> None:
    while True:
        write(b"still at it\n" * 100)
        time.sleep(0.01)


# By fault, what is done at the request instead of an answer.
INSTEAD: dict[str, Callable[[int], None]] = {
    "dies": lambda _seq: die(3),
    "dies-with-0": lambda _seq: die(0),
    "is-killed": lambda _seq: kill(),
    "hangs": lambda _seq: hang(),
    "only-noise": lambda _seq: noise_for_ever(),
    "closes-output": lambda _seq: close_output(),
    "garbage": lambda _seq: write(b"{garbage}\n"),
    "two-keys": lambda seq: write(b'{"seq": %d, "body": {"text": "a", "text": "b"}}\n' % seq),
    "half-a-line": lambda _seq: write_half_and_exit(),
    "endless-line": lambda _seq: endless(),
    "no-utf-8": lambda seq: write(b'{"seq": %d, "body": {"text": "\xff"}}\n' % seq),
    "wrong-seq": lambda seq: tell(seq=seq + 1, body={}),
    "no-seq": lambda _seq: tell(body={}),
    "true-seq": lambda _seq: tell(seq=True, body={}),
    "unknown-key": lambda seq: tell(seq=seq, boddy={}),
    "no-body": lambda seq: tell(seq=seq),
    "two-results": lambda seq: tell(seq=seq, refused="no", unsupported="no"),
    "list-body": lambda seq: tell(seq=seq, body=[]),
    "null-body": lambda seq: tell(seq=seq, body=None),
    "failed": lambda seq: tell(seq=seq, failed="TypeError: x is not a function", traceback="at mine.js:7:1"),
    "refused": lambda seq: tell(seq=seq, refused="not this one"),
}


def answer(message: dict[str, Any]) -> dict[str, Any]:
    if message["op"] == "hello":
        return {"protocol": 1, "name": "faulty", "version": "1"}
    if message["op"] == "open":
        routes[message["session"]] = message["route"]
        return {}
    if message["op"] == "close":
        del routes[message["session"]]
        if FAULT == "dies-at-close":
            os._exit(5)
        if FAULT == "hangs-at-close":
            time.sleep(FOREVER)
        return {}
    end = {"request": "upstream", "response": "client"}[message["op"]]
    return {"body": {"format": routes[message["session"]][end], "text": message["body"]["text"]}}


def main() -> None:
    note(os.getpid())
    if FAULT == "never-again" and Path("died").exists():
        os.write(2, b"the licence has run out\n")
        sys.exit(7)
    if FAULT == "grandchild":
        command = [sys.executable, "-c", "import time; time.sleep(600)"]
        note(subprocess.Popen(command, stdin=subprocess.DEVNULL).pid)
    if FAULT == "slow-start":
        time.sleep(1.5)
    if FAULT == "ignores-the-end":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    for line in sys.stdin.buffer:
        message = json.loads(line)
        if FAULT == "banners":
            write(b"[info] listening on nothing at all\r\n\n12 \xff\n\xef\xbb\xbf")  # a byte order mark at the end
        if FAULT == "warnings":
            os.write(2, b"warning: this is deprecated\n" * 4_000)
        family, _, name = message.get("case", "").partition("/")
        here = message["op"] == "request" and (family == "fault" or message["case"] == "box/two")
        fault = name if family == "fault" else FAULT
        if here and fault in INSTEAD:
            INSTEAD[fault](message["seq"])
            continue
        if here and FAULT in ("never-again", "grandchild"):
            Path("died").touch()
            die(3)
        tell(seq=message["seq"], **answer(message))
        if here and FAULT == "answers-twice":
            tell(seq=message["seq"], body={})
    if FAULT == "dies-at-the-end":
        die(1)
    if FAULT == "ignores-the-end":
        time.sleep(FOREVER)


main()
