"""A corpus that the doors may write into."""

from __future__ import annotations

from pathlib import Path

import pytest

from doors import common
from toolcall_conformance.library import default_root


@pytest.fixture
def empty_corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A corpus with the schemas and families of ours, and nothing else but empty folders."""
    for name in ("schemas", "families.json"):
        (tmp_path / name).symlink_to(default_root() / name)
    (tmp_path / "formats" / "openai_chat" / "rules").mkdir(parents=True)
    monkeypatch.setattr(common, "CORPUS", tmp_path)
    return tmp_path
