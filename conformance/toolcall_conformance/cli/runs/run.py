"""``toolcall-conformance run``: the items through pytest, for those who have no Python project."""

from __future__ import annotations

import argparse
import importlib.util
import re
from collections.abc import Sequence
from typing import Any

from toolcall_conformance.basics import settings_sources
from toolcall_conformance.basics.run_command import RUN_ARGUMENTS
from toolcall_conformance.cli.parser import CommandParser, UsageError
from toolcall_conformance.cli.settings import CommandSettings

_TRANSLATOR = re.compile(r"(exec|gateway):.+|[^:]+\.toml|[\w.]+:[\w.]+", re.DOTALL)
_ITEMS = "toolcall::"

# What the help shows of the settings, and of pytest's options. Of those of pytest all that take a value are here.
_SETTINGS = {
    "report": "write a report: .json, .html, .md or .sarif; may be given several times",
    "known-failures": "a TOML file of expected findings",
    "known-failures-update": "write that file anew: it then lists the findings that fail now",
    "strict": "SHOULD findings fail an item, too",
}
_VALUES = {
    ("-k",): ("EXPR", "only items whose names match: -k 'to-gemini and not stream'"),
    ("-n", "--numprocesses"): ("N", "in N processes, or `auto` (needs pytest-xdist)"),
    ("-m",): ("EXPR", None),
    ("-p",): ("NAME", None),
    ("-r",): ("CHARS", None),
    ("-o", "--override-ini"): ("NAME=VALUE", None),
    ("--maxfail",): ("N", None),
    ("--tb",): ("STYLE", None),
    ("--color",): ("WHEN", None),
    ("--durations",): ("N", None),
    ("--deselect",): ("ID", None),
    ("--dist",): ("HOW", None),
    ("--basetemp",): ("DIR", None),
    ("--junit-xml", "--junitxml"): ("FILE", None),
}
_FLAGS = {
    ("-x", "--exitfirst"): "stop at the first item that fails",
    ("--lf", "--last-failed"): "only what failed last time",
    ("-v", "--verbose"): "more (-vv), each finding by itself",
    ("-q", "--quiet"): "less",
    ("-s",): None,
    ("-l", "--showlocals"): None,
}


class _PytestOption(argparse.Action):
    """Keeps an option and its value as words for pytest, in the order in which they were written."""

    def __init__(self, *, setting: str = "", **options: Any) -> None:
        super().__init__(**options | {"dest": "for_pytest", "default": []})
        self._setting = setting

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, option: str | None = None
    ) -> None:
        del parser
        negated = "no-" if str(option).startswith("--no-") else ""
        name = f"--{negated}toolcall-{self._setting}" if self._setting else str(option)
        if self.nargs == 0:
            words = [name]
        elif name.startswith("--"):  # after a blank, pytest would take a path for that of a test file
            words = [f"{name}={values}"]
        else:
            words = [name, values]
        namespace.for_pytest = [*namespace.for_pytest, *words]


def add_arguments(parser: CommandParser) -> None:
    parser.collects_unknown = True
    parser.allow_abbrev = False
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.usage = "toolcall-conformance run [TRANSLATOR] [SELECTION ...] [OPTION ...]"
    parser.description = """\
Judge a translator with the corpus. No Python project is needed; pytest is included.

  TRANSLATOR  gateway.toml         an HTTP gateway; also gateway:FILE.toml
              exec:COMMAND         a child process in any language
              package.module:name  a Python class, instance or factory
              without it, the one of the settings
  SELECTION   @quick, shell, shell/seed::request, … as after `toolcall::`;
              without it, all"""
    for setting, schema in settings_sources.setting_schemas().items():
        _add_setting(parser, setting, schema)
    _add_setting(parser, "known-failures-update", {"type": "boolean"})
    for flags, (metavar, says) in _VALUES.items():
        parser.add_argument(*flags, action=_PytestOption, metavar=metavar, help=says or argparse.SUPPRESS)
    for flags, description in _FLAGS.items():
        parser.add_argument(*flags, action=_PytestOption, nargs=0, help=description or argparse.SUPPRESS)
    parser.epilog = """\
Options of `pytest toolcall::` are known with `toolcall-` and without: --timeout,
--corpus, … Others go to pytest: write --NAME=VALUE, or all of them after `--`.

The settings of toolcall in pyproject.toml count; conftest.py and pytest's addopts
do not. Exit code: 0 nothing fails, 1 items fail or nothing was judged, 2 stopped,
3 internal error, 4 wrong usage, 70 the translator ended the process."""
    parser.set_defaults(run=run, for_pytest=[])


