"""What the terminal shows: the failure text, the matrix, the roots; colours and quietness."""

from __future__ import annotations

import json
import re
import shlex
from functools import cache
from typing import Any

import pytest

from toolcall_conformance import library
from toolcall_conformance.reports.causes.grouping import find_root_causes
from toolcall_conformance.reports.causes.harm import Harm
from toolcall_conformance.reports.item_record import ItemRecord
from toolcall_conformance.reports.run_record import RunRecord
from toolcall_conformance.reports.text.terminal import Detail, summary_lines

pytestmark = pytest.mark.any_python

LOSES = """
    def request(self, body):
        return {"text": "lost"} if self.route.upstream == "beta" else super().request(body)
"""


def test_a_failure_reads_like_this(project: Any) -> None:
    result = project.run("toolcall::box/one::request::alpha-to-beta", spec=project.write_translator(LOSES))
    text = result.stdout.str()
    expected = """
box/one · request · alpha → beta
  beta/text-kept  the text of a body changed on its way to beta        MUST
    of    text 1
    at    /text
    want  "box/one request 1"
    got   "lost"
    why   Readers want their text.
    fix   The text is trimmed. Copy it as it is.
    see   toolcall-conformance explain beta/text-kept
    files .pytest_cache/d/toolcall/box/one/request/alpha-to-beta
    again pytest --toolcall-translator mine:T "toolcall::box/one::request::alpha-to-beta"
"""
    assert expected in text


def test_the_only_item_is_reported_once(project: Any) -> None:
    item, spec = "toolcall::box/one::request::alpha-to-beta", project.write_translator(TWICE_WRONG)
    text = project.run(item, spec=spec).stdout.str()
    assert text.count("beta/text-kept  ") == 1
    assert "mend first" not in text
    assert "1 of 1 item failed; 2 causes: 1 MUST, 1 SHOULD\n" in text
    # What does not fail it has only its name there.
    assert "SHOULD  translation/extra    " in text
    hidden = project.run(item, "--tb=no", spec=spec).stdout.str()
    assert "\nMUST  beta/text-kept  " in hidden


def test_a_raised_exception_names_the_line_of_the_users_code(project: Any) -> None:
    spec = project.write_translator("    def request(self, body):\n        import json\n        json.loads('{')")
    text = project.run("toolcall::box", spec=spec).stdout.str()
    assert "\n  what  request raised JSONDecodeError: Expecting property name" in text
    assert "\n  code  mine.py:7\n  where " in text
    alone = project.run("toolcall::box/one::request::alpha-to-beta", spec=spec).stdout.str()
    assert "    at    (the whole body)" not in alone
    assert "    want  " not in alone


def test_overview_routes_and_blocks(project: Any) -> None:
    result = project.run("toolcall::", spec=project.write_translator(LOSES))
    text = result.stdout.str()
    expected = """
passed, of all request response
alpha → alpha      3/3      3/3
alpha → beta       0/3      3/3
beta → alpha       3/3      3/3
beta → beta        0/3      3/3
18 passed, 6 failed

MUST  beta/text-kept                                                     6 items
  The text of a body changed on its way to beta. Readers want their text.
  item  box/one · request · beta → beta
  of    text 1
  at    /text, in 01-request
  want  "box/one request 1"
  got   "lost"
  near  {"text": "lost"}
  where 6 items: request 6; box, crate; alpha → beta; beta → beta
  run   pytest --toolcall-translator mine:T "toolcall::box/one" \\
    "toolcall::box/two" "toolcall::crate/deep" -k "check:request and to-beta"

`toolcall-conformance explain RULE` gives reasons, evidence and examples
6 of 24 items failed; 1 cause: 1 MUST
mend first: beta/text-kept, 6 items: the text of a body changed on its way to
  beta (box/one · request · beta → beta)
"""
    assert expected in text
    assert "FAILURES" not in text
    assert "FAILED" not in text
    # Only pytest's own last line stands behind.
    assert re.search(r"\n  beta \(box/one [^\n]*\)\n\n?=+ 6 failed, 18 passed in [^\n]*=\s*$", text)


OWN = "def test_own():\n    assert 'mine' == 'yours'\n"


