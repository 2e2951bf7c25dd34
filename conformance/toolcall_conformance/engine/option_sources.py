"""Finds the settings of a run: on the command line, in the environment, or in a file; the first that has one decides.

``settings_sources`` reads the environment and the files; this module reads pytest's options and its ini file.
"""

from __future__ import annotations

import itertools
import os
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from toolcall_conformance.basics import run_command, settings_sources
from toolcall_conformance.basics.settings_sources import NamedSetting, SettingError, setting_key


class OptionSources:
    """The user's settings from all sources. Methods raise pytest.UsageError."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._here = config.invocation_params.dir
        self._table = settings_sources.SettingsTable(config.rootpath)
        try:
            settings_sources.verify_environment()
        except SettingError as error:
            raise pytest.UsageError(str(error)) from None

    def find(self, setting_name: str) -> NamedSetting | None:
        """Find a setting; None if no source has it."""
        try:
            return (
                self._option_setting(setting_name)
                or settings_sources.from_environment(setting_name, self._here)
                or self._table.find(setting_name)
                or settings_sources.from_ini(
                    setting_name, self._config.getini(setting_key(setting_name)), self._config.inipath, self._here
                )
            )
        except SettingError as error:
            raise pytest.UsageError(str(error)) from None

    def paths(self, setting_name: str) -> tuple[Path, ...]:
        """The paths of a setting that is a list of paths."""
        setting = self.find(setting_name)
        return setting.paths if setting is not None else ()

    def path(self, setting_name: str) -> Path | None:
        """The path of a setting, or None."""
        return next(iter(self.paths(setting_name)), None)

    @property
    def started_command(self) -> list[str]:
        """The first words of the command that started this run."""
        return run_command.command_words(self._config.invocation_params.args)[0]

    def command_line_value(self, setting_name: str) -> Any:
        """The value of a setting on the command line, without ``addopts``; None if it is not there."""
        value, written = self._config.getoption(setting_key(setting_name)), self._count_occurrences(setting_name)
        if value in (None, []) or not written:
            return None
        return value[-written:] if isinstance(value, list) else value

    def _option_setting(self, name: str) -> NamedSetting | None:
        """Read a setting of pytest's options; paths are relative to where they were written."""
        value = self._config.getoption(setting_key(name))
        if value in (None, []):
            return None
        option = f"--toolcall-{name}"
        if not isinstance(value, list):
            written = self._count_occurrences(name) > 0
            return NamedSetting(value, self._here if written else self._ini_directory, option)
        # Values of `addopts` in the ini file come before those of the command.
        early = len(value) - self._count_occurrences(name)
        paths = [self._ini_directory / path for path in value[:early]] + [self._here / path for path in value[early:]]
        return NamedSetting(paths, self._here, option)

    def _count_occurrences(self, name: str) -> int:
        """Count an option in the command and in PYTEST_ADDOPTS."""
        flags = f"--toolcall-{name}", f"--no-toolcall-{name}"
        words = [*shlex.split(os.environ.get("PYTEST_ADDOPTS", "")), *map(str, self._config.invocation_params.args)]
        return sum(word.partition("=")[0] in flags for word in words)

    @property
    def _ini_directory(self) -> Path:
        return self._config.inipath.parent if self._config.inipath is not None else self._here


def verify_root(config: pytest.Config, names: Sequence[str]) -> None:
    """Refuse a path that moved pytest's root directory, written after an option with a blank.

    pytest takes such a path for a test file before it knows our options, and reads other settings than the project's.
    Raises pytest.UsageError.
    """
    words = [str(word) for word in config.invocation_params.args]
    has_root = any(word.partition("=")[0] in ("--rootdir", "-c", "--config-file") for word in words)
    directory = config.invocation_params.dir
    home = next((folder for folder in (directory, *directory.parents) if _has_settings(folder)), None)
    if has_root or home is None or config.rootpath == home:
        return
    for word, value in itertools.pairwise(words):
        if word in {f"--toolcall-{name}" for name in names} and (directory / value).exists():
            raise pytest.UsageError(
                f"`{word} {value}` moves pytest's root directory from {home} to {config.rootpath}, "
                f"so the settings of your project are not read; write {word}={value}"
            )


def _has_settings(folder: Path) -> bool:
    """Whether a folder has a file with settings of pytest."""
    if any((folder / name).is_file() for name in ("pytest.toml", ".pytest.toml", "pytest.ini", ".pytest.ini")):
        return True
    for name in ("pyproject.toml", "tox.ini", "setup.cfg"):
        try:
            if "pytest" in (folder / name).read_text(encoding="utf-8"):
                return True
        except (OSError, UnicodeDecodeError):
            continue
    return (folder / "pyproject.toml").is_file()
