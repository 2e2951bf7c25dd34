"""``toolcall-conformance merge``: the reports of parts make the report of the whole, or are refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reports.report_items import CORPUS, HEADER, SUITE, finding, item, run
from toolcall_conformance.checks import VARIANTS_BY_CHECK
from toolcall_conformance.cli import main
from toolcall_conformance.cli.reports.merge import _CHECKS
from toolcall_conformance.engine.items.plan import plan_items as planned
from toolcall_conformance.reports.merge import nodeid_order
from toolcall_conformance.reports.run_record import RunRecord
from toolcall_conformance.reports.writers import json_report, markdown_report

LOST = finding()


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., str]:
    """Write a run's report; its path."""

    def written(name: str, record: RunRecord, **changed: Any) -> str:
        document = {**json.loads(json_report.text(record, CORPUS)), **changed}
        (tmp_path / name).write_text(json.dumps(document), encoding="utf-8")
        return str(tmp_path / name)

    return written


def merge(tmp_path: Path, *paths: str) -> dict[str, Any]:
    """Merge reports that are parts of one run."""
    assert main(["merge", *paths, "-o", str(tmp_path / "whole.json")]) == 0
    return json_report.read(tmp_path / "whole.json")


def test_what_a_run_plays_is_sorted_as_it_plays_it() -> None:
    cases = ("shell/seed", "streaming/seed", "parallel/two-rounds")
    for everywhere in (False, True):
        nodeids = [
            planned_item.nodeid
            for planned_item in planned(CORPUS, cut_everywhere=everywhere, selects=lambda case, _: case in cases)
        ]
        assert {nodeid.partition("::")[2].partition("::")[0] for nodeid in nodeids} == set(cases)
        assert sorted(sorted(nodeids), key=nodeid_order(_CHECKS, VARIANTS_BY_CHECK, CORPUS.formats)) == nodeids


def test_recorded_exchanges_come_first_in_their_order() -> None:
    order = nodeid_order(_CHECKS, VARIANTS_BY_CHECK, CORPUS.formats)
    cases = [f"toolcall::recorded/a.json#{number}::wire::gemini-to-gemini" for number in (1, 2, 10)]
    drift = [name.replace("wire", "drift") for name in cases]
    mixed = [cases[0], drift[0], cases[1], drift[1], cases[2], drift[2]]
    assert sorted([*cases, *drift, item().nodeid], key=order) == [*mixed, item().nodeid]


def whole_run() -> RunRecord:
    """A run with the suite's own formats and checks, in its order."""
    lost = [item(f"box/{n}", LOST, route=("gemini", "anthropic")) for n in range(3)]
    loops = [item(f"box/{n}", LOST, check="agent_loop", variant=way) for n in range(3) for way in (None, "stripping")]
    records = [*lost, *loops, item("box/4", finding("translation/ids-kept", "SHOULD"))]
    order = nodeid_order(_CHECKS, VARIANTS_BY_CHECK, CORPUS.formats)
    return run(sorted(records, key=lambda record: order(record.nodeid)), stale=["known.toml: a"])


@pytest.mark.parametrize("shares", [2, 3])
def test_parts_make_the_whole(shares: int, tmp_path: Path, write: Callable[..., str]) -> None:
    record = whole_run()
    parts = [write(f"{n}.json", run(record.items[n::shares], stale=record.stale)) for n in range(shares)]
    expected = json.loads(json_report.text(record, CORPUS))
    assert merge(tmp_path, *parts) == expected
    assert merge(tmp_path, *reversed(parts)) == expected
    again = write("again.json", run(record.items[:2]))
    assert merge(tmp_path, again, *parts) == expected


def test_the_whole_began_with_its_first_part(tmp_path: Path, write: Callable[..., str]) -> None:
    def part(number: int, **more: Any) -> str:
        return write(f"{number}.json", run(whole_run().items[number::2], **more))

    first = {"started": "2026-01-02T03:04:05.000Z", "seconds": 2.5, "command": "pytest a"}
    second = {"started": "2026-01-02T03:04:01.000Z", "seconds": 60.0, "command": "pytest b"}
    merged = merge(tmp_path, part(0, run=first), part(1, run=second))
    assert merged["run"] == {"started": second["started"], "seconds": 62.5}
    assert "run" not in merge(tmp_path, part(0, run=first), part(1))


def test_bodies_stay_with_the_items_of_one_run(tmp_path: Path, write: Callable[..., str]) -> None:
    body = {"name": "01-request", "parts": {"source": {"text": "x"}}}
    parts = [
        write(f"{part}.json", run([item(f"box/{part}{n}", LOST, bodies=[body]) for n in range(2)])) for part in "ab"
    ]
    bare = write("bare.json", run([item("box/a0", LOST)]))
    for paths in ([*parts, bare], [bare, *reversed(parts)]):
        report = merge(tmp_path, *paths)
        assert [entry["case"] for entry in report["items"] if "bodies" in entry] == ["box/a0", "box/a1"]


