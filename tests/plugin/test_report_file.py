"""--toolcall-report: its schema, its footer, and paths that cannot be written."""

from __future__ import annotations

import json
import os
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from toolcall_conformance.reports import files, writers
from toolcall_conformance.reports.writers import json_report

pytestmark = pytest.mark.any_python

MIXED = """
    def request(self, body):
        if "one" in body["text"]:
            raise KeyError("oops")
        if "two" in body["text"] and self.route.upstream == "beta":
            return {"text": "x" * 5000}
        if "deep" in body["text"] and self.route.upstream == "alpha":
            raise Refused("not so deep")
        self.losses = ["mark"]
        return {**super().request(body), "extra": [2 ** 70, None, "\\u00e4"]}
"""


def valid(report: dict[str, Any]) -> dict[str, Any]:
    """The report, after a look at its schema."""
    schema = json.loads(json_report.SCHEMA_PATH.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(report, schema)
    return report


def test_it_holds_every_item_and_ends_with_its_footer(project: Any) -> None:
    report = valid(project.run_report("toolcall::"))
    assert list(report)[-1] == "footer"
    assert report["footer"] == {"complete": True, "items": 24}
    assert report["tool"]["name"] == "toolcall-conformance"
    assert report["corpus"] == {"version": "7.1.0", "private": []}
    assert report["translator"] == {"spec": "good:T", "name": "the good one", "version": "1.2"}
    assert report["command"] == "pytest --toolcall-translator good:T"
    started = datetime.fromisoformat(report["run"]["started"])
    assert 0 <= (datetime.now(UTC) - started).total_seconds() < 600
    assert 0 <= report["run"]["seconds"] < 600
    assert report["run"]["command"].startswith("pytest ")
    assert "toolcall::" in report["run"]["command"].split()
    assert report["not_applicable"] == []
    assert report["matrix"]["request"]["alpha"]["beta"]["passed"] == 3
    item = report["items"][1]
    assert item["duration"] > 0
    assert item | {"duration": 0} == {
        "nodeid": "toolcall::box/one::request::alpha-to-beta",
        "case": "box/one",
        "check": "request",
        "client": "alpha",
        "upstream": "beta",
        "variant": None,
        "verdict": "pass",
        "outcome": "passed",
        "duration": 0,
        "reason": "",
        "findings": [],
        "losses": [],
        "left_out": [],
        "witness": [],
        "size": 0,
    }


def test_findings_carry_rule_level_pointer_want_and_got(project: Any) -> None:
    report = valid(project.run_report("toolcall::", spec=project.write_translator(MIXED)))
    items = {item["nodeid"].removeprefix("toolcall::"): item for item in report["items"]}
    (finding,) = items["box/two::request::alpha-to-beta"]["findings"]
    assert finding["rule"] == "beta/text-kept"
    assert (finding["level"], finding["pointer"], finding["body"]) == ("MUST", "/text", "01-request")
    assert finding["want"] == "box/two request 1"
    assert finding["got"]["$length"] == 5002
    assert items["box/two::request::alpha-to-alpha"]["findings"][0]["got"] == [2**70, None, "ä"]
    assert items["crate/deep::request::alpha-to-alpha"]["verdict"] == "refused"
    assert items["box/one::response::alpha-to-alpha"]["reason"].startswith("blocked: ")
    (crashed,) = [root for root in report["roots"] if root["rule"] == "translation/crashed"]
    assert crashed["formats"] == ["alpha", "beta"]
    assert crashed["routes"] == ["alpha-to-alpha", "alpha-to-beta", "beta-to-alpha", "beta-to-beta"]
    assert (crashed["cases"], crashed["items"], crashed["checks"]) == (1, 4, {"request": 4})
    assert report["counts"]["blocked"] == 6


LOSSY = """
    losses = ()

    def request(self, body):
        self.losses = [{"element": "mark"}]
        return super().request(body)

    def response(self, body):
        self.losses = ["colour"] if self.route.client == "beta" else []
        return super().response(body)
"""


def test_losses_are_counted_by_route_and_element(project: Any) -> None:
    report = valid(project.run_report("toolcall::", spec=project.write_translator(LOSSY)))
    rows = {
        (row["check"], row["client"], row["upstream"], row["element"], row["kind"]): row for row in report["losses"]
    }
    assert set(rows) == {
        ("request", "alpha", "beta", "mark", "cannot"),
        ("request", "beta", "beta", "mark", "cannot"),
        ("request", "alpha", "alpha", "mark", "undue"),
        ("request", "beta", "alpha", "mark", "undue"),
        ("response", "beta", "alpha", "colour", "undue"),
        ("response", "beta", "beta", "colour", "undue"),
    }
    row = rows["request", "alpha", "beta", "mark", "cannot"]
    assert (row["items"], row["cases"], row["example"]) == (3, 3, "toolcall::box/one::request::alpha-to-beta")
    items = {item["nodeid"].removeprefix("toolcall::"): item for item in report["items"]}
    # Two bodies of one item that lose the same are told once, with the most that one of them lost.
    assert items["crate/deep::request::alpha-to-beta"]["losses"] == [{"element": "mark", "kind": "cannot", "count": 1}]
    assert items["box/one::response::alpha-to-beta"]["losses"] == []
    assert {item["verdict"] for item in report["items"]} == {"pass"}


def test_two_workers_give_the_same_report(project: Any) -> None:
    spec = project.write_translator(MIXED)
    reports = []
    for name, more in (("one.json", ()), ("two.json", ("-n", "2"))):
        project.run("toolcall::", "--toolcall-report", name, *more, spec=spec)
        report = json.loads((project.path / name).read_text(encoding="utf-8"))
        for item in report["items"]:
            item["duration"] = 0
        assert f"--toolcall-report {name}" in report.pop("run")["command"]
        reports.append(report)
    assert reports[0] == reports[1]
    assert list(reports[0]) == list(reports[1])


def test_a_run_that_stopped_early_is_not_complete(project: Any) -> None:
    report = valid(project.run_report("toolcall::", "-x", spec=project.write_translator(MIXED)))
    assert report["footer"] == {"complete": False, "items": 1}


def test_deselected_items_are_not_missing(project: Any) -> None:
    assert valid(project.run_report("toolcall::", "-k", "crate"))["footer"] == {"complete": True, "items": 8}


def test_a_report_that_was_cut_off_is_recognised(project: Any) -> None:
    project.run_report("toolcall::")
    path = project.path / "report.json"
    assert len(json_report.read(path)["items"]) == 24
    text = path.read_text(encoding="utf-8")
    path.write_text(text[: len(text) // 2], encoding="utf-8")
    with pytest.raises(files.ReportError, match="truncated"):
        json_report.read(path)
    whole = json.loads(text)
    del whole["footer"]
    path.write_text(json.dumps(whole), encoding="utf-8")
    with pytest.raises(files.ReportError, match="footer is missing"):
        json_report.read(path)


def test_a_report_with_an_odd_node_id_is_reported(project: Any) -> None:
    project.run_report("toolcall::box/one")
    path = project.path / "report.json"
    whole = json.loads(path.read_text(encoding="utf-8"))
    for place, odd in (("items/0/nodeid", "toolcall::shell"), ("not_applicable/0", "toolcall::a::b")):
        changed = json.loads(json.dumps(whole))
        if place.startswith("items"):
            changed["items"][0]["nodeid"] = odd
        else:
            changed["not_applicable"] = [odd]
        path.write_text(json.dumps(changed), encoding="utf-8")
        with pytest.raises(files.ReportError, match=f"/{place}: '{odd}' is no item's node id"):
            json_report.read(path)


@pytest.mark.parametrize(
    ("member", "value", "message"),
    [
        ("findings", 0, "/items/0/findings: it is no array"),
        ("findings", [{"rule": "alpha/text-kept"}], "/items/0/findings/0: its keys are not there"),
        ("duration", "long", "/items/0/duration: it is no number"),
        ("client", None, "/items/0/client: it is no string"),
    ],
)
def test_a_report_whose_items_were_edited(member: str, value: object, message: str, project: Any) -> None:
    path = project.path / "report.json"
    project.run("toolcall::box/one", "--toolcall-report", "report.json")
    report = json.loads(path.read_text(encoding="utf-8"))
    report["items"][0][member] = value
    path.write_text(json.dumps(report), encoding="utf-8")
    with pytest.raises(files.ReportError, match=re.escape(message)):
        json_report.read(path)


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("good.py/r.json", "the directory *good.py cannot be made (File exists)"),
        (".", "* is a directory; name a file in it"),
        ("report.txt", "a report cannot be named report.txt; end its name in *.json, .md, .sarif"),
        ("report", "a report cannot be named report; end its name in *.json, .md, .sarif"),
    ],
)
def test_a_path_that_cannot_be_written_is_reported_before_anything_runs(project: Any, path: str, sentence: str) -> None:
    result = project.run("toolcall::", "--toolcall-report", path)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: --toolcall-report: {sentence}"])


def test_the_folder_of_a_report_is_made(project: Any) -> None:
    project.run("toolcall::box/one", "--toolcall-report", "new/deep/report.json")
    assert json_report.read(project.path / "new" / "deep" / "report.json")["footer"]["complete"] is True


def test_a_circle_of_links_is_reported_before_anything_runs(project: Any) -> None:
    (project.path / "loop.json").symlink_to("loop.json")
    result = project.run("toolcall::", "--toolcall-report", "loop.json")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: --toolcall-report: *loop.json cannot be written (*symbolic links)"])


def test_a_folder_that_refuses_new_files(project: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    (project.path / "report.json").write_text("old", encoding="utf-8")

    def refuse(**_: Any) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("tempfile.mkstemp", refuse)
    with pytest.raises(files.ReportError, match=r"is not writable \(Permission denied\)"):
        files.verify_writable(project.path / "report.json")
    assert (project.path / "report.json").read_text(encoding="utf-8") == "old"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_permission_keeps_its_old_report(project: Any) -> None:
    folder: Path = project.path / "reports"
    folder.mkdir()
    (folder / "r.json").write_text("old", encoding="utf-8")
    folder.chmod(0o500)
    result = project.run("toolcall::", "--toolcall-report", "reports/r.json")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert (folder / "r.json").read_text(encoding="utf-8") == "old"
    folder.chmod(0o700)


def test_a_write_that_fails_at_the_end_keeps_the_old_report(project: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    old = project.path / "report.json"
    old.write_text("old", encoding="utf-8")

    def full(_self: Path, _target: Path) -> Path:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    result = project.run("toolcall::", "--toolcall-report", "report.json")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["toolcall: --toolcall-report: * could not be written (No space left on device)"])
    assert old.read_text(encoding="utf-8") == "old"
    assert [path.name for path in project.path.iterdir() if "report" in path.name] == ["report.json"]


def test_a_worker_that_dies_is_a_crash_of_the_translator(project: Any) -> None:
    spec = project.write_translator(
        "    def request(self, body):\n"
        "        here = self.route.client == 'alpha' and self.route.upstream == 'beta'\n"
        "        if here and 'two' in body['text']: __import__('os')._exit(3)\n"
        "        return super().request(body)"
    )
    # One death: when a second worker dies while xdist still mourns the first, xdist itself ends in an internal error.
    project.run("toolcall::box::request", "-n", "1", "--toolcall-report", "report.json", spec=spec)
    report = valid(json.loads((project.path / "report.json").read_text(encoding="utf-8")))
    dead = [item for item in report["items"] if item["findings"]]
    assert {item["findings"][0]["rule"] for item in dead} == {"translation/crashed"}
    assert (len(dead), len(report["items"])) == (1, 8)
    assert all("process died" in item["findings"][0]["message"] for item in dead)


LINES = """
from toolcall_conformance.reports.writers import Writer

def text(run, corpus):
    return "".join(f"{item.nodeid} {item.verdict} {corpus.version}\\udc00\\n" for item in run.items)


WRITER = Writer(".lines.json", text)
"""


def test_a_kind_of_report_is_one_module(project: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = project.path / "more"
    folder.mkdir()
    (folder / "lines_report.py").write_text(LINES, encoding="utf-8")
    monkeypatch.setattr(writers, "__path__", [*writers.__path__, str(folder)])
    assert {".json", ".lines.json", ".md"} <= writers.writers_by_suffix().keys()
    options = [word for name in ("a.json", "B.LINES.JSON") for word in ("--toolcall-report", name)]
    result = project.run("toolcall::box/one", *options)
    result.stdout.fnmatch_lines(["toolcall: the report is *a.json", "toolcall: the report is *B.LINES.JSON"])
    items = valid(json_report.read(project.path / "a.json"))["items"]
    lines = (project.path / "B.LINES.JSON").read_text(encoding="utf-8").splitlines()
    assert lines == [f"{item['nodeid']} pass 7.1.0\\udc00" for item in items]
    assert len(lines) == 8


def test_the_end_of_each_name_chooses_the_kind(project: Any) -> None:
    spec = project.write_translator(MIXED)
    options = ("--toolcall-report=r.json", "--toolcall-report=R.MD")
    result = project.run("toolcall::", *options, spec=spec)
    result.stdout.fnmatch_lines(["toolcall: the report is r.json", "toolcall: the report is R.MD"])
    page = (project.path / "R.MD").read_text(encoding="utf-8")
    report = valid(json_report.read(project.path / "r.json"))
    assert f"**{sum(item['outcome'] == 'failed' for item in report['items'])} of 24 items failed; " in page
    assert f"  - run `pytest --toolcall-translator {spec} " in page


def test_one_report_that_cannot_be_written_keeps_no_other_from_being_written(
    project: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = files.write

    def full(run: Any, path: Path, corpus: Any) -> None:
        if path.name == "first.json":
            raise files.ReportError("--toolcall-report: first.json could not be written (No space left on device)")
        write(run, path, corpus)

    monkeypatch.setattr(files, "write", full)
    options = [word for name in ("first.json", "second.json") for word in ("--toolcall-report", name)]
    result = project.run("toolcall::box/one", *options)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["toolcall: --toolcall-report: first.json could not be written (No space left*"])
    assert len(json_report.read(project.path / "second.json")["items"]) == 8
