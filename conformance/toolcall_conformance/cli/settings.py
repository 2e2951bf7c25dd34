"""The settings of a command: its own options, else the environment, else the files in which pytest finds them."""

from __future__ import annotations

import argparse
import os
import shlex
from functools import cached_property
from pathlib import Path
from typing import Any

from toolcall_conformance.basics import settings_files, settings_sources
from toolcall_conformance.basics.settings_sources import NamedSetting
from toolcall_conformance.library import Corpus, load_corpus

# Settings whose values are paths; pytest takes one after a blank for a test file.
_PATHS = ("corpus",)


class CommandSettings:
    """The settings that the user named for a command, in its options or elsewhere."""

    def __init__(self, parsed: argparse.Namespace) -> None:
        self._parsed = parsed
        self._here = Path.cwd()
        settings_sources.verify_environment()

    def find(self, name: str) -> NamedSetting | None:
        """Find a setting; None if nothing names it. Raises SettingError, UnreadableFileError."""
        value = self._option(name)
        if value is not None:
            return NamedSetting(value, self._here, f"--{name}" if name != "translator" else name.upper())
        return (
            settings_sources.from_environment(name, self._here)
            or self._table.find(name)
            or settings_sources.from_ini(name, self._ini_value(name), self._settings_file.file, self._here)
        )

    def is_on(self, name: str) -> bool:
        """A setting that is true or false; false if nothing names it."""
        setting = self.find(name)
        return setting is not None and bool(setting.value)

    def corpus(self) -> Corpus:
        """The corpus with the private folders that are named."""
        setting = self.find("corpus")
        return load_corpus(extra=setting.paths if setting is not None else ())

    def pytest_command(self, *names: str) -> str:
        """The beginning of a pytest command with the same settings; those of files and the environment hold there."""
        words = ["pytest"]
        for name in names:
            value = self._option(name)
            for item in value if isinstance(value, list) else [] if value is None else [value]:
                option = f"--{'no-' if item is False else ''}toolcall-{name}"
                if isinstance(item, bool):
                    words.append(option)
                    continue
                words += [f"{option}={os.fspath(item)}"] if name in _PATHS else [option, str(item)]
        return shlex.join(words)

    def isolated_command(self, *names: str) -> str:
        """The same command with the translator in a process of its own, and the options of these names."""
        words = ["toolcall-conformance", self._parsed.command, "--isolated"]
        for name in names:
            value = self._option(name)
            values = value if isinstance(value, list) else [] if value is None else [value]
            words += [f"--{name}={os.fspath(item)}" for item in values]
        translator = self._option("translator")
        return shlex.join(words if translator is None else [*words, translator])

    def _option(self, name: str) -> Any:
        """The value that the command line has, or None."""
        value = getattr(self._parsed, name, None)
        return None if value == [] else value

    @cached_property
    def _settings_file(self) -> settings_files.SettingsFile:
        return settings_files.find_settings(self._here)

    @cached_property
    def _table(self) -> settings_sources.SettingsTable:
        return settings_sources.SettingsTable(self._settings_file.root)

    def _ini_value(self, name: str) -> Any:
        value = self._settings_file.content.get(settings_sources.setting_key(name))
        if isinstance(value, str) and settings_sources.setting_schemas()[name].get("$ref") == "#/$defs/paths":
            return [line.strip() for line in value.splitlines() if line.strip()]
        return value


def add_corpus(parser: argparse.ArgumentParser) -> None:
    """Add the option for private cases."""
    parser.add_argument(
        "--corpus",
        metavar="DIR",
        type=Path,
        action="append",
        default=[],
        help="a folder of private cases; may be given several times",
    )


def load_named_corpus(parsed: argparse.Namespace) -> Corpus:
    """The corpus with the private folders that the settings name. Raises SettingError, UnreadableFileError."""
    return CommandSettings(parsed).corpus()
