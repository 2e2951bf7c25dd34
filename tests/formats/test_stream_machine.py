"""What the stream machines share: rules are reported under ids that are listed, and what repeats once."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from toolcall_conformance import formats
from toolcall_conformance.basics.findings import MISSING
from toolcall_conformance.formats.stream_machine import FRAMING_RULES, Report, rule_ids

PACKAGES = Path(formats.__file__).parent


def reported_slugs(folder: Path) -> Iterator[str]:
    """The slugs that the calls in a package's stream modules name."""
    for path in folder.glob("stream/*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            called = node.func.attr if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else ""
            if isinstance(node, ast.Call) and called in ("add", "add_once", "_report_once"):
                texts = (
                    constant.value
                    for part in node.args
                    for constant in ast.walk(part)
                    if isinstance(constant, ast.Constant)
                )
                yield from (text for text in texts if isinstance(text, str) and text.startswith("stream-"))


def slugs(name: str) -> set[str]:
    machine = formats.get(name).stream
    assert machine is not None
    return {rule_id.split("/")[1] for rule_id in machine.RULES}


@pytest.mark.parametrize("name", formats.names())
def test_a_machine_reports_by_the_rules_that_it_lists(name: str) -> None:
    assert {*reported_slugs(PACKAGES / name), *FRAMING_RULES} == slugs(name)


def test_a_rule_that_is_not_listed_cannot_be_reported() -> None:
    report = Report(rule_ids("alpha", "stream-data"))
    report.add("stream-data", "/events/0/data")
    with pytest.raises(KeyError):
        report.add("stream-dota", "/events/0/data")
    assert [rule_id for rule_id, _ in report.breaches] == ["alpha/stream-data"]


def test_each_part_reports_a_rule_once() -> None:
    report = Report(rule_ids("alpha", "stream-data"))
    first, second = report.part_report("/events/1"), report.part_report("/events/2")
    for number, part in enumerate((first, first, second, report, report)):
        part.add_once("stream-data", f"/events/{number}")
    assert [breach.pointer for _, breach in report.breaches] == ["/events/0", "/events/2", "/events/3"]
    assert first.breaches == report.breaches
    assert report.has_breach("stream-data")
    assert not report.has_breach("stream-text")


@pytest.mark.parametrize(
    ("name", "line", "rule", "want"),
    [
        ("gemini", ": ping", "gemini/stream-lines", MISSING),
        ("gemini", "event:", "gemini/stream-lines", MISSING),
        ("gemini", "retry: 500", "gemini/stream-lines", MISSING),
        ("gemini", 'data:{"a": 1}', "gemini/stream-lines", 'data: {"a": 1}'),
        ("gemini", "\ufeffdata: 1", "gemini/stream-lines", "data: 1"),
        ("anthropic", "\ufeffevent: ping", "anthropic/stream-byte-order-mark", "event: ping"),
        *((name, ": ping", None, None) for name in ("anthropic", "openai_chat", "openai_responses")),
        *((name, "\ufeffdata: 1", None, None) for name in ("openai_chat", "openai_responses")),
    ],
)
def test_a_line_that_is_no_event(name: str, line: str, rule: str | None, want: Any) -> None:
    machine = formats.get(name).stream
    assert machine is not None
    breaches = [
        (rule_id, breach)
        for rule_id, breach in machine.assemble({"events": [], "aside": line}).breaches
        if "/aside" in breach.pointer
    ]
    assert [rule_id for rule_id, _ in breaches] == ([] if rule is None else [rule])
    assert [(breach.want, breach.got) for _, breach in breaches] == ([] if rule is None else [(want, line)])


@pytest.mark.parametrize("name", formats.names())
@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("a\ud83d", True),
        ("\udef0, a", True),
        ("\U0001f6f0", False),
        ("a\ud83db", False),
        ("", False),
        ("a\ufffd", False),
    ],
)
def test_half_a_character_at_the_end_of_a_piece(name: str, text: str, cut: bool) -> None:
    machine = formats.get(name).stream
    assert machine is not None
    event = {"event": "other", "data": {"type": "other", "pieces": [{"of": "a"}, {"of": text}]}}
    breaches = machine.assemble({"events": [event, event]}).breaches
    pointers = [breach.pointer for rule_id, breach in breaches if rule_id == f"{name}/stream-whole-characters"]
    assert pointers == (["/events/0/data/pieces/1/of"] if cut else [])