def test_the_users_own_failures_stay(project: Any) -> None:
    project.write_module("test_own", OWN)
    text = project.run("toolcall::", "test_own.py", spec=project.write_translator(LOSES)).stdout.str()
    assert "FAILED test_own.py::test_own" in text
    assert "assert 'mine' == 'yours'" in text
    assert "FAILED toolcall" not in text
    assert "box/one · request · alpha → beta" not in text
    assert text.index("FAILED test_own.py") < text.index("6 of 24 items failed")


WARNS = """
    def request(self, body):
        import warnings
        warnings.warn("too old: " + body["text"])
        return super().request(body)
"""


@pytest.mark.parametrize(("options", "is_shown"), [((), False), (("-v",), True)])
def test_the_translators_warnings_are_counted(project: Any, options: tuple[str, ...], is_shown: bool) -> None:
    """A library may give thousands; the user's own are printed as ever."""
    project.pytester.makepyfile(test_own="import warnings\ndef test_own():\n    warnings.warn('mind the gap')")
    spec = project.write_translator(WARNS)
    text = project.run_in_subprocess("toolcall::", "test_own.py", *options, spec=spec).stdout.str()
    assert "mind the gap" in text
    counted = re.search(r"the translator's code gave (\d+) warnings; -v shows them", text)
    assert ("UserWarning: too old" in text, counted is None) == (is_shown, is_shown)
    (total,) = re.findall(r"passed, (\d+) warnings in ", text)
    assert counted is None or int(counted[1]) == int(total) - 1 >= 12


@pytest.mark.parametrize("option", ["-rf", "-ra", "-rA"])
def test_pytests_list_is_printed_on_demand(project: Any, option: str) -> None:
    text = project.run("toolcall::", option, spec=project.write_translator(LOSES)).stdout.str()
    assert "FAILED toolcall::box/one::request::alpha-to-beta - beta/text-kept" in text
    assert "= FAILURES =" not in text
    assert text.index("FAILED toolcall") < text.index("6 of 24 items failed")


def test_verbose_lists_every_item(project: Any) -> None:
    text = project.run("toolcall::", "-v", spec=project.write_translator(LOSES)).stdout.str()
    for case in ("box/one", "box/two", "crate/deep"):
        assert f"{case} · request · alpha → beta\n  beta/text-kept" in text


def test_quiet_has_a_line_for_a_cause(project: Any) -> None:
    lines = project.run("toolcall::", "-q", spec=project.write_translator(LOSES)).outlines
    assert f"MUST  beta/text-kept{' ' * 53}6 items" in lines
    assert not [line for line in lines if line.startswith("  item")]


MANY = """
    def request(self, body):
        raise type("Refused", (Exception,), {})("no " + "abcdefghijklm"[len(body["text"]) % 13] * len(body["text"]))
"""


def test_six_blocks_then_twenty_lines_then_a_count(project: Any, add_case: Any) -> None:
    for number in range(1, 28):
        add_case(f"crate/{'x' * number}")
    spec = project.write_translator(MANY)
    lines = project.run("toolcall::", spec=spec).outlines
    blocks = [line for line in lines if line.startswith("MUST  translation/refused ")]
    short = [line for line in lines if line.startswith("MUST    translation/refused  ")]
    (rest,) = [line for line in lines if line.startswith("and ")]
    (total,) = (int(count) for line in lines for count in re.findall(r"; (\d+) causes: \d+ MUST$", line))
    assert (len(blocks), len(short), total > 26) == (6, 20, True)
    assert rest.startswith(f"and {total - 26} more cause")
    assert len(lines) <= 125
    output_lines = project.run("toolcall::", "-v", spec=spec).outlines
    assert len([line for line in output_lines if line.startswith("MUST  translation/refused ")]) == total


@pytest.mark.parametrize("arguments", [(), ("-q",)])
def test_lines_fit_a_terminal(project: Any, add_case: Any, arguments: tuple[str, ...]) -> None:
    add_case("crate/with-a-name-that-is-quite-long-as-names-of-cases-go")
    project.write_translator(LOSES, "a_module_whose_name_is_long_too")
    result = project.run("toolcall::", *arguments, spec="a_module_whose_name_is_long_too:T")
    lines = result.outlines
    start = next(number for number, line in enumerate(lines) if "= toolcall conformance =" in line)
    assert [line for line in lines[start:] if len(line) > 80] == []


