"""Each tolerance accepts its ``same`` pairs and still refuses its ``different`` ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from judging import judge
from toolcall_conformance.findings import Finding, Level
from toolcall_conformance.library import load_corpus, read_json

CORPUS = load_corpus()
ROOT = CORPUS.root / "equivalences"
SAME = sorted(ROOT.glob("*/same/*.json"))
DIFFERENT = sorted(ROOT.glob("*/different/*.json"))


def name(path: Path) -> str:
    return f"{path.parent.parent.name}/{path.stem}"


def judged(pair: dict[str, Any]) -> tuple[Finding, ...]:
    return judge(
        pair["source"], pair["output"], client=pair["client"], upstream=pair["upstream"], direction=pair["direction"]
    ).findings


@pytest.mark.parametrize("path", SAME, ids=name)
def test_same_is_accepted(path: Path) -> None:
    assert [finding for finding in judged(read_json(path)) if finding.level is Level.MUST] == []


@pytest.mark.parametrize("path", DIFFERENT, ids=name)
def test_different_is_told(path: Path) -> None:
    pair = read_json(path)
    found = {finding.rule for finding in judged(pair)}
    assert found & set(pair["rules"]), (found, pair["rules"])


def test_every_equivalence_has_both_sides() -> None:
    names = set(CORPUS.equivalences)
    assert {path.parent.parent.name for path in SAME} == names
    assert {path.parent.parent.name for path in DIFFERENT} == names
