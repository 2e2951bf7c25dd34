"""Make a Run from pytest's configuration; every mistake of the user becomes a usage error."""

from __future__ import annotations

import contextlib
import os
import platform
import shlex
import sys
from collections.abc import Sequence
from dataclasses import replace
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

from toolcall_conformance.basics import known_secrets
from toolcall_conformance.basics.atomic_files import NotWrittenError, target_of
from toolcall_conformance.basics.visible_text import visible
from toolcall_conformance.checks import CHECKS
from toolcall_conformance.drivers import Driver, SpecError, load_driver
from toolcall_conformance.drivers.loading import OTHER_PROCESSES, adopt_translator, spec_of
from toolcall_conformance.drivers.no_translator import NoTranslator
from toolcall_conformance.drivers.python.held_output import HeldOutput, hold_back_output, real_stream
from toolcall_conformance.drivers.python.json_result import MAX_OUTPUT_BYTES
from toolcall_conformance.drivers.upstream import MissingLibraryError, PortInUseError
from toolcall_conformance.engine.ending.corpus_state import CorpusState
from toolcall_conformance.engine.ending.earlier_reports import EarlierReports
from toolcall_conformance.engine.ending.last_report import report_plan
from toolcall_conformance.engine.ending.process_exit import ForcedExit
from toolcall_conformance.engine.ending.watchdog import Watchdog
from toolcall_conformance.engine.items import selection
from toolcall_conformance.engine.items.plan import Support, UnusableSessionError, generated_case, probe
from toolcall_conformance.engine.run import ItemPlayer, Run, make_harness
from toolcall_conformance.engine.settings import Settings, read_settings, relative
from toolcall_conformance.judge.policy import PolicyError, load_policy
from toolcall_conformance.library import Case, Corpus, CorpusError, load_corpus
from toolcall_conformance.recording.cassettes.cases import load as load_cassettes
from toolcall_conformance.recording.cassettes.interactions import CassetteError
from toolcall_conformance.recording.cassettes.replay.checks import REPLAYS
from toolcall_conformance.recording.pairs import PairsError, load_pairs
from toolcall_conformance.reports import known_failures
from toolcall_conformance.reports.files import ReportError, verify_writable
from toolcall_conformance.trust.fuzz.cases import CHECK

_MAX_BODY_BYTES = MAX_OUTPUT_BYTES // 2
"""The largest body of a case. A translated body may be larger: texts are escaped, files become base64."""


def prepare_run(config: pytest.Config, arguments: Sequence[str], *, translator: Any = None, name: str = "") -> Run:
    """Prepare the run that ``arguments`` (all begin with ``toolcall::``) select. Raises pytest.UsageError.

    ``translator`` replaces that of the options: a value of ``--toolcall-translator``, or with its ``name`` the
    translator itself, its class or its factory.
    """
    with contextlib.ExitStack() as undo:  # what to put back if the run cannot be prepared
        run = _prepare(config, arguments, undo, translator, name)
        undo.pop_all()
        return run


