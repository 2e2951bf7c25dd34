"""What the terminal shows: the failure text, the matrix, the roots; colours and quietness."""

from __future__ import annotations

import json
import shlex
from typing import Any

import pytest

from toolcall_conformance import library

LOSES = """
    def request(self, body):
        return {"text": "lost"} if self.route.upstream == "beta" else super().request(body)
"""


def test_a_failure_reads_like_this(project: Any) -> None:
    result = project.run("toolcall::box/one", spec=project.translator(LOSES))
    text = result.stdout.str()
    expected = """
box/one · request · alpha → beta
  beta/text-kept  the text of a body changed on its way to beta        MUST
    of    text 1
    at    /text
    want  "box/one request 1"
    got   "lost"
    why   Readers want their text.
    see   toolcall-conformance explain beta/text-kept
    files .pytest_cache/d/toolcall/box/one/request/alpha-to-beta
    again pytest --toolcall-translator mine:T "toolcall::box/one::request::alpha-to-beta"
"""
    assert expected in text


def test_matrix_and_roots(project: Any) -> None:
    result = project.run("toolcall::", spec=project.translator(LOSES))
    result.stdout.fnmatch_lines(
        [
            "request: client \\ upstream      alpha       beta",
            "alpha                             3/3        0/3",
            "beta                              3/3        0/3",
            "6 passed, 6 failed",
            "",
            "response: client \\ upstream      alpha       beta",
            "*",
            "  3 cases  beta/text-kept  MUST  the text of a body changed on its way to beta",
            "           request, alpha, beta → beta, text",
            '           pytest --toolcall-translator mine:T "toolcall::box/one::request::alpha-to-beta"',
        ]
    )


LOSSY = """
    def request(self, body):
        self.losses = ["mark", "colour"] if self.route.client == "alpha" else ["mark"]
        return super().request(body)

    def response(self, body):
        self.losses = []
        return super().response(body)
"""


def test_losses_are_one_line_and_with_v_all_of_them(project: Any) -> None:
    spec = project.translator(LOSSY)
    said = "  reported lost, but both formats have it: request, alpha → beta: colour (3)"
    head = "losses: 1 element, on 2 routes, that a format cannot express, or only by convention"
    lines = project.run("toolcall::", spec=spec).outlines
    assert f"{head}; -v names them" in lines
    assert said in lines
    assert not [line for line in lines if line.startswith("  lost")]
    lines = project.run("toolcall::", "-v", spec=spec).outlines
    assert head in lines
    assert said in lines
    assert "  lost: request, alpha → beta: mark (3)" in lines
    assert "  lost: request, beta → beta: mark (3)" in lines


def test_without_losses_nothing_is_said_of_them(project: Any) -> None:
    assert not [line for line in project.run("toolcall::", "-v").outlines if line.startswith("losses")]


def test_the_command_in_the_summary_reproduces_the_failure(project: Any) -> None:
    result = project.run("toolcall::", spec=project.translator(LOSES))
    line = next(line.strip() for line in result.outlines if line.strip().startswith("pytest --toolcall"))
    arguments = shlex.split(line)[1:]
    project.pytester.runpytest_inprocess(*arguments).assert_outcomes(failed=1)


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [((), True), (("-q",), True), (("-qq",), False), (("--no-summary",), False), (("-v",), True)],
)
def test_quietness(project: Any, arguments: tuple[str, ...], shown: bool) -> None:
    result = project.run("toolcall::box/one", *arguments)
    assert ("client \\ upstream" in result.stdout.str()) is shown


def test_what_decides_the_exit_code_is_said_however_quiet(project: Any) -> None:
    result = project.run("toolcall::", "-k", "nothing_like_this", "-qq", "--no-summary")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(
        ["toolcall: nothing was judged: every item was deselected (by -k, -m, --lf or --deselect)"]
    )


def test_colours(project: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = project.translator(LOSES)
    assert "\x1b[" not in project.run("toolcall::", spec=spec).stdout.str()
    coloured = project.run("toolcall::", "--color=yes", spec=spec).stdout.str()
    assert "\x1b[31m" in coloured
    assert "\x1b[1mbox/one · request" in coloured
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" not in project.run("toolcall::", spec=spec).stdout.str()


def test_large_values_are_explained_by_their_differences(project: Any) -> None:
    spec = project.translator(LOSES)
    project.run("toolcall::box/one::request::alpha-to-beta", spec=spec)
    for name in ("alpha", "beta"):
        path = project.corpus / "scenarios" / "box" / "one" / name / "01-request.json"
        path.write_text(json.dumps({"format": name, "text": {"list": list(range(100))}}), encoding="utf-8")
    spec = project.translator(
        "    def request(self, body):\n        body['text']['list'][7] = 'seven'\n        return super().request(body)",
        "other",
    )
    library._loaded.clear()
    result = project.run("toolcall::box/one::request::alpha-to-beta", spec=spec)
    result.stdout.fnmatch_lines(['    diff  /list/7 want 7, got "seven"'])


def test_artefacts_are_written_and_cleared(project: Any) -> None:
    spec = project.translator(LOSES)
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


def test_artefacts_go_where_the_user_says(project: Any) -> None:
    result = project.run("toolcall::box/one", "--toolcall-artifacts", "bodies", spec=project.translator(LOSES))
    assert (project.path / "bodies/box/one/request/alpha-to-beta/01-request.input.json").is_file()
    result.stdout.fnmatch_lines(["    files bodies/box/one/request/alpha-to-beta"])


def test_without_a_cache_there_are_no_artefacts(project: Any) -> None:
    result = project.run("toolcall::box/one", "-p", "no:cacheprovider", spec=project.translator(LOSES))
    result.assert_outcomes(failed=2, passed=6)
    assert "    files" not in result.stdout.str()
