"""The options of one run, parsed once."""

from __future__ import annotations

import math
import os
import shlex
from dataclasses import dataclass
from pathlib import Path

import pytest

from toolcall_conformance.streaming.cuts import Fineness, parse_fineness


@dataclass(frozen=True, slots=True)
class Settings:
    """The user's settings. Paths are absolute; ``directory`` is the one in which pytest was started.

    ``fineness`` is how finely streams are cut; None for each medium's own default.
    ``repeat`` is the beginning of a command that runs with the same settings again.
    """

    translator: str | None
    directory: Path
    reports: tuple[Path, ...]
    strict: bool
    corpora: tuple[Path, ...]
    cassettes: tuple[Path, ...]
    known_failures: Path | None
    seconds: float
    artifacts: Path | None
    fineness: Fineness | None
    repeat: str

    def again(self, *nodeids: str) -> str:
        """The command that runs just these items again."""
        return " ".join([self.repeat, *(f'"{nodeid}"' for nodeid in nodeids)])


def settings(config: pytest.Config, translator: str | None = None) -> Settings:
    """Read the settings of this run; ``translator`` overrides the option. Raises pytest.UsageError."""
    option = config.getoption
    directory = config.invocation_params.dir
    translator = translator or option("toolcall_translator") or config.getini("toolcall_translator")
    if not translator and not option("toolcall_cassettes"):
        raise pytest.UsageError(
            "toolcall:: needs a translator to judge: --toolcall-translator package.module:attribute "
            "(or `toolcall_translator = ...` in pytest's ini file)"
        )
    seconds = option("toolcall_timeout")
    if not (math.isfinite(seconds) and seconds > 0):
        raise pytest.UsageError(f"--toolcall-timeout: {seconds:g} is not a time limit; give seconds above zero")

    def path(name: str) -> Path | None:
        value = option(name)
        return directory / value if value else None

    known = path("toolcall_known_failures")
    return Settings(
        translator=translator or None,
        directory=directory,
        reports=tuple(directory / file for file in option("toolcall_report")),
        strict=bool(option("toolcall_strict")),
        corpora=tuple(directory / folder for folder in option("toolcall_corpus")),
        cassettes=tuple(directory / folder for folder in option("toolcall_cassettes")),
        known_failures=known,
        seconds=seconds,
        artifacts=path("toolcall_artifacts") or _cache_folder(config),
        fineness=_fineness(option("toolcall_cuts")),
        repeat=_repeat(config),
    )


def _fineness(value: str) -> Fineness | None:
    try:
        return parse_fineness(value)
    except ValueError as error:
        raise pytest.UsageError(f"--toolcall-cuts: {error}") from None


def _cache_folder(config: pytest.Config) -> Path | None:
    """A folder in pytest's cache; None if the cache is off or not writable."""
    cache = getattr(config, "cache", None)
    try:
        return cache.mkdir("toolcall") if cache is not None else None
    except OSError:
        return None


def _repeat(config: pytest.Config) -> str:
    option = config.getoption
    words = ["pytest"]
    if option("toolcall_translator"):
        words += ["--toolcall-translator", option("toolcall_translator")]
    for folder in option("toolcall_corpus"):
        words += ["--toolcall-corpus", os.fspath(folder)]
    for folder in option("toolcall_cassettes"):
        words += ["--toolcall-cassettes", os.fspath(folder)]
    if option("toolcall_strict"):
        words.append("--toolcall-strict")
    if option("toolcall_cuts") != "default":
        words += ["--toolcall-cuts", option("toolcall_cuts")]
    if option("toolcall_known_failures"):
        words += ["--toolcall-known-failures", option("toolcall_known_failures")]
    return shlex.join(words)
