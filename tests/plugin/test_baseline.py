"""--toolcall-known-failures-update: the file that a run writes, and what later runs say of it."""

from __future__ import annotations

import datetime as dt
import os
import tomllib
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.any_python

LOST = """
    def request(self, body):
        lost = self.route.upstream == "beta" and {where}
        return {{"text": "lost"}} if lost else super().request(body)
"""
TWO = "'two' in body['text']"
UPDATE = "--toolcall-known-failures-update"


def today() -> dt.date:
    """The user's date, asked for in each test: a run of all of them may go past midnight."""
    return dt.datetime.now().astimezone().date()


class Baseline:
    """A project with a file of known failures."""

    def __init__(self, project: Any) -> None:
        self.project = project
        self.file = Path(project.path) / "known.toml"
        self.times = 0

    def run(self, *arguments: str, where: str = TWO, session: str = "") -> pytest.RunResult:
        """Run with a translator that loses the text on its way to beta where an expression is true."""
        self.times += 1  # each run its own module: Python keeps what it imported
        spec = self.project.write_translator(session or LOST.format(where=where), f"mine_{self.times}")
        all_arguments = (
            arguments if any(word.startswith("toolcall::") for word in arguments) else ("toolcall::", *arguments)
        )
        result: pytest.RunResult = self.project.run("--toolcall-known-failures=known.toml", *all_arguments, spec=spec)
        return result

    def update(self, *arguments: str, **more: Any) -> pytest.RunResult:
        result = self.run(UPDATE, *arguments, **more)
        assert result.ret == pytest.ExitCode.OK, result.stdout.str()
        return result

    @property
    def text(self) -> str:
        return self.file.read_text(encoding="utf-8")

    @property
    def entries(self) -> list[dict[str, Any]]:
        entries: list[dict[str, Any]] = tomllib.loads(self.text)["known"]
        return entries

    @property
    def causes(self) -> dict[str, list[str]]:
        causes: dict[str, list[str]] = tomllib.loads(self.text).get("causes", {})
        return causes

    def line(self, words: str) -> int:
        """The number of the line that has these words."""
        return next(number for number, line in enumerate(self.text.splitlines(), 1) if words in line)


@pytest.fixture
def baseline(project: Any) -> Baseline:
    return Baseline(project)


def problems(result: pytest.RunResult) -> list[str]:
    return [line for line in result.outlines if line.startswith("toolcall: stale")]


CAUSE = "beta/text-kept text beta /text value"


def test_the_first_update_writes_one_line_a_cause(baseline: Baseline) -> None:
    result = baseline.update()
    result.assert_outcomes(passed=22, xfailed=2)
    result.stdout.fnmatch_lines(["toolcall: known.toml has 1 known failure (1 new)"])
    assert baseline.text.startswith("# Known failures")
    assert baseline.text.endswith(f'\n\n[causes]\n"{CAUSE}" = ["box/two::request::{{alpha,beta}}-to-beta"]\n')
    result = baseline.run("-rx")
    result.assert_outcomes(passed=22, xfailed=2)
    result.stdout.fnmatch_lines(["XFAIL toolcall::box/two::request::alpha-to-beta*the text of a body changed*"])
    before = baseline.file.stat().st_mtime_ns
    baseline.update()
    assert baseline.file.stat().st_mtime_ns == before  # nothing to write


def test_a_further_failure_is_new_and_fails(baseline: Baseline) -> None:
    baseline.update()
    result = baseline.run(where="body['text'][4:7] in ('two', 'one')")
    result.assert_outcomes(passed=20, xfailed=2, failed=2)
    report = baseline.run("--toolcall-report", "r.json", where="body['text'][4:7] in ('two', 'one')")
    assert report.ret == pytest.ExitCode.TESTS_FAILED
    baseline.update(where="body['text'][4:7] in ('two', 'one')").stdout.fnmatch_lines(
        ["*has 1 known failure (1 changed)"]
    )
    # All items of the family in this check on these routes: the pattern says how many those are.
    assert baseline.causes == {CAUSE: ["4 × box/*::request::{alpha,beta}-to-beta"]}