def _prepare(
    config: pytest.Config, arguments: Sequence[str], undo: contextlib.ExitStack, translator: Any, name: str
) -> Run:
    """Prepare a run; ``undo`` gets what to do if that fails. Raises pytest.UsageError."""
    known_secrets.forget_environment()  # plugins and conftest files have set their variables by now
    settings = read_settings(config, translator if translator is None or isinstance(translator, str) else name)
    printed = HeldOutput()
    try:
        for report in () if hasattr(config, "workerinput") else settings.reports:
            verify_writable(report)
        if settings.artifacts is not None:
            _verify_folder(settings.artifacts)
        corpus = load_corpus(extra=settings.corpora)
        cassettes = load_cassettes(corpus, settings.cassettes) if settings.cassettes else None
        recorded = cassettes.cases if cassettes is not None else {}
        generated = [generated_case(corpus)] if settings.fuzz is not None else []
        pairs = load_pairs(corpus, settings.pairs) if settings.pairs is not None else None
        paired = pairs.cases if pairs is not None else {}
        selected = selection.parse_selection(
            arguments,
            cases={
                case.id: case.formats
                for case in (*corpus.cases.values(), *recorded.values(), *paired.values(), *generated)
            },
            checks=tuple(dict.fromkeys([*CHECKS, *(REPLAYS if recorded else ()), *([CHECK] if generated else ())])),
            formats=corpus.formats,
            quick=lambda: corpus.quick,
        )
        for case in corpus.cases.values():
            if selected.selects(case.id):
                _verify_rendered(case, corpus)
                _verify_bodies(case)
        baseline = known_failures.KnownFailures()
        if settings.known_failures is not None:
            if settings.known_failures_update:
                _verify_file(settings.known_failures)
            names = known_failures.RuleNames(corpus.rules, corpus.retired, lambda rule: corpus.rules[rule].breach)
            display_path = relative(settings.known_failures, settings.directory)
            baseline = known_failures.load(
                settings.known_failures, names, may_lack=settings.known_failures_update, name=display_path
            )
        policy = load_policy(corpus, settings.policy) if settings.policy is not None else None
        corpus_state = None if hasattr(config, "workerinput") else CorpusState(corpus.root)
        watchdog = _start_watchdog(config, settings, translator)  # before standard error is held back
        earlier_reports = _set_reports_aside(config, settings)
        undo.callback(earlier_reports.restore_unreplaced)
        if watchdog is not None:
            undo.callback(watchdog.end_run)
            if settings.reports:
                watchdog.send_plan(_loading_plan(settings, corpus))
        with hold_back_output() as printed:
            driver = _make_driver(config, settings, corpus, translator, name)
            try:
                support = _find_support(config, driver, corpus)
                other = _load_other(config, settings, corpus)
            except BaseException:
                driver.close()
                raise
    except (
        CorpusError,
        CassetteError,
        PairsError,
        PolicyError,
        SpecError,
        UnusableSessionError,
        MissingLibraryError,
        PortInUseError,
        ReportError,
        selection.SelectionError,
        known_failures.KnownFailuresError,
        OSError,  # a path that the system refuses, such as one that is too long
    ) as error:
        raise pytest.UsageError("\n".join([str(error), *_printed_lines(printed)])) from None
    _print_now(config, _printed_lines(printed))
    harness = make_harness(corpus, settings.fineness, policy)
    run = Run(
        settings,
        corpus,
        driver,
        harness,
        selected,
        support,
        baseline,
        cassettes,
        policy,
        watchdog,
        earlier_reports,
        corpus_state,
        pairs,
        _make_generated_player,
    )
    return run if other is None else replace(run, other_run=replace(run, driver=other[0], support=other[1]))


def _make_generated_player(run: Run) -> ItemPlayer:
    """Make the player of generated conversations. Imports it here: other runs do not load the generators."""
    from toolcall_conformance.engine.fuzzing import GeneratedPlayer

    assert run.settings.fuzz is not None
    return GeneratedPlayer(run, run.settings.fuzz)


def _set_reports_aside(config: pytest.Config, settings: Settings) -> EarlierReports:
    """Set earlier reports aside if this run writes its own."""
    writes = not hasattr(config, "workerinput") and not config.option.collectonly
    return EarlierReports(settings.reports if writes else ())


def _loading_plan(settings: Settings, corpus: Corpus) -> dict[str, Any]:
    """The beginning of the reports of a run that its translator ends before the items are known."""
    spec = str(settings.translator)
    header = {
        "tool": {"name": "toolcall-conformance", "version": metadata.version("toolcall-conformance")},
        "corpus": {"version": corpus.version, "private": [str(folder) for folder in settings.corpora]},
        "translator": {"spec": spec, "name": spec, "version": None},
        "strict": settings.strict,
        "command": settings.rerun_base,
        "python": platform.python_version(),
        "pytest": pytest.__version__,
    }
    # The number of items is not known yet. One, of which none has run, makes the report incomplete.
    return report_plan(header, settings.reports, settings.corpora, 1)


def _start_watchdog(config: pytest.Config, settings: Settings, translator: Any) -> Watchdog | None:
    """Start the watchdog that ends a hung run, and the forced exit; both only for a translator in this interpreter."""
    spec = settings.translator if translator is None or isinstance(translator, str) else ""
    if spec is None or settings.isolation is not None or spec.startswith(OTHER_PROCESSES):
        return None
    if not config.pluginmanager.hasplugin("toolcall-leaving"):
        config.pluginmanager.register(ForcedExit(), "toolcall-leaving")
    return Watchdog.start(config)


def _adopt_translator(translator: Any, name: str, settings: Settings, corpus: Corpus) -> Driver:
    """The driver of a translator that is an object, a class or a factory. Raises SpecError."""
    if settings.isolation is None:
        return adopt_translator(translator, name, timeout=settings.timeout, transports=lambda: corpus.transports)
    return load_driver(
        spec_of(translator, name),
        directory=settings.translator_directory,
        timeout=settings.timeout,
        transports=lambda: corpus.transports,
        isolation=settings.isolation,
    )


def _make_driver(config: pytest.Config, settings: Settings, corpus: Corpus, translator: Any, name: str) -> Driver:
    """The driver of the translator that is judged. Raises as ``load_driver`` does."""
    if translator is not None and not isinstance(translator, str):
        return _adopt_translator(translator, name, settings, corpus)
    if settings.translator is None:
        judged = ["recordings"] if settings.cassettes else []
        return NoTranslator(f"only {' and '.join([*judged, *(['golden files'] if settings.pairs else [])])}")
    return _load_driver(config, settings, corpus, settings.translator)


