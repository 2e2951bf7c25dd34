"""Files that are written whole or not at all, and that are still there after the power has failed.

The content is written to a temporary file, which is flushed to the disk (fsync) before it takes the final name; then
the folder is flushed, which holds the names. A killed run leaves at most ``.NAME.XXXXXXXX.tmp``, which none of our
readers reads. The next run that writes NAME removes it once it is old.
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
_LEFTOVER_SECONDS = 3600.0
# A name has at most 255 bytes on most systems, and a character of UTF-8 at most four.
_NAME_CHARACTERS = 48
_LEFTOVER_NAME = re.compile(r"\.(.*)\.[0-9a-f]{8}\.tmp", re.DOTALL)
# Disks take many orders to flush at once: 3,000 files one after the other took 7 s, with these threads 1 s.
_THREADS = 16


class NotWrittenError(OSError):
    """A file could not be written; ``filename`` is its own name and not that of the temporary one."""


def write(path: Path, text: str) -> None:
    """Write a file in one step: ``path`` is the old file or the whole new one. Raises OSError."""
    # Translators can put lone surrogates into findings, which UTF-8 cannot encode.
    write_all([(path, text.encode("utf-8", "backslashreplace"))])


def target_of(path: Path) -> Path:
    """The file to write for ``path``: a link stays a link. Raises NotWrittenError for links in a circle.

    ``Path.resolve`` raises RuntimeError for those before Python 3.13, and ignores them since.
    """
    target = Path(os.path.realpath(path))
    if target.is_symlink():
        raise NotWrittenError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
    return target


def is_special(target: Path) -> bool:
    """Whether there is a device or a pipe, which is written to and never replaced."""
    return target.exists() and not target.is_file() and not target.is_dir()


def _write_special(target: Path, content: bytes) -> None:
    with target.open("wb", buffering=0) as file:
        while content:
            content = content[file.write(content) :]


def temporary_path(path: Path) -> Path:
    """A name for the temporary file of ``path``, in the same folder."""
    return path.with_name(f".{path.name[:_NAME_CHARACTERS]}.{secrets.token_hex(4)}.tmp")


def write_all(
    files: Iterable[tuple[Path, bytes]],
    *,
    temporary: Callable[[Path], Path] = temporary_path,
    on_renamed: Callable[[Path], None] = lambda _path: None,
) -> None:
    """Write each file in one step, and flush them all together, which takes a fraction of the time.

    No file takes its name before all are on the disk. ``temporary`` names the temporary file of a path, on the same
    disk; ``on_renamed`` is called with each path that has its new content. Raises NotWrittenError; the files that were
    not renamed by then are unchanged.
    """
    waiting: list[tuple[Path, Path]] = []
    names: set[tuple[Path, str]] = set()
    try:
        for path, content in files:
            target = target_of(path)
            with _name_errors(target):
                if is_special(target):
                    _write_special(target, content)
                    on_renamed(target)
                    continue
                target.parent.mkdir(parents=True, exist_ok=True)
                waiting.append((temporary(target), target))
                _write_temporary(*waiting[-1], content)
        _flush([path for path, _ in waiting])
        folders = {target.parent for _, target in waiting}
        names = {(target.parent, target.name[:_NAME_CHARACTERS]) for _, target in waiting}
        while waiting:
            source, target = waiting[0]
            with _name_errors(target):
                source.replace(target)
            del waiting[0]
            on_renamed(target)
        _flush_folders(folders)
    finally:
        for source, _ in waiting:
            with contextlib.suppress(OSError):
                source.unlink(missing_ok=True)
    _remove_leftovers(names)


@contextlib.contextmanager
def _name_errors(path: Path) -> Generator[None]:
    try:
        yield
    except OSError as error:
        raise NotWrittenError(error.errno, error.strerror, str(path)) from error


def _write_temporary(path: Path, target: Path, content: bytes) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    with os.fdopen(os.open(path, flags, 0o666), "wb") as file:
        file.write(content)
    with contextlib.suppress(FileNotFoundError):  # a new file has the usual rights
        path.chmod(target.stat().st_mode)


def _flush(paths: list[Path]) -> None:
    """Flush the contents of files to the disk. Raises OSError."""
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
    """Flush the names in folders to the disk, where the system can: Windows opens none, and keeps names by itself."""
    for folder in folders:
        with contextlib.suppress(OSError):
            descriptor = os.open(folder, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)


def _remove_leftovers(names: set[tuple[Path, str]]) -> None:
    """Remove old temporary files that killed runs left of these names."""
    before = time.time() - _LEFTOVER_SECONDS
    for folder in {folder for folder, _ in names}:
        with contextlib.suppress(OSError):
            for path in folder.iterdir():
                match = _LEFTOVER_NAME.fullmatch(path.name)
                if match is not None and (folder, match[1]) in names and path.lstat().st_mtime < before:
                    path.unlink()
