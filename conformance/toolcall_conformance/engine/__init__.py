"""The engine: what runs when pytest is given an argument that begins with ``toolcall::``."""

from __future__ import annotations

import pytest

__all__ = ["start"]


def start(config: pytest.Config, arguments: list[str]) -> None:
    """Prepare the run that ``arguments`` ask for and register its hooks. Raises pytest.UsageError."""
    from toolcall_conformance.engine.hooks import Engine
    from toolcall_conformance.engine.recording import RecordCollector
    from toolcall_conformance.engine.setup import prepare

    run = prepare(config, arguments)
    config.pluginmanager.register(Engine(run), "toolcall-engine")
    if not hasattr(config, "workerinput"):  # under xdist the controller alone reports
        config.pluginmanager.register(RecordCollector(config, run), "toolcall-recorder")
