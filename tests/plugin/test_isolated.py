"""What ends a process, blocks it or fills its memory costs an isolated translator one item; the others are judged."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from miniature import write_case
from plugin.test_hostile_translators import ATTACKS, HOSTILE

pytestmark = pytest.mark.skipif(os.name != "posix", reason="a child needs pipes that can be polled")

DEADLY = (Path(__file__).parent / "deadly.txt").read_text(encoding="utf-8")

# By attack: what its finding says. The others end nothing, and their body lacks the text, as that of `fine` does.
SAID = {
    "exits": "died with exit code 3",
    "segfault": "was killed by signal 11 (SIGSEGV)",
    "killed": "was killed by signal 9 (SIGKILL)",
    "aborts": "was killed by signal 6 (SIGABRT)",
    "swallow": "did not return within 0.5 s",
    "block": "did not return within 0.5 s",
    "hold": "did not return within 0.5 s",
    "breeds": "died with exit code 4",
    "grows": "raised MemoryError",
    "shut": "died with exit code 1",
    "interrupt": "raised KeyboardInterrupt",
    "forks": None,
    "leaves": None,
    "printing": None,
    "forges": None,
}


def test_every_item_has_its_verdict(project: Any) -> None:
    for name in [*ATTACKS, *SAID]:
        write_case(project.corpus, f"hostile/{name}")
    project.write_module("hostile", HOSTILE)
    project.write_module("deadly", DEADLY)
    result = project.run_in_subprocess(
        "toolcall::hostile::request::alpha-to-beta",
        "--toolcall-report=report.json",
        "--toolcall-isolated",
        "--toolcall-timeout=0.5",
        "--toolcall-memory=1000",
        "-q",
        spec="deadly:T",
    )
    text = result.stdout.str() + result.stderr.str()
    assert "INTERNALERROR" not in text
    report = json.loads((project.path / "report.json").read_text(encoding="utf-8"))
    items = {item["case"].partition("/")[2]: item for item in report["items"]}
    assert report["footer"]["complete"]
    assert items.keys() == {*ATTACKS, *SAID}
    assert not [name for name, item in items.items() if item["verdict"] == "error"]
    messages = {name: items[name]["findings"][0]["message"] for name in ["fine", *SAID]}
    assert messages.pop("forges").startswith(
        'request: the answer {"seq": 1, "outcome": {"kind": "Produced"}} has seq 1'
    )
    fine = messages.pop("fine")
    assert messages == {name: f"request {SAID[name]}" if SAID[name] else fine for name in messages}
    assert "segfault" in (project.path / "deadly.py").read_text(encoding="utf-8").splitlines()[fault_line(items) - 1]
    assert not [number for number in (project.path / "started").read_text().split() if runs(number)]


def fault_line(items: dict[str, Any]) -> int:
    """The line in the translator's file that a report names for the segmentation fault."""
    return int(items["segfault"]["findings"][0]["code"].rpartition(":")[2])


def runs(number: str) -> bool:
    """Whether a process is still there and has not ended."""
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
