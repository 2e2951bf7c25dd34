"""Files that are written whole or not at all, and that are still there after the power has failed.

A file is written to a temporary one, which goes to the disk (fsync) before it takes the other's name; then the folder
does, which holds the names. A run that is killed leaves at most ``.NAME.XXXXXXXX.tmp``, which none of our readers takes
for a file of its own. The next one that writes NAME takes it away once it is old.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import secrets
import time
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

# No write takes that long; a younger one may be at work.
_LEFT_BEHIND_SECONDS = 3600.0
# A name has at most 255 bytes on most systems, and a character of UTF-8 at most four.
_KEPT_OF_NAME = 48
_LEFT = re.compile(r"\.(.*)\.[0-9a-f]{8}\.tmp", re.DOTALL)
# Disks take many orders to flush at once: 3,000 files one after the other took 7 s, with these threads 1 s.
_THREADS = 16


class NotWrittenError(OSError):
    """A file could not be written; ``filename`` is its own name and not that of the temporary one."""


def write(path: Path, text: str) -> None:
    """Write a file in one step: ``path`` is the old file or the whole new one. Raises OSError."""
    # Translators can put lone surrogates into findings, which UTF-8 cannot encode.
    write_all([(path, text.encode("utf-8", "backslashreplace"))])


def target_of(path: Path) -> Path:
    """What is written for ``path``: a link stays a link. Raises NotWrittenError where links lead round in a circle.

    ``Path.resolve`` raises RuntimeError for those before Python 3.13, and passes them over since.
    """
    target = Path(os.path.realpath(path))
    if target.is_symlink():
        raise NotWrittenError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
    return target


def is_special(target: Path) -> bool:
    """Whether a file is there that is none on a disk: a device or a pipe, which takes what is written and stays."""
    return target.exists() and not target.is_file() and not target.is_dir()


def _pour(target: Path, content: bytes) -> None:
    with target.open("wb", buffering=0) as file:
        while content:
            content = content[file.write(content) :]


def beside(path: Path) -> Path:
    """A name for the temporary file of ``path``, in the same folder."""
    return path.with_name(f".{path.name[:_KEPT_OF_NAME]}.{secrets.token_hex(4)}.tmp")


def write_all(
    files: Iterable[tuple[Path, bytes]],
    *,
    temporary: Callable[[Path], Path] = beside,
    renamed: Callable[[Path], None] = lambda _path: None,
) -> None:
    """Write each file in one step, and let the disk take them all together, which costs a fraction.

    No file takes its name before all are on the disk. ``temporary`` names the temporary file of a path, on the same
    disk; ``renamed`` is told each path that has its new content. Raises NotWrittenError; the files that were not
    renamed by then are as they were.
    """
    waiting: list[tuple[Path, Path]] = []
    names: set[tuple[Path, str]] = set()
    try:
        for path, content in files:
            target = target_of(path)
            with _named(target):
                if is_special(target):
                    _pour(target, content)
                    renamed(target)
                    continue
                target.parent.mkdir(parents=True, exist_ok=True)
                waiting.append((temporary(target), target))
                _fill(*waiting[-1], content)
        _flush([path for path, _ in waiting])
        folders = {target.parent for _, target in waiting}
        names = {(target.parent, target.name[:_KEPT_OF_NAME]) for _, target in waiting}
        while waiting:
            source, target = waiting[0]
            with _named(target):
                source.replace(target)
            del waiting[0]
            renamed(target)
        _flush_folders(folders)
    finally:
        for source, _ in waiting:
            with contextlib.suppress(OSError):
                source.unlink(missing_ok=True)
    _sweep(names)


@contextlib.contextmanager
def _named(path: Path) -> Generator[None]:
    try:
        yield
    except OSError as error:
        raise NotWrittenError(error.errno, error.strerror, str(path)) from error


def _fill(path: Path, target: Path, content: bytes) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    with os.fdopen(os.open(path, flags, 0o666), "wb") as file:
        file.write(content)
    with contextlib.suppress(FileNotFoundError):  # a new file has the usual rights
        path.chmod(target.stat().st_mode)


def _flush(paths: list[Path]) -> None:
    """Let the disk take the contents of files. Raises OSError."""
    if len(paths) == 1:
        _flush_file(paths[0])
        return
    with ThreadPoolExecutor(_THREADS) as threads:
        list(threads.map(_flush_file, paths))


def _flush_file(path: Path) -> None:
    descriptor = os.open(path, os.O_RDWR | getattr(os, "O_BINARY", 0))
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _flush_folders(folders: Iterable[Path]) -> None:
    """Let the disk take the names in folders, where the system can: Windows opens none, and keeps names by itself."""
    for folder in folders:
        with contextlib.suppress(OSError):
            descriptor = os.open(folder, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)


def _sweep(names: set[tuple[Path, str]]) -> None:
    """Take away what killed runs left of files of these names."""
    before = time.time() - _LEFT_BEHIND_SECONDS
    for folder in {folder for folder, _ in names}:
        with contextlib.suppress(OSError):
            for path in folder.iterdir():
                match = _LEFT.fullmatch(path.name)
                if match is not None and (folder, match[1]) in names and path.lstat().st_mtime < before:
                    path.unlink()
