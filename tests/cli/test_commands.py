"""The command toolcall-conformance: judge, explain, list, losses; exit codes and error messages."""

from __future__ import annotations

import io
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from miniature import install_judge, write_case, write_corpus
from toolcall_conformance import library
from toolcall_conformance.cli import main
from toolcall_conformance.judge import Judge


@pytest.fixture(autouse=True)
def miniature(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The miniature corpus and its judge in the place of the real ones; the folder that holds it."""
    write_corpus(tmp_path / "mini")
    monkeypatch.setattr(library, "default_root", lambda: tmp_path / "mini")
    install_judge(monkeypatch.setattr)
    monkeypatch.chdir(tmp_path)
    for name, text in (("a.json", "one"), ("good.json", "one"), ("bad.json", "two")):
        Path(name).write_text(json.dumps({"text": text}), encoding="utf-8")
    Path("extra.json").write_text('{"text": "one", "extra": 1}', encoding="utf-8")
    return tmp_path


ROUTE = ["--client", "alpha", "--upstream", "beta"]


def run(*arguments: str) -> int:
    """The exit code, whichever way it comes."""
    try:
        return main(arguments)
    except SystemExit as error:
        return int(error.code or 0)


def test_a_good_pair(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("judge", *ROUTE, "a.json", "good.json") == 0
    assert "no findings" in capsys.readouterr().out


def test_a_bad_pair(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("judge", *ROUTE, "a.json", "bad.json") == 1
    out = capsys.readouterr().out
    assert "bad.json · request · alpha → beta\n  beta/text-kept  the text of a body changed on its way to beta" in out
    assert '    want  "one"\n    got   "two"\n' in out
    assert "1 finding, the gravest at level MUST" in out
    assert "\x1b[" not in out


def test_losses_are_reported_next_to_findings(capsys: pytest.CaptureFixture[str]) -> None:
    Path("marked.json").write_text('{"text": "one", "mark": 1}', encoding="utf-8")
    assert run("judge", *ROUTE, "marked.json", "good.json") == 0
    out = capsys.readouterr().out
    assert "permitted losses: mark (1)\n    see   toolcall-conformance losses alpha-to-beta\nno findings\n" in out
    assert run("judge", *ROUTE, "--json", "marked.json", "good.json") == 0
    report = json.loads(capsys.readouterr().out)
    assert report == {"verdict": "pass", "findings": [], "losses": [{"element": "mark", "kind": "cannot", "count": 1}]}
    assert run("judge", *ROUTE, "a.json", "good.json") == 0
    assert "lost" not in capsys.readouterr().out


def test_a_reply_goes_the_other_way(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("judge", *ROUTE, "--response", "a.json", "bad.json") == 1
    assert "alpha/text-kept" in capsys.readouterr().out


def test_an_error_is_its_status_and_its_body(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    calls = []
    judge_error = Judge.error

    def record_error(judge: Judge, *arguments: Any) -> Any:
        calls.append(arguments)
        return judge_error(judge, *arguments)

    monkeypatch.setattr(Judge, "error", record_error)
    Path("error.json").write_text('{"status": 429, "body": {}, "text": "one"}', encoding="utf-8")
    assert run("judge", *ROUTE, "--error", "error.json", "error.json") == 0
    assert calls[0][0]["status"] == 429
    assert run("judge", *ROUTE, "--error", "error.json", "good.json") == 4
    assert 'good.json: write the error as {"status": 429, "body": {…}}' in capsys.readouterr().err
    assert run("judge", *ROUTE, "--error", "--response", "error.json", "error.json") == 4
    assert "not allowed with argument" in capsys.readouterr().err


def test_json_output(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("judge", *ROUTE, "--json", "a.json", "bad.json") == 1
    report = json.loads(capsys.readouterr().out)
    assert report["verdict"] == "fail"
    assert report["findings"][0]["want"] == "one"


def test_should_fails_under_strict_only(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("judge", *ROUTE, "a.json", "extra.json") == 0
    assert run("judge", *ROUTE, "a.json", "extra.json", "--strict") == 1
    assert "translation/extra" in capsys.readouterr().out


def test_stdin(monkeypatch: pytest.MonkeyPatch) -> None:
    class Stdin:
        buffer = io.BytesIO(b'{"text": "two"}')

    monkeypatch.setattr(sys, "stdin", Stdin)
    assert run("judge", *ROUTE, "a.json", "-") == 1


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["judge", *ROUTE, "nowhere.json", "good.json"], "nowhere.json: cannot be read (No such file or directory)"),
        (["judge", *ROUTE, ".", "good.json"], ".: cannot be read (Is a directory)"),
        (["judge", *ROUTE, "broken.json", "good.json"], "broken.json: not JSON: line 1 column 2"),
        (["judge", *ROUTE, "twice.json", "good.json"], "twice.json: not JSON: the key 'a' occurs twice in one object"),
        (["judge", *ROUTE, "nan.json", "good.json"], "nan.json: not JSON: NaN is a number which JSON does not have"),
        (["judge", *ROUTE, "-", "-"], "only one of the two bodies can be read from stdin"),
        (
            ["judge", "--client", "alpah", "--upstream", "beta", "a.json", "a.json"],
            "there is no format 'alpah'; did you mean alpha?",
        ),
        (
            ["judge", "--client", "alpha", "a.json", "a.json"],
            "a.json: no member shows which API's body it is; name the format with",
        ),
        (["judge", *ROUTE, "a.json"], "the following arguments are required: OUTPUT"),
        (
            ["explain", "beta/text-kpet"],
            "check, variant, verdict, level or word of losses 'beta/text-kpet'; did you mean beta/text-kept",
        ),
        (["explain", "zzz"], "`toolcall-conformance list` shows what there is"),
        (["list", "rulez"], "invalid choice: 'rulez'"),
        (["losses", "alpah-to-beta"], "there is no pair 'alpah-to-beta'; did you mean alpha-to-beta"),
        (["losses", "x"], "there is no pair 'x'; there are alpha-to-beta, beta-to-alpha"),
        (
            ["losses", "beta-to-beta"],
            "beta-to-beta: nothing may be lost there; bodies stay identical",
        ),
        (["list", "cases", "--corpus", "nowhere"], "nowhere: no folder `scenarios`"),
        ([], "the following arguments are required: COMMAND"),
        (["jugde"], "invalid choice: 'jugde'"),
    ],
)
def test_wrong_usage_is_reported_in_a_sentence(
    arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("broken.json").write_text("{a", encoding="utf-8")
    Path("twice.json").write_text('{"a": 1, "a": 2}', encoding="utf-8")
    Path("nan.json").write_text('{"a": NaN}', encoding="utf-8")
    assert run(*arguments) == 4
    captured = capsys.readouterr()
    assert sentence in captured.err
    assert captured.out == ""


def test_a_broken_corpus_is_reported(miniature: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.rmtree(miniature / "mini" / "translation" / "rules")
    assert run("list", "rules") == 4
    assert f"{Path('translation', 'rules')}: no such folder" in capsys.readouterr().err


def test_explain_a_rule(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("explain", "beta/text-kept") == 0
    out = capsys.readouterr().out
    assert out.startswith("beta/text-kept  (MUST, since 0.1.0)\n")
    assert "  why       Readers want their text." in out
    assert "/rules/text-kept.json" in out


def test_explain_a_case_by_its_node_id(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("explain", "toolcall::crate/deep::request::alpha-to-beta") == 0
    out = capsys.readouterr().out
    assert "rendered  alpha (2 exchanges), beta (2 exchanges)" in out


def test_explain_a_family(miniature: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (miniature / "mini" / "families.json").write_text('{"box": "Things in boxes."}', encoding="utf-8")
    assert run("explain", "box") == 0
    output = capsys.readouterr().out
    assert output.startswith("box  (family of 2 cases)\n  means     Things in boxes.\n  cases     box/one  ")
    assert "\n            box/two  " in output
    assert output.endswith('  run       pytest --toolcall-translator SPEC "toolcall::box"\n')
    assert run("explain", "toolcall::box::request") == 0
    assert capsys.readouterr().out.endswith(f"\n\n{output}")
    assert run("list", "families") == 0
    assert re.search(r"^box +Things in boxes\.$", capsys.readouterr().out, re.MULTILINE)


def test_a_family_without_a_description(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("explain", "crate") == 0
    assert capsys.readouterr().out.startswith("crate  (family of 1 case)\n  cases     crate/deep  ")
    assert run("explain", "crates") == 4
    assert "did you mean crate" in capsys.readouterr().err


def test_explain_vocabulary(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("explain", "plain") == 0
    assert "cases     box/one, box/two, crate/deep" in capsys.readouterr().out
    assert run("explain", "blank-is-absent") == 0
    output = capsys.readouterr().out
    assert "doc       https://example.com/blank" in output
    assert "words     blank: What is blank." in output
    assert run("explain", "late") == 0
    assert "lowers    alpha/text-kept: to SHOULD at most" in capsys.readouterr().out


def test_explain_an_element(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("explain", "mark") == 0
    out = capsys.readouterr().out
    assert "mark  (element of requests)\n  means     A mark." in out
    assert "  said      alpha: native, a key\n            https://example.com/key\n" in out
    assert "  said      beta: no, beta marks nothing\n" in out


def test_losses_of_all_pairs(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("losses") == 0
    expected = """
alpha-to-beta
  request  lost          mark
  request  may be lost   colour
  reply    may be lost   colour
  loop     may be lost   colour

beta-to-alpha
  request  may be lost   colour
"""
    assert expected in "\n" + capsys.readouterr().out


def test_losses_of_a_pair(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("losses", "alpha-to-beta") == 0
    expected = """
request, alpha to beta: lost
  mark                   written as a key
                         note: beta marks nothing

request, alpha to beta: may be lost
  colour                 written as a word
                         there as a key
                         conventions: in-brackets
                         note: readers see it
"""
    assert expected in "\n" + capsys.readouterr().out


def test_losses_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("losses", "alpha-to-beta", "--json") == 0
    report = json.loads(capsys.readouterr().out)
    schema = json.loads((Path(__file__).parents[2] / "corpus/schemas/losses.schema.json").read_text(encoding="utf-8"))
    jsonschema.validate(report, schema)
    assert list(report["pairs"]) == ["alpha-to-beta"]
    assert report["pairs"]["alpha-to-beta"]["request"][0] == {
        "element": "mark",
        "demand": "cannot",
        "said": "a key",
        "why": "beta marks nothing",
    }


@pytest.mark.parametrize(
    ("kind", "line"),
    [
        ("rules", "alpha/text-kept               MUST   The opposite of: "),
        ("cases", "box/one     box/one"),
        ("features", "plain   Nothing special."),
        ("equivalences", "blank-is-absent  A blank text says nothing."),
        ("circumstances", "late  SHOULD It is late."),
        ("elements", "mark    A mark."),
        ("checks", "request     Translates each exchange's client request"),
    ],
)
def test_list(kind: str, line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("list", kind) == 0
    assert line in capsys.readouterr().out


def test_private_cases_are_listed(miniature: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_case(miniature / "private", "ours/first")
    assert run("list", "cases", "--corpus", "private") == 0
    assert "ours/first" in capsys.readouterr().out


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--version") == 0
    assert capsys.readouterr().out.startswith("toolcall-conformance ")


def test_a_reader_that_has_seen_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    class Closed(io.StringIO):
        def write(self, _text: str) -> int:
            raise BrokenPipeError

        def fileno(self) -> int:
            return devnull.fileno()

    with open("devnull", "wb") as devnull:  # noqa: PTH123 - only its descriptor matters
        monkeypatch.setattr(sys, "stdout", Closed())
        assert run("list", "cases") == 0


def test_python_m() -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "toolcall_conformance", "--version"], capture_output=True, text=True, check=True
    )
    assert ran.stdout.startswith("toolcall-conformance ")