def test_a_pattern_for_all_hides_neither_what_passes_nor_what_is_new(baseline: Baseline) -> None:
    where = "'box' in body['text']"
    baseline.update(where=where)
    assert baseline.run(where=where).ret == pytest.ExitCode.OK
    # Another rule or difference in an item that it matches.
    crashes = "    def request(self, body):\n        assert 'two' not in body['text']\n"
    crashes += '        return {"text": "lost"} if self.route.upstream == "beta" and "box" in body["text"] '
    crashes += "else super().request(body)\n"
    result = baseline.run(session=crashes, where="")
    result.assert_outcomes(passed=14, xfailed=2, failed=4, skipped=4)  # the replies of what crashed are blocked
    # One of its items passes.
    (problem,) = problems(
        baseline.run(where="'box/two' in body['text'] or 'box' in body['text'] and self.route.client == 'beta'")
    )
    assert problem.endswith("box/one::request::alpha-to-beta no longer fails; it stands in line 6")
    # More items than it was written for, as where the corpus has a new case.
    baseline.file.write_text(baseline.text.replace("4 × ", "3 × "), encoding="utf-8")
    result = baseline.run(where=where)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    (problem,) = problems(result)
    assert problem.endswith(
        "4 items of box/*::request::{alpha,beta}-to-beta fail, and the line says 3: the others are new"
    )
    baseline.update(where=where)
    assert baseline.causes == {CAUSE: ["4 × box/*::request::{alpha,beta}-to-beta"]}
    # A mended item goes, and the others stay.
    baseline.update(where="'box/two' in body['text']")
    assert baseline.causes == {CAUSE: ["box/two::request::{alpha,beta}-to-beta"]}


def test_a_cause_that_got_a_reason_stays_a_table(baseline: Baseline) -> None:
    baseline.update(where="'box' in body['text']")
    table = '[[known]]\nrule = "beta/text-kept"\nsignature = "text beta /text value"\nreason = "issue 12"\n'
    (pattern,) = baseline.causes[CAUSE]
    baseline.file.write_text(f'{table}items = ["{pattern}"]\n', encoding="utf-8")
    assert baseline.run(where="'box' in body['text']").ret == pytest.ExitCode.OK
    (problem,) = problems(baseline.run())
    assert problem.endswith("2 of 4 items no longer fail: box/one::request::{alpha,beta}-to-beta; it stands in line 5")
    baseline.update()
    assert baseline.text == f'{table}items = [\n  "box/two::request::{{alpha,beta}}-to-beta",\n]\n'


def test_a_line_keeps_its_comment_and_loose_patterns(baseline: Baseline) -> None:
    baseline.update()
    loose = f'[causes]  # ours\n# hard\n"{CAUSE}" = ["box/*::request::*"]\n# the end\n'
    baseline.file.write_text(loose, encoding="utf-8")
    assert baseline.run().ret == pytest.ExitCode.OK  # such a pattern fails as long as one item does
    assert "no longer fails; delete line 3" in problems(baseline.run(where="False"))[0]
    baseline.update(where="'two' in body['text'] or 'deep' in body['text'] and self.route.client == 'alpha'")
    assert baseline.text == loose.replace('"]', '", "crate/deep::request::alpha-to-beta"]').replace(
        "# hard", f'"{CAUSE.replace("beta", "alpha")}" = ["crate/deep::request::alpha-to-alpha"]\n# hard'
    )


def test_what_is_mended_is_stale_and_the_command_comes_first(baseline: Baseline) -> None:
    baseline.update()
    result = baseline.run(where="'two' in body['text'] and self.route.client == 'alpha'")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    number = baseline.line("box/two::request::")
    (problem,) = problems(result)
    assert problem.startswith("toolcall: stale known failure: known.toml: beta/text-kept (")
    assert problem.endswith(f"box/two::request::beta-to-beta no longer fails; it stands in line {number}")
    command = result.outlines[result.outlines.index(problem) - 1]
    assert command.startswith("toolcall: this writes known.toml anew: pytest --toolcall-known-failures-update ")
    assert "--toolcall-known-failures=known.toml" in command
    (problem,) = problems(baseline.run(where="False"))
    assert problem.endswith(
        f"all 2 items no longer fail: box/two::request::{{alpha,beta}}-to-beta; delete line {number}"
    )
    baseline.update(where="False").stdout.fnmatch_lines(["*has 0 known failures (1 gone)"])
    assert baseline.causes == {}
    assert baseline.run(where="False").ret == pytest.ExitCode.OK


