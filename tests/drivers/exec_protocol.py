"""What the faulty children of these tests share: how they answer, and how they die."""

from __future__ import annotations

import json
import os
from typing import Any

WORDS = b"these are my last words\n"


def write(data: bytes) -> None:
    try:
        while data:
            data = data[os.write(1, data) :]
    except BrokenPipeError:
        os._exit(9)


def tell(**reply: Any) -> None:
    write(json.dumps(reply).encode() + b"\n")


def die(code: int = 3) -> None:
    os.write(2, WORDS)
    os._exit(code)
