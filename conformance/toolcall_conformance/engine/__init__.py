"""The engine: pytest arguments that begin with ``toolcall::`` start it."""

from __future__ import annotations

import pytest

__all__ = ["start"]


def start(config: pytest.Config, arguments: list[str]) -> None:
    """Prepare the run that ``arguments`` ask for and register its hooks.

    Raises pytest.UsageError, but in a worker of xdist, whose controller raises it.
    """
    from toolcall_conformance.engine.distributed.event_writer import batch_events
    from toolcall_conformance.engine.distributed.handover import Handover
    from toolcall_conformance.engine.distributed.workers import UnpreparedWorker, WorkerSetup
    from toolcall_conformance.engine.ending.termination import Termination
    from toolcall_conformance.engine.gc_tuning import GcTuning
    from toolcall_conformance.engine.hooks import Engine
    from toolcall_conformance.engine.output.sanitizer import sanitize
    from toolcall_conformance.engine.output.terminal_summary import TerminalSummary
    from toolcall_conformance.engine.progress import Progress
    from toolcall_conformance.engine.record_collector import RecordCollector
    from toolcall_conformance.engine.runtest_protocol import ShortProtocol
    from toolcall_conformance.engine.setup import prepare_run

    is_worker = hasattr(config, "workerinput")
    config.pluginmanager.register(GcTuning(config), "toolcall-cycles")
    try:
        run = prepare_run(config, arguments)
    except pytest.UsageError as mistake:
        if is_worker:
            config.pluginmanager.register(UnpreparedWorker(config, sanitize(str(mistake))), "toolcall-unprepared")
            return
        raise pytest.UsageError(sanitize(str(mistake))) from None
    handover = Handover(possible=not is_worker)
    config.pluginmanager.register(Engine(run, handover), "toolcall-engine")
    config.pluginmanager.register(ShortProtocol(handover), "toolcall-short-way")
    batch_events(config)
    if not is_worker:  # under xdist only the controller reports
        recorder = RecordCollector(config, run, handover)
        config.pluginmanager.register(recorder, "toolcall-recorder")
        config.pluginmanager.register(Termination(recorder.write_reports), "toolcall-stopping")
        config.pluginmanager.register(TerminalSummary(recorder), "toolcall-screen")
        config.pluginmanager.register(Progress(config, lambda: recorder.expected), "toolcall-progress")
        config.pluginmanager.register(WorkerSetup(config, run), "toolcall-workers")
