"""Settings from the environment and from the files of a project, for pytest's run and for our own commands.

The file is ``[tool.toolcall]`` of the ``pyproject.toml`` in pytest's root directory, or the key ``toolcall_…`` of
pytest's own ini file. Paths are relative to the file that names them; those of the environment to the directory where
the command was started. Which settings there are, ``settings.schema.json`` says.
"""

from __future__ import annotations

import difflib
import json
import math
import os
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from toolcall_conformance.basics import foreign_files
from toolcall_conformance.basics.close_names import close_name_advice

_TABLE = "toolcall"
_SCHEMA_PATH = Path(__file__).with_name("settings.schema.json")
_YES, _NO = ("1", "true", "yes", "on"), ("0", "false", "no", "off", "")
_DEFAULT_TIMEOUT = 10.0


class SettingError(Exception):
    """A wrong setting; the message says where it is and what to do."""


@dataclass(frozen=True, slots=True)
class NamedSetting:
    """A setting that somebody set: its value, the directory of its paths, and ``where`` it is set, in words.

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


def table_schema() -> dict[str, Any]:
    """The schema of the table ``[tool.toolcall]``."""
    document: dict[str, Any] = json.loads(_SCHEMA_PATH.read_text(encoding="utf-8"))
    return document


def pyproject_schema() -> dict[str, Any]:
    """The schema of a whole ``pyproject.toml`` with the table in it, for editors."""
    inner = table_schema()
    definitions = inner.pop("$defs")
    dialect = inner.pop("$schema")
    tools = {"type": "object", "properties": {"toolcall": inner}}
    title = "pyproject.toml with [tool.toolcall]"
    return {"$schema": dialect, "title": title, "type": "object", "properties": {"tool": tools}, "$defs": definitions}


def setting_key(setting_name: str) -> str:
    """The key of a setting in pytest's own ini file, and of its option: ``toolcall_known_failures``."""
    return f"toolcall_{setting_name.replace('-', '_')}"


@cache
def setting_schemas() -> Mapping[str, Mapping[str, Any]]:
    """The schema of each setting, by name."""
    properties: Mapping[str, Mapping[str, Any]] = table_schema()["properties"]
    return properties


def verify_environment() -> None:
    """Raise SettingError for a variable that is a misspelt setting."""
    variables = {setting_key(name).upper() for name in setting_schemas()}
    for variable in os.environ:
        if variable.startswith("TOOLCALL_") and variable not in variables:
            close = difflib.get_close_matches(variable, variables, n=1, cutoff=0.8)
            if close:
                raise SettingError(f"there is no variable {variable}; did you mean {close[0]}?")


def from_environment(setting_name: str, directory: Path) -> NamedSetting | None:
    """The setting in the environment, or None. Raises SettingError."""
    variable, kind = setting_key(setting_name).upper(), setting_schemas()[setting_name]
    text = os.environ.get(variable)
    if text is None:
        return None
    value: Any = text
    if kind.get("type") == "boolean":
        value = _parse_flag(variable, text)
    elif kind.get("$ref") == "#/$defs/paths":
        value = [part for part in text.split(os.pathsep) if part]
    elif not text:
        return None
    return NamedSetting(value, directory, variable)


def from_ini(setting_name: str, value: Any, file: Path | None, directory: Path) -> NamedSetting | None:
    """The setting in pytest's ini file, or None if ``value`` is empty. Raises SettingError."""
    if value in (None, "", []):
        return None
    if setting_schemas()[setting_name].get("type") == "boolean":
        value = _parse_flag(setting_key(setting_name), str(value))
    return NamedSetting(
        value, directory if file is None else file.parent, f"{setting_key(setting_name)} in {file or 'the ini file'}"
    )


class SettingsTable:
    """``[tool.toolcall]`` of the ``pyproject.toml`` in a directory."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def find(self, setting_name: str) -> NamedSetting | None:
        """Find a setting in the table; None if it is not there. Raises SettingError."""
        if setting_name not in self._content:
            return None
        where = f"{setting_name} in [tool.{_TABLE}] of pyproject.toml"
        return NamedSetting(self._content[setting_name], self._root, where)

    @cached_property
    def _content(self) -> Mapping[str, Any]:
        """The table, checked by the schema."""
        path = self._root / "pyproject.toml"
        try:
            text = foreign_files.read_text(path)
        except FileNotFoundError:
            return {}
        except (OSError, UnicodeDecodeError) as error:
            raise SettingError(f"{path}: {foreign_files.toml_fault(error)}") from None
        try:
            table = foreign_files.parse_toml(text).get("tool", {}).get(_TABLE, {})
        except (tomllib.TOMLDecodeError, AttributeError) as error:
            raise SettingError(f"{path}: {error}") from None
        for sentence in _mistakes(table):
            raise SettingError(f"{path}: [tool.{_TABLE}]: {sentence}")
        return table if isinstance(table, dict) else {}


def parse_timeout(setting: NamedSetting | None) -> float:
    """The time limit for each call of a translator, in seconds; the default if not set. Raises SettingError."""
    if setting is None:
        return _DEFAULT_TIMEOUT
    try:
        number = float(setting.value)
    except (TypeError, ValueError):
        raise SettingError(f"{setting.where}: {setting.value!r} is no number; give seconds above zero") from None
    if not (math.isfinite(number) and number > 0):
        raise SettingError(f"{setting.where}: {number:g} is not a time limit; give seconds above zero")
    return number


def parse_memory(setting: NamedSetting | None, default: float) -> float | None:
    """The address space of an isolated translator in megabytes, ``default`` if not set; None for no limit.

    Raises SettingError.
    """
    if setting is None:
        return default
    try:
        number = float(setting.value)
    except (TypeError, ValueError):
        raise SettingError(
            f"{setting.where}: {setting.value!r} is no number; give megabytes, or 0 for no limit"
        ) from None
    if not (math.isfinite(number) and number >= 0):
        raise SettingError(f"{setting.where}: {number:g} is no amount of memory; give megabytes, or 0 for no limit")
    return number or None


def _mistakes(table: Any) -> Iterator[str]:
    """The mistakes in the table, one sentence each."""
    if not isinstance(table, dict):
        yield "is no table"
        return
    if not table:
        return
    import jsonschema

    for key in table:
        if key not in setting_schemas():
            all_keys = f"there are {', '.join(sorted(setting_schemas()))}"
            yield f"there is no key {key!r}; {close_name_advice(key.replace('_', '-'), setting_schemas(), all_keys)}"
    for error in jsonschema.Draft202012Validator(table_schema()).iter_errors(table):
        if error.absolute_path:
            key = str(error.absolute_path[0])
            yield f"{key}: {error.message} ({setting_schemas()[key]['description'].rstrip('.')})"


def _parse_flag(where: str, text: str) -> bool:
    if text.lower() not in (*_YES, *_NO):
        raise SettingError(f"{where}: {text!r} is neither true nor false")
    return text.lower() in _YES
