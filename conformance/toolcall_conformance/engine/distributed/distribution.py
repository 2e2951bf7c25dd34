"""Distributes items over the workers of pytest-xdist: all of a case to one worker, which does once what they share.

Each route of generated conversations is distributed alone, because it takes minutes. Only runs with pytest-xdist load
this module.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from xdist.scheduler import LoadScheduling

from toolcall_conformance.engine.items.selection import PREFIX
from toolcall_conformance.trust.fuzz.cases import CASE as DRAWN

if TYPE_CHECKING:
    from xdist.remote import Producer
    from xdist.workermanage import WorkerController


def make_scheduler(config: pytest.Config, log: Producer) -> LoadScheduling | None:
    """Make the scheduler that replaces xdist's default; None if the user chose another."""
    is_default = config.getvalue("dist") == "load" and config.getoption("maxschedchunk") is None
    return CasesTogether(config, log) if is_default else None


class CasesTogether(LoadScheduling):  # type: ignore[misc]
    """Distributes as ``--dist load`` does, but ends no chunk within a case of ours."""

    def _send_tests(self, node: WorkerController, num: int) -> None:
        super()._send_tests(node, self._extend_to_case_end(num))

    def _extend_to_case_end(self, count: int) -> int:
        """Extend a chunk of the first ``count`` pending tests to the end of the case of the last one."""
        assert self.collection is not None
        ids = (self.collection[index] for index in self.pending[max(count - 1, 0) :])
        case = _case_of(next(ids, "")) if count > 0 else None
        if case is None:
            return count
        for nodeid in ids:
            if _case_of(nodeid) != case:
                break
            count += 1
        return count


def _case_of(nodeid: str) -> str | None:
    """The case of an item of ours, or the node id of generated conversations; None for another test."""
    head, _, rest = nodeid.partition("::")
    case = rest.partition("::")[0] if head == PREFIX else None
    return nodeid if case == DRAWN else case
