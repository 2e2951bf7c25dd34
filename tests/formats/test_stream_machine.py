"""What the stream machines share: rules are reported under ids that are listed, and what repeats once."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from toolcall_conformance import formats
from toolcall_conformance.formats.stream_machine import FRAMING, Report, rule_ids

PACKAGES = Path(formats.__file__).parent


def reported(folder: Path) -> Iterator[str]:
    """The slugs that the calls in a package's stream modules name."""
    for path in folder.glob("stream/*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            called = node.func.attr if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else ""
            if isinstance(node, ast.Call) and called in ("add", "once", "_once"):
                texts = (one.value for part in node.args for one in ast.walk(part) if isinstance(one, ast.Constant))
                yield from (text for text in texts if isinstance(text, str) and text.startswith("stream-"))


def slugs(name: str) -> set[str]:
    machine = formats.get(name).stream
    assert machine is not None
    return {rule_id.split("/")[1] for rule_id in machine.RULES}


@pytest.mark.parametrize("name", formats.names())
def test_a_machine_reports_by_the_rules_that_it_lists(name: str) -> None:
    assert {*reported(PACKAGES / name), *FRAMING} == slugs(name)


def test_a_rule_that_is_not_listed_cannot_be_reported() -> None:
    report = Report(rule_ids("alpha", "stream-data"))
    report.add("stream-data", "/events/0/data")
    with pytest.raises(KeyError):
        report.add("stream-dota", "/events/0/data")
    assert [rule_id for rule_id, _ in report.breaches] == ["alpha/stream-data"]


def test_each_part_reports_a_rule_once() -> None:
    report = Report(rule_ids("alpha", "stream-data"))
    first, second = report.of_part("/events/1"), report.of_part("/events/2")
    for number, part in enumerate((first, first, second, report, report)):
        part.once("stream-data", f"/events/{number}")
    assert [breach.pointer for _, breach in report.breaches] == ["/events/0", "/events/2", "/events/3"]
    assert first.breaches == report.breaches
    assert report.has("stream-data")
    assert not report.has("stream-text")
