"""What xdist's controller and its workers exchange before the first item."""

from __future__ import annotations

from typing import Any

import pytest

from toolcall_conformance.engine.distributed.event_reader import EventReader
from toolcall_conformance.engine.ending.watchdog import COMMAND_KEY, isolated_command
from toolcall_conformance.engine.run import Run
from toolcall_conformance.engine.runtest_protocol import PHASES_READ_KEY, are_phases_read
from toolcall_conformance.engine.setup import SUPPORT_KEY

_USAGE_ERROR_KEY = "toolcall_mistake"


class WorkerSetup:
    """Active in the controller: sends workers what it knows, and ends the run if a worker cannot prepare it."""

    def __init__(self, config: pytest.Config, run: Run) -> None:
        self._config, self._run = config, run
        self._reader = EventReader(config)

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Send a worker what the translator supports, the user's command, and whether empty phases are read."""
        node.workerinput[SUPPORT_KEY] = self._run.support.to_json()
        node.workerinput[COMMAND_KEY] = isolated_command(self._config)
        node.workerinput[PHASES_READ_KEY] = are_phases_read(self._config)
        self._reader.attach_worker(node)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object) -> None:
        """Raise UsageError for a worker that could not prepare the run: xdist would start others instead."""
        del error
        mistake = getattr(node, "workeroutput", {}).get(_USAGE_ERROR_KEY)
        if mistake is not None:
            raise pytest.UsageError(
                f"{node.gateway.id}, a worker of `-n`, cannot prepare the run, though the process that started it "
                f"could: {mistake}\nEach worker makes a translator of its own, at the same time as the others; "
                "run without `-n`, or repair what prevents a second one"
            )


class UnpreparedWorker:
    """Active in a worker that cannot prepare the run: sends the reason to the controller, and collects nothing."""

    def __init__(self, config: Any, mistake: str) -> None:
        config.workeroutput[_USAGE_ERROR_KEY] = mistake

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self) -> None:
        pytest.exit("the run cannot be prepared", returncode=int(pytest.ExitCode.USAGE_ERROR))