@cache
def run_of_thousands() -> RunRecord:
    lost = {"rule": "a/b", "level": "MUST", "pointer": "/a", "message": "gone", "element": "call", "subject": ""}
    lost |= {"body": "01-request", "format": "beta", "signature": "a/b call beta /a lost"}
    verdicts = ("fail", "refused", "blocked", "error", "pass", "warn", "not applicable")
    outcomes = ("failed", "failed", "skipped", "error", "passed", "passed", "skipped")
    items = [
        ItemRecord(
            f"toolcall::{n}", f"box/{n % 2}", "request", "alpha", "beta", None, *ends, findings=[lost] * (n < 99)
        )
        for n in range(7 * 1000)
        for ends in [(verdicts[n % 7], outcomes[n % 7])]
    ]
    return RunRecord({}, items, [], [], len(items), find_root_causes(items, Harm()))


@pytest.mark.parametrize("length", range(40, 60))
def test_commands_and_counts_fit_a_terminal(length: int) -> None:
    def repeat_command(*nodeids: str) -> str:
        return f"pytest {'t' * length} " + " ".join(f'"{nodeid}"' for nodeid in nodeids)

    lines = [
        "".join(piece.text for piece in line)
        for line in summary_lines(run_of_thousands(), {}, repeat_command, detail=Detail.ALL)
    ]
    assert any(line.startswith("  run   pytest") for line in lines)
    assert [line for line in lines if len(line) > 80] == []


TWICE_WRONG = """
    def request(self, body):
        return {"text": "lost", "extra": 1} if self.route.upstream == "beta" else super().request(body)
"""


def test_causes_of_the_same_items_refer_to_each_other(project: Any) -> None:
    text = project.run("toolcall::", "--toolcall-strict", spec=project.write_translator(TWICE_WRONG)).stdout.str()
    first, second = text.split("\nSHOULD  translation/extra")
    assert "\n  run   pytest" in first
    assert "\n  same  the 6 items of beta/text-kept, above\n" in second
    assert "\n  run   " not in second


