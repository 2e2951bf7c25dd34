"""Every rendered golden is what the reference renders; ``--snapshot-update`` writes those that are not.

What was typed or recorded is not compared here: those files are witnesses against the reference, not its work.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from regeneration.changes import Change, diff_lines
from toolcall_conformance.library import default_root
from toolcall_reference.render import RENDER_ERRORS, load_tools, rendered_files

ROOT = default_root()
TOOLS = load_tools(ROOT)
CASES = ["/".join(path.parts[-3:-1]) for path in sorted(ROOT.glob("scenarios/*/*/scenario.json"))]


@pytest.mark.goldens
@pytest.mark.parametrize("case", CASES)
def test_rendered_goldens(case: str, golden: SnapshotAssertion, record_property: Callable[[str, object], None]) -> None:
    folder = ROOT / "scenarios" / case
    try:
        files = rendered_files(folder, TOOLS)
    except RENDER_ERRORS as error:
        pytest.fail(f"{case} cannot be rendered: {type(error).__name__}: {error}", pytrace=False)
    record_property("goldens", len(files))
    wrong = [key for key, text in files.items() if golden(name=f"{case}/{key}") != text]
    if wrong:
        pytest.fail(
            f"{case}: the reference renders other files than these. If that is meant, run "
            "`pytest tests/corpus --snapshot-update` and read what it tells; else mend the reference.\n"
            + "\n".join(diff_lines(change(folder, key, files[key]) for key in wrong)),
            pytrace=False,
        )


def change(folder: Path, key: str, text: str) -> Change:
    path = folder / key
    before = path.read_bytes().decode() if path.is_file() else None
    return Change("/".join(folder.parts[-2:]), key, before, text)
