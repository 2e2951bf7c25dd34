"""Options and fixtures that several of our own tests use."""

from __future__ import annotations

import os
import shutil
import ssl
import sys
import tempfile
import time
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from toolcall_conformance import formats
from toolcall_conformance.library import Corpus, load_corpus

# A run of pytest inside this process forgets the modules that it was the first to import; those of the formats, and so
# what tests patch in them, must stay the ones that the judge uses.
for name in formats.names():
    formats.get(name)

# On a loaded machine values are drawn and tried slowly; tests that assert on time have a mark of their own.
settings.register_profile("any speed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any speed")

_BYTECODE = "toolcall-bytecode-"
_DAY = 86_400.0

pytest_plugins = ["turns.hooks", "every", "pytester", "project", "languages", "starters", "regeneration.hooks"]


def pytest_configure(config: pytest.Config) -> None:
    # The lines that CI measures are run in this process and in xdist's workers. Children of the tests are not measured:
    # some are killed while they would write what they ran.
    if hasattr(config, "workerinput"):
        os.environ.pop("COVERAGE_PROCESS_START", None)
    elif os.environ.pop("PYTHONDONTWRITEBYTECODE", None):
        _redirect_bytecode(config)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish() -> None:
    # xdist kills a worker that does not exit within ten seconds, and coverage writes what it knows at the very end.
    if (measured := sys.modules.get("coverage")) and (current := measured.Coverage.current()):
        current.stop()
        current.save()


def _redirect_bytecode(config: pytest.Config) -> None:
    """Let workers and children compile each module once, and leave no file next to the sources.

    A run of pytest compiles hundreds of modules; hundreds of tests start one.
    """
    for old in Path(tempfile.gettempdir()).glob(f"{_BYTECODE}*"):  # of runs that were killed
        if time.time() - old.stat().st_mtime > _DAY:
            shutil.rmtree(old, ignore_errors=True)
    folder = tempfile.mkdtemp(prefix=_BYTECODE)
    os.environ["PYTHONPYCACHEPREFIX"] = folder
    config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    # The tests of a module stay together as long as that keeps all workers busy: what they share is made once.
    if getattr(config.option, "numprocesses", None) and config.option.dist == "no":
        config.option.dist = "worksteal"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--mutations",
        type=int,
        default=2_000,
        metavar="N",
        help="how many mutated bodies a format's readers are given (default: 2000; the full measure is 100000)",
    )
    parser.addoption(
        "--recorded",
        type=int,
        default=40,
        metavar="N",
        help="how many recorded exchanges of each format go to all others and back, and through cassettes "
        "(default: 40; 0 takes all)",
    )


def excluded_marks(config: pytest.Config) -> list[str]:
    """The marks of the tests that run only where ``-m`` names them: next to others their time means nothing."""
    shared = hasattr(config, "workerinput") or getattr(config.option, "numprocesses", None)
    return [mark for mark in ("all_places", *(["timing"] if shared else [])) if mark not in config.option.markexpr]


def pytest_report_header(config: pytest.Config) -> str:
    return f"left out unless -m names them: tests marked {', '.join(excluded_marks(config))}"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    deselected = [item for item in items if any(item.get_closest_marker(mark) for mark in excluded_marks(config))]
    if deselected:
        config.hook.pytest_deselected(items=deselected)
        items[:] = [item for item in items if item not in {*deselected}]
    # The one test that takes a minute goes first: at the end it would keep one core busy while the others wait.
    items.sort(key=lambda item: item.path.name != "test_whole_corpus.py")


_tls_context = cache(ssl.create_default_context)


@pytest.fixture
def certificates_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """For tests that make many clients: each has a context of TLS with all certificates, and none asks over TLS."""
    monkeypatch.setattr(ssl, "create_default_context", _tls_context)


@pytest.fixture(scope="session")
def corpus() -> Corpus:
    """The corpus of this checkout."""
    return load_corpus()
