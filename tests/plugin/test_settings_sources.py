"""Settings: the command line comes before the environment, and that before ``[tool.toolcall]`` and the ini file."""

from __future__ import annotations

import json
import os
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from toolcall_conformance.basics import settings_sources
from toolcall_conformance.cli import main
from toolcall_conformance.plugin import pytest_addoption

LOSES = """
    def request(self, body):
        lost = self.route.upstream == "beta" and "two" in body["text"]
        return {"text": "lost"} if lost else super().request(body)
"""
KNOWN = '[[known]]\nrule = "beta/text-kept"\nitems = "box/two::request"\nreason = "issue 12"\n'
INI = '[tool.pytest.ini_options]\naddopts = "{addopts}"\n'


@pytest.fixture(autouse=True)
def root(project: Any) -> Iterator[None]:
    """A project with a translator, known failures, and a folder below; the directory is restored afterwards."""
    project.write_translator(LOSES)
    (project.path / "ours").mkdir()
    (project.path / "ours" / "known.toml").write_text(KNOWN, encoding="utf-8")
    (project.path / "below").mkdir()
    before = Path.cwd()
    yield
    os.chdir(before)


def _pyproject(project: Any, *lines: str, addopts: str = "") -> None:
    text = "\n".join([INI.format(addopts=addopts), "[tool.toolcall]", *lines, ""])
    (project.path / "pyproject.toml").write_text(text, encoding="utf-8")


def test_every_option_has_a_key_and_an_ini_key() -> None:
    parser = pytest.Parser(_ispytest=True)
    pytest_addoption(parser)
    schema = settings_sources.table_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    names = {f"toolcall_{key.replace('-', '_')}" for key in schema["properties"]}
    options = {option.dest for group in parser._groups for option in group.options}
    # Writing the file is an order for one run.
    assert {name for name in options if name.startswith("toolcall_")} == names | {"toolcall_known_failures_update"}
    assert {name for name in parser._inidict if name.startswith("toolcall_")} == names


def test_editors_get_a_schema(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema", "settings"]) == 0
    schema = jsonschema.Draft202012Validator(json.loads(capsys.readouterr().out))
    page = (Path(__file__).parents[2] / "docs" / "settings.md").read_text(encoding="utf-8")
    for text in page.split("```toml")[1:]:
        schema.validate(tomllib.loads(text.partition("```")[0]))
    assert not schema.is_valid({"tool": {"toolcall": {"known_failures": "a"}}})


@pytest.mark.parametrize("folder", [".", "below"])
def test_the_table_holds_wherever_pytest_starts(project: Any, folder: str) -> None:
    _pyproject(project, 'translator = "mine:T"', 'known-failures = "ours/known.toml"', 'report = "ours/r.json"')
    os.chdir(project.path / folder)
    result = project.run("toolcall::", spec=None)
    result.assert_outcomes(passed=22, xfailed=2)
    assert (project.path / "ours" / "r.json").is_file()
    result = project.run("toolcall::box/one", spec=None)
    assert "again pytest --" not in result.stdout.str()


@pytest.mark.parametrize("folder", [".", "below"])
@pytest.mark.parametrize(
    "addopts", ["--toolcall-known-failures ours/known.toml", "--toolcall-known-failures=ours/known.toml"]
)
def test_a_path_in_addopts_is_relative_to_its_file(project: Any, folder: str, addopts: str) -> None:
    _pyproject(project, addopts=f"{addopts} --toolcall-translator=mine:T --toolcall-report=ours/r.json")
    os.chdir(project.path / folder)
    project.run("toolcall::", "--toolcall-report=here.json", spec=None).assert_outcomes(passed=22, xfailed=2)
    assert (project.path / "ours" / "r.json").is_file()
    assert (project.path / folder / "here.json").is_file()


@pytest.mark.parametrize("folder", [".", "below"])
def test_the_ini_file_may_have_them(project: Any, folder: str) -> None:
    project.pytester.makeini(
        "[pytest]\ntoolcall_translator = mine:T\ntoolcall_known_failures = ours/known.toml\ntoolcall_strict = false\n"
        "toolcall_report =\n  ours/r.json\n  ours/s.json\n"
    )
    os.chdir(project.path / folder)
    project.run("toolcall::", "--strict-config", spec=None).assert_outcomes(passed=22, xfailed=2)
    assert (project.path / "ours" / "s.json").is_file()


def test_the_command_line_comes_first_then_the_environment(project: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    _pyproject(project, 'translator = "nowhere:T"', "strict = true", "timeout = 3")
    project.write_translator(
        "    def request(self, body):\n        return {**super().request(body), 'extra': 1}", "adds"
    )
    monkeypatch.setenv("TOOLCALL_TRANSLATOR", "mine:T")
    project.run("toolcall::box/two::request", spec=None).assert_outcomes(passed=2, failed=2)
    project.run("toolcall::box/two::request", spec="good:T").assert_outcomes(passed=4)
    project.run("toolcall::box/two::request", spec="adds:T").assert_outcomes(failed=4)
    project.run("toolcall::box/two::request", "--no-toolcall-strict", spec="adds:T").assert_outcomes(passed=4)
    monkeypatch.setenv("TOOLCALL_STRICT", "no")
    project.run("toolcall::box/two::request", spec="adds:T").assert_outcomes(passed=4)
    monkeypatch.setenv("TOOLCALL_REPORT", os.pathsep.join(["a.json", "b.json"]))
    project.run("toolcall::box/two::request", spec=None)
    assert (project.path / "b.json").is_file()
    monkeypatch.setenv("TOOLCALL_KNOWN_FAILURES", "ours/known.toml")
    project.run("toolcall::box/two::request", spec=None).assert_outcomes(passed=2, xfailed=2)


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        (["known_failures = 'a'"], r"there is no key 'known_failures'; did you mean 'known-failures'?"),
        (["tranlsator = 'a'"], "there is no key 'tranlsator'; did you mean 'translator'?"),
        (["xyz = 1"], "there is no key 'xyz'; there are against, artifacts, cassettes, *"),
        (["strict = 'yes'"], "strict: 'yes' is not of type 'boolean' (Whether SHOULD findings fail an item, too)"),
        (
            ["timeout = 0"],
            "timeout: 0 is less than or equal to the minimum of 0 (The time limit for each call of the *",
        ),
        (["report = [1]"], "report: *1* (Files to write a report to*"),
        (["repeat = 0"], "repeat: 0 is less than the minimum of 1 (How often each item is played*"),
    ],
)
def test_a_mistake_in_the_table_is_reported(project: Any, lines: list[str], sentence: str) -> None:
    _pyproject(project, *lines)
    result = project.run("toolcall::")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: *pyproject.toml: [[]tool.toolcall]: {sentence}"])


