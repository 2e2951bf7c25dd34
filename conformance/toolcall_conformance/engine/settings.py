"""The options of one run, parsed once."""

from __future__ import annotations

import importlib.util
import os
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from toolcall_conformance.basics import settings_sources
from toolcall_conformance.basics.streaming.cuts import Fineness, parse_fineness
from toolcall_conformance.drivers.isolated.driver import DEFAULT_MEMORY
from toolcall_conformance.drivers.loading import Isolation
from toolcall_conformance.engine.option_sources import OptionSources, verify_root
from toolcall_conformance.engine.own_root import PATH_SETTINGS
from toolcall_conformance.reports.item_record import run_command
from toolcall_conformance.trust.fuzz.cases import RENDERER, RendererError, load_renderer

FUZZ_SETTINGS = ("fuzz", "fuzz-seed", "fuzz-renderer")

# The options that a command for one item repeats. Settings of files and of the environment hold for it anyway.
_RERUN_SETTINGS = (
    "translator",
    "corpus",
    "cassettes",
    "pairs",
    "strict",
    "cuts",
    "timeout",
    "isolated",
    "memory",
    "known-failures",
    "policy",
    "witness",
    "against",
    *FUZZ_SETTINGS,
)


@dataclass(frozen=True, slots=True)
class FuzzSettings:
    """How many conversations are generated, from which seed, and what renders them: ``package.module:function``."""

    count: int
    seed: int
    renderer: str


@dataclass(frozen=True, slots=True)
class Settings:
    """The user's settings. Paths are absolute; ``directory`` is the one in which pytest was started.

    - ``translator_directory``: the directory to which paths in ``translator`` are relative.
    - ``known_failures_update``: whether the run writes the file of known failures anew.
    - ``policy``: the file that lists what the translator does to tools on purpose.
    - ``timeout``: the time limit of each call of the translator, in seconds.
    - ``isolation``: how a Python translator runs in a child process; None runs it in this one.
    - ``fineness``: how finely streams are cut; None for each driver's own default.
    - ``repeat``: how often each item is played.
    - ``witness``: whether the official clients report what they do with the bodies that failed.
    - ``against``: the spec of another translator to compare with, or None.
    - ``fuzz``: which conversations are generated, or None.
    - ``rerun_base``: the beginning of a command that runs with the same settings again.
    - ``rerun_base_without_fuzz``: the same without generated conversations.
    """

    translator: str | None
    directory: Path
    translator_directory: Path
    reports: tuple[Path, ...]
    strict: bool
    corpora: tuple[Path, ...]
    cassettes: tuple[Path, ...]
    pairs: Path | None
    known_failures: Path | None
    known_failures_update: bool
    policy: Path | None
    timeout: float
    isolation: Isolation | None
    artifacts: Path | None
    fineness: Fineness | None
    repeat: int
    witness: bool
    against: str | None
    fuzz: FuzzSettings | None
    rerun_base: str
    rerun_base_without_fuzz: str

    def rerun_command(self, *nodeids: str) -> str:
        """The command that runs these items again."""
        return run_command(self.rerun_base, *nodeids)

    def private_case_command(self, folder: Path, nodeid: str) -> str:
        """The command that runs one item of a folder of private cases."""
        return run_command(
            f"{self.rerun_base_without_fuzz} {shlex.quote(f'--toolcall-corpus={relative(folder, self.directory)}')}",
            nodeid,
        )


def read_settings(config: pytest.Config, translator: str | None = None) -> Settings:
    """Read the settings of this run; ``translator`` overrides the option. Raises pytest.UsageError."""
    verify_root(config, PATH_SETTINGS)
    sources = OptionSources(config)
    directory = config.invocation_params.dir
    setting = sources.find("translator")
    cassettes = sources.paths("cassettes")
    pairs = sources.path("pairs")
    if not translator and setting is None and not cassettes and pairs is None:
        raise pytest.UsageError(
            "toolcall:: needs a translator to judge: --toolcall-translator package.module:attribute "
            '(or `translator = "..."` under [tool.toolcall] in pyproject.toml), '
            "or only recordings to judge: --toolcall-cassettes=FOLDER, or golden files: --toolcall-pairs=FILE.toml"
        )
    known_failures, known_failures_update = (
        sources.path("known-failures"),
        bool(config.getoption("toolcall_known_failures_update")),
    )
    if known_failures_update and known_failures is None:
        raise pytest.UsageError("--toolcall-known-failures-update needs --toolcall-known-failures FILE.toml")
    return Settings(
        translator=translator or (setting.value if setting else None),
        directory=directory,
        translator_directory=setting.directory if setting and not translator else directory,
        reports=sources.paths("report"),
        strict=bool(_value(sources, "strict", default=False)),
        corpora=sources.paths("corpus"),
        cassettes=cassettes,
        pairs=pairs,
        known_failures=known_failures,
        known_failures_update=known_failures_update,
        policy=sources.path("policy"),
        timeout=_timeout(sources),
        isolation=_isolation(sources),
        artifacts=sources.path("artifacts") or _cache_folder(config),
        fineness=_fineness(sources),
        repeat=_repeat(sources),
        witness=_witness(sources),
        against=_value(sources, "against", default=None),
        fuzz=_fuzz(sources),
        rerun_base=_rerun_base(sources, _RERUN_SETTINGS),
        rerun_base_without_fuzz=_rerun_base(sources, [name for name in _RERUN_SETTINGS if name not in FUZZ_SETTINGS]),
    )


