"""What the environment and the files of a project say of a setting, for pytest's run and for our own commands.

The file is ``[tool.toolcall]`` of the ``pyproject.toml`` in pytest's root directory, or the key ``toolcall_…`` of
pytest's own ini file. Paths are relative to the file that names them; those of the environment to the directory where
the command was started.
"""

from __future__ import annotations

import difflib
import math
import os
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from toolcall_conformance.basics import foreign_files, settings_schema

_TABLE = "toolcall"
_YES, _NO = ("1", "true", "yes", "on"), ("0", "false", "no", "off", "")
_SECONDS = 10.0


class SettingError(Exception):
    """A setting that cannot be; the message says where it stands and what to do."""


@dataclass(frozen=True, slots=True)
class NamedSetting:
    """A setting that was named: its value, the directory of its paths, and the words for messages.

    Raises SettingError for a text with a NUL character, which no name of a file, module or command can have.
    """

    value: Any
    directory: Path
    where: str

    def __post_init__(self) -> None:
        values = self.value if isinstance(self.value, (list, tuple)) else [self.value]
        if any("\0" in str(value) for value in values):
            raise SettingError(f"{self.where}: there is a NUL character in it, which no name can have; take it out")

    @property
    def paths(self) -> tuple[Path, ...]:
        """The value as paths."""
        values = self.value if isinstance(self.value, (list, tuple)) else [self.value]
        return tuple(self.directory / value for value in values)


def key_of(name: str) -> str:
    """The key of a setting in pytest's own ini file, and of its option: ``toolcall_known_failures``."""
    return f"toolcall_{name.replace('-', '_')}"


@cache
def kinds() -> Mapping[str, Mapping[str, Any]]:
    """The schema of each setting, by name."""
    properties: Mapping[str, Mapping[str, Any]] = settings_schema.table()["properties"]
    return properties


def verify_environment() -> None:
    """Refuse a variable that is a misspelt setting. Raises SettingError."""
    variables = {key_of(name).upper() for name in kinds()}
    for variable in os.environ:
        if variable.startswith("TOOLCALL_") and variable not in variables:
            close = difflib.get_close_matches(variable, variables, n=1, cutoff=0.8)
            if close:
                raise SettingError(f"there is no variable {variable}; did you mean {close[0]}?")


def from_environment(name: str, here: Path) -> NamedSetting | None:
    """A setting of the environment, or None. Raises SettingError."""
    variable, kind = key_of(name).upper(), kinds()[name]
    text = os.environ.get(variable)
    if text is None:
        return None
    value: Any = text
    if kind.get("type") == "boolean":
        value = _flag(variable, text)
    elif kind.get("$ref") == "#/$defs/paths":
        value = [part for part in text.split(os.pathsep) if part]
    elif not text:
        return None
    return NamedSetting(value, here, variable)


def from_ini(name: str, value: Any, file: Path | None, here: Path) -> NamedSetting | None:
    """A setting as pytest's ini file has it, or None for one that stands nowhere. Raises SettingError."""
    if value in (None, "", []):
        return None
    if kinds()[name].get("type") == "boolean":
        value = _flag(key_of(name), str(value))
    return NamedSetting(value, here if file is None else file.parent, f"{key_of(name)} in {file or 'the ini file'}")


class SettingsTable:
    """``[tool.toolcall]`` of the ``pyproject.toml`` in a directory."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def named(self, name: str) -> NamedSetting | None:
        """A setting of the table, or None. Raises SettingError."""
        if name not in self._content:
            return None
        return NamedSetting(self._content[name], self._root, f"{name} in [tool.{_TABLE}] of pyproject.toml")

    @cached_property
    def _content(self) -> Mapping[str, Any]:
        """The table, held against the schema."""
        path = self._root / "pyproject.toml"
        try:
            text = foreign_files.read_text(path)
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise SettingError(f"{path}: cannot be read ({error.strerror})") from None
        except UnicodeDecodeError as error:
            raise SettingError(f"{path}: is not UTF-8 text (byte {error.start}), as TOML must be") from None
        try:
            table = foreign_files.parse_toml(text).get("tool", {}).get(_TABLE, {})
        except (tomllib.TOMLDecodeError, AttributeError) as error:
            raise SettingError(f"{path}: {error}") from None
        for sentence in _mistakes(table):
            raise SettingError(f"{path}: [tool.{_TABLE}]: {sentence}")
        return table if isinstance(table, dict) else {}


def seconds(named: NamedSetting | None) -> float:
    """The time limit for each call of a translator; the usual one where nobody names it. Raises SettingError."""
    if named is None:
        return _SECONDS
    try:
        number = float(named.value)
    except (TypeError, ValueError):
        raise SettingError(f"{named.where}: {named.value!r} is no number; give seconds above zero") from None
    if not (math.isfinite(number) and number > 0):
        raise SettingError(f"{named.where}: {number:g} is not a time limit; give seconds above zero")
    return number


def megabytes(named: NamedSetting | None, usual: float) -> float | None:
    """The address space of an isolated translator; None for no limit. Raises SettingError."""
    if named is None:
        return usual
    try:
        number = float(named.value)
    except (TypeError, ValueError):
        raise SettingError(f"{named.where}: {named.value!r} is no number; give megabytes, or 0 for no limit") from None
    if not (math.isfinite(number) and number >= 0):
        raise SettingError(f"{named.where}: {number:g} is no amount of memory; give megabytes, or 0 for no limit")
    return number or None


def _mistakes(table: Any) -> Iterator[str]:
    """What is wrong with the table, one sentence each."""
    if not isinstance(table, dict):
        yield "is no table"
        return
    if not table:
        return
    import jsonschema

    for key in table:
        if key not in kinds():
            close = difflib.get_close_matches(key.replace("_", "-"), kinds(), n=1)
            there = f"there are {', '.join(sorted(kinds()))}"
            yield f"there is no key {key!r}; " + (f"did you mean {close[0]!r}?" if close else there)
    for error in jsonschema.Draft202012Validator(settings_schema.table()).iter_errors(table):
        if error.absolute_path:
            key = str(error.absolute_path[0])
            yield f"{key}: {error.message} ({kinds()[key]['description'].rstrip('.')})"


def _flag(where: str, text: str) -> bool:
    if text.lower() not in (*_YES, *_NO):
        raise SettingError(f"{where}: {text!r} is neither true nor false")
    return text.lower() in _YES