@pytest.mark.parametrize(
    "arguments",
    [("-k", "one"), ("-k", "two and alpha"), ("toolcall::box/one",), ("toolcall::box/two::response",), ("-x",)],
)
def test_what_did_not_run_is_neither_stale_nor_deleted(baseline: Baseline, arguments: tuple[str, ...]) -> None:
    baseline.update()
    before = baseline.text
    mended = "body['text'].startswith('box/two') and self.route.client == 'beta'"
    session = (
        LOST.format(where=mended) + "\n    def response(self, body):\n        assert self.route.client != 'alpha'\n"
    )
    session += "        return super().response(body)\n"
    if arguments == ("-x",):
        assert problems(baseline.run("-x", session=session)) == []
    else:
        assert problems(baseline.run(*arguments, where="'two' in body['text']")) == []
    baseline.update("-k", "one")
    assert baseline.text == before


def test_last_failed_runs_only_what_is_new(baseline: Baseline) -> None:
    baseline.update()
    worse = "'box' in body['text']"
    baseline.run(where=worse).assert_outcomes(passed=20, xfailed=2, failed=2)
    again = baseline.run("--lf", where=worse)
    again.assert_outcomes(failed=2, deselected=22)
    assert problems(again) == []


def test_workers_write_and_read_the_same(baseline: Baseline) -> None:
    pytest.importorskip("xdist")
    baseline.update("-n", "2")
    together = baseline.text
    baseline.file.unlink()
    baseline.update()
    assert baseline.text == together
    result = baseline.run("-n", "1", where="'box' in body['text'] and self.route.client == 'alpha'")
    result.assert_outcomes(passed=22, xfailed=1, failed=1)
    assert len(problems(result)) == 1


def test_an_update_keeps_what_the_user_wrote(baseline: Baseline) -> None:
    baseline.file.write_text(
        "# Ours. Ask Ada.\n\n"
        "# This one is hard.\n"
        "[[known]]\n"
        'reason = "waits for #12"   # since May\n'
        'rule = "beta/text-kept"\n'
        'signature = "text beta /text value"\n'
        'ticket = "https://example.com/12"\n'
        "items = [\n"
        "  # the first that was seen\n"
        '  "box/two::request::beta-to-beta", # twice\n'
        '  "box/one::request::beta-to-beta",\n'
        "]\n\n"
        "# -- alpha --\n\n"
        "[[known]]\n"
        "rule = 'alpha/text-kept'\n"
        "items = ['crate::response']\n"
        "reason = '''not\nto be seen'''\n"
        "# end\n",
        encoding="utf-8",
    )
    baseline.update("-k", "box")
    assert baseline.text == (
        "# Ours. Ask Ada.\n\n"
        "# -- alpha --\n\n"
        "[[known]]\n"
        "rule = 'alpha/text-kept'\n"
        "items = ['crate::response']\n"
        "reason = '''not\nto be seen'''\n"
        "# end\n\n"
        "# This one is hard.\n"
        "[[known]]\n"
        'reason = "waits for #12"   # since May\n'
        'rule = "beta/text-kept"\n'
        'signature = "text beta /text value"\n'
        'ticket = "https://example.com/12"\n'
        "items = [\n"
        '  "box/two::request::alpha-to-beta",\n'
        "  # the first that was seen\n"
        '  "box/two::request::beta-to-beta",  # twice\n'
        "]\n"
    )


def test_another_rule_than_the_recorded_one_fails(baseline: Baseline) -> None:
    baseline.update()
    crashes = "    def request(self, body):\n        assert 'two' not in body['text']\n"
    crashes += "        return super().request(body)\n"
    result = baseline.run(session=crashes, where="")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    number = baseline.line(CAUSE)
    result.stdout.fnmatch_lines([f"  note  known.toml:{number} records beta/text-kept for this item"])
    assert "all 2 items no longer fail" in "\n".join(problems(result))
    baseline.update(session=crashes)
    assert {cause.partition(" ")[0] for cause in baseline.causes} == {"translation/crashed"}


