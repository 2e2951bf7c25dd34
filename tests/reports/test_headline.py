"""How a run ended, in a sentence, and its counts in words: the same in the terminal, in Markdown and in HTML."""

from __future__ import annotations

import re
from typing import Any

import pytest

from reports.report_items import CORPUS, finding, item, run
from toolcall_conformance.reports.html import page
from toolcall_conformance.reports.run_record import NotApplicable, RunRecord
from toolcall_conformance.reports.text import terminal
from toolcall_conformance.reports.text.summary import run_in_words
from toolcall_conformance.reports.writers.markdown_report import WRITER

KNOWN = finding("translation/call-lost", known="a ticket")
BROKEN = item("w/1", verdict="error", outcome="error")
NEWS = finding("translation/ids-kept", "SHOULD")


def terminal_text(record: RunRecord) -> str:
    lines = terminal.conclusion_lines(record, CORPUS.rules)
    return "\n".join("".join(piece.text for piece in line) for line in lines)


@pytest.mark.parametrize(
    ("more", "headline"),
    [
        ([], "0 new, 1,005 known, of 1,006 items"),
        ([BROKEN], "0 new, 1,005 known, 1 error, of 1,007 items"),
        ([item("w/2", NEWS)], "0 new, 1,005 known, of 1,007 items; 1 cause: 1 SHOULD"),
        ([item("w/3", finding("translation/text-lost"))], "1 new, 1,005 known, of 1,007 items; 1 cause: 1 MUST"),
    ],
    ids=["known", "error", "warned", "new"],
)
def test_known_failures_are_reported_first_wherever_a_run_is_reported(more: list[Any], headline: str) -> None:
    record = run([*(item(f"box/{n}", KNOWN, outcome="known") for n in range(1005)), item("gone/1"), *more])
    assert terminal_text(record).startswith(headline)
    assert f"**{headline}**" in WRITER.text(record, CORPUS)
    assert f"<strong>{headline}.</strong>" in page(record, CORPUS)


def test_in_html_a_known_must_comes_before_a_note() -> None:
    lost, note = finding("translation/text-lost"), finding("translation/ids-kept", "NOTE")
    record = run([item("box/1", KNOWN, outcome="known"), item("box/2", note), item("box/3", lost)])
    assert record.roots[-1].rule == "translation/call-lost"
    rules = list(dict.fromkeys(re.findall("translation/(?:call-lost|ids-kept|text-lost)", body(page(record, CORPUS)))))
    assert rules == ["translation/text-lost", "translation/call-lost", "translation/ids-kept"]


def body(text: str) -> str:
    """The causes of a page; above them is what to mend first."""
    return text.partition('<ol class="causes"')[2]


def unplayed_item(check: str, client: str, upstream: str) -> NotApplicable:
    return NotApplicable(f"toolcall::box/1::{check}::{client}-to-{upstream}", "box/1", check, client, upstream)


FORMATS = ("anthropic", "gemini", "openai_chat", "openai_responses")
OTHERS = [unplayed_item("request", client, upstream) for client in FORMATS for upstream in FORMATS][:1]
OTHERS += [
    unplayed_item("request", client, upstream) for client in FORMATS for upstream in FORMATS if client != "anthropic"
]


@pytest.mark.parametrize(
    ("left", "sentence"),
    [
        (OTHERS, "13 not applicable: 13 of 14 routes are not yours"),
        (OTHERS[:1], "1 not applicable: 1 of 2 routes is not yours"),
        ([*OTHERS[:2], unplayed_item("stream", "anthropic", "gemini")],
         "3 not applicable: 2 of 3 routes are not yours; 1 more need what you do not do (stream 1)"),
        ([unplayed_item("stream", "anthropic", "gemini")], "1 not applicable: it needs what you do not do (stream 1)"),
    ],
)  # fmt: skip
def test_what_is_not_applicable_says_why(left: list[NotApplicable], sentence: str) -> None:
    blocked = [item(f"w/{n}", verdict="blocked", outcome="skipped") for n in range(2)]
    record = run([item("box/1"), *blocked], skipped=left)
    assert run_in_words(record) == f"1 passed, 2 blocked (a call before them failed), {sentence}"
    assert sentence in WRITER.text(record, CORPUS)
    assert sentence.partition(": ")[2] in page(record, CORPUS)
    summary = terminal.summary_lines(record, CORPUS.rules, lambda *_: "", detail=terminal.Detail.USUAL, width=200)
    assert any("".join(piece.text for piece in line).endswith(sentence) for line in summary)


def test_one_that_is_blocked() -> None:
    record = run([item("box/1"), item("w/1", verdict="blocked", outcome="skipped")])
    assert run_in_words(record) == "1 passed, 1 blocked (a call before it failed)"
