"""Whatever a translator raises, returns, prints or changes, each item has its verdict, alone and with workers."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from hostile_text import harmless
from miniature import write_case

HOSTILE = (Path(__file__).parent / "hostile.txt").read_text(encoding="utf-8")
ATTACKS = [line.split('"')[1] for line in HOSTILE.split("ATTACKS = {")[1].split("\n}")[0].splitlines() if '"' in line]


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "workers"])
def test_every_item_has_a_verdict(project: Any, workers: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)
    for name in ATTACKS:
        write_case(project.corpus, f"hostile/{name}")
    project.write_module("hostile", HOSTILE)
    result = project.run_in_subprocess(
        "toolcall::hostile::request::alpha-to-beta",
        "--toolcall-report=report.json",
        "--toolcall-artifacts=bodies",
        "-rA",
        *workers,
        spec="hostile:T",
    )
    text = result.stdout.str() + result.stderr.str()
    assert "INTERNALERROR" not in text
    harmless(text, must_say="")
    assert "toolcall_conformance/" not in text
    report = json.loads((project.path / "report.json").read_text(encoding="utf-8"))
    assert report["footer"]["complete"]
    assert Counter(item["case"] for item in report["items"]) == {f"hostile/{name}": 1 for name in ATTACKS}
    errors = [item["nodeid"] for item in report["items"] if item["verdict"] == "error"]
    assert not errors
    assert len(text) < 1_000_000
