"""The files of ``corpus/verdicts/``: each line is well-formed, and names bodies that are there; their tools."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from doubles import diff, export
from doubles.catalogue import Double, doubles, exported_lines, file_of, root
from toolcall_conformance.basics.jsonstyle import dump_line
from toolcall_conformance.library import load_corpus
from toolcall_conformance.library.verdicts import (
    read_verdicts,
    stream_bytes,
    stream_value,
    verdict_files,
    verdict_lines,
    whole_verdict,
)

CORPUS = load_corpus()
SCHEMA = json.loads((CORPUS.root / "schemas" / "verdict.schema.json").read_bytes())


def complaints(path: Path) -> list[str]:
    """What is wrong with a file of verdicts, each with the line that it is about."""
    validator = jsonschema.Draft202012Validator(SCHEMA)
    problems, names = [], []
    for number, line in enumerate(verdict_lines(path), 1):
        verdict = json.loads(line)
        names.append(verdict.get("name", ""))
        here = f"{path.name}:{number}: {names[-1]}"
        problems += [f"{here}: {error.json_path}: {error.message}" for error in validator.iter_errors(verdict)]
        if dump_line(verdict).encode() != line:
            problems.append(f"{here}: is not in the style of a line")
        if names[-1].partition("/")[0] != path.stem:
            problems.append(f"{here}: is of another family")
        missing = [key for key in ("source", "request") if not _is_there(verdict.get(key))]
        problems += [f"{here}: {key}: no such file" for key in missing]
    if names != sorted(set(names)):
        problems.append(f"{path.name}: the names are not in order, or one occurs twice")
    return problems


def _is_there(body: Any) -> bool:
    return not isinstance(body, str) or (CORPUS.root / body).is_file()


def test_all_lines_are_well_formed() -> None:
    files = verdict_files(CORPUS.root)
    assert len(files) > 100
    assert [line for path in files for line in complaints(path)] == []


def test_mistakes_in_a_line_are_reported(tmp_path: Path) -> None:
    good = json.loads(next(line for line in exported_lines("arguments").values() if b'"source":"scenarios/' in line))
    lines = [
        dump_line({**good, "name": "arguments/z/gemini", "source": "scenarios/none/01-request.json"}),
        dump_line({**good, "name": "ids/b/gemini", "kind": "odd"}),
        json.dumps({**good, "name": "arguments/a/gemini"}),
    ]
    path = tmp_path / "arguments.jsonl"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    report = "\n".join(complaints(path))
    for says in (
        "arguments.jsonl:1: arguments/z/gemini: source: no such file",
        "arguments.jsonl:2: ids/b/gemini: $.kind: 'odd' is not one of",
        "arguments.jsonl:2: ids/b/gemini: is of another family",
        "arguments.jsonl:3: arguments/a/gemini: is not in the style of a line",
        "arguments.jsonl: the names are not in order",
    ):
        assert says in report


def test_every_line_has_a_double() -> None:
    """Prints how many there are; more verdicts than doubles would be left from one that is gone."""
    names = [verdict["name"] for verdict in read_verdicts(CORPUS.root)]
    assert {*names} <= {double.name for double in doubles()}, export.AGAIN
    print(f"{len(names)} verdicts, {sum(path.stat().st_size for path in verdict_files(CORPUS.root)):,} bytes")


def test_a_golden_is_named_by_its_path() -> None:
    """A body that a case has is not written again; the reader of verdicts puts it there."""
    kinds = Counter(type(verdict["source"]).__name__ for verdict in read_verdicts(CORPUS.root) if "source" in verdict)
    assert kinds["str"] > 2_500
    named = next(entry for entry in read_verdicts(CORPUS.root) if str(entry.get("source")).endswith("response.json"))
    whole = whole_verdict(CORPUS.root, named)
    assert whole["source"] == json.loads((CORPUS.root / named["source"]).read_bytes())
    assert whole["request"] == json.loads((CORPUS.root / named["request"]).read_bytes())
    assert whole["output"] == named["output"]


@pytest.mark.parametrize("stream", [b"data: 1\r\n\r\n", b"data: \xff\n\n", "data: \u2028\n\n".encode(), b""])
def test_a_stream_is_a_text_or_its_bytes(stream: bytes) -> None:
    value = stream_value(stream)
    assert isinstance(value, dict) == (b"\xff" in stream)
    line = dump_line({"output": value})
    assert len(line.splitlines()) == 1
    assert stream_bytes(json.loads(line)["output"]) == stream


def test_one_rule_is_exported_without_the_others(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    """Only its doubles are played; the other lines of their files stay to the byte."""
    names: list[str] = []
    line_of = export.line_of

    def noted(double: Double) -> bytes | None:
        names.append(double.name)
        return line_of(double)

    monkeypatch.setattr(export, "line_of", noted)
    before = {path: path.read_bytes() for path in verdict_files(CORPUS.root)}
    assert export.main(["gemini/result-names-call"]) == 0
    assert capsys.readouterr().out.endswith(", 0 lines changed\n")
    assert 0 < len(names) < 40
    lines = [exported_lines(name.partition("/")[0]).get(name) for name in names]
    assert all(b"gemini/result-names-call" in line for line in lines if line is not None)  # some stand in no body
    assert {path: path.read_bytes() for path in before} == before


def test_a_word_that_names_nothing_is_refused(capsys: Any) -> None:
    assert export.main(["gemini/no-such-rule"]) == 2
    assert "gemini/no-such-rule: no rule that a double breaks" in capsys.readouterr().err


def test_an_old_line_is_replaced_and_one_without_a_double_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    family, double = "arguments", next(each for each in doubles() if each.family == "arguments")
    gone = dump_line({**json.loads(exported_lines(family)[double.name]), "name": "arguments/gone/gemini"}).encode()
    stale = exported_lines(family)[double.name].replace(b'"title":"', b'"title":"Once ')
    old = {**exported_lines(family), double.name: stale, "arguments/gone/gemini": gone}
    monkeypatch.setattr(export, "exported_lines", lambda _family: old)
    assert export.content_of(family, [double]) == file_of(family).read_bytes()
    assert b'"title":"Once ' in export.content_of(family, [])


def test_differences_are_reported_by_verdict_and_member(tmp_path: Path, capsys: Any) -> None:
    lines = dict(list(exported_lines("ids").items())[:3])
    first, second, third = lines
    changed = json.loads(lines[first])
    changed["expect"] = ["gemini/other"]
    changed["output"] = {**changed["output"], "model": "another"}
    old, new = tmp_path / "old", tmp_path / "new.jsonl"
    old.mkdir()
    (old / "ids.jsonl").write_bytes(b"\n".join([lines[first], lines[second]]))
    new.write_bytes(b"\n".join([dump_line(changed).encode(), lines[third]]))
    assert diff.main([str(old), str(new)]) == 1
    output = capsys.readouterr().out
    assert f"  {first}\n" in output
    assert "gemini/other" in output
    assert "output['model']" in output
    assert f"- {second}: " in output
    assert f"+ {third}: " in output
    assert "3 of 3 verdicts differ" in output
    assert diff.main([str(old), str(old)]) == 0


def test_a_revision_is_compared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    folder = tmp_path / "verdicts"
    folder.mkdir()
    (folder / "ids.jsonl").write_bytes(b"\n".join(exported_lines("ids").values()))
    for command in (["init", "-q"], ["add", "."], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x"]):
        subprocess.run(["git", "-C", folder, *command], check=True)
    monkeypatch.setattr(diff, "root", lambda: folder)
    assert diff.main(["HEAD"]) == 0
    name = next(iter(exported_lines("ids")))
    (folder / "ids.jsonl").write_bytes(b"\n".join(line for key, line in exported_lines("ids").items() if key != name))
    assert diff.main(["HEAD"]) == 1
    assert f"- {name}" in capsys.readouterr().out
    assert diff.main(["no-such-revision"]) == 2
    assert "no-such-revision: no folder, no file, and no revision" in capsys.readouterr().err


def test_the_exporter_starts_in_the_folder_of_tests() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "doubles.export", "no-such-family"],
        cwd=root().parents[1] / "tests",
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("no-such-family: ")
