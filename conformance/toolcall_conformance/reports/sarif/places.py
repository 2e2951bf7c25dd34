"""The places of causes in a user's code: files of the repository, for a code host shows no others."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import quote

BASE_ID = "%SRCROOT%"
"""The name of the directory that all addresses are relative to."""

_PROCESS_PREFIXES = ("exec:", "gateway:")
# These files may name a translator whose own file is unknown.
_SETTINGS_FILES = ("pyproject.toml", "pytest.toml", "pytest.ini", "tox.ini", "setup.cfg")


@dataclass(frozen=True)
class CodeLocations:
    """The files of a run that was started in ``directory``; ``spec`` is the value of ``--toolcall-translator``."""

    directory: Path
    spec: str

    def code_location(self, code: str) -> dict[str, Any] | None:
        """Return the location of ``file:line``; None if the file is not in the repository."""
        file, _, line = code.rpartition(":")
        address = self._address(file) if file else None
        return None if address is None or not line.isdecimal() else _location(address, max(1, int(line)))

    @cached_property
    def translator_location(self) -> dict[str, Any]:
        """The location of the file that has or names the translator: a code host demands one for every cause."""
        guesses = list(_candidate_files(self.spec))
        file_names = (name for name in (*guesses, *_SETTINGS_FILES) if os.path.isfile(self.directory / name))  # noqa: PTH113
        addresses = (self._address(name) for name in (*file_names, *guesses, *_SETTINGS_FILES))
        return _location(next(address for address in addresses if address is not None), 1)

    @cached_property
    def root(self) -> Path:
        """The root of the repository that holds the directory; the directory itself if there is none."""
        directory = Path(os.path.abspath(self.directory))  # noqa: PTH100 - keeps links as the user named them
        return next((folder for folder in (directory, *directory.parents) if (folder / ".git").exists()), directory)

    def _address(self, file_name: str) -> str | None:
        """Return the address of a file relative to the root; None if it is outside."""
        path = Path(os.path.abspath(self.directory / file_name))  # noqa: PTH100
        if not path.is_relative_to(self.root) or path == self.root:
            return None
        # A name may have lone surrogates, which no address can have.
        return quote(path.relative_to(self.root).as_posix().encode("utf-8", "replace"), safe="/")


def _location(address: str, line: int) -> dict[str, Any]:
    return {
        "physicalLocation": {
            "artifactLocation": {"uri": address, "uriBaseId": BASE_ID},
            "region": {"startLine": line},
        }
    }


def _candidate_files(spec: str) -> Iterator[str]:
    """Yield the files that may hold a translator, the likeliest first. Nothing is imported: a report runs no code."""
    kind = next((prefix for prefix in _PROCESS_PREFIXES if spec.startswith(prefix)), "")
    if kind == "gateway:":
        yield spec.removeprefix(kind)
    elif kind:
        yield from _file_words(_split_command(spec.removeprefix(kind)))
    elif parts := [part for part in spec.partition(":")[0].split(".") if part]:
        module = "/".join(parts)
        yield from (f"{top}{module}{end}" for top in ("", "src/") for end in (".py", "/__init__.py"))


def _split_command(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError:  # a quotation mark without its other one
        return command.split()


def _file_words(words: Iterable[str]) -> Iterator[str]:
    """Yield the words of a command that look like relative files and are no options."""
    for word in words:
        looks = bool(os.path.splitext(word)[1]) or "/" in word  # noqa: PTH122
        if looks and not word.startswith("-") and not os.path.isabs(word):  # noqa: PTH117
            yield word
