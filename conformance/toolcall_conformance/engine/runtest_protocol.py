"""The short way of an item through pytest: nothing of ours is set up before an item, and nothing torn down after it.

pytest goes through three phases with each test, and captures output and logs around each: the first and the last took a
twentieth of a run to do nothing. Here they are only reported, where somebody reads of them, and marks that skip or
expect failures go pytest's own way. So does every item where somebody besides pytest itself has a part in these phases.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any, Literal

import pytest
from _pytest.logging import caplog_handler_key, caplog_records_key
from _pytest.runner import call_and_report

from toolcall_conformance.engine.distributed.handover import Handover
from toolcall_conformance.engine.distributed.sent_events import is_event_sender
from toolcall_conformance.engine.items.nodes import CaseNode, ConformanceItem

# What the hooks of pytest's plugin for skipping look for before an item.
_SKIPPING_MARKS = frozenset({"skip", "skipif", "xfail"})

# Modules that make or read reports and do nothing with those of a phase in which nothing was done.
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
        "toolcall_conformance.engine.recording",
    }
)
# The key under which xdist's controller tells its workers whether somebody reads there of such phases.
PHASES_READ_KEY = "toolcall_phases_read"


class ShortProtocol:
    """Active in every process that runs items."""

    def __init__(self, handover: Handover) -> None:
        self._handover = handover
        self._case: pytest.Collector | None = None
        self._is_pytest_alone = False
        self._are_phases_read = True

    def pytest_runtest_protocol(self, item: pytest.Item) -> bool | None:
        """Play an item of ours, if it can go the short way; None leaves it to pytest."""
        if not isinstance(item, ConformanceItem) or not self._is_eligible(item):
            return None
        hook = item.ihook
        hook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        if self._are_phases_read:
            _report_phase(item, hook, "setup")
        item.stash[caplog_records_key] = {}  # where the plugin for logs puts those of each phase
        with self._handover:
            call_and_report(item, "call")
        _clear_phase_state(item)
        item.drop_result()
        if self._are_phases_read:
            _report_phase(item, hook, "teardown")
        hook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        return True

    def _is_eligible(self, item: ConformanceItem) -> bool:
        """Whether only pytest itself would do something before and after an item, and nothing for this one."""
        case = item.getparent(CaseNode)
        if case is not self._case:  # asked once a case: plugins may come and go
            self._case, self._is_pytest_alone = case, _is_run_by_pytest_alone(item)
            self._are_phases_read = are_phases_read(item.config)
        return self._is_pytest_alone and _SKIPPING_MARKS.isdisjoint(mark.name for mark in item.iter_markers())


def _is_run_by_pytest_alone(item: ConformanceItem) -> bool:
    """Whether all that runs an item, or has a part before or after it, is pytest's own."""
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
    return all(
        str(getattr(implementation.function, "__module__", "")).startswith("_pytest.")
        for implementation in implementations
    )


def are_phases_read(config: pytest.Config) -> bool:
    """Whether somebody may read the reports of an item's setup and teardown, in which nothing is done."""
    if config.getoption("durations", default=None) is not None:
        return True
    is_told = getattr(config, "workerinput", {}).get(PHASES_READ_KEY) is False
    return any(
        getattr(implementation.function, "__module__", None) not in _PHASE_BLIND_MODULES
        and not (is_told and is_event_sender(implementation.plugin))
        for each in (
            config.hook.pytest_runtest_makereport,
            config.hook.pytest_runtest_logreport,
            config.hook.pytest_report_teststatus,  # asked for the status of each phase
        )
        for implementation in each.get_hookimpls()
    )


def _report_phase(item: pytest.Item, hook: Any, when: Literal["setup", "teardown"]) -> None:
    """Report a phase in which nothing is done."""
    call = pytest.CallInfo.from_call(_do_nothing, when)
    hook.pytest_runtest_logreport(report=hook.pytest_runtest_makereport(item=item, call=call))


def _do_nothing() -> None:
    """Do nothing."""


def _clear_phase_state(item: pytest.Item) -> None:
    """Take away what pytest takes away after a test."""
    os.environ.pop("PYTEST_CURRENT_TEST", None)
    del item.stash[caplog_records_key]
    if caplog_handler_key in item.stash:  # unless the plugin for logs is switched off
        del item.stash[caplog_handler_key]
