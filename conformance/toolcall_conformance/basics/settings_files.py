"""The files in which pytest would find a project's settings, for commands that run without pytest.

Pytest looks in the directory where it starts, then above it, for the first file of a known name that speaks of pytest;
if there is none, for the first ``pyproject.toml`` (https://docs.pytest.org/en/stable/reference/customize.html).
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import iniconfig

from toolcall_conformance.basics import foreign_files


class UnreadableFileError(Exception):
    """A settings file that is not well formed; the message names it."""


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """Pytest's root directory, its settings there, and the ``file`` that has them, None if there is none."""

    root: Path
    file: Path | None
    content: Mapping[str, Any]


def find_settings(directory: Path) -> SettingsFile:
    """Find the settings that pytest would use if it were started in ``directory``. Raises UnreadableFileError."""
    folders = (directory, *directory.parents)
    for file, content in _candidates(folders):
        return SettingsFile(file.parent, file, content)
    for marker in ("pyproject.toml", "setup.py"):
        for folder in folders:
            if (folder / marker).is_file():
                return SettingsFile(folder, None, {})
    return SettingsFile(directory, None, {})


def _candidates(folders: tuple[Path, ...]) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    """The files with settings of pytest, the nearest first, each with these settings."""
    for folder in folders:
        for name, read in _READERS.items():
            if (folder / name).is_file():
                content = read(folder / name)
                if content is not None:
                    yield folder / name, content


def _toml(path: Path) -> Mapping[str, Any]:
    try:
        return foreign_files.parse_toml(foreign_files.read_text(path))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UnreadableFileError(f"{path}: {error}") from None


def _pytest_toml(path: Path) -> Mapping[str, Any]:
    return _subtable(_toml(path), "pytest") or {}


def _pyproject(path: Path) -> Mapping[str, Any] | None:
    options_table = _subtable(_subtable(_toml(path), "tool") or {}, "pytest") or {}
    options = _subtable(options_table, "ini_options")
    return options if options is not None else options_table or None


def _subtable(table: Mapping[str, Any], key: str) -> Mapping[str, Any] | None:
    section = table.get(key)
    return section if isinstance(section, dict) else None


def _pytest_ini(path: Path) -> Mapping[str, Any]:
    return _section(path, "pytest") or {}


def _tox_ini(path: Path) -> Mapping[str, Any] | None:
    return _section(path, "pytest")


def _setup_cfg(path: Path) -> Mapping[str, Any] | None:
    return _section(path, "tool:pytest")


def _section(path: Path, name: str) -> Mapping[str, Any] | None:
    try:
        read = iniconfig.IniConfig(str(path), data=foreign_files.read_text(path))
    except (OSError, UnicodeDecodeError, iniconfig.ParseError) as error:
        raise UnreadableFileError(f"{path}: {error}") from None
    return dict(read[name].items()) if name in read else None


_READERS: Final[Mapping[str, Callable[[Path], Mapping[str, Any] | None]]] = {
    "pytest.toml": _pytest_toml,
    ".pytest.toml": _pytest_toml,
    "pytest.ini": _pytest_ini,
    ".pytest.ini": _pytest_ini,
    "pyproject.toml": _pyproject,
    "tox.ini": _tox_ini,
    "setup.cfg": _setup_cfg,
}