def test_other_kinds_are_written_from_the_same(tmp_path: Path, write: Callable[..., str]) -> None:
    record = whole_run()
    path = write("r.json", record)
    assert main(["merge", path, "-o", str(tmp_path / "w.md"), "-o", str(tmp_path / "w.json")]) == 0
    assert (tmp_path / "w.md").read_text(encoding="utf-8") == markdown_report.text(record, CORPUS)


def test_a_part_that_was_stopped_makes_a_whole_that_was(tmp_path: Path, write: Callable[..., str]) -> None:
    parts = write("a.json", run([item("box/one")], missing=3)), write("b.json", run([item("box/two")]))
    assert merge(tmp_path, *parts)["footer"] == {"complete": False, "items": 2}


def merge_error(capsys: pytest.CaptureFixture[str], *paths: str, output: str = "w.json") -> str:
    """The message with which a merge is refused; nothing is written."""
    target = Path(paths[0]).parent / output
    assert main(["merge", *paths, "-o", str(target)]) == 4
    assert not target.is_file()
    return capsys.readouterr().err


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ({"translator": {**HEADER["translator"], "version": "2"}}, "another `translator` than in"),
        ({"corpus": {"version": "0.0.9", "private": []}}, "another `corpus` than in"),
        ({"corpus": {"version": CORPUS.version, "private": ["/x/mine"]}}, "another `corpus` than in"),
        ({"tool": {"name": "toolcall-conformance", "version": "9"}}, "another `tool` than in"),
        ({"suite": {**SUITE, "code": "1" * 64}}, "another `suite` than in"),
        ({"suite": None}, "another `suite` than in"),
        ({"policy": {"drop": ["a"]}}, "another `policy` than in"),
        ({"strict": True}, "another `strict` than in"),
    ],
)
def test_reports_of_different_runs_are_refused(
    header: dict[str, Any], message: str, write: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    parts = write("a.json", run([item("box/one")])), write("b.json", run([item("box/two")], **header))
    assert message in merge_error(capsys, *parts)


def test_private_folders_may_be_outside_of_the_corpus(tmp_path: Path, write: Callable[..., str]) -> None:
    corpora = [{"version": CORPUS.version, "private": [folder]} for folder in ("/home/a/mine", "C:\\b\\mine")]
    records = [run([item(f"box/{n}")], corpus=corpus) for n, corpus in enumerate(corpora)]
    assert len(merge(tmp_path, *(write(f"{n}.json", record) for n, record in enumerate(records)))["items"]) == 2


def test_items_that_disagree_are_named(write: Callable[..., str], capsys: pytest.CaptureFixture[str]) -> None:
    parts = write("a.json", run([item("box/one")])), write("b.json", run([item("box/one", LOST)]))
    message = merge_error(capsys, *parts)
    assert "the reports disagree on 1 of their items" in message
    assert f"{item().nodeid}: pass in {parts[0]}, fail in {parts[1]}" in message
    other = finding(place="/b")
    parts = write("a.json", run([item("box/one", LOST)])), write("b.json", run([item("box/one", other)]))
    assert f"other findings in {parts[0]} than in {parts[1]}" in merge_error(capsys, *parts)


def test_values_that_a_translator_makes_up_may_differ(tmp_path: Path, write: Callable[..., str]) -> None:
    records = [run([item("box/one", {**LOST, "got": f"call_{number}"})]) for number in range(2)]
    [entry] = merge(tmp_path, *(write(f"{n}.json", record) for n, record in enumerate(records)))["items"]
    assert entry["findings"][0]["got"] == "call_0"


def test_items_that_one_part_has_as_not_done(write: Callable[..., str], capsys: pytest.CaptureFixture[str]) -> None:
    first = write("a.json", run([item("box/one")]))
    second = write("b.json", run([item("box/two")]), not_applicable=[item().nodeid])
    assert "does not name the items that were not played" in merge_error(capsys, first, second)
    counts = {**json_report.read(Path(second))["counts"], "not_applicable": 1}
    second = write("b.json", run([item("box/two")]), not_applicable=[item().nodeid], counts=counts)
    assert f"{second} has it as not done by the translator" in merge_error(capsys, first, second)


def test_outputs_and_inputs_are_looked_at_first(write: Callable[..., str], capsys: pytest.CaptureFixture[str]) -> None:
    path = write("a.json", run([item()]))
    assert "--output: a report cannot be named w.txt" in merge_error(capsys, path, output="w.txt")
    assert "is named twice" in merge_error(capsys, path, path)
    assert "b.json: cannot be read" in merge_error(capsys, path, path.replace("a.json", "b.json"))


def test_recordings_and_pythons_are_reported_together(tmp_path: Path, write: Callable[..., str]) -> None:
    first, second = ({"exchanges": n, "cassettes": 1, "skipped": {"x": n}} for n in (1, 2))
    records = [run([item("box/1")], recordings=first), run([item("box/2")], recordings=first, python="3.12.1")]
    records.append(run([item("box/3")], recordings=second))
    report = merge(tmp_path, *(write(f"{n}.json", part) for n, part in enumerate(records)))
    assert report["recordings"] == {"exchanges": 3, "cassettes": 2, "skipped": {"x": 3}}
    assert report["python"] == "3.13.0, 3.12.1"
