"""Sets earlier reports aside during a run: none must be taken for the report of a run that died."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

_BACKUP_NAME = "{}.earlier"


class EarlierReports:
    """Earlier reports, renamed to ``report.json.earlier`` until the run has written its own.

    Files that are not regular, such as pipes, stay.
    """

    def __init__(self, reports: Iterable[Path]) -> None:
        self._backups: dict[Path, Path] = {}
        for path in reports:
            backup = path.with_name(_BACKUP_NAME.format(path.name))
            with suppress(OSError):  # the run reports it when it writes
                if path.is_file() and not path.is_symlink():
                    self._backups[path] = path.replace(backup)

    def restore_unreplaced(self) -> None:
        """Delete those that a new report replaced, and put the others back."""
        for path, backup in self._backups.items():
            with suppress(OSError):
                if path.exists():
                    backup.unlink()
                else:
                    backup.replace(path)
        self._backups = {}
