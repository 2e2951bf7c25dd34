"""Python's collector of cycles during a run: what stays until the end it need not walk again and again.

pytest keeps each item and each report, and the corpus stays as well: with thousands of items the collector took a
twentieth of the time to find nothing in them, a third of the time in which the items are made, and a second at the end.
"""

from __future__ import annotations

import gc

import pytest

from toolcall_conformance.engine.ending.exiting import ends_with_run
from toolcall_conformance.engine.items.nodes import ConformanceItem

# Often enough that what the collector walks stays small, and seldom enough that a collection of it all costs nothing.
_ITEMS_BETWEEN_COLLECTIONS = 1_000
# So many new objects let it look for cycles among them: an item makes thousands, and nearly all go without it.
_MIN_THRESHOLD = 10_000


class GcTuning:
    """Active in every process of a run that has no tests of the user's own: only they might look at the collector.

    It rests from the beginning, before the corpus is read, until the items are there.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._has_only_our_items = False
        self._thresholds = gc.get_threshold()
        self._items_left = _ITEMS_BETWEEN_COLLECTIONS
        self._is_paused = gc.isenabled() and not config.args
        if self._is_paused:
            gc.disable()
        # Called in the reverse order: pytest, which adds its own after this, collects once more at the end of a run.
        config.add_cleanup(self.restore)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> None:
        """Take what there is before the first item out of the collector's sight."""
        self._has_only_our_items = gc.get_freeze_count() == 0 and all(
            isinstance(item, ConformanceItem) for item in session.items
        )
        if self._has_only_our_items:
            gc.freeze()
            self._thresholds = new, *older = gc.get_threshold()
            gc.set_threshold(max(new, _MIN_THRESHOLD) if new else new, *older)  # zero is none at all
        self._resume()

    def restore(self) -> None:
        """Hand all back; or nothing, if the process ends here: Python would walk it all once more."""
        self._resume()
        if not self._has_only_our_items:
            return
        gc.set_threshold(*self._thresholds)
        if ends_with_run() or hasattr(self._config, "workerinput"):
            gc.freeze()
        else:
            gc.unfreeze()

    def _resume(self) -> None:
        if self._is_paused:
            self._is_paused = False
            gc.enable()

    def pytest_runtest_logfinish(self) -> None:
        """After many items, take what they left out of the collector's sight; the cycles among it are freed before."""
        self._items_left -= 1
        if self._has_only_our_items and self._items_left <= 0 and gc.isenabled():
            self._items_left = _ITEMS_BETWEEN_COLLECTIONS
            gc.collect()
            gc.freeze()