def relative(path: Path, directory: Path) -> str:
    """A path as a user in ``directory`` would write it."""
    return os.fspath(path.relative_to(directory)) if path.is_relative_to(directory) else os.fspath(path)


def _value(sources: OptionSources, setting_name: str, *, default: Any) -> Any:
    setting = sources.find(setting_name)
    return setting.value if setting is not None else default


def _timeout(sources: OptionSources) -> float:
    try:
        return settings_sources.parse_timeout(sources.find("timeout"))
    except settings_sources.SettingError as error:
        raise pytest.UsageError(str(error)) from None


def _isolation(sources: OptionSources) -> Isolation | None:
    if not _value(sources, "isolated", default=False):
        return None
    try:
        return Isolation(settings_sources.parse_memory(sources.find("memory"), DEFAULT_MEMORY))
    except settings_sources.SettingError as error:
        raise pytest.UsageError(str(error)) from None


def _repeat(sources: OptionSources) -> int:
    setting = sources.find("repeat")
    return 1 if setting is None else _whole_number(setting, "no number of tries", minimum=1)


def _fuzz(sources: OptionSources) -> FuzzSettings | None:
    """Read the settings of generated conversations, and verify that they can be generated."""
    setting, seeded = sources.find("fuzz"), sources.find("fuzz-seed")
    if setting is None:
        return None
    count = _whole_number(setting, "no number of conversations", minimum=1)
    seed = 0 if seeded is None else _whole_number(seeded, "no seed", minimum=0)
    renderer = str(_value(sources, "fuzz-renderer", default=RENDERER))
    if importlib.util.find_spec("hypothesis") is None:
        raise pytest.UsageError(
            f"{setting.where}: conversations are generated by Hypothesis, which is not installed; install the extra "
            "`trust`: pip install 'toolcall-conformance[trust]'"
        )
    try:
        load_renderer(renderer)
    except RendererError as error:
        raise pytest.UsageError(f"--toolcall-fuzz-renderer: {error}") from None
    return FuzzSettings(count, seed, renderer)


def _whole_number(setting: settings_sources.NamedSetting, fault: str, *, minimum: int) -> int:
    text = str(setting.value)
    if not (text.isascii() and text.isdecimal() and int(text) >= minimum):
        raise pytest.UsageError(f"{setting.where}: {text!r} is {fault}; give {minimum} or more")
    return int(text)


def _witness(sources: OptionSources) -> bool:
    setting = sources.find("witness")
    if setting is None or not setting.value:
        return False
    from toolcall_conformance.trust.witnesses import MissingSDKError, verify_installed

    try:
        verify_installed()
    except MissingSDKError as error:
        raise pytest.UsageError(f"{setting.where}: {error}") from None
    return True


def _fineness(sources: OptionSources) -> Fineness | None:
    setting = sources.find("cuts")
    if setting is None:
        return None
    try:
        return parse_fineness(str(setting.value))
    except ValueError as error:
        raise pytest.UsageError(f"{setting.where}: {error}") from None


def _cache_folder(config: pytest.Config) -> Path | None:
    """A folder in pytest's cache; None if the cache is off or not writable."""
    cache = getattr(config, "cache", None)
    try:
        return cache.mkdir("toolcall") if cache is not None else None
    except OSError:
        return None


def _rerun_base(sources: OptionSources, names: Sequence[str]) -> str:
    words = sources.started_command
    for name in names:
        value = sources.command_line_value(name)
        if value is None:
            continue
        if isinstance(value, bool):
            words.append(f"--toolcall-{name}" if value else f"--no-toolcall-{name}")
        elif name in PATH_SETTINGS:
            # With a blank, pytest would take the path for that of a test file and look there for its settings.
            values = value if isinstance(value, list) else [value]
            words += [f"--toolcall-{name}={os.fspath(value)}" for value in values]
        else:
            words += [f"--toolcall-{name}", str(value)]
    return shlex.join(words)
