"""The pytest plugin's entry module: options, the marker, how our modules are imported, and whether to load the engine.

Imports pytest and the standard library only, so that an installed but unused plugin costs nothing. An argument that
begins with ``toolcall::`` loads the engine; ini settings alone never do.
"""

from __future__ import annotations

import itertools
import os
import sys
from argparse import BooleanOptionalAction
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from typing import Literal

import pytest

_PREFIX = "toolcall"
_LIST_SETTINGS = ("report", "corpus", "cassettes")
_SETTINGS = (
    "translator",
    *_LIST_SETTINGS,
    "strict",
    "pairs",
    "known_failures",
    "policy",
    "timeout",
    "isolated",
    "memory",
    "cuts",
    "artifacts",
    "repeat",
    "witness",
    "against",
    "fuzz",
    "fuzz_seed",
    "fuzz_renderer",
)

# The packages of our distribution, and the one module with an assertion for users, which shows differing snapshots.
_OUR_PACKAGES = ("toolcall_conformance", "toolcall_reference")
_ASSERTING_MODULE = "toolcall_conformance.suite"


class _CompiledFinder:
    """Finds our modules without pytest, so that Python uses the bytecode that the installation made.

    pytest rewrites the assertions of all modules of a distribution that has a plugin, and caches them separately: the
    first run after an installation would compile hundreds of modules anew. They assert nothing for users.
    """

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, target: object = None) -> ModuleSpec | None:
        del target
        if (
            not name.startswith(_OUR_PACKAGES)
            or name.partition(".")[0] not in _OUR_PACKAGES
            or name == _ASSERTING_MODULE
        ):
            return None
        return PathFinder.find_spec(name, path)


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("toolcall", "toolcall conformance (run with an argument `toolcall::`)")
    group.addoption(
        "--toolcall-translator",
        metavar="SPEC",
        help="the translator to judge: package.module:attribute (a class, an instance or a factory), "
        "exec:COMMAND (a child process) or gateway:FILE.toml (an HTTP gateway)",
    )
    group.addoption(
        "--toolcall-report",
        metavar="FILE",
        action="append",
        help="write a report; the end of its name chooses the kind: .json (every verdict and finding), .html (a "
        "page for a browser), .md (Markdown for a pull request) or .sarif (causes at lines of code, for a code host); "
        "may be given several times",
    )
    group.addoption(
        "--toolcall-strict",
        action=BooleanOptionalAction,
        help="SHOULD findings fail an item, too, not only MUST findings",
    )
    group.addoption(
        "--toolcall-corpus",
        metavar="DIR",
        action="append",
        help="a folder of private cases to run in addition to the corpus; may be given several times",
    )
    group.addoption(
        "--toolcall-cassettes",
        metavar="DIR",
        action="append",
        help="a folder of cassettes from `toolcall-conformance record`, vcrpy or VCR for Ruby: every recorded exchange "
        "is a case of toolcall::recorded; needs no translator; may be given several times",
    )
    group.addoption(
        "--toolcall-pairs",
        metavar="FILE",
        help="a TOML file that lists which of your golden files belong together: every pair of a translator's input "
        "and output is a case of toolcall::pairs; needs no translator",
    )
    group.addoption(
        "--toolcall-known-failures",
        metavar="FILE",
        help="a TOML file of expected findings; an entry that no finding matches any more fails the run",
    )
    group.addoption(
        "--toolcall-known-failures-update",
        action="store_true",
        help="write the file of known failures anew: findings that fail now are added, those that no longer "
        "fail are deleted; reasons, comments, and entries of items that were not run stay",
    )
    group.addoption(
        "--toolcall-policy",
        metavar="FILE",
        help="a TOML file that lists what the translator does to tools on purpose; the judge then demands exactly that",
    )
    group.addoption(
        "--toolcall-repeat",
        metavar="N",
        help="play each item N times; one whose verdict differs is unstable, and fails only with --toolcall-strict",
    )
    group.addoption(
        "--toolcall-timeout",
        metavar="SECONDS",
        help="time limit for each call of the translator (default: 10)",
    )
    group.addoption(
        "--toolcall-isolated",
        action=BooleanOptionalAction,
        help="run a Python translator in a child process: one that dies or cannot be stopped then costs one item",
    )
    group.addoption(
        "--toolcall-memory",
        metavar="MB",
        help="with --toolcall-isolated, the address space of the child in megabytes, 0 for no limit (default: 4096)",
    )
    group.addoption(
        "--toolcall-cuts",
        metavar="HOW",
        help="how finely to cut streams: `default`, a number of ways, or `all` for every place in every case (slow)",
    )
    group.addoption(
        "--toolcall-artifacts",
        metavar="DIR",
        help="the folder for the bodies of failing items (default: toolcall in pytest's cache directory)",
    )
    group.addoption(
        "--toolcall-witness",
        action=BooleanOptionalAction,
        help="a failed item also reports what the official client does with the body; needs the extra `witnesses`",
    )
    group.addoption(
        "--toolcall-against",
        metavar="SPEC",
        help=(
            "another translator: the summary also shows where the two differ in meaning, without a verdict on "
            "which is right"
        ),
    )
    group.addoption(
        "--toolcall-fuzz",
        metavar="N",
        help="generate N conversations and play them on each route as toolcall::fuzz; needs the extra `trust`",
    )
    group.addoption("--toolcall-fuzz-seed", metavar="S", help="the seed of the generated conversations (default: 0)")
    group.addoption(
        "--toolcall-fuzz-renderer",
        metavar="SPEC",
        help="what writes their bodies, package.module:function (default: that of the reference translator)",
    )
    for name in _SETTINGS:
        kind: Literal["linelist", "string"] = "linelist" if name in _LIST_SETTINGS else "string"
        parser.addini(f"toolcall_{name}", help=f"default of --toolcall-{name.replace('_', '-')}", type=kind)


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config, args: list[str]) -> None:
    """Correct pytest's root directory: it takes a path after an option of ours and a blank for a test file."""
    words, here = [str(word) for word in early_config.invocation_params.args], early_config.invocation_params.dir
    values = [value for word, value in itertools.pairwise(words) if word.startswith("--toolcall-") and "=" not in word]
    if any(os.path.exists(here / value) for value in values):  # noqa: PTH110 - also for values that are no paths
        from toolcall_conformance.engine.own_root import restore_root

        restore_root(early_config, args)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        "toolcall(case, family, check, client, upstream): an item of the tool call conformance suite",
    )
    _install_finder(config)
    ours = [argument for argument in config.args if _selects_items(config, argument)]
    if not ours:
        if _PREFIX in config.args and not (config.invocation_params.dir / _PREFIX).exists():
            raise pytest.UsageError("there is no file or directory `toolcall`; to run the suite write `toolcall::`")
        return
    # Otherwise pytest would look for files of that name. If no argument is left, it collects nothing else.
    config.args[:] = [argument for argument in config.args if argument not in ours]
    from toolcall_conformance import engine

    engine.start(config, ours)


