"""A folder of the corpus: on the disk, or in one zip file that stands in its place.

In git each body of a case is a file. In a wheel thousands of small files weigh more than what they say. So the build
(``hatch_build.py``) writes each case, and all verdicts, as ``NAME.folder.zip`` with the same files, byte for byte.
"""

from __future__ import annotations

import errno
import functools
import io
import os
import zipfile
from functools import cached_property
from pathlib import Path
from typing import Protocol

from toolcall_conformance.basics import foreign_files

SUFFIX = ".folder.zip"


class Folder(Protocol):
    """A folder whose files have the paths that they would have on the disk. Its methods may raise OSError."""

    @property
    def place(self) -> Path:
        """What there is of it on the disk."""

    def folders(self) -> list[str]:
        """The names of the folders in it, sorted."""

    def names(self, inner: Path) -> list[str]:
        """The names of the files in it, or in a folder in it, sorted."""

    def has(self, path: Path) -> bool:
        """Whether a file is there."""

    def size(self, path: Path) -> int:
        """How many bytes a file has."""

    def read(self, path: Path) -> bytes:
        """The content of a file."""

    def verify(self, path: Path) -> None:
        """Raises OSError for what cannot be read as a file."""


def folder(path: Path) -> Folder:
    """The folder at a path; where a pack is there in its place, that."""
    if not path.name:  # the current folder, or a root: no pack has that place
        return DiskFolder(path)
    pack = path.with_name(path.name + SUFFIX)
    return Pack(pack) if pack.is_file() and not path.is_dir() else DiskFolder(path)


class DiskFolder:
    """A folder of files."""

    def __init__(self, path: Path) -> None:
        self.place = path

    def folders(self) -> list[str]:
        return sorted(entry.name for entry in self.place.iterdir() if entry.is_dir())

    def names(self, inner: Path) -> list[str]:
        return sorted(path.name for path in inner.iterdir()) if inner.is_dir() else []

    def has(self, path: Path) -> bool:
        return path.exists()

    def size(self, path: Path) -> int:
        return path.stat().st_size

    def read(self, path: Path) -> bytes:
        return foreign_files.read_bytes(path)

    def verify(self, path: Path) -> None:
        foreign_files.verify_readable(path)


class Pack:
    """A zip file in the place of a folder."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self._path = place.with_name(place.name.removesuffix(SUFFIX))

    @cached_property
    def sizes(self) -> dict[str, int]:
        """The size of each file by its path in the folder, in the order of the paths."""
        return {entry.filename: entry.file_size for entry in _open(self.place).infolist()}

    def folders(self) -> list[str]:
        return sorted({name.partition("/")[0] for name in self.sizes if "/" in name})

    def names(self, inner: Path) -> list[str]:
        parts = (Path(name) for name in self.sizes)
        return sorted(part.name for part in parts if self._path / part.parent == inner)

    def has(self, path: Path) -> bool:
        return self._name(path) in self.sizes

    def size(self, path: Path) -> int:
        self.verify(path)
        return self.sizes[self._name(path)]

    def read(self, path: Path) -> bytes:
        self.verify(path)
        return self.read_name(self._name(path))

    def read_name(self, name: str) -> bytes:
        """The content of a file that has an entry in ``sizes``."""
        return _open(self.place).read(name)

    def verify(self, path: Path) -> None:
        if not self.has(path):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))

    def _name(self, path: Path) -> str:
        return path.relative_to(self._path).as_posix()


@functools.lru_cache(maxsize=8)  # the items of a case run in a row; its pack has about 60 kB
def _open(place: Path) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(io.BytesIO(foreign_files.read_bytes(place)))
    except zipfile.BadZipFile as error:
        raise OSError(errno.EINVAL, str(error), str(place)) from None
