"""A child that is hostile at its first answer to one operation: ``child.py OPERATION VALUE SEED``."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parents[1] / "drivers")]

import exec_python  # type: ignore[import-not-found]  # noqa: E402 - found by the path above

from hostility import texts  # noqa: E402
from hostility.values import INJECTED  # noqa: E402

OPERATION, VALUE, DRAW = sys.argv[1], sys.argv[2], Random(int(sys.argv[3]))
ONCE = Path("attacked")
"""What is started again behaves: the run must go on."""
FOREVER = "import time; time.sleep(600)"


def write(data: bytes, to: int = 1) -> None:
    try:
        while data:
            data = data[os.write(to, data) :]
    except BrokenPipeError:
        os._exit(9)


def flood(to: int) -> None:
    while True:
        write(b"x" * 100_000 + b"\n" * (to == 2), to)


def sleep() -> None:
    time.sleep(600)


def die(code: int = 0) -> None:
    os._exit(code)


def kill() -> None:
    os.kill(os.getpid(), signal.SIGSEGV)


def ignore_the_end() -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sleep()


def close_output() -> None:
    os.close(1)
    sleep()


def flood_errors() -> None:
    write(b"x" * 20_000_000 + b"\n", 2)


def inject() -> None:
    write(INJECTED.encode() * 10, 2)
    die(3)


def start_another() -> None:
    subprocess.Popen([sys.executable, "-c", FOREVER])


def start_another_and_die() -> None:
    subprocess.Popen([sys.executable, "-c", FOREVER], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    die(3)


DEEDS = {
    "closes": die,
    "exits": lambda: die(77),
    "kills-itself": kill,
    "hangs": sleep,
    "ignores-term": ignore_the_end,
    "floods-stdout": lambda: flood(1),
    "floods-stderr": flood_errors,
    "stdout-closed": close_output,
    "grandchild": start_another,
    "grandchild-apart": start_another_and_die,
    "injects-stderr": inject,
}
"""What is done before the answer, which most of these never give."""
LINES: dict[str, Callable[[bytes], bytes]] = {
    "half-line": lambda line: line[: len(line) // 2],
    "no-newline": lambda line: line[:-1],
    "long-line": lambda line: b'{"seq": ' + b" " * 17_000_000 + line[8:],
    "other-seq": lambda line: json.dumps(json.loads(line) | {"seq": 10**30}).encode() + b"\n",
    "two-answers": lambda line: line + line,
    "bytes": lambda line: bytes(range(256)) + b"\n" + line,
}
"""What is written in place of the answer."""


def attack(reply: dict[str, Any]) -> None:
    """Answer, or do something else."""
    line = json.dumps(reply).encode() + b"\n"
    if VALUE in DEEDS:
        DEEDS[VALUE]()
    elif VALUE in LINES:
        line = LINES[VALUE](line)
    else:
        line = texts.mutate_document(reply, VALUE, DRAW).replace(b"\n", b" ") + b"\n"
    write(line)


def tell(message: dict[str, Any], reply: dict[str, Any]) -> None:
    if message["op"].startswith(OPERATION) and not ONCE.exists():
        ONCE.touch()
        attack({"seq": message["seq"], **reply})
    else:
        good(message, reply)


good = exec_python.tell
exec_python.tell = tell
exec_python.main("toolcall_reference:ReferenceTranslator")