def _add_setting(parser: argparse.ArgumentParser, setting: str, schema: Any) -> None:
    """An option under its short name and under that of pytest, which the help does not show."""
    is_flag = schema.get("type") == "boolean"
    kind: dict[str, Any] = {"nargs": 0} if is_flag else {"metavar": _metavar(schema)}
    flags = {f"--{setting}": _SETTINGS.get(setting, argparse.SUPPRESS), f"--toolcall-{setting}": argparse.SUPPRESS}
    if is_flag and setting in settings_sources.setting_schemas():
        flags |= {f"--no-{setting}": argparse.SUPPRESS, f"--no-toolcall-{setting}": argparse.SUPPRESS}
    for flag, says in flags.items():
        parser.add_argument(flag, action=_PytestOption, setting=setting, help=says, **kind)


def _metavar(schema: Any) -> str:
    return "FILE" if "path" in str(schema.get("$ref", "")) else "VALUE"


def run(parsed: argparse.Namespace) -> int:
    """Run pytest, and return its exit code."""
    arguments = _arguments(parsed)
    if any(word == "-n" or word.startswith("--numprocesses=") for word in arguments):
        _verify_xdist()
    import pytest

    return int(pytest.main([*RUN_ARGUMENTS, *arguments]))


def _arguments(parsed: argparse.Namespace) -> list[str]:
    """What pytest gets after ``RUN_ARGUMENTS``. Raises UsageError."""
    options, rest = list(parsed.for_pytest), list(parsed.unknown)
    raw = rest[rest.index("--") + 1 :] if "--" in rest else []
    words = rest[: rest.index("--")] if "--" in rest else rest
    options += [word for word in words if word.startswith("-")]
    named = [word for word in words if not word.startswith("-")]
    translators = [word for word in named if _TRANSLATOR.fullmatch(word) and "::" not in word]
    selections = [word for word in named if word not in translators]
    option_specs = [word.partition("=")[2] for word in options if word.startswith("--toolcall-translator=")]
    options = [word for word in options if not word.startswith("--toolcall-translator=")]
    translators = [*dict.fromkeys([*translators, *option_specs])]
    if len(translators) > 1:
        raise UsageError(f"there are two translators, {' and '.join(translators)}; name one, and another by --against")
    if not translators:
        _verify_translator(parsed, options, selections)
    specs = [f"--toolcall-translator={_spec(word)}" for word in translators]
    return [*specs, *(_items(selections) or [_ITEMS]), *options, *raw]


def _spec(word: str) -> str:
    is_file = word.endswith(".toml") and not word.startswith(("exec:", "gateway:"))
    return f"gateway:{word}" if is_file else word


def _items(selections: Sequence[str]) -> list[str]:
    return [word if word.startswith(_ITEMS) else f"{_ITEMS}{word}" for word in selections]


def _verify_translator(parsed: argparse.Namespace, options: Sequence[str], selections: Sequence[str]) -> None:
    """Raise UsageError unless the settings name what to judge."""
    settings = CommandSettings(parsed)
    recordings = ("cassettes", "pairs")  # what is judged without a translator
    if any(word.startswith(f"--toolcall-{name}=") for word in options for name in recordings):
        return
    if any(settings.find(name) is not None for name in ("translator", *recordings)):
        return
    unknown = f"; `{selections[0]}` is none of them" if selections else ""
    raise UsageError(
        "name the translator to judge: a file gateway.toml, exec:COMMAND or package.module:name "
        f'(or write `translator = "..."` under [tool.toolcall] in pyproject.toml){unknown}'
    )


def _verify_xdist() -> None:
    if importlib.util.find_spec("xdist") is None:
        raise UsageError(
            "-n needs pytest-xdist, which is not installed: uvx --with pytest-xdist toolcall-conformance run …, "
            "or pip install pytest-xdist"
        )
