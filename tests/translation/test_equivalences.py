"""Each tolerance accepts its ``same`` pairs and still refuses its ``different`` ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from corpus_judge import judge
from doors.tolerance import rules_mistake
from every import every
from toolcall_conformance.basics.contract import Route
from toolcall_conformance.basics.findings import Finding, Judgement, Level
from toolcall_conformance.basics.jsonvalue import resolve
from toolcall_conformance.library import load_corpus, read_json
from toolcall_reference import ReferenceTranslator

CORPUS = load_corpus()
ROOT = CORPUS.root / "equivalences"
SAME = sorted(ROOT.glob("*/same/*.json"))
DIFFERENT = sorted(ROOT.glob("*/different/*.json"))


def name(path: Path) -> str:
    return f"{path.parent.parent.name}/{path.stem}"


def judgement(pair: dict[str, Any], *, tolerated: bool = False) -> Judgement:
    ends: dict[str, Any] = {key: pair.get(key) for key in ("client", "upstream", "upstream_model", "direction")}
    return judge(pair["source"], pair["output"], **ends, tolerated=tolerated)


def judge_with_tolerance(pair: dict[str, Any]) -> Judgement:
    """What a judge says that is asked for what it tolerated."""
    return judgement(pair, tolerated=True)


def judge_pair(pair: dict[str, Any]) -> tuple[Finding, ...]:
    return judgement(pair).findings


@every("path", SAME, id=name)
def test_same_is_accepted(path: Path) -> None:
    assert [finding for finding in judge_pair(read_json(path)) if finding.level is Level.MUST] == []


@every("path", SAME, id=name)
def test_same_names_what_was_tolerated(path: Path) -> None:
    pair = read_json(path)
    noted = [
        deviation for deviation in judge_with_tolerance(pair).tolerated if deviation.name == path.parent.parent.name
    ]
    assert bool(noted) == pair.get("needed", True)
    for deviation in noted:
        assert exists(pair["output"], deviation.pointer)
        assert exists(pair["source"], deviation.source_pointer or "")


def exists(body: Any, pointer: str) -> bool:
    try:
        resolve(body, pointer)
    except LookupError:
        return False
    return True


@every("path", DIFFERENT, id=name)
def test_what_is_reported_was_not_tolerated(path: Path) -> None:
    report = judge_with_tolerance(read_json(path))
    places = {finding.pointer for finding in report.findings if finding.level is Level.MUST and finding.pointer}
    assert places & {deviation.pointer for deviation in report.tolerated} == set()


def test_nothing_is_gathered_unasked() -> None:
    pair = read_json(SAME[0])
    assert judgement(pair).tolerated == ()
    assert judge_with_tolerance(pair).findings == judge_pair(pair)


@every("path", DIFFERENT, id=name)
def test_different_is_reported(path: Path) -> None:
    pair = read_json(path)
    assert rules_mistake(path, pair) == ""
    rules = {finding.rule for finding in judge_pair(pair)}
    assert rules & set(pair["rules"]), (rules, pair["rules"])


def test_every_equivalence_has_both_sides() -> None:
    names = set(CORPUS.equivalences)
    assert {path.parent.parent.name for path in SAME} == names
    assert {path.parent.parent.name for path in DIFFERENT} == names


OF_TWO_FORMATS = {
    *("error-as-text", "late-system-text", "media-beside-result", "media-placeholder", "own-tool-as-another"),
    *("subset-choice-as-filtered-tools", "text-before-calls", "text-document-as-text", "unreadable-arguments-as-text"),
    *("search-source-as-text", "cut-call-dropped"),
}
"""Words that stand for what a format cannot say; in that format itself they are other words."""

IN_ONE_FORMAT = [
    path for path in SAME if read_json(path)["direction"] != "error" and path.parent.parent.name not in OF_TWO_FORMATS
]


@every("path", IN_ONE_FORMAT, id=name)
def test_same_is_accepted_between_two_ends_of_one_format(path: Path) -> None:
    """What a right translator makes of the source, and what the pair holds, are two spellings in one format."""
    pair = read_json(path)
    request = pair["direction"] == "request"
    target = pair["upstream" if request else "client"]
    session = ReferenceTranslator().open(Route(pair["client"], pair["upstream"], "m", "m"))
    translation = session.request(pair["source"]) if request else session.response(pair["source"])
    findings = judge(translation, pair["output"], client=target, upstream=target, direction=pair["direction"]).findings
    # The pairs mark a failure that not every source can mark, so that the reference does not.
    assert {finding.rule for finding in findings if finding.is_must} <= {"translation/error-mark-invented"}