def test_annotations_where_github_runs_it(project: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = project.write_translator(LOSES)
    assert "::error" not in project.run("toolcall::", spec=spec).stdout.str()
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    lines = project.run("toolcall::", spec=spec).outlines
    (line,) = [line for line in lines if line.startswith("::")]
    assert line == (
        "::error title=beta/text-kept (6 items)::The text of a body changed on its way to beta. Readers want their "
        'text.%0Abox/one · request · beta → beta%0Aof: text 1%0Aat: /text, in 01-request%0Awant: "box/one request 1"%0A'
        'got: "lost"%0Anear: {"text": "lost"}%0A6 items: request 6; box, crate; alpha → beta; beta → beta%0A'
        'run: pytest --toolcall-translator mine:T "toolcall::box/one" "toolcall::box/two" "toolcall::crate/deep" '
        '-k "check:request and to-beta"'
    )


def test_annotations_escape_what_ends_them(project: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    spec = project.write_translator("    def request(self, body):\n        raise ValueError('100%, a: b')")
    (line,) = [line for line in project.run("toolcall::box/one", spec=spec).outlines if line.startswith("::")]
    assert "what: request raised ValueError: 100%25, a: b" in line
    assert line.startswith("::error file=mine.py,line=6,title=translation/crashed (4 items)::")


LOSSY = """
    def request(self, body):
        self.losses = ["mark", "colour"] if self.route.client == "alpha" else ["mark"]
        return super().request(body)

    def response(self, body):
        self.losses = []
        return super().response(body)
"""


def test_losses_are_one_line_and_with_v_all_of_them(project: Any) -> None:
    spec = project.write_translator(LOSSY)
    loss_line = "  reported lost, but both formats have it: request, alpha → beta: colour (3)"
    head = "losses: 1 element, on 2 routes, that a format cannot express, or only by"
    lines = project.run("toolcall::", spec=spec).outlines
    assert lines[lines.index(head) + 1] == "  convention; -v names them"
    assert loss_line in lines
    assert not [line for line in lines if line.startswith("  lost")]
    lines = project.run("toolcall::", "-v", spec=spec).outlines
    assert head in lines
    assert loss_line in lines
    assert "  lost: request, alpha → beta: mark (3)" in lines
    assert "  lost: request, beta → beta: mark (3)" in lines


def test_without_losses_nothing_is_said_of_them(project: Any) -> None:
    assert not [line for line in project.run("toolcall::", "-v").outlines if line.startswith("losses")]


def command_at(lines: list[str], start: int) -> str:
    """The command that begins in a line, as a shell joins its lines."""
    text = "\n".join(lines[start:]).removeprefix("  run   ").replace("\\\n", "")
    return text.partition("\n")[0]


def test_a_long_command_is_one_command(project: Any, add_case: Any) -> None:
    add_case("crate/with-a-name-that-is-quite-long-as-names-of-cases-go")
    spec = project.write_translator(
        "    def request(self, body):\n        return {'text': ''} if 'long' in body['text'] else super().request(body)"
    )
    lines = project.run("toolcall::", "-k", "alpha-to-beta", spec=spec).outlines
    start = next(number for number, line in enumerate(lines) if line.startswith("  run   "))
    command = command_at(lines, start)
    assert len(command) > 80 > max(map(len, lines[start : start + 4]))
    project.pytester.runpytest_inprocess(*shlex.split(command)[1:]).assert_outcomes(failed=1)


def test_the_command_in_the_summary_reproduces_the_failures(project: Any) -> None:
    lines = project.run("toolcall::", spec=project.write_translator(LOSES)).outlines
    start = next(number for number, line in enumerate(lines) if line.startswith("  run   "))
    command = command_at(lines, start)
    project.pytester.runpytest_inprocess(*shlex.split(command)[1:]).assert_outcomes(failed=6, deselected=18)


@pytest.mark.parametrize(
    ("arguments", "is_shown"),
    [((), True), (("-q",), True), (("-qq",), False), (("--no-summary",), False), (("-v",), True)],
)
def test_quietness(project: Any, arguments: tuple[str, ...], is_shown: bool) -> None:
    result = project.run("toolcall::box/one", *arguments)
    assert ("passed, of all" in result.stdout.str()) is is_shown


def test_what_decides_the_exit_code_is_said_however_quiet(project: Any) -> None:
    result = project.run("toolcall::", "-k", "nothing_like_this", "-qq", "--no-summary")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(
        ["toolcall: nothing was judged: every item was deselected (by -k, -m, --lf or --deselect)"]
    )


def test_colours(project: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = project.write_translator(LOSES)
    assert "\x1b[" not in project.run("toolcall::", spec=spec).stdout.str()
    coloured = project.run("toolcall::", "--color=yes", spec=spec).stdout.str()
    assert "\x1b[31m" in coloured
    assert "\x1b[1m6 of 24 items failed" in coloured
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" not in project.run("toolcall::", spec=spec).stdout.str()


def test_large_values_are_explained_by_their_differences(project: Any) -> None:
    spec = project.write_translator(LOSES)
    project.run("toolcall::box/one::request::alpha-to-beta", spec=spec)
    for name in ("alpha", "beta"):
        path = project.corpus / "scenarios" / "box" / "one" / name / "01-request.json"
        path.write_text(json.dumps({"format": name, "text": {"list": list(range(100))}}), encoding="utf-8")
    spec = project.write_translator(
        "    def request(self, body):\n        body['text']['list'][7] = 'seven'\n        return super().request(body)",
        "other",
    )
    library._loaded.clear()
    result = project.run("toolcall::box/one::request::alpha-to-beta", spec=spec)
    result.stdout.fnmatch_lines(['    diff  /list/7 want 7, got "seven"'])


def test_artifacts_are_written_and_cleared(project: Any) -> None:
    spec = project.write_translator(LOSES)
    project.run("toolcall::box/one", spec=spec)
    folder = project.path / ".pytest_cache/d/toolcall/box/one/request/alpha-to-beta"
    assert sorted(path.name for path in folder.iterdir()) == [
        "01-request.golden.json",
        "01-request.input.json",
        "01-request.produced.json",
    ]
    assert "lost" in (folder / "01-request.produced.json").read_text(encoding="utf-8")
    project.run("toolcall::box/one")
    assert not folder.exists()


def test_artifacts_go_where_the_user_says(project: Any) -> None:
    item = "toolcall::box/one::request::alpha-to-beta"
    result = project.run(item, "--toolcall-artifacts", "bodies", spec=project.write_translator(LOSES))
    assert (project.path / "bodies/box/one/request/alpha-to-beta/01-request.input.json").is_file()
    result.stdout.fnmatch_lines(["    files bodies/box/one/request/alpha-to-beta"])


def test_without_a_cache_there_are_no_artifacts(project: Any) -> None:
    result = project.run("toolcall::box/one", "-p", "no:cacheprovider", spec=project.write_translator(LOSES))
    result.assert_outcomes(failed=2, passed=6)
    assert "    files" not in result.stdout.str()
