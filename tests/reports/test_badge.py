"""``toolcall-conformance badge``: what it says, that everybody can read it, and that nothing breaks out of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from reports.report_items import CORPUS, HEADER, finding, item, run
from toolcall_conformance.cli import main
from toolcall_conformance.reports.run_record import RunRecord
from toolcall_conformance.reports.text.badge import _AMBER, _DARK, _GREEN, _GREY, _RED, Badge
from toolcall_conformance.reports.writers import json_report

BAD = item("bad/one", finding())
SVG = "{http://www.w3.org/2000/svg}"


def badge(record: RunRecord, label: str = "tool calls") -> Badge:
    return Badge.of(json_report.document(record), label)


def passing_items(number: int) -> list[Any]:
    return [item(f"good/{n}") for n in range(number)]


@pytest.mark.parametrize(
    ("record", "message", "colour"),
    [
        (run(passing_items(3)), "100%", _GREEN),
        (run([*passing_items(3), item("w", finding(level="SHOULD"))]), "100%", _GREEN),
        (run([*passing_items(999), BAD]), "99%", _AMBER),
        (run([*passing_items(9), BAD]), "90%", _RED),
        (run([*passing_items(9), item("k", finding(known="a ticket"), outcome="known")]), "90%", _GREEN),
        (
            run([*passing_items(8), item("r", verdict="refused", outcome="failed"), item("u", outcome="unstable")]),
            "80%",
            _RED,
        ),
        (run([item("b", verdict="blocked", outcome="skipped")]), "nothing judged", _GREY),
        (run(passing_items(3), missing=1), "incomplete", _GREY),
    ],
)
def test_what_it_says(record: RunRecord, message: str, colour: str) -> None:
    result = badge(record)
    assert (result.message, result.colour) == (message, colour)
    endpoint = json.loads(result.endpoint())
    assert endpoint.pop("isError", False) == (colour == _GREY)
    assert endpoint == {"schemaVersion": 1, "label": "tool calls", "message": message, "color": colour}


def luminance(colour: str) -> float:
    """https://www.w3.org/TR/WCAG22/#dfn-relative-luminance"""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("colour", [_GREEN, _AMBER, _RED, _GREY, _DARK])
def test_its_text_is_readable(colour: str) -> None:
    assert 1.05 / (luminance(colour) + 0.05) >= 4.5


def test_it_has_a_title_for_those_who_do_not_see_it() -> None:
    root = ET.fromstring(badge(run([*passing_items(9), BAD])).svg())
    sentence = "tool calls: 9 of 10 items passed (mine 1.0, corpus 0.1.0)"
    assert (root.get("role"), root.get("aria-label"), root[0].tag) == ("img", sentence, f"{SVG}title")
    assert root[0].text == sentence
    assert [element.text for element in root.iter(f"{SVG}text")] == ["tool calls", "90%"]


def test_nothing_breaks_out_of_it() -> None:
    hostile = '"><script>alert(1)</script>&\x00\x1b\u202e\ud800'
    record = run(passing_items(1), translator={**HEADER["translator"], "name": hostile})
    text = badge(record, hostile).svg()
    root = ET.fromstring(text.encode("utf-8"))
    assert {element.tag.removeprefix(SVG) for element in root.iter()} == {
        "svg",
        "title",
        "clipPath",
        "rect",
        "g",
        "text",
    }
    assert set(text) - {"\n"} == {character for character in text if character.isprintable()}


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = tmp_path / "r.json"
    report.write_text(json_report.text(run(passing_items(2)), CORPUS), encoding="utf-8")
    names = [str(tmp_path / name) for name in ("badge.svg", "badge.json")]
    assert main(["badge", str(report), *names, "--label", "mine"]) == 0
    assert capsys.readouterr().out == "mine: 2 of 2 items passed (mine 1.0, corpus 0.1.0)\n"
    assert json.loads(Path(names[1]).read_text(encoding="utf-8"))["label"] == "mine"
    assert Path(names[0]).read_text(encoding="utf-8").startswith("<svg ")
    for wrong, message in [("b.png", "a badge cannot be named b.png"), ("r.json", "is the report itself")]:
        assert main(["badge", str(report), str(tmp_path / wrong)]) == 4
        assert message in capsys.readouterr().err
    assert main(["badge", str(report), str(report / "b.svg")]) == 4  # a file is no folder
    assert "badge: " in capsys.readouterr().err
