"""``toolcall-conformance diff``: what is new, changed and fixed, why, and the exit code."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from reports.report_items import CORPUS, HEADER, SUITE, finding, item, run
from toolcall_conformance.cli import main
from toolcall_conformance.reports.changes.difference import ChangeKind, ReportDifference, compare_runs
from toolcall_conformance.reports.changes.reasons import Origin, version_key
from toolcall_conformance.reports.changes.rendering import (
    MAX_LINES,
    SCHEMA_PATH,
    json_document,
    markdown_text,
    text_lines,
)
from toolcall_conformance.reports.item_record import ItemRecord
from toolcall_conformance.reports.run_record import NotApplicable, RunRecord
from toolcall_conformance.reports.writers import json_report

LOST = finding()
OTHER = finding("translation/text-changed", place="/t")
RELEASED: dict[str, Any] = {"translator": {**HEADER["translator"], "version": "1.1"}}
UNVERSIONED: dict[str, Any] = {"translator": {**HEADER["translator"], "version": None}}
ITEM = item("box/one", LOST)


def header_of_other_suite(**changed: Any) -> dict[str, Any]:
    """The header of a run by another suite of the same version; of a table the entries that differ."""
    return {
        "suite": {
            **SUITE,
            **{key: {**SUITE[key], **value} if isinstance(value, dict) else value for key, value in changed.items()},
        }
    }


def header_without(table: str, name: str) -> dict[str, Any]:
    """The header of a run by a suite that had no such case or rule yet."""
    return {"suite": {**SUITE, table: {key: digest for key, digest in SUITE[table].items() if key != name}}}


NEWER: dict[str, Any] = header_of_other_suite(code="1" * 64)
# Reports of before a report said exactly which suite judged.
OLD: dict[str, Any] = {"suite": None}
OLD_NEWER: dict[str, Any] = {**OLD, "corpus": {"version": "0.2.0", "private": []}}


def compare(old: RunRecord, new: RunRecord) -> ReportDifference:
    return compare_runs(old, new, CORPUS)


def only_change(comparison: ReportDifference) -> tuple[ChangeKind, str, list[str], list[str], Origin | None]:
    """The one change that there is."""
    [change] = comparison.changes
    return change.kind, change.root.rule, list(change.gained), list(change.lost), change.origin


def nodeid(case: str) -> str:
    return item(case).nodeid


def test_equal_reports_differ_in_nothing() -> None:
    record = run([item("box/one", LOST), item("box/two")])
    comparison = compare(record, record)
    assert (list(comparison.changes), comparison.exit_code()) == ([], 0)
    assert list(text_lines(comparison, CORPUS.rules))[-1] == "nothing fails newly"


def test_a_new_cause_is_the_translators_where_the_suite_is_the_same() -> None:
    comparison = compare(run([item("box/one")]), run([item("box/one", LOST)]))
    assert only_change(comparison) == (
        ChangeKind.NEW,
        "translation/call-lost",
        [nodeid("box/one")],
        [],
        Origin.TRANSLATOR,
    )
    assert (comparison.exit_code(), comparison.exit_code(ignore_suite=True)) == (1, 1)


def test_a_cause_that_is_gone_is_fixed() -> None:
    comparison = compare(run([item("box/one", LOST)]), run([item("box/one")]))
    assert only_change(comparison) == (ChangeKind.FIXED, "translation/call-lost", [], [nodeid("box/one")], None)
    assert comparison.exit_code() == 0


@pytest.mark.parametrize("more", [{"verdict": "blocked", "outcome": "skipped"}, None])
def test_what_was_not_judged_is_not_fixed(more: dict[str, Any] | None) -> None:
    new = [item("box/two")] if more is None else [item("box/one", **more)]
    comparison = compare(run([item("box/one", LOST)]), run(new))
    assert only_change(comparison)[0] is ChangeKind.NOT_PLAYED


def test_a_cause_in_other_items_is_changed() -> None:
    old = run([item("box/one", LOST), item("box/two", LOST), item("box/three")])
    new = run([item("box/one"), item("box/two", LOST), item("box/three", LOST)])
    comparison = compare(old, new)
    gained, lost = [nodeid("box/three")], [nodeid("box/one")]
    assert only_change(comparison) == (ChangeKind.CHANGED, "translation/call-lost", gained, lost, Origin.TRANSLATOR)
    output = "\n".join(text_lines(comparison, CORPUS.rules))
    assert "+1 −1 items" in output
    assert "  item  box/three · request · anthropic → gemini" in output
    assert '"toolcall::box/three::request::anthropic-to-gemini"' in output


RULE = "translation/call-lost"
BOTH_CHANGED = "and so did the translator"


@pytest.mark.parametrize(
    ("old", "new", "origin", "message"),
    [
        # The case or the rule is new: nothing that the translator does made that.
        (header_without("rules", RULE), RELEASED, Origin.SUITE, "the rule is new"),
        (header_without("cases", "box/one"), RELEASED, Origin.SUITE, "the case is new"),
        # The case or the rule changed.
        (header_of_other_suite(cases={"box/one": "1" * 8}), {}, Origin.SUITE, "the case changed"),
        (header_of_other_suite(rules={RULE: "1" * 8}), {}, Origin.SUITE, "the rule changed"),
        (
            header_of_other_suite(cases={"box/one": "1" * 8}, rules={RULE: "1" * 8}),
            UNVERSIONED,
            Origin.UNCLEAR,
            f"the case changed and the rule changed, {BOTH_CHANGED}",
        ),
        (
            header_of_other_suite(cases={"box/one": "1" * 8}),
            RELEASED,
            Origin.UNCLEAR,
            f"the case changed, {BOTH_CHANGED}",
        ),
        # The judge changed.
        (header_of_other_suite(code="1" * 64), {}, Origin.SUITE, "the suite's code changed"),
        (header_of_other_suite(data="1" * 64), {}, Origin.SUITE, "the suite's data changed"),
        (header_of_other_suite(code="1" * 64), RELEASED, Origin.UNCLEAR, f"the suite's code changed, {BOTH_CHANGED}"),
        # Nothing that judges this item changed.
        ({}, RELEASED, Origin.TRANSLATOR, "the suite is the same in both runs, so the translator caused it"),
        (
            header_of_other_suite(
                corpus="1" * 64, cases={"box/two": "1" * 8}, rules={"translation/text-changed": "1" * 8}
            ),
            {},
            Origin.TRANSLATOR,
            "the suite and the translator's version are the same in both runs: its code or environment changed",
        ),
    ],
)
def test_who_made_a_failure_new(old: dict[str, Any], new: dict[str, Any], origin: Origin, message: str) -> None:
    comparison = compare(run([item("box/one")], **old), run([ITEM], **new))
    [change] = comparison.changes
    assert (change.origin, change.counted_reasons()) == (origin, [(message, 1)])
    assert (comparison.exit_code(), comparison.exit_code(ignore_suite=True)) == (1, origin is not Origin.SUITE)


def test_a_translator_without_a_version_may_have_changed() -> None:
    then = run([item("box/one")], **UNVERSIONED, **NEWER)
    [change] = compare(then, run([ITEM], **UNVERSIONED)).changes
    assert (change.origin, change.counted_reasons()[0][0]) == (
        Origin.UNCLEAR,
        "the suite's code changed, and the translator has no version",
    )
    changed = run([item("box/one")], **UNVERSIONED, **header_of_other_suite(cases={"box/one": "1" * 8}))
    assert compare(changed, run([ITEM], **UNVERSIONED)).changes[0].origin is Origin.SUITE
    same = compare(run([item("box/one")], **UNVERSIONED), run([ITEM], **UNVERSIONED))
    assert same.changes[0].origin is Origin.TRANSLATOR


def test_where_nobody_knows_it_says_what_to_run() -> None:
    new = run([ITEM, item("new/one", OTHER)], **RELEASED)
    comparison = compare(run([item("box/one")], **NEWER), new)
    output = "\n".join(text_lines(comparison, CORPUS.rules))
    rerun = 'pytest --toolcall-translator mine:T "toolcall::box/one" --toolcall-report=again.json'
    for page in (output, markdown_text(comparison, CORPUS.rules)):
        assert "run the old translator (mine 1.0) with this suite" in page
        assert rerun in page
    assert "the suites differ: code" in output


@pytest.mark.parametrize(
    ("old", "new", "origin"),
    [
        (OLD, OLD, Origin.UNCLEAR),
        (OLD, {}, Origin.UNCLEAR),
        (OLD, RELEASED, Origin.UNCLEAR),
        (OLD, OLD_NEWER, Origin.SUITE),  # one version of the translator
        (OLD, {**OLD_NEWER, **RELEASED}, Origin.UNCLEAR),
    ],
)
def test_reports_that_do_not_say_which_suite_judged(old: dict[str, Any], new: dict[str, Any], origin: Origin) -> None:
    comparison = compare(run([item("box/one")], **old), run([ITEM], **new))
    assert comparison.changes[0].origin is origin
    assert any(line.startswith("the suites cannot be compared: ") for line in text_lines(comparison, CORPUS.rules))


def test_a_rule_that_is_newer_than_an_old_report_is_the_suites() -> None:
    since = CORPUS.rules[RULE].since
    old = run([item("box/one")], corpus={"version": "0.0.9", "private": []}, **OLD)
    [change] = compare(old, run([ITEM], **RELEASED)).changes
    assert (change.origin, change.counted_reasons()) == (Origin.SUITE, [(f"the rule is new since {since}", 1)])


def test_an_item_that_the_old_report_does_not_have() -> None:
    here, loop = item("box/two"), item("box/one", check="response")
    for old, why in [
        (run([here]), Origin.SETTINGS),  # left out by the arguments of the run
        (run([here], **NEWER), Origin.SETTINGS),  # so is the whole route of the case
        (run([loop]), Origin.SETTINGS),
        (run([loop], **NEWER), Origin.SUITE),  # a check that was not played there before
        (run([here], **header_without("cases", "box/one")), Origin.SUITE),
        (run([here], **OLD), Origin.SETTINGS),
        (run([here], **OLD_NEWER), Origin.SUITE),
    ]:
        [change] = compare(old, run([ITEM, here, loop])).changes
        assert change.origin is why, (old.header.get("suite"), why)


def test_a_level_that_was_raised_is_the_suites() -> None:
    mild = finding(level="SHOULD")
    raised = header_of_other_suite(rules={RULE: "1" * 8})
    [change] = compare(run([item("box/one", mild)], **raised), run([ITEM])).changes
    assert (change.origin, change.counted_reasons()) == (Origin.SUITE, [("its level was SHOULD; the rule changed", 1)])
    [change] = compare(run([item("box/one", mild)], **OLD), run([ITEM], **OLD_NEWER)).changes
    assert change.counted_reasons() == [("its level was SHOULD", 1)]
    # By the same suite it depends on what the translator made.
    assert compare(run([item("box/one", mild)]), run([ITEM])).changes[0].origin is Origin.TRANSLATOR


def test_what_the_known_failures_or_the_strictness_changed_is_the_runs() -> None:
    old = run([item("box/one", {**LOST, "known": "a ticket"}, outcome="known")])
    assert compare(old, run([item("box/one", LOST)])).changes[0].origin is Origin.SETTINGS
    mild = finding(level="SHOULD")
    strict = run([item("box/one", {**mild, "standing": "new"})], strict=True)
    assert compare(run([item("box/one", mild)]), strict).changes[0].counted_reasons() == [("the run is strict", 1)]


def test_an_item_that_was_not_done_or_not_judged_before() -> None:
    skipped = NotApplicable(nodeid("box/one"), "box/one", "request", "anthropic", "gemini")
    assert compare(run([], skipped=[skipped]), run([ITEM], **NEWER)).changes[0].origin is Origin.TRANSLATOR
    silent = run([item("box/one", verdict="not applicable", outcome="skipped")])
    assert compare(silent, run([ITEM])).changes[0].origin is Origin.TRANSLATOR
    assert compare(silent, run([ITEM], **NEWER)).changes[0].origin is Origin.SUITE


CRASHED = finding("translation/crashed", place="")


@pytest.mark.parametrize(
    "before",
    [item("box/one", verdict="blocked", outcome="skipped"), item("box/one", CRASHED)],
    ids=["blocked", "crash"],
)
def test_what_was_hidden_becomes_visible_and_is_no_new_failure(before: ItemRecord) -> None:
    old = [before, *(item(f"gone/{n}", CRASHED) for n in range(3)), item("w/0", {**OTHER, "known": "a ticket"})]
    new = [ITEM, *(item(f"gone/{n}") for n in range(3)), item("w/0")]
    report_difference = compare(run(old), run(new, **RELEASED))
    assert {change.origin for change in report_difference.changes if change.reasons} == {Origin.HIDDEN}
    assert (report_difference.exit_code(), report_difference.failures, report_difference.newly_visible) == (
        0,
        {},
        [ITEM.nodeid],
    )
    lines = list(text_lines(report_difference, CORPUS.rules))
    assert "4 items fixed, 1 newly visible; nothing fails newly" in lines
    titles = [line for line in lines if re.match(r"(Fixed|New)", line)]
    assert titles[0].startswith("Fixed: ")
    assert titles[1].startswith("Newly visible, because what hid it is gone: 1 cause, 1 item")
    # Beside it, what passed before and fails is new.
    worse = compare(run([*old, item("w/1")]), run([*new, item("w/1", LOST)], **RELEASED))
    assert (worse.exit_code(), [*worse.failures], worse.newly_visible) == (1, [nodeid("w/1")], [ITEM.nodeid])
    assert "4 items fixed, 1 newly visible; 1 new failure, for 1 cause" in list(text_lines(worse, CORPUS.rules))
    # What hid it is still there: then the failure is new.
    still = compare(run([item("box/one", CRASHED)]), run([item("box/one", CRASHED, LOST)], **RELEASED))
    assert still.exit_code() == 1


def test_a_warning_that_is_new_fails_nothing() -> None:
    comparison = compare(run([item("box/one")]), run([item("box/one", finding(level="SHOULD"))]))
    assert comparison.exit_code() == 0
    assert any(line.startswith("New, but failing nothing: 1 cause") for line in text_lines(comparison, CORPUS.rules))


def test_a_note_is_no_change() -> None:
    noted = run([item("box/one", LOST), item("box/two", finding(level="NOTE"))])
    assert compare(run([item("box/one", LOST), item("box/two")]), noted).changes == []


def test_a_rule_under_its_new_id_is_the_same() -> None:
    was, now = next((was, now) for was, now in CORPUS.retired.items() if now)
    old = run([item("box/one", finding(was))])
    new = run([item("box/one", finding(now[0]))], **NEWER)
    assert compare(old, new).changes == []
    # Nor is it a new one where it finds something else.
    rules = {name: digest for name, digest in SUITE["rules"].items() if name != now[0]} | {was: "0" * 8}
    before = run([item("box/one")], suite={**SUITE, "rules": rules})
    assert compare(before, run([item("box/one", finding(now[0]))])).changes[0].origin is Origin.TRANSLATOR


def test_a_cause_that_another_suite_splits_is_the_same_at_its_place() -> None:
    split = {**LOST, "signature": "translation/call-lost call gemini /other lost"}
    assert compare(run([item("box/one", LOST)]), run([item("box/one", split)], **NEWER)).failures == {}


def many_changes(number: int) -> ReportDifference:
    rules = [name for name in CORPUS.rules if name.startswith("translation/")]
    cases = [(f"box/{at}", finding(rules[at % 80], place=f"/{at}", want="w", got="g")) for at in range(number)]
    plain_ones = [item(case) for case, _ in cases]
    gone = [item(f"gone/{at}", finding(rules[at % 80], place=f"/g{at}")) for at in range(number)]
    mended = [item(f"gone/{at}") for at in range(number)]
    fresh = [item(f"new/{at}", finding(rules[at % 80], place=f"/n{at}")) for at in range(number)]
    warned = [item(f"w/{at}", finding(rules[at % 80], "SHOULD", place=f"/w{at}")) for at in range(number)]
    calm = [item(f"w/{at}") for at in range(number)]
    new = [*(item(case, fault) for case, fault in cases), *mended, *fresh, *warned]
    added = header_of_other_suite(code="1" * 64, cases={f"new/{at}": "0" * 8 for at in range(number)})
    return compare(run([*plain_ones, *gone, *calm]), run(new, **added, **RELEASED))


@pytest.mark.parametrize("number", [1, 7, 60])
def test_its_markdown_has_a_hundred_lines_at_most(number: int) -> None:
    page = markdown_text(many_changes(number), CORPUS.rules)
    assert len(page.splitlines()) <= MAX_LINES
    titles = [line for line in page.splitlines() if line.startswith("### ")]
    assert titles == [
        "### Fixed",
        "### New, because the translator or the suite changed",
        "### New, because the suite changed",
        "### New, but failing nothing",
    ]


def test_its_json_fits_its_schema() -> None:
    schema = json.loads(SCHEMA_PATH.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    document = json_document(many_changes(2))
    jsonschema.validate(document, schema)
    assert document["items"] == {"both": 6, "only_old": 0, "only_new": 2}
    assert (document["fixed"], document["newly_visible"], document["new_failures"]) == (2, 0, 4)


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old, new = (str(tmp_path / name) for name in ("old.json", "new.json"))
    Path(old).write_text(json_report.text(run([item("box/one"), item("box/two", OTHER)]), CORPUS), encoding="utf-8")
    Path(new).write_text(json_report.text(run([item("box/one", LOST), item("box/two")]), CORPUS), encoding="utf-8")
    assert main(["diff", old, new]) == 1
    stdout = capsys.readouterr().out
    assert "1 new failure, for 1 cause" in stdout
    assert "New, because the translator changed: 1 cause, 1 item" in stdout
    assert "Fixed: 1 cause, 1 item" in stdout
    assert main(["diff", new, new]) == 0
    capsys.readouterr()
    assert main(["diff", "--json", old, new]) == 1
    assert json.loads(capsys.readouterr().out)["new_failures"] == 1
    assert main(["diff", "--md", old, new]) == 1
    assert capsys.readouterr().out.startswith("## Tool call conformance: what changed\n")


@pytest.mark.parametrize(
    ("content", "message"),
    [(None, "cannot be read"), ("{", "not JSON"), ("[]", "the footer is missing"), ('{"items": []}', "the footer is")],
)
def test_a_file_that_is_no_report(
    content: str | None, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "r.json"
    if content is not None:
        path.write_text(content, encoding="utf-8")
    assert main(["diff", str(path), str(path)]) == 2
    assert message in capsys.readouterr().err
    with pytest.raises(SystemExit) as exit_info:
        main(["diff", str(path)])
    assert exit_info.value.code == 2


def test_versions_in_their_order() -> None:
    assert version_key("0.9.0") < version_key("0.10.0") < version_key("1.0.0-rc1") == version_key("1.0.0")
