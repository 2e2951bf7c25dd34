"""Golden files as items of pytest: their ids, reports, known failures, and what runs again."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from pairs.folders import agents, insta, request
from toolcall_conformance import reports

SCHEMA = json.loads((Path(reports.__file__).parent / "report.schema.json").read_text(encoding="utf-8"))
LOST = "toolcall::pairs/requests/messages/lost.completions.snap::request::anthropic-to-openai_chat"
QUIET = ("-p", "no:hypothesispytest", "--toolcall-pairs=pairs.toml")


@pytest.fixture
def folder(pytester: pytest.Pytester) -> Path:
    agents(pytester.path)
    return pytester.path


def test_each_pair_is_an_item_and_needs_no_translator(folder: Path, pytester: pytest.Pytester) -> None:
    result = pytester.runpytest_inprocess(*QUIET, "toolcall::pairs", "--toolcall-report=r.json")
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(
        ["toolcall: judging only golden files (3 items, *", "toolcall: 3 pairs of golden files; *"]
    )
    report = json.loads((folder / "r.json").read_text(encoding="utf-8"))
    jsonschema.validate(report, SCHEMA)
    assert report["pairs"] == {
        "pairs": 3,
        "hidden": 0,
        "left_out": {"bedrock is not judged": ["requests/messages/tools.bedrock.snap"]},
    }
    [failed] = [item for item in report["items"] if item["verdict"] == "fail"]
    assert failed["nodeid"] == LOST


def test_one_item_and_the_last_failed(folder: Path, pytester: pytest.Pytester) -> None:
    pytester.runpytest_inprocess(*QUIET, LOST).assert_outcomes(failed=1)
    pytester.runpytest_inprocess(*QUIET, "toolcall::pairs").assert_outcomes(passed=2, failed=1)
    pytester.runpytest_inprocess(*QUIET, "toolcall::pairs", "--lf").assert_outcomes(failed=1)
    mended = folder / "requests/messages/lost.completions.snap"
    mended.write_text(insta({"request": request("openai_chat")}), encoding="utf-8")
    pytester.runpytest_inprocess(*QUIET, "toolcall::pairs", "--lf").assert_outcomes(passed=1)


def test_known_failures(folder: Path, pytester: pytest.Pytester) -> None:
    option = "--toolcall-known-failures=known.toml"
    pytester.runpytest_inprocess(*QUIET, "toolcall::pairs", option, "--toolcall-known-failures-update")
    assert "translation/tool-lost" in (folder / "known.toml").read_text(encoding="utf-8")
    pytester.runpytest_inprocess(*QUIET, "toolcall::pairs", option).assert_outcomes(passed=2, xfailed=1)
    mended = folder / "requests/messages/lost.completions.snap"
    mended.write_text(insta({"request": request("openai_chat")}), encoding="utf-8")
    result = pytester.runpytest_inprocess(*QUIET, "toolcall::pairs", option)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["*stale known failure*"])


@pytest.mark.usefixtures("folder")
def test_pairs_next_to_a_translator(pytester: pytest.Pytester) -> None:
    reference = "--toolcall-translator=toolcall_reference:ReferenceTranslator"
    chosen = ("toolcall::pairs", "toolcall::shell/seed::request::anthropic-to-gemini")
    pytester.runpytest_inprocess(*QUIET, reference, *chosen).assert_outcomes(passed=3, failed=1)


@pytest.mark.usefixtures("folder")
def test_without_the_option(pytester: pytest.Pytester) -> None:
    reference = "--toolcall-translator=toolcall_reference:ReferenceTranslator"
    result = pytester.runpytest_inprocess("-p", "no:hypothesispytest", reference, "toolcall::pairs")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*golden files need --toolcall-pairs=FILE.toml"])
    result = pytester.runpytest_inprocess(*QUIET, "toolcall::shell")
    result.stdout.fnmatch_lines(["*without a translator there are only the golden files; select toolcall::pairs*"])


def test_a_wrong_file_is_a_usage_error(folder: Path, pytester: pytest.Pytester) -> None:
    (folder / "pairs.toml").write_text("[[pairs]]\n", encoding="utf-8")
    result = pytester.runpytest_inprocess(*QUIET, "toolcall::pairs")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: *pairs.toml: *pairs*number 1 needs source and output"])
