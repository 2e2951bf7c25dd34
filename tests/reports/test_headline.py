"""How a run ended, in a sentence, and its counts in words: the same in the terminal, in Markdown and in HTML."""

from __future__ import annotations

import re
from typing import Any

import pytest

from reports.made import CORPUS, finding, item, run
from toolcall_conformance.reports.html import page
from toolcall_conformance.reports.run_record import NotApplicable, RunRecord
from toolcall_conformance.reports.text import terminal
from toolcall_conformance.reports.text.summary import run_in_words
from toolcall_conformance.reports.writers.markdown_report import WRITER

KNOWN = finding("translation/call-lost", known="a ticket")
BROKEN = item("w/1", verdict="error", outcome="error")
NEWS = finding("translation/ids-kept", "SHOULD")


def in_terminal(made: RunRecord) -> str:
    lines = terminal.conclusion(made, CORPUS.rules)
    return "\n".join("".join(piece.text for piece in line) for line in lines)


@pytest.mark.parametrize(
    ("more", "ended"),
    [
        ([], "0 new, 1,005 known, of 1,006 items"),
        ([BROKEN], "0 new, 1,005 known, 1 error, of 1,007 items"),
        ([item("w/2", NEWS)], "0 new, 1,005 known, of 1,007 items; 1 cause: 1 SHOULD"),
        ([item("w/3", finding("translation/text-lost"))], "1 new, 1,005 known, of 1,007 items; 1 cause: 1 MUST"),
    ],
    ids=["known", "error", "warned", "new"],
)
def test_known_failures_are_told_first_wherever_a_run_is_told(more: list[Any], ended: str) -> None:
    made = run([*(item(f"box/{n}", KNOWN, outcome="known") for n in range(1005)), item("gone/1"), *more])
    assert in_terminal(made).startswith(ended)
    assert f"**{ended}**" in WRITER.text(made, CORPUS)
    assert f"<strong>{ended}.</strong>" in page(made, CORPUS)


def test_in_html_a_known_must_stands_before_a_note() -> None:
    lost, told = finding("translation/text-lost"), finding("translation/ids-kept", "NOTE")
    made = run([item("box/1", KNOWN, outcome="known"), item("box/2", told), item("box/3", lost)])
    assert made.roots[-1].rule == "translation/call-lost"
    rules = list(dict.fromkeys(re.findall("translation/(?:call-lost|ids-kept|text-lost)", body(page(made, CORPUS)))))
    assert rules == ["translation/text-lost", "translation/call-lost", "translation/ids-kept"]


def body(text: str) -> str:
    """The causes of a page; above them is what to mend first."""
    return text.partition('<ol class="causes"')[2]


def skipped(check: str, client: str, upstream: str) -> NotApplicable:
    return NotApplicable(f"toolcall::box/1::{check}::{client}-to-{upstream}", "box/1", check, client, upstream)


FORMATS = ("anthropic", "gemini", "openai_chat", "openai_responses")
OTHERS = [skipped("request", client, upstream) for client in FORMATS for upstream in FORMATS][:1]
OTHERS += [skipped("request", client, upstream) for client in FORMATS for upstream in FORMATS if client != "anthropic"]


@pytest.mark.parametrize(
    ("left", "said"),
    [
        (OTHERS, "13 not applicable: 13 of 14 routes are not yours"),
        (OTHERS[:1], "1 not applicable: 1 of 2 routes is not yours"),
        ([*OTHERS[:2], skipped("stream", "anthropic", "gemini")],
         "3 not applicable: 2 of 3 routes are not yours; 1 more need what you do not do (stream 1)"),
        ([skipped("stream", "anthropic", "gemini")], "1 not applicable: it needs what you do not do (stream 1)"),
    ],
)  # fmt: skip
def test_what_is_not_applicable_says_why(left: list[NotApplicable], said: str) -> None:
    blocked = [item(f"w/{n}", verdict="blocked", outcome="skipped") for n in range(2)]
    made = run([item("box/1"), *blocked], skipped=left)
    assert run_in_words(made) == f"1 passed, 2 blocked (a call before them failed), {said}"
    assert said in WRITER.text(made, CORPUS)
    assert said.partition(": ")[2] in page(made, CORPUS)
    shown = terminal.summary(made, CORPUS.rules, lambda *_: "", detail=terminal.Detail.USUAL, width=200)
    assert any("".join(piece.text for piece in line).endswith(said) for line in shown)


def test_one_that_is_blocked() -> None:
    made = run([item("box/1"), item("w/1", verdict="blocked", outcome="skipped")])
    assert run_in_words(made) == "1 passed, 1 blocked (a call before it failed)"
