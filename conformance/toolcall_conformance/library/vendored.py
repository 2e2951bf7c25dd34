"""The corpus as a directory in somebody's own project: written whole, with a manifest that tells whether it still is.

``manifest.json`` has the corpus's ``version``, under ``files`` the SHA-256 of each file by its path, and as ``sha256``
that of all: the digest of the lines ``DIGEST  PATH`` in the order of the paths, as ``sha256sum`` prints them.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import tempfile
from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from operator import itemgetter
from pathlib import Path
from typing import Any

from toolcall_conformance.basics import foreign_files
from toolcall_conformance.basics.atomic_files import target_of
from toolcall_conformance.library import packs

MANIFEST = "manifest.json"
NAME = "toolcall-conformance corpus"
# Git must not change the ends of lines: recorded streams are kept byte for byte.
_ATTRIBUTES = ("* -text linguist-vendored\n", ".gitattributes")


class VendoredError(Exception):
    """The directory cannot be written, or is no corpus; the message names it and says what to do."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """Which corpus it is: its version, and the SHA-256 of each file by path."""

    version: str
    files: Mapping[str, str]

    @property
    def sha256(self) -> str:
        """The digest of all files."""
        return digest_of(self.files)

    def text(self) -> str:
        """The content of ``manifest.json``."""
        files = dict(sorted(self.files.items()))
        return (
            json.dumps({"name": NAME, "version": self.version, "sha256": self.sha256, "files": files}, indent=1) + "\n"
        )


def manifest_of(source: Path) -> Manifest:
    """The manifest of the corpus at ``source``, with the file of attributes that :func:`write` adds."""
    files = digests(source)
    files[_ATTRIBUTES[1]] = hashlib.sha256(_ATTRIBUTES[0].encode()).hexdigest()
    version: str = json.loads((source / "corpus.json").read_text(encoding="utf-8"))["version"]
    return Manifest(version, files)


def digests(folder: Path, exclusions: Container[str] = (), endings: tuple[str, ...] = ("",)) -> dict[str, str]:
    """The SHA-256 of each file below a folder, by its path there.

    ``exclusions`` are names of folders just in it; ``endings`` are those of the files that count.
    """
    files = sorted(_below(folder, "", exclusions), key=itemgetter(0))
    return {path: hashlib.sha256(read()).hexdigest() for path, read in files if path.endswith(endings)}


def digest_of(files: Mapping[str, str]) -> str:
    """The digest of several files, which ``files`` gives the digests of by path."""
    lines = "".join(f"{digest}  {path}\n" for path, digest in sorted(files.items()))
    return hashlib.sha256(lines.encode()).hexdigest()


def read(directory: Path) -> Manifest:
    """Read the manifest of a directory. Raises VendoredError if it is none of ours."""
    path = directory / MANIFEST
    advice = f"write the corpus with `toolcall-conformance corpus {directory}`"
    try:
        content: Any = foreign_files.parse_json(foreign_files.read_text(path))
        manifest = Manifest(str(content["version"]), dict(content["files"]))
        identity = content["name"], content["sha256"]
    except OSError as error:
        raise VendoredError(f"{path} cannot be read ({error.strerror}); {advice}") from None
    except (ValueError, KeyError, TypeError):
        raise VendoredError(f"{path} is no manifest of a corpus; name another directory, or {advice}") from None
    if identity != (NAME, manifest.sha256):
        raise VendoredError(f"{path} was changed since it was written; delete {directory}, then {advice}")
    return manifest


def faults(directory: Path, manifest: Manifest) -> Iterator[str]:
    """What differs from the manifest, a phrase for each file in the order of the paths."""
    read_by_path = {path: read for path, read in _below(directory) if path != MANIFEST}
    for path in sorted(read_by_path.keys() | manifest.files.keys()):
        if path not in read_by_path:
            yield f"{path} is missing"
        elif path not in manifest.files:
            yield f"{path} is no file of the corpus"
        elif hashlib.sha256(read_by_path[path]()).hexdigest() != manifest.files[path]:
            yield f"{path} was changed"


def write(source: Path, directory: Path) -> Manifest:
    """Write the corpus at ``source`` in one step: the directory is as it was, or the whole new corpus.

    Replaces an earlier corpus only if nothing was changed in it. Its thousands of files are not flushed to the disk one
    by one: after a power cut the manifest tells what is missing. Raises VendoredError.
    """
    try:
        target = target_of(directory)
        if target.exists() and any(target.iterdir()):
            _may_be_replaced(directory)
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{target.name}.", dir=target.parent) as temporary:
            manifest = _copy(source, Path(temporary) / "new")
            _swap(Path(temporary), target)
    except OSError as error:
        raise VendoredError(f"{directory} cannot be written ({error.strerror}); name another directory") from None
    return manifest


def _may_be_replaced(directory: Path) -> None:
    if not (directory / MANIFEST).exists():
        raise VendoredError(
            f"{directory} is not empty and holds no corpus of ours ({MANIFEST} is missing); nothing was written, name "
            "another directory"
        )
    changed = list(faults(directory, read(directory)))
    if changed:
        more = f" and {len(changed) - 3} more" if len(changed) > 3 else ""
        raise VendoredError(
            f"{directory} is not as it was written: {', '.join(changed[:3])}{more}; nothing was written, move what is "
            f"yours elsewhere and delete {directory}"
        )


def _copy(source: Path, new: Path) -> Manifest:
    new.mkdir()
    for path, read in _below(source):
        (new / path).parent.mkdir(parents=True, exist_ok=True)
        (new / path).write_bytes(read())
    (new / _ATTRIBUTES[1]).write_text(_ATTRIBUTES[0], encoding="utf-8")
    manifest = manifest_of(new)
    (new / MANIFEST).write_text(manifest.text(), encoding="utf-8")
    return manifest


def _swap(temporary: Path, target: Path) -> None:
    """Rename the old directory away and the new one there; the old one comes back if that fails."""
    old = temporary / "old"
    if not target.exists():
        (temporary / "new").rename(target)
        return
    target.rename(old)
    try:
        (temporary / "new").rename(target)
    except BaseException:
        old.rename(target)
        raise


def _below(
    folder: os.PathLike[str], before: str = "", exclusions: Container[str] = ()
) -> Iterator[tuple[str, Callable[[], bytes]]]:
    """The files of a folder and below, those of packs too: the path of each, and what reads it.

    No Path for each: every report takes the digests of 9,000.
    """
    with os.scandir(folder) as entries:
        for entry in entries:
            name = entry.name.removesuffix(packs.SUFFIX)
            if name in exclusions:
                continue
            if entry.is_dir(follow_symlinks=False):
                yield from _below(entry, f"{before}{name}/")
            elif name != entry.name:
                pack = packs.Pack(Path(entry))
                yield from ((f"{before}{name}/{file}", partial(pack.read_name, file)) for file in pack.sizes)
            elif entry.is_file():
                yield before + name, partial(_content, entry.path)


def _content(path: str) -> bytes:
    with io.FileIO(path) as file:
        return file.read()
