"""Puts earlier reports out of the way while a run lasts, so that none is taken for the report of a run that died."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

_BACKUP_NAME = "{}.earlier"


class EarlierReports:
    """Earlier reports, each beside its place as ``report.json.earlier``, until the run has written its own.

    A file that is no regular one, as a pipe, stays.
    """

    def __init__(self, reports: Iterable[Path]) -> None:
        self._backups: dict[Path, Path] = {}
        for path in reports:
            backup = path.with_name(_BACKUP_NAME.format(path.name))
            with suppress(OSError):  # the run says so when it writes
                if path.is_file() and not path.is_symlink():
                    self._backups[path] = path.replace(backup)

    def restore_unreplaced(self) -> None:
        """Delete those in whose place there is a new one; put the others back."""
        for path, backup in self._backups.items():
            with suppress(OSError):
                if path.exists():
                    backup.unlink()
                else:
                    backup.replace(path)
        self._backups = {}