def pytest_report_header(config: pytest.Config) -> str | None:
    if config.getoption("toolcall_translator") and not config.pluginmanager.hasplugin("toolcall-engine"):
        return "toolcall: --toolcall-translator is given, but no argument starts with `toolcall::`; nothing is judged"
    return None


def _install_finder(config: pytest.Config) -> None:
    """Find our modules before pytest's import hook does, until the end of the session."""
    sys.meta_path.insert(0, _CompiledFinder)
    config.add_cleanup(_remove_finder)


def _remove_finder() -> None:
    # Code that restores the list of finders may have removed ours.
    if _CompiledFinder in sys.meta_path:
        sys.meta_path.remove(_CompiledFinder)


def _selects_items(config: pytest.Config, argument: str) -> bool:
    """Whether an argument selects items of this suite.

    A real file called ``toolcall`` is reached as ``./toolcall::...``. From a directory below the root pytest itself
    prints our ids as ``../toolcall::...``; such an id is accepted too, unless that file exists.
    """
    head, separator, _ = argument.partition("::")
    if not separator:
        return False
    if head == _PREFIX:
        return True
    path = Path(head)
    root = config.rootpath / _PREFIX
    return path.name == _PREFIX and ".." in path.parts and not root.exists() and _is_same_path(config, path, root)


def _is_same_path(config: pytest.Config, path: Path, root: Path) -> bool:
    return os.path.realpath(config.invocation_params.dir / path) == os.path.realpath(root)
