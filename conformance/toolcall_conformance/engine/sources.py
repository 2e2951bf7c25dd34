"""Where a setting comes from: the command line, the environment, or a file; the first that names it decides.

The file is ``[tool.toolcall]`` of the ``pyproject.toml`` in pytest's root directory, or the key ``toolcall_…`` of
pytest's own ini file. Paths are relative to the file that names them, else to the directory where pytest was started.
"""

from __future__ import annotations

import difflib
import itertools
import os
import shlex
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

from toolcall_conformance import settings_schema

_TABLE = "toolcall"
_YES, _NO = ("1", "true", "yes", "on"), ("0", "false", "no", "off", "")


@dataclass(frozen=True, slots=True)
class Named:
    """A setting that was named: its value, the directory of its paths, and the words for messages."""

    value: Any
    directory: Path
    where: str

    @property
    def paths(self) -> tuple[Path, ...]:
        """The value as paths."""
        values = self.value if isinstance(self.value, (list, tuple)) else [self.value]
        return tuple(self.directory / value for value in values)


class Sources:
    """The settings that the user named, from all sources."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._here = config.invocation_params.dir
        self._kinds: Mapping[str, Mapping[str, Any]] = settings_schema.table()["properties"]
        self._verify_environment()

    def named(self, name: str) -> Named | None:
        """A setting, or None if no source names it. Raises pytest.UsageError."""
        for source in (self._from_options, self._from_environment, self._from_table, self._from_ini):
            found = source(name)
            if found is not None:
                return found
        return None

    def paths(self, name: str) -> tuple[Path, ...]:
        """A setting whose values are paths."""
        found = self.named(name)
        return found.paths if found is not None else ()

    def path(self, name: str) -> Path | None:
        """A setting whose value is a path, or None."""
        return next(iter(self.paths(name)), None)

    def on_command_line(self, name: str) -> Any:
        """The value that the command itself has for a setting, without those of ``addopts``; None if it has none."""
        value, written = self._config.getoption(_dest(name)), self._written(name)
        if value in (None, []) or not written:
            return None
        return value[-written:] if isinstance(value, list) else value

    def _from_options(self, name: str) -> Named | None:
        value = self._config.getoption(_dest(name))
        if value in (None, []):
            return None
        option = f"--toolcall-{name}"
        if not isinstance(value, list):
            written = self._written(name) > 0
            return Named(value, self._here if written else self._ini_directory, option)
        # Values of `addopts` in the ini file stand before those of the command.
        early = len(value) - self._written(name)
        paths = [self._ini_directory / one for one in value[:early]] + [self._here / one for one in value[early:]]
        return Named(paths, self._here, option)

    def _written(self, name: str) -> int:
        """How often the command, or PYTEST_ADDOPTS, has an option."""
        flags = f"--toolcall-{name}", f"--no-toolcall-{name}"
        words = [*shlex.split(os.environ.get("PYTEST_ADDOPTS", "")), *map(str, self._config.invocation_params.args)]
        return sum(word.partition("=")[0] in flags for word in words)

    def _from_environment(self, name: str) -> Named | None:
        variable = _variable(name)
        text = os.environ.get(variable)
        if text is None:
            return None
        kind = self._kinds[name]
        value: Any = text
        if kind.get("type") == "boolean":
            value = _flag(variable, text)
        elif kind.get("$ref") == "#/$defs/paths":
            value = [part for part in text.split(os.pathsep) if part]
        elif not text:
            return None
        return Named(value, self._here, variable)

    def _verify_environment(self) -> None:
        known = {_variable(name): name for name in self._kinds}
        for variable in os.environ:
            if variable.startswith("TOOLCALL_") and variable not in known:
                close = difflib.get_close_matches(variable, known, n=1, cutoff=0.8)
                if close:
                    raise pytest.UsageError(f"there is no variable {variable}; did you mean {close[0]}?")

    def _from_table(self, name: str) -> Named | None:
        if name not in self._table:
            return None
        return Named(self._table[name], self._config.rootpath, f"{name} in [tool.{_TABLE}] of pyproject.toml")

    @cached_property
    def _table(self) -> Mapping[str, Any]:
        """``[tool.toolcall]`` of pyproject.toml, held against the schema."""
        path = self._config.rootpath / "pyproject.toml"
        try:
            text = path.read_text(encoding="utf-8")
        except OSError:
            return {}
        try:
            table = tomllib.loads(text).get("tool", {}).get(_TABLE, {})
        except (tomllib.TOMLDecodeError, AttributeError) as error:
            raise pytest.UsageError(f"{path}: {error}") from None
        for sentence in _mistakes(table, self._kinds):
            raise pytest.UsageError(f"{path}: [tool.{_TABLE}]: {sentence}")
        return table if isinstance(table, dict) else {}

    def _from_ini(self, name: str) -> Named | None:
        key = _dest(name)
        value = self._config.getini(key)
        if value in (None, "", []):
            return None
        if self._kinds[name].get("type") == "boolean":
            value = _flag(key, str(value))
        return Named(value, self._ini_directory, f"{key} in {self._config.inipath or 'the ini file'}")

    @property
    def _ini_directory(self) -> Path:
        return self._config.inipath.parent if self._config.inipath is not None else self._here


def _mistakes(table: Any, kinds: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """What is wrong with the table, one sentence each."""
    import jsonschema

    if not isinstance(table, dict):
        yield "is no table"
        return
    for key in table:
        if key not in kinds:
            close = difflib.get_close_matches(key.replace("_", "-"), kinds, n=1)
            yield f"there is no key {key!r}; " + (f"did you mean {close[0]!r}?" if close else _all(kinds))
    for error in jsonschema.Draft202012Validator(settings_schema.table()).iter_errors(table):
        if error.absolute_path:
            key = str(error.absolute_path[0])
            yield f"{key}: {error.message} ({kinds[key]['description'].rstrip('.')})"


def _all(kinds: Mapping[str, Any]) -> str:
    return f"there are {', '.join(sorted(kinds))}"


def _flag(where: str, text: str) -> bool:
    if text.lower() not in (*_YES, *_NO):
        raise pytest.UsageError(f"{where}: {text!r} is neither true nor false")
    return text.lower() in _YES


def _dest(name: str) -> str:
    return f"toolcall_{name.replace('-', '_')}"


def _variable(name: str) -> str:
    return _dest(name).upper()


def verify_root(config: pytest.Config, names: Sequence[str]) -> None:
    """Refuse a path, written behind an option with a blank, that moved pytest's root directory.

    pytest takes such a path for a test file before it knows our options, and then reads other settings than those of
    the project. Raises pytest.UsageError.
    """
    words = [str(word) for word in config.invocation_params.args]
    given = any(word.partition("=")[0] in ("--rootdir", "-c", "--config-file") for word in words)
    here = config.invocation_params.dir
    home = next((folder for folder in (here, *here.parents) if _has_settings(folder)), None)
    if given or home is None or config.rootpath == home:
        return
    for word, value in itertools.pairwise(words):
        if word in {f"--toolcall-{name}" for name in names} and (here / value).exists():
            raise pytest.UsageError(
                f"`{word} {value}` moves pytest's root directory from {home} to {config.rootpath}, "
                f"so the settings of your project are not read; write {word}={value}"
            )


def _has_settings(folder: Path) -> bool:
    """Whether pytest finds its settings in a folder."""
    if any((folder / name).is_file() for name in ("pytest.toml", ".pytest.toml", "pytest.ini", ".pytest.ini")):
        return True
    for name in ("pyproject.toml", "tox.ini", "setup.cfg"):
        try:
            if "pytest" in (folder / name).read_text(encoding="utf-8"):
                return True
        except (OSError, UnicodeDecodeError):
            continue
    return (folder / "pyproject.toml").is_file()
