"""Files that a translator cannot use up: it may open fewer than the process may, and our own code the rest.

A translator that leaks descriptors then fails its own calls. What judges them can still read the corpus, import its
modules and write the reports.
"""

from __future__ import annotations

import contextlib
from typing import Any

try:
    import resource as _resource
except ImportError:  # Windows has no such limit
    _resource: Any = None  # type: ignore[no-redef]

_MAX_RESERVED = 64


class FileReserve:
    """The limit of open files of this process, lower within a translator's call than outside of it.

    A translator that sets the limit itself has the last word: from then on nothing is done.
    """

    def __init__(self) -> None:
        self._limit_within = self._limit_outside = (0, 0)
        if _resource is None:
            return
        soft, hard = _resource.getrlimit(_resource.RLIMIT_NOFILE)
        if soft == _resource.RLIM_INFINITY:
            return
        spared = min(_MAX_RESERVED, soft // 4)
        most = soft + spared if hard == _resource.RLIM_INFINITY else min(soft + spared, hard)
        self._limit_outside, self._limit_within = (most, hard), (most - spared, hard)

    def lower_limit(self) -> None:
        """A call of the translator's begins."""
        if self._limit_within[0]:
            with contextlib.suppress(ValueError, OSError):
                _resource.setrlimit(_resource.RLIMIT_NOFILE, self._limit_within)

    def raise_limit(self) -> None:
        """It is over."""
        if not self._limit_within[0]:
            return
        if _resource.getrlimit(_resource.RLIMIT_NOFILE) not in (self._limit_within, self._limit_outside):
            self._limit_within = self._limit_outside = (0, 0)
            return
        with contextlib.suppress(ValueError, OSError):
            _resource.setrlimit(_resource.RLIMIT_NOFILE, self._limit_outside)


file_reserve = FileReserve()
