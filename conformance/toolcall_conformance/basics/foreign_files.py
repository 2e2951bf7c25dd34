"""Read files that others wrote: regular files of a limited size and depth, so that none can hang or end a run.

A file that cannot be read raises ``OSError`` with a ``strerror`` for the user, as a missing one does.
"""

from __future__ import annotations

import errno
import io
import json
import os
import stat
import time
import tomllib
from pathlib import Path
from typing import Any, BinaryIO

MAX_BYTES = 256 * 2**20
"""The most bytes of a file. The largest recordings and reports have some tens of MiB; parsed, JSON takes ten times
its size, and a machine of CI has a few GiB."""

MAX_DEPTH = 500
"""The most levels of nested lists and objects. Bodies of real traffic have less than fifty; code that walks them
recurses, and Python stops at a thousand calls."""


_CHUNK_BYTES = 2**16

WRITER_WAIT_SECONDS = 5.0
"""How long a pipe may have no writer: a shell starts both sides at once."""


def read_bytes(path: Path, *, pipes: bool = False) -> bytes:
    """The content of a regular file, with ``pipes`` also of a pipe (``judge <(command)``). Raises OSError."""
    try:
        # A pipe without a writer would block in open().
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0))
    except ValueError:
        raise OSError(errno.EINVAL, "its name has a character that no file's name can have") from None
    with os.fdopen(descriptor, "rb") as file:
        stats = os.fstat(file.fileno())
        if stat.S_ISDIR(stats.st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if not pipes and not stat.S_ISREG(stats.st_mode):
            raise OSError(errno.EINVAL, "not a regular file")
        if stat.S_ISFIFO(stats.st_mode):
            return _read_pipe(file)
        return read_limited(file)


def _read_pipe(file: BinaryIO) -> bytes:
    """Read a pipe to its end. It waits ``WRITER_WAIT_SECONDS`` for a writer; one that is there may take its time."""
    first = b""
    until = time.monotonic() + WRITER_WAIT_SECONDS
    while not first:
        try:
            first = os.read(file.fileno(), _CHUNK_BYTES)
        except BlockingIOError:  # somebody writes, and has nothing yet
            break
        if time.monotonic() > until:
            raise OSError(errno.EPIPE, f"a pipe without data for {WRITER_WAIT_SECONDS:g} s")
        time.sleep(0.01)
    os.set_blocking(file.fileno(), True)
    return first + read_limited(file)


def verify_readable(path: Path) -> None:
    """Raise OSError unless ``read_bytes`` can read this regular file."""
    stats = path.stat()
    if not stat.S_ISREG(stats.st_mode):
        raise OSError(errno.EINVAL, "not a regular file")
    if stats.st_size > MAX_BYTES:
        raise _too_large()


def read_limited(file: BinaryIO) -> bytes:
    """All bytes of an open file. Raises OSError for more than ``MAX_BYTES``."""
    content = bytearray()
    while chunk := file.read(_CHUNK_BYTES):  # one read of all that is allowed would ask for so much memory at once
        content += chunk
        if len(content) > MAX_BYTES:
            raise _too_large()
    return bytes(content)


def _too_large() -> OSError:
    return OSError(errno.EFBIG, f"more than {MAX_BYTES // 2**20} MiB")


def read_text(path: Path) -> str:
    """The text of a regular file in UTF-8; each end of a line is a newline. Raises OSError and UnicodeDecodeError."""
    return io.StringIO(read_bytes(path).decode("utf-8"), newline=None).getvalue()


def parse_toml(text: str) -> dict[str, Any]:
    """Parse TOML. Raises TOMLDecodeError, also for what is nested too deeply or has too long a number."""
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        raise
    except RecursionError:
        raise tomllib.TOMLDecodeError("nested too deeply") from None
    except ValueError as error:  # CPython does not read whole numbers of more than 4,300 digits
        raise tomllib.TOMLDecodeError(str(error)) from None
    if is_too_deep(document):
        raise tomllib.TOMLDecodeError("nested too deeply")
    return document


def toml_fault(error: OSError | ValueError) -> str:
    """Why ``read_text`` or ``parse_toml`` failed, in words that follow the file's name."""
    if isinstance(error, OSError):
        return f"cannot be read ({error.strerror})"
    if isinstance(error, UnicodeDecodeError):
        return f"is not UTF-8 text (byte {error.start}), as TOML must be"
    return f"is not TOML: {error}"


def parse_json(text: str) -> Any:
    """Parse JSON as Python does. Raises ValueError, also for what is nested too deeply."""
    try:
        document = json.loads(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if is_too_deep(document):
        raise ValueError("nested too deeply")
    return document


def is_too_deep(value: Any) -> bool:
    """Whether a value has more than ``MAX_DEPTH`` levels of lists and objects."""
    level, depth = [value], 0
    while level:
        depth += 1
        if depth > MAX_DEPTH + 1:
            return True
        level = [
            entry
            for node in level
            if isinstance(node, (dict, list))
            for entry in (node.values() if isinstance(node, dict) else node)
            if isinstance(entry, (dict, list))
        ]
    return False