@pytest.mark.parametrize(
    "line", [r'artifacts = "a\u0000b"', r'report = ["a.json", "a\u0000b.json"]', r'translator = "a\u0000:T"']
)
def test_a_nul_character_is_reported(project: Any, line: str) -> None:
    _pyproject(project, line)
    result = project.run("toolcall::", **({"spec": None} if "translator" in line else {}))
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    name = line.partition(" ")[0]
    message = f"ERROR: *{name} in [[]tool.toolcall] of pyproject.toml: there is a NUL character in it, which *"
    result.stderr.fnmatch_lines([message])


@pytest.mark.parametrize(
    ("variable", "value", "sentence"),
    [
        ("TOOLCALL_TRANSLATR", "x", "there is no variable TOOLCALL_TRANSLATR; did you mean TOOLCALL_TRANSLATOR?"),
        ("TOOLCALL_STRICT", "maybe", "TOOLCALL_STRICT: 'maybe' is neither true nor false"),
        ("TOOLCALL_TIMEOUT", "soon", "TOOLCALL_TIMEOUT: 'soon' is no number; give seconds above zero"),
        ("TOOLCALL_REPEAT", "often", "TOOLCALL_REPEAT: 'often' is no number of tries; give 1 or more"),
        ("TOOLCALL_CUTS", "many", "TOOLCALL_CUTS: 'many' is neither*"),
    ],
)
def test_a_mistake_in_the_environment_is_reported(
    project: Any, monkeypatch: pytest.MonkeyPatch, variable: str, value: str, sentence: str
) -> None:
    monkeypatch.setenv(variable, value)
    result = project.run("toolcall::")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: {sentence}"])


def test_a_path_after_a_blank_moves_nothing(project: Any) -> None:
    settings = '[tool.toolcall]\ntranslator = "good:T"\n[tool.pytest.ini_options]\naddopts = "--maxfail=7"\n'
    (project.path / "pyproject.toml").write_text(f'{settings}pythonpath = "src"\n', encoding="utf-8")
    outside = project.path.parent / f"{project.path.name}-outside"
    outside.mkdir()
    (outside / "pytest.ini").write_text("[pytest]\naddopts = --maxfail=1\n", encoding="utf-8")
    (outside / "known.toml").touch()
    result = project.run("toolcall::", "--toolcall-known-failures", f"../{outside.name}/known.toml", spec=None)
    assert result.ret == 0
    result.stdout.fnmatch_lines([f"rootdir: {project.path}", "configfile: pyproject.toml"])
    config = project.pytester.parseconfigure("--toolcall-known-failures", f"../{outside.name}/known.toml")
    assert (config.option.maxfail, config.rootpath) == (7, project.path)
    assert str(project.path / "src") in sys.path


def test_a_path_after_a_blank_that_moves_the_root_is_refused(project: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a version of pytest whose search for its root directory cannot be made again."""
    monkeypatch.setattr("_pytest.config.findpaths.determine_setup", None)
    _pyproject(project, 'translator = "mine:T"')
    outside = project.path.parent / f"{project.path.name}-private"
    outside.mkdir()
    result = project.run("toolcall::", "--toolcall-cassettes", f"../{outside.name}", spec=None)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        [f"ERROR: `--toolcall-cassettes ../{outside.name}` moves pytest's root directory from *; write --*=../*"]
    )
    result = project.run("toolcall::", f"--toolcall-cassettes=../{outside.name}", spec=None)
    result.stderr.fnmatch_lines(["ERROR: *-private: *; give a folder of cassettes*"])
