"""Reports in SARIF: their form, one result a cause, the places, and what a later run knows a cause by."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from reports.report_items import CORPUS, finding, item, run
from toolcall_conformance.cli import main
from toolcall_conformance.reports.run_record import RunRecord
from toolcall_conformance.reports.sarif import document as sarif
from toolcall_conformance.reports.sarif import places
from toolcall_conformance.reports.text.blocks import consequence
from toolcall_conformance.reports.writers import json_report, sarif_report

# The objects that the report has, each with what it must have and what it may: SARIF 2.1.0, section 3 by the same
# names. https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/sarif-v2.1.0-errata01-os-complete.html
OBJECTS: Mapping[str, tuple[str, str]] = {
    "log": ("version runs", "$schema"),
    "run": ("tool", "automationDetails originalUriBaseIds columnKind invocations results"),
    "tool": ("driver", ""),
    "driver": ("name", "version rules"),
    "rule": ("id", "shortDescription fullDescription help helpUri defaultConfiguration properties"),
    "invocation": (
        "executionSuccessful",
        "startTimeUtc commandLine toolExecutionNotifications toolConfigurationNotifications",
    ),
    # `locations`, and a place in a file: a code host takes no result without.
    "result": (
        "message locations",
        "ruleId ruleIndex level partialFingerprints occurrenceCount suppressions relatedLocations",
    ),
    "place": ("physicalLocation", "logicalLocations"),
}
LINE = re.compile(r"[1-9]\d*")
RELATIVE = re.compile(r"(?![/.])(?:[A-Za-z0-9_.~/-]|%[0-9A-F]{2})+")


def sarif_run(record: RunRecord) -> dict[str, Any]:
    """The one run of a report, whose form is right."""
    log = json.loads(sarif_report.WRITER.text(record, CORPUS))
    assert list(faults(log)) == []
    return dict(log["runs"][0])


def faults(log: Any) -> Iterator[str]:
    """What is wrong with the form of a log."""
    yield from keys("log", log)
    if log["version"] != "2.1.0" or len(log["runs"]) != 1:
        yield "it is no log of one run"
    sarif_run = log["runs"][0]
    rules = sarif_run["tool"]["driver"]["rules"]
    for kind, objects in (
        ("run", [sarif_run]),
        ("tool", [sarif_run["tool"]]),
        ("driver", [sarif_run["tool"]["driver"]]),
        ("rule", rules),
        ("invocation", sarif_run["invocations"]),
        ("result", sarif_run["results"]),
    ):
        for entry in objects:
            yield from keys(kind, entry)
    if len({rule["id"] for rule in rules}) < len(rules):
        yield "a rule is there twice"
    for entry in rules:
        yield from (
            f"{entry['id']}: {key} has no text" for key in TEXTS if key in entry and not entry[key]["text"].strip()
        )
        yield from (
            f"{entry['id']}: {key} is too long" for key in TEXTS[:2] if len(entry.get(key, {"text": ""})["text"]) > 1024
        )
        if entry["defaultConfiguration"]["level"] not in ("error", "warning", "note"):
            yield f"{entry['id']}: no level"
    for entry in sarif_run["results"]:
        yield from result_faults(entry, rules, sarif_run["originalUriBaseIds"])


TEXTS = ("shortDescription", "fullDescription", "help")


def keys(kind: str, entry: Mapping[str, Any]) -> Iterator[str]:
    """The members that an object lacks, and those that it may not have."""
    must, may = (set(words.split()) for words in OBJECTS[kind])
    yield from (f"{kind}: no {key}" for key in sorted(must - entry.keys()))
    yield from (f"{kind}: {key}?" for key in sorted(entry.keys() - must - may))


def result_faults(result: Mapping[str, Any], rules: list[Any], bases: Mapping[str, Any]) -> Iterator[str]:
    if rules[result["ruleIndex"]]["id"] != result["ruleId"]:
        yield f"{result['ruleId']}: another rule has its index"
    if (
        result["level"] not in ("error", "warning", "note")
        or result["occurrenceCount"] < 1
        or not result["message"]["text"]
    ):
        yield f"{result['ruleId']}: level, count or message"
    if len(result["locations"]) != 1 or "suppressions" not in result:
        yield f"{result['ruleId']}: places, or nothing about suppressions"
    for place in [*result["locations"], *result.get("relatedLocations", ())]:
        yield from keys("place", place)
        file = place["physicalLocation"]["artifactLocation"]
        if not RELATIVE.fullmatch(file["uri"]) or file["uriBaseId"] not in bases:
            yield f"{file}: no address under a base"
        if not LINE.fullmatch(str(place["physicalLocation"]["region"]["startLine"])):
            yield f"{place}: no line"
    for each in result["suppressions"]:
        if each["kind"] not in ("inSource", "external") or each["status"] != "accepted" or not each["justification"]:
            yield f"{result['ruleId']}: {each}"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's repository, where the run was started."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "mine.py").touch()
    (tmp_path / "sub").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


CRASHED = finding("translation/crashed", code="lib/my way.py:12", message="it raised", element="body", place="")
WARNED = finding("translation/ids-kept", "SHOULD", "/b")
NOTED = finding("translation/ids-kept", "NOTE", "/c", element="result")


def several() -> RunRecord:
    """A run with causes of each level, a known one, and a rule that this corpus does not have."""
    return run(
        [
            item("box/one", CRASHED),
            item("box/two", CRASHED, {**CRASHED, "code": "lib/other.py:3", "signature": CRASHED["signature"]}),
            item("w/one", finding(message="see [this](https://example.invalid) {0}")),
            item("w/two", WARNED, NOTED),
            item("gone/one", finding("box/gone", place="/d")),
            item("box/3", finding(place="/e", known="ticket [7](x)", standing="known"), outcome="known"),
        ],
        stale=["known.toml: gone; delete line 3"],
        missing=2,
    )


def test_a_cause_is_a_result_with_its_rule_words_place_and_command() -> None:
    record = several()
    log = sarif_run(record)
    results = log["results"]
    assert [result["ruleId"] for result in results] == [root.rule for root in record.roots]
    says = [result["message"]["text"].splitlines()[0] for result in results]
    assert says == [consequence(root, CORPUS.rules) for root in record.roots]
    levels = {"MUST": "error", "SHOULD": "warning", "NOTE": "note"}
    assert [result["level"] for result in results] == [levels[root.level] for root in record.roots]
    assert {"error", "warning", "note"} == {result["level"] for result in results}
    crashed = next(result for result in results if result["ruleId"] == "translation/crashed")
    lines = crashed["message"]["text"].splitlines()
    assert lines[1].startswith("2 items, item box/one · request")
    assert lines[-1] == 'run: pytest --toolcall-translator mine:T "toolcall::box/one" "toolcall::box/two"'
    files = [location["physicalLocation"] for location in (*crashed["locations"], *crashed["relatedLocations"])]
    assert [(file["artifactLocation"]["uri"], file["region"]["startLine"]) for file in files] == [
        ("lib/my%20way.py", 12),
        ("lib/other.py", 3),
    ]
    assert "see [this] (https://example.invalid) {0}" in "\n".join(result["message"]["text"] for result in results)
    rule = next(rule for rule in log["tool"]["driver"]["rules"] if rule["id"] == "translation/call-lost")
    law = CORPUS.rules["translation/call-lost"]
    assert (rule["fullDescription"]["text"], rule["helpUri"]) == (law.sentence, law.evidence[0]["url"])
    assert all(text in rule["help"]["text"] for text in (law.why, law.fix, law.evidence[0]["url"]))
    suppressions = [result["suppressions"] for result in results]
    assert [len(entry) for entry in suppressions] == [0] * (len(suppressions) - 1) + [1]
    assert suppressions[-1][0]["justification"] == "ticket [7] (x)"
    [how] = log["invocations"]
    assert not how["executionSuccessful"]
    assert "8 items were to run" in how["toolExecutionNotifications"][0]["message"]["text"]
    assert "known.toml" in how["toolConfigurationNotifications"][0]["message"]["text"]


def test_a_place_is_a_file_of_the_repository(folder: Path) -> None:
    for name in ("src/deep/inner/__init__.py", "tools/adapter.mjs", "gates/g.toml", "sub/own.py", "pyproject.toml"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()
    expected = {
        "mine:T": "mine.py",
        "deep.inner:T": "src/deep/inner/__init__.py",
        "exec:node --flag tools/adapter.mjs -x": "tools/adapter.mjs",
        "exec:/usr/bin/python3 'half": "pyproject.toml",
        "gateway:gates/g.toml": "gates/g.toml",
        "gateway:../outside.toml": "pyproject.toml",
        "published.thing:T": "pyproject.toml",
        "": "pyproject.toml",
    }
    assert {spec: uri(places.CodeLocations(folder, spec).translator_location) for spec in expected} == expected
    (folder / "pyproject.toml").unlink()
    assert uri(places.CodeLocations(folder, "published.thing:T").translator_location) == "published/thing.py"
    below = places.CodeLocations(folder / "sub", "own:T")
    assert uri(below.translator_location) == "sub/own.py"
    assert uri(below.code_location("../mine.py:4")) == "mine.py"
    for elsewhere in (f"{folder.parent}/other.py:3", "../../other.py:3", "", "mine.py:", "mine.py:x"):
        assert below.code_location(elsewhere) is None


def uri(place: Any) -> str:
    return str(place["physicalLocation"]["artifactLocation"]["uri"])


def marks(record: RunRecord) -> dict[str, set[str]]:
    marks_by_rule: dict[str, set[str]] = {}
    for result in sarif_run(record)["results"]:
        marks_by_rule.setdefault(result["ruleId"], set()).add(result["partialFingerprints"]["primaryLocationLineHash"])
    return marks_by_rule


def test_a_later_run_knows_a_cause_again() -> None:
    other = finding(place="/z", element="result", signature="translation/call-lost result gemini /z lost")
    first = marks(run([item("box/one", CRASHED), item("w/one", finding()), item("w/two", other)]))
    assert {rule: len(rule_marks) for rule, rule_marks in first.items()} == {
        "translation/crashed": 1,
        "translation/call-lost": 2,
    }
    # Alike but for how they differ: each has its own, whichever comes first.
    alike = [finding(signature=f"translation/call-lost call gemini /a {way}") for way in ("lost", "moved")]
    there, back = (run([item("box/one", left), item("w/one", other)]).roots for left, other in (alike, alike[::-1]))
    both, again = (
        {root.example.signature: mark for root, mark in zip(roots, sarif.fingerprints(roots), strict=True)}
        for roots in (there, back)
    )
    assert len(set(both.values())) == 2
    assert again == both
    # One is mended, one has moved and fails elsewhere as well, and a new one comes first.
    moved = {**CRASHED, "code": "lib/my way.py:99", "message": "it raised otherwise"}
    cases = [item(f"box/{number}", moved) for number in range(3)]
    second = marks(run([item("gone/one", finding("translation/dropped-result")), *cases, item("w/two", other)]))
    assert second["translation/crashed"] == first["translation/crashed"]
    assert second["translation/call-lost"] < first["translation/call-lost"]


def test_what_a_host_shows_no_more_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    many = [{**CRASHED, "code": f"lib/a.py:{number}"} for number in range(1, 130)]
    long = finding("translation/ids-kept", "SHOULD", message="m" * 9_000)
    record = run(
        [*(item(f"box/{number}", finding_facts) for number, finding_facts in enumerate(many)), item("w/one", long)]
    )
    log = sarif_run(record)
    assert [1 + len(result.get("relatedLocations", ())) for result in log["results"]] == [100, 1]
    assert all(len(line) <= 1_000 for result in log["results"] for line in result["message"]["text"].splitlines())
    monkeypatch.setattr(sarif, "MAX_RESULTS", 1)
    fewer = sarif_run(record)
    assert [result["ruleId"] for result in fewer["results"]] == ["translation/crashed"]
    assert [rule["id"] for rule in fewer["tool"]["driver"]["rules"]] == ["translation/crashed"]
    assert fewer["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"] == "1 more cause left out."


def test_a_stored_report_makes_the_same(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(below := folder / "sub")
    record = run([item("box/one", CRASHED), item("w/two", WARNED)])
    (below / "r.json").write_text(json_report.text(record, CORPUS), encoding="utf-8")
    assert main(["report", "r.json", "stored.sarif"]) == 0
    assert main(["merge", "r.json", "-o", "whole.SARIF"]) == 0
    expected = sarif_report.text(record, CORPUS)
    assert uri(json.loads(expected)["runs"][0]["results"][-1]["locations"][0]) == "sub/mine.py"
    assert [(below / name).read_text(encoding="utf-8") for name in ("stored.sarif", "whole.SARIF")] == [expected] * 2


def test_the_check_of_the_form_sees_what_is_wrong() -> None:
    """Each of these a code host refuses, or shows wrongly."""
    text = sarif_report.text(several(), CORPUS)
    for before, after in (
        ('"uri": "mine.py"', '"uri": "/mine.py"'),
        ('"startLine": 12', '"startLine": 0'),
        ('"ruleIndex": 1', '"ruleIndex": 0'),
        ('"level": "warning"', '"level": "SHOULD"'),
        ('"message"', '"messages"'),
        ('"kind": "external"', '"kind": "known"'),
    ):
        changed = text.replace(before, after)
        assert changed != text, before
        with pytest.raises((KeyError, AssertionError)):
            assert list(faults(json.loads(changed))) == []
