"""Goldens as syrupy sees them: one file each, by its path in ``scenarios/``; changes are written to the stage."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

from syrupy.data import SnapshotCollection, SnapshotCollections
from syrupy.extensions.single_file import SingleFileSnapshotExtension


class GoldenExtension(SingleFileSnapshotExtension):
    """Compares the bytes of ``golden(name="shell/realistic/gemini/01-request.json") == text``.

    syrupy deletes what it discovers and no test used; the folders of the corpus hold files of other people, so nothing
    is discovered, and the only place that syrupy writes to or tidies up is the stage.
    """

    corpus: ClassVar[Path]
    #: Where changes go; None where the run only compares.
    stage: ClassVar[Path | None] = None

    def serialize(self, data: Any, **_: Any) -> bytes:
        return str(data).encode()

    @classmethod
    def get_location(cls, *, test_location: Any, index: int | str) -> str:  # noqa: ARG003
        """Where a change of the file would be written."""
        return str((cls.stage or cls.corpus) / "scenarios" / str(index))

    @classmethod
    def matches_test_location(cls, **_: Any) -> bool:
        """Our files are not named after the test, and that is no reason for a warning."""
        return True

    def read_snapshot_data_from_location(self, *, snapshot_location: str, **_: Any) -> bytes | None:
        """The golden itself, wherever a change would go."""
        path = self.corpus / Path(snapshot_location).relative_to(self.stage or self.corpus)
        return path.read_bytes() if path.is_file() else None

    @classmethod
    def write_snapshot_collection(cls, *, snapshot_collection: SnapshotCollection, **more: Any) -> None:
        if cls.stage is None or not Path(snapshot_collection.location).is_relative_to(cls.stage):
            raise RuntimeError(f"{snapshot_collection.location}: goldens are only written through the stage")
        super().write_snapshot_collection(snapshot_collection=snapshot_collection, **more)

    def discover_snapshots(self, **_: Any) -> SnapshotCollections:
        """None: what is not discovered is never taken for unused, nor deleted."""
        return SnapshotCollections()

    def delete_snapshots(self, **_: Any) -> None:
        """Deletes nothing."""
