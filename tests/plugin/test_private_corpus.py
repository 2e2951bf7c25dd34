"""--toolcall-corpus: private cases in addition to ours, and corpus files that are wrong."""

from __future__ import annotations

import json
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from miniature import FORMATS, write_case
from toolcall_conformance.library import default_root
from toolcall_reference.render import main as render

pytestmark = pytest.mark.any_python


@pytest.fixture
def private_corpus(project: Any) -> Path:
    """A folder with one private case."""
    folder: Path = project.path / "private"
    write_case(folder, "ours/first")
    return folder


def test_private_cases_run_next_to_ours(project: Any, private_corpus: Path) -> None:
    project.run("toolcall::", "--toolcall-corpus", "private").assert_outcomes(passed=32)
    project.run("toolcall::ours", "--toolcall-corpus", str(private_corpus)).assert_outcomes(passed=8)
    assert project.run_report("toolcall::", "--toolcall-corpus", "private")["corpus"]["private"] == [
        str(private_corpus)
    ]


@pytest.mark.usefixtures("private_corpus")
def test_several_folders(project: Any) -> None:
    write_case(project.path / "more", "ours/second")
    arguments = ("--toolcall-corpus", "private", "--toolcall-corpus", "more")
    project.run("toolcall::ours", *arguments).assert_outcomes(passed=16)
    spec = project.write_translator("    def request(self, body):\n        return {}")
    result = project.run("toolcall::ours/first::request::alpha-to-beta", *arguments, spec=spec)
    result.stdout.fnmatch_lines(
        ['*again pytest --toolcall-translator mine:T --toolcall-corpus=private --toolcall-corpus=more "toolcall::ours*']
    )


def break_file(text: str) -> Callable[[Path], None]:
    def write(file: Path) -> None:
        file.write_text(text, encoding="utf-8")

    return write


@pytest.mark.parametrize(
    ("file", "damage", "sentence"),
    [
        ("alpha/01-request.json", Path.unlink, "*01-request.json: no such file*"),
        ("alpha/01-request.json", break_file("{"), "*01-request.json: line 1 column 2: *"),
        (
            "beta/01-response.json",
            break_file('{"a": 1, "a": 2}'),
            "*01-response.json: the key 'a' occurs twice in one object*",
        ),
        ("scenario.json", break_file("[]"), "*scenario.json: *object*"),
        ("scenario.json", break_file('{"id": "ours/first"}'), "*scenario.json: *`title`*"),
    ],
)
def test_a_damaged_file_is_a_usage_error_with_its_path(
    project: Any, private_corpus: Path, file: str, damage: Callable[[Path], None], sentence: str
) -> None:
    damage(private_corpus / "scenarios" / "ours" / "first" / file)
    result = project.run("toolcall::", "--toolcall-corpus", "private")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: {sentence}"])
    assert "Traceback" not in result.stderr.str()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"features": ["plian"]}, "*scenario.json: unknown feature 'plian'; did you mean 'plain'?"),
        ({"id": "ours/other"}, "*scenario.json: the id 'ours/other' differs from the folder, ours/first*"),
        ({"models": {"alpha": "a"}}, "*scenario.json: `models` has no beta; add its model"),
    ],
)
def test_a_wrong_scenario(project: Any, private_corpus: Path, change: dict[str, Any], sentence: str) -> None:
    path = private_corpus / "scenarios" / "ours" / "first" / "scenario.json"
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")) | change), encoding="utf-8")
    result = project.run("toolcall::", "--toolcall-corpus", "private")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: {sentence}"])


def test_formats_need_the_same_exchanges(project: Any, private_corpus: Path) -> None:
    for part in ("request", "response"):
        body = private_corpus / "scenarios/ours/first/alpha" / f"02-{part}.json"
        body.write_text('{"text": "more"}', encoding="utf-8")
    result = project.run("toolcall::", "--toolcall-corpus", "private")
    result.stderr.fnmatch_lines(["*every format needs the same exchanges*alpha has 2, beta has 1"])


def test_formats_need_errors_at_the_same_places(project: Any, private_corpus: Path) -> None:
    (private_corpus / "scenarios/ours/first/alpha/01-error.json").write_text("{}", encoding="utf-8")
    result = project.run("toolcall::", "--toolcall-corpus", "private")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: *ours/first: the formats differ in which exchanges have a reply and which *"])


def test_a_folder_that_is_no_corpus(project: Any) -> None:
    result = project.run("toolcall::", "--toolcall-corpus", "nowhere")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: *nowhere: no folder `scenarios`*"])


def test_a_case_that_is_there_twice(project: Any) -> None:
    write_case(project.path / "private", "box/one")
    result = project.run("toolcall::", "--toolcall-corpus", "private")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: *the case box/one exists twice*"])


@pytest.mark.parametrize(
    "what", ["", "ours/first", "ours", "ours/first::request", "ours/first::request::alpha-to-beta", "ours::request"]
)
def test_a_case_that_has_no_bodies_yet(project: Any, private_corpus: Path, what: str) -> None:
    case = private_corpus / "scenarios" / "ours" / "first"
    for name in FORMATS:
        shutil.rmtree(case / name)
    result = project.run(f"toolcall::{what}", "--toolcall-corpus", "private")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        [
            (
                "ERROR: *first: the case has no bodies yet; write them into a folder for each format (alpha, beta), or "
                "have the reference render them: python -m toolcall_reference.render private ours/first"
            )
        ]
    )
    project.run("toolcall::box", "--toolcall-corpus", "private").assert_outcomes(passed=16)


def test_a_body_that_no_output_could_match(project: Any, private_corpus: Path) -> None:
    body = private_corpus / "scenarios" / "ours" / "first" / "alpha" / "01-request.json"
    body.write_text(json.dumps({"format": "alpha", "text": "x" * 9_000_000}), encoding="utf-8")
    result = project.run("toolcall::ours/first", "--toolcall-corpus", "private")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: *01-request.json: 9,0*,* bytes; a case's body may have 8,388,608, *"])


def test_a_case_that_was_just_rendered_runs(pytester: pytest.Pytester) -> None:
    """From a scenario without bodies to green, by the command that the message prints. The tool is the corpus's."""
    case = pytester.path / "private" / "scenarios" / "ours" / "first"
    case.mkdir(parents=True)
    scenario = json.loads((default_root() / "scenarios" / "shell" / "seed" / "scenario.json").read_text("utf-8"))
    scenario |= {"id": "ours/first"}
    del scenario["files"]
    (case / "scenario.json").write_text(json.dumps(scenario), encoding="utf-8")
    arguments = ("-p", "no:hypothesispytest", "--toolcall-translator", "toolcall_reference:ReferenceTranslator")
    result = pytester.runpytest_inprocess(*arguments, "toolcall::ours", "--toolcall-corpus=private")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    command = result.stderr.str().partition("have the reference render them: python -m toolcall_reference.render ")[2]
    assert render(shlex.split(command)) == 0
    done = pytester.runpytest_subprocess(*arguments, "toolcall::ours::request", "--toolcall-corpus=private")
    done.assert_outcomes(passed=16)