def test_another_difference_than_the_recorded_one_fails(baseline: Baseline) -> None:
    baseline.update()
    absent = LOST.format(where=TWO).replace('{"text": "lost"}', "{}")
    result = baseline.run("toolcall::box/two::request::alpha-to-beta", session=absent)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*note  known.toml:* records the difference text beta /text value for this item"])


def _entry(**more: Any) -> str:
    lines = {"rule": '"beta/text-kept"', "reason": '"issue 12"', "items": '["box/two::request"]', **more}
    return "\n".join(["[[known]]", *(f"{key} = {value}" for key, value in lines.items() if value), ""])


def test_an_expired_entry_fails_and_is_not_renewed(baseline: Baseline) -> None:
    baseline.file.write_text(_entry(expires=today() - dt.timedelta(days=1)), encoding="utf-8")
    result = baseline.run()
    result.assert_outcomes(passed=22, failed=2)
    result.stdout.fnmatch_lines(
        [f"  note  known.toml:1: known until {today() - dt.timedelta(days=1)} (issue 12); repair it, or*"]
    )
    before = baseline.text
    assert baseline.run(UPDATE).ret == pytest.ExitCode.TESTS_FAILED
    assert baseline.text == before
    baseline.file.write_text(_entry(expires=today()), encoding="utf-8")
    assert baseline.run().ret == pytest.ExitCode.OK


@pytest.mark.parametrize(
    ("items", "wide"),
    [
        ('"toolcall::box/two::request"', None),
        ('["box/two::request::*"]', None),
        ('["box/two"]', None),
        ('["box"]', None),
        ('["box/t?o::request"]', None),
        ('["*"]', "true"),
        ('["*::request::*-to-beta"]', "true"),
    ],
)
def test_patterns(baseline: Baseline, items: str, wide: str | None) -> None:
    baseline.file.write_text(_entry(items=items, wide=wide), encoding="utf-8")
    assert baseline.run().ret == pytest.ExitCode.OK
    assert problems(baseline.run(where="False")) != []


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (_entry(rule=None), "known.toml:1: `rule` is missing; write the id of a rule there"),
        (_entry(reason='"  "'), "known.toml:1: `reason` is empty; write why this failure is known there"),
        (_entry(items="[]"), "known.toml:1: `items` is no list of patterns; write items = *"),
        (
            _entry(rule='"beta/text-kep"'),
            "known.toml:1: there is no rule 'beta/text-kep'; did you mean beta/text-kept*",
        ),
        ("# hi\n\n" + _entry(reasons='"x"'), "known.toml:3: there is no key 'reasons'; did you mean 'reason'?"),
        (_entry(expires='"soon"'), "known.toml:1: `expires` is no date; write expires = 2027-01-31"),
        (
            _entry(items='["*::request"]'),
            "known.toml:1: '[*]::request' may match several families; name one, or write*",
        ),
        ("[[known]]\nrule = \n", "known.toml: not TOML: *line 2*"),
        ("known = 1\n", "known.toml: `known` is no list of tables; start each entry with [[][[]known]]"),
        ("[causes]\n'beta/text-kept a b c d' = []\n", "known.toml:2: no list of patterns; write *"),
        ("[causes]\n'beta/text-kept' = 'box'\n", "known.toml:2: 'beta/text-kept' has no signature; write it as*"),
        ("[causes]\n'beta/text-kept a b' = '*/two'\n", "known.toml:2: '*/two' may match several families; name *"),
        ("[causes]\n'beta/text-kept a b' = 'box/{two'\n", "known.toml:2: a brace of 'box/{two' is not closed; write *"),
        ("[causes]\n'beta/text-kep a b' = 'box'\n", "known.toml:2: there is no rule 'beta/text-kep'; did you *"),
        ("causes = {'beta/text-kept a b' = 'box'}\n", "known.toml: write the causes below a line [[]causes]"),
        ("[knwon]\n", "known.toml: there is no key 'knwon'; start each entry with [[][[]known]]"),
        (_entry(reason="'''a\n[[known]]\n'''"), "known.toml: write each entry under its own line *"),
    ],
)
def test_a_mistake_is_reported_with_its_line(baseline: Baseline, text: str, sentence: str) -> None:
    baseline.file.write_text(text, encoding="utf-8")
    result = baseline.run()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: *{sentence}"])


