"""Each tolerance accepts its ``same`` pairs and still refuses its ``different`` ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from judging import judge
from toolcall_conformance.findings import Finding, Judgement, Level
from toolcall_conformance.jsonvalue import resolve
from toolcall_conformance.library import load_corpus, read_json
from toolcall_conformance.translation.tolerances import TOLERANCES

CORPUS = load_corpus()
ROOT = CORPUS.root / "equivalences"
SAME = sorted(ROOT.glob("*/same/*.json"))
DIFFERENT = sorted(ROOT.glob("*/different/*.json"))


def name(path: Path) -> str:
    return f"{path.parent.parent.name}/{path.stem}"


def asked(pair: dict[str, Any]) -> Judgement:
    """What a judge says that is asked for what it tolerated."""
    ends = {key: pair[key] for key in ("client", "upstream", "direction")}
    return judge(pair["source"], pair["output"], **ends, tolerated=True)


def judged(pair: dict[str, Any]) -> tuple[Finding, ...]:
    return judge(
        pair["source"], pair["output"], client=pair["client"], upstream=pair["upstream"], direction=pair["direction"]
    ).findings


@pytest.mark.parametrize("path", SAME, ids=name)
def test_same_is_accepted(path: Path) -> None:
    assert [finding for finding in judged(read_json(path)) if finding.level is Level.MUST] == []


@pytest.mark.parametrize("path", SAME, ids=name)
def test_same_names_what_was_tolerated(path: Path) -> None:
    pair = read_json(path)
    noted = [one for one in asked(pair).tolerated if one.name == path.parent.parent.name]
    assert bool(noted) == pair.get("needed", True)
    for one in noted:
        assert exists(pair["output"], one.pointer)
        assert exists(pair["source"], one.source_pointer or "")


def exists(body: Any, pointer: str) -> bool:
    try:
        resolve(body, pointer)
    except LookupError:
        return False
    return True


@pytest.mark.parametrize("path", DIFFERENT, ids=name)
def test_what_is_reported_was_not_tolerated(path: Path) -> None:
    said = asked(read_json(path))
    places = {finding.pointer for finding in said.findings if finding.level is Level.MUST and finding.pointer}
    assert places & {one.pointer for one in said.tolerated} == set()


def test_nothing_is_gathered_unasked() -> None:
    pair = read_json(SAME[0])
    ends = {key: pair[key] for key in ("client", "upstream", "direction")}
    assert judge(pair["source"], pair["output"], **ends).tolerated == ()
    assert asked(pair).findings == judge(pair["source"], pair["output"], **ends).findings


def test_every_equivalence_is_one_function() -> None:
    assert set(TOLERANCES) == set(CORPUS.equivalences)
    assert len(set(TOLERANCES.values())) == len(TOLERANCES)
    assert {tolerance.__name__ for tolerance in TOLERANCES.values()} == {
        name.replace("-", "_") for name in CORPUS.equivalences
    }


@pytest.mark.parametrize("path", DIFFERENT, ids=name)
def test_different_is_told(path: Path) -> None:
    pair = read_json(path)
    found = {finding.rule for finding in judged(pair)}
    assert found & set(pair["rules"]), (found, pair["rules"])


def test_every_equivalence_has_both_sides() -> None:
    names = set(CORPUS.equivalences)
    assert {path.parent.parent.name for path in SAME} == names
    assert {path.parent.parent.name for path in DIFFERENT} == names
