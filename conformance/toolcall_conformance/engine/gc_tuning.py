"""Tunes Python's garbage collector for a run: it need not walk again and again what stays until the end.

pytest keeps each item and each report, and the corpus stays as well. With thousands of items the collector took a
twentieth of the run to find nothing in them, a third of the collection of items, and a second at the end.
"""

from __future__ import annotations

import gc

import pytest

from toolcall_conformance.engine.ending.process_exit import ends_with_run
from toolcall_conformance.engine.items.nodes import ConformanceItem

# Between two freezes so many items run: what the collector walks stays small, and the collections cost nothing.
_ITEMS_BETWEEN_COLLECTIONS = 1_000
# The least threshold of new objects: an item makes thousands, and reference counts free nearly all.
_MIN_THRESHOLD = 10_000


class GcTuning:
    """Active in every process of a run without tests of the user's own, which might inspect the collector.

    The collector is paused from before the corpus is read until the items are collected.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._has_only_our_items = False
        self._thresholds = gc.get_threshold()
        self._items_left = _ITEMS_BETWEEN_COLLECTIONS
        self._is_paused = gc.isenabled() and not config.args
        if self._is_paused:
            gc.disable()
        # Cleanups run in reverse order: pytest adds its own after this one, and that collects once more.
        config.add_cleanup(self.restore)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> None:
        """Freeze all objects that exist before the first item."""
        self._has_only_our_items = gc.get_freeze_count() == 0 and all(
            isinstance(item, ConformanceItem) for item in session.items
        )
        if self._has_only_our_items:
            gc.freeze()
            self._thresholds = new, *older = gc.get_threshold()
            gc.set_threshold(max(new, _MIN_THRESHOLD) if new else new, *older)  # zero is none at all
        self._resume()

    def restore(self) -> None:
        """Unfreeze all objects, unless the process ends now: Python would walk them all once more."""
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
        """After many items, free the cycles among what they left, and freeze the rest."""
        self._items_left -= 1
        if self._has_only_our_items and self._items_left <= 0 and gc.isenabled():
            self._items_left = _ITEMS_BETWEEN_COLLECTIONS
            gc.collect()
            gc.freeze()