def test_an_item_that_there_is_not(baseline: Baseline) -> None:
    baseline.file.write_text(_entry(items='["box/two::request", "box/tow::request::alpha-to-beta"]'), encoding="utf-8")
    result = baseline.run()
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert problems(result)[0].endswith(
        "box/tow::request::alpha-to-beta (line 4) matches no item; correct the pattern or delete the line"
    )


def test_a_file_of_lines_becomes_toml(project: Any) -> None:
    baseline = Baseline(project)
    baseline.file = Path(project.path) / "known.txt"
    baseline.file.write_text("*::request::*  beta/text-kept  # issue 12\nbox/one  alpha/text-kept # old\n")
    spec = project.write_translator(LOST.format(where=TWO))
    result = project.run("--toolcall-known-failures=known.txt", UPDATE, "toolcall::", spec=spec)
    assert result.ret == pytest.ExitCode.OK
    result.stdout.fnmatch_lines(
        ["*known.txt has 1 known failure (1 gone, 1 kept); it was a list of lines and is TOML*"]
    )
    assert baseline.entries == [
        {"rule": "beta/text-kept", "items": ["*::request::*"], "reason": "issue 12", "wide": True}
    ]
    assert project.run("--toolcall-known-failures=known.txt", "toolcall::", spec=spec).ret == pytest.ExitCode.OK


def test_an_update_needs_a_file_to_write(project: Any) -> None:
    result = project.run("toolcall::", UPDATE)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: --toolcall-known-failures-update needs --toolcall-known-failures FILE.toml"])


def test_a_folder_that_there_is_not_is_reported_at_once(baseline: Baseline) -> None:
    result = baseline.project.run("--toolcall-known-failures=no/where.toml", UPDATE, "toolcall::")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: --toolcall-known-failures: there is no folder *no; make it first"])


def test_a_circle_of_links_is_reported_at_once(baseline: Baseline) -> None:
    (baseline.project.path / "loop.toml").symlink_to("loop.toml")
    result = baseline.project.run("--toolcall-known-failures=loop.toml", UPDATE, "toolcall::")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: --toolcall-known-failures: *loop.toml cannot be written (*symbolic links)"])


CHANGES = """
    def request(self, body):
        if "one" in body["text"]:
            open("known.toml", "a").write("# another run was here\\n")
        return {"text": "lost"}
"""


def test_a_file_that_changed_meanwhile_stays_and_the_update_is_next_to_it(baseline: Baseline) -> None:
    baseline.update()
    result = baseline.run(UPDATE, session=CHANGES)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    warning = "*known.toml has changed since this run began, and stays unchanged;"
    result.stdout.fnmatch_lines(
        [f"toolcall: {warning} *known.update.toml has what the run would have written: compare the two, or run again"]
    )
    assert "# another run was here" in baseline.text
    update = baseline.file.with_name("known.update.toml").read_text(encoding="utf-8")
    assert len(tomllib.loads(update)["causes"]) > len(baseline.causes)


def test_a_lock_that_is_never_released_is_reported(baseline: Baseline, monkeypatch: pytest.MonkeyPatch) -> None:
    fcntl = pytest.importorskip("fcntl")
    baseline.update()
    before = baseline.text
    monkeypatch.setattr("toolcall_conformance.engine.baseline.LOCK_SECONDS", 0.2)
    folder = os.open(baseline.project.path, os.O_RDONLY)
    fcntl.flock(folder, fcntl.LOCK_EX)
    try:
        result = baseline.run(UPDATE, where="False")
    finally:
        os.close(folder)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["toolcall: *known.toml is locked by another process *has what the run would have*"])
    assert baseline.text == before
    assert baseline.file.with_name("known.update.toml").is_file()


def test_a_failed_write_leaves_the_earlier_file(baseline: Baseline, monkeypatch: pytest.MonkeyPatch) -> None:
    baseline.update()
    before = baseline.text
    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", _full)
        result = baseline.run(UPDATE, where="False")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["toolcall: *known.toml: not written: the disk is full; the earlier file stays"])
    assert baseline.text == before
    assert [path.name for path in baseline.file.parent.glob(".known*")] == []


def _full(*_arguments: Any) -> None:
    raise OSError(28, "the disk is full")
