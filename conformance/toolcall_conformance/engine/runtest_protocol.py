"""Runs our items without the phases ``setup`` and ``teardown``, in which nothing of ours is done.

pytest runs each test in three phases, and captures output and logs around each. For our items the first and the last
took a twentieth of a run. Here they are only reported, and only if a plugin reads such reports. An item goes through
pytest's own protocol if a mark may skip it or expect its failure, and if a plugin besides pytest's own takes part in
these phases.
"""

from __future__ import annotations

import bdb
import os
from collections.abc import Iterable
from typing import Any, Literal

import pytest

# pytest's plugin for logs keeps the records of an item in its stash: the phase `setup` makes the entry that `call`
# fills. An item without a `setup` has to make it, and pytest has no public name for the keys. Every item fails without
# it: tests/plugin/test_short_protocol.py.
from _pytest.logging import caplog_handler_key, caplog_records_key

from toolcall_conformance.engine.distributed.event_writer import is_event_sender
from toolcall_conformance.engine.distributed.handover import Handover
from toolcall_conformance.engine.items.nodes import CaseNode, ConformanceItem

# The marks that pytest's plugin for skipping evaluates before an item.
_SKIPPING_MARKS = frozenset({"skip", "skipif", "xfail"})

# Modules whose hooks make or read reports, and do nothing with the report of an empty phase. A hook tells its module
# only: pytest has no public names for those of its own plugins. A module that is missing here costs time and changes
# nothing: `test_short_protocol.py` counts the reports of such phases with and without a plugin that reads them.
_PHASE_BLIND_MODULES = frozenset(
    {
        "_hypothesis_pytestplugin",
        "_pytest.cacheprovider",
        "_pytest.logging",
        "_pytest.main",
        "_pytest.runner",
        "_pytest.skipping",
        "_pytest.subtests",
        "_pytest.terminal",
        "_pytest.tmpdir",
        "_pytest.unittest",
        "syrupy",
        "toolcall_conformance.engine.hooks",
        "toolcall_conformance.engine.progress",
        "toolcall_conformance.engine.record_collector",
    }
)
# The key of `workerinput` under which xdist's controller tells its workers whether it reads the reports of empty
# phases.
PHASES_READ_KEY = "toolcall_phases_read"

# Exceptions at which no debugger stops: a skip, and the end of a debugger.
_CONTROL_FLOW = (pytest.skip.Exception, bdb.BdbQuit)


class ShortProtocol:
    """Active in every process that runs items."""

    def __init__(self, handover: Handover) -> None:
        self._handover = handover
        self._case: pytest.Collector | None = None
        self._is_pytest_alone = False
        self._are_phases_read = True

    def pytest_runtest_protocol(self, item: pytest.Item) -> bool | None:
        """Run an item of ours in the phase ``call`` alone; or return None, which leaves it to pytest."""
        if not isinstance(item, ConformanceItem) or not self._is_eligible(item):
            return None
        hook = item.ihook
        hook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        if self._are_phases_read:
            _report_phase(item, hook, "setup")
        item.stash[caplog_records_key] = {}
        with self._handover:
            _call_and_report(item)
        _clear_phase_state(item)
        item.drop_result()
        if self._are_phases_read:
            _report_phase(item, hook, "teardown")
        hook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        return True

    def _is_eligible(self, item: ConformanceItem) -> bool:
        """Whether the phases ``setup`` and ``teardown`` of an item would do nothing."""
        case = item.getparent(CaseNode)
        if case is not self._case:  # once a case: plugins may be registered and unregistered
            self._case, self._is_pytest_alone = case, _is_run_by_pytest_alone(item)
            self._are_phases_read = are_phases_read(item.config)
        return self._is_pytest_alone and _SKIPPING_MARKS.isdisjoint(mark.name for mark in item.iter_markers())


def _is_run_by_pytest_alone(item: ConformanceItem) -> bool:
    """Whether the hooks that run an item, set it up and tear it down are all pytest's own."""
    if item.config.getoption("setupshow", default=False):
        return False
    hook = item.ihook
    phases = (hook.pytest_runtest_setup, hook.pytest_runtest_teardown)
    around = [hook for phase in phases for hook in phase.get_hookimpls()]
    runs = [
        implementation
        for implementation in hook.pytest_runtest_protocol.get_hookimpls()
        if not (implementation.wrapper or implementation.hookwrapper)
    ]
    return _are_of_pytest(around) and _are_of_pytest(
        implementation for implementation in runs if not isinstance(implementation.plugin, ShortProtocol)
    )


def _are_of_pytest(implementations: Iterable[Any]) -> bool:
    """Whether hooks are pytest's own, by their module: pytest has no public name for its own plugins.

    `test_short_protocol.py` has plugins that set up, tear down and run items.
    """
    return all(
        str(getattr(implementation.function, "__module__", "")).startswith("_pytest.")
        for implementation in implementations
    )


def are_phases_read(config: pytest.Config) -> bool:
    """Whether a plugin may read the reports of the empty phases ``setup`` and ``teardown``."""
    if config.getoption("durations", default=None) is not None:
        return True
    is_told = getattr(config, "workerinput", {}).get(PHASES_READ_KEY) is False
    return any(
        getattr(implementation.function, "__module__", None) not in _PHASE_BLIND_MODULES
        and not (is_told and is_event_sender(implementation.plugin))
        for hook in (
            config.hook.pytest_runtest_makereport,
            config.hook.pytest_runtest_logreport,
            config.hook.pytest_report_teststatus,  # called for the status of each phase
        )
        for implementation in hook.get_hookimpls()
    )


def _report_phase(item: pytest.Item, hook: Any, when: Literal["setup", "teardown"]) -> None:
    """Report an empty phase."""
    call = pytest.CallInfo.from_call(_do_nothing, when)
    hook.pytest_runtest_logreport(report=hook.pytest_runtest_makereport(item=item, call=call))


def _call_and_report(item: pytest.Item) -> None:
    """Run the phase ``call`` of an item and report it, as pytest's own protocol does."""
    hook = item.ihook
    passed_on: tuple[type[BaseException], ...] = (pytest.exit.Exception,)
    if not item.config.getoption("usepdb", default=False):
        passed_on += (KeyboardInterrupt,)
    call = pytest.CallInfo.from_call(lambda: hook.pytest_runtest_call(item=item), "call", reraise=passed_on)
    report = hook.pytest_runtest_makereport(item=item, call=call)
    hook.pytest_runtest_logreport(report=report)
    is_expected = hasattr(report, "wasxfail")
    if call.excinfo is not None and not is_expected and not isinstance(call.excinfo.value, _CONTROL_FLOW):
        hook.pytest_exception_interact(node=item, call=call, report=report)


def _do_nothing() -> None:
    """Do nothing."""


def _clear_phase_state(item: pytest.Item) -> None:
    """Remove what pytest removes after a test."""
    os.environ.pop("PYTEST_CURRENT_TEST", None)
    del item.stash[caplog_records_key]
    if caplog_handler_key in item.stash:  # unless the plugin for logs is switched off
        del item.stash[caplog_handler_key]