def _load_driver(config: pytest.Config, settings: Settings, corpus: Corpus, spec: str) -> Driver:
    return load_driver(
        spec,
        directory=settings.translator_directory,
        timeout=settings.timeout,
        transports=lambda: corpus.transports,
        notify=lambda sentence: _print_now(config, [f"toolcall: {sentence}"]),
        isolation=settings.isolation,
    )


def _load_other(config: pytest.Config, settings: Settings, corpus: Corpus) -> tuple[Driver, Support] | None:
    """The driver of the translator to compare with, and what that supports. Raises as ``load_driver`` does."""
    if settings.against is None:
        return None
    driver = _load_driver(config, settings, corpus, settings.against)
    try:
        return driver, probe(driver, corpus)
    except BaseException:
        driver.close()
        raise


def _printed_lines(printed: HeldOutput) -> list[str]:
    """The lines about what the translator printed while it was loaded and probed."""
    return ["toolcall: while it was loaded, the translator printed:", *printed.lines] if printed.lines else []


def _print_now(config: pytest.Config, lines: Sequence[str]) -> None:
    """Print lines at once, despite pytest's capture; not in a quiet run, and not in a worker."""
    if config.get_verbosity() < 0 or hasattr(config, "workerinput"):
        return
    capture = config.pluginmanager.getplugin("capturemanager")
    with capture.global_and_fixture_disabled() if capture is not None else contextlib.nullcontext():
        stderr = real_stream(sys.stderr)
        for line in lines:
            stderr.write(visible(line) + "\n")
        stderr.flush()


SUPPORT_KEY = "toolcall_support"
"""The key of ``workerinput`` under which xdist's controller sends what the translator supports."""


def _find_support(config: pytest.Config, driver: Driver, corpus: Corpus) -> Support:
    """What the translator supports. Workers get it from the controller: all must collect the same items."""
    support = getattr(config, "workerinput", {}).get(SUPPORT_KEY)
    return probe(driver, corpus) if support is None else Support.of_json(support)


def _verify_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise pytest.UsageError(f"--toolcall-artifacts: {folder} cannot be made ({error.strerror})") from None
    if not os.access(folder, os.W_OK):
        raise pytest.UsageError(f"--toolcall-artifacts: {folder} is not writable")


def _verify_file(file: Path) -> None:
    """Refuse a file of known failures that cannot be written, before a long run. Raises pytest.UsageError."""
    try:
        folder = target_of(file).parent
    except NotWrittenError as error:
        raise pytest.UsageError(f"--toolcall-known-failures: {file} cannot be written ({error.strerror})") from None
    if not folder.is_dir():
        raise pytest.UsageError(f"--toolcall-known-failures: there is no folder {folder}; make it first")
    if not os.access(folder, os.W_OK):
        raise pytest.UsageError(f"--toolcall-known-failures: {folder} is not writable")


def _verify_rendered(case: Case, corpus: Corpus) -> None:
    """Refuse a case without bodies, which would test nothing. Raises CorpusError."""
    if not case.formats:
        folder = os.path.relpath(case.path.parents[2])
        raise CorpusError(
            f"{case.path}: the case has no bodies yet; write them into a folder for each format "
            f"({', '.join(corpus.formats)}), or have the reference render them: "
            f"{shlex.join(['python', '-m', 'toolcall_reference.render', folder, case.id])}"
        )


def _verify_bodies(case: Case) -> None:
    """Read the bodies of a case, to report a broken file before anything runs. Raises CorpusError."""
    counts, shapes = {}, set()
    for name in case.formats:
        for path in case.bodies(name):
            if (size := case.files.size(path)) > _MAX_BODY_BYTES:
                raise CorpusError(
                    f"{path}: {size:,} bytes; a case's body may have {_MAX_BODY_BYTES:,}, for what a "
                    f"translator returns may have {MAX_OUTPUT_BYTES:,}; shorten its texts or files"
                )
        if name not in case.scenario["models"]:
            raise CorpusError(f"{case.path / 'scenario.json'}: `models` has no {name}; add its model")
        counts[name] = len(case.exchanges(name))
        shapes.add(tuple((exchange.response is None, exchange.error is None) for exchange in case.exchanges(name)))
    if len(set(counts.values())) > 1 or 0 in counts.values():
        counts_text = ", ".join(f"{name} has {count}" for name, count in counts.items())
        raise CorpusError(f"{case.path}: every format needs the same exchanges, at least one; {counts_text}")
    if len(shapes) > 1:
        raise CorpusError(
            f"{case.path}: the formats differ in which exchanges have a reply and which an error; each needs the same"
        )
