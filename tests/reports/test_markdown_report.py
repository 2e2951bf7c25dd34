"""Reports in Markdown: what they say, in which order, and never more than 100 lines."""

from __future__ import annotations

import re

import pytest

from reports.report_items import CORPUS, finding, item, run
from toolcall_conformance.reports.run_record import NotApplicable
from toolcall_conformance.reports.writers.markdown_report import MAX_LINES, WRITER

FORMATS = ("anthropic", "gemini", "openai_chat", "openai_responses")


def lines(record: object) -> list[str]:
    return WRITER.text(record, CORPUS).splitlines()  # type: ignore[arg-type]


def test_a_run_that_passed_is_a_headline_and_a_table() -> None:
    assert lines(run([item()])) == [
        "## Tool call conformance: passed",
        "",
        "`mine` `1.0` · suite `0.1.0` · corpus `0.1.0`",
        "",
        "**0 of 1 item failed**: 1 passed.",
        "",
        "| passed, of all | `request` |",
        "|---|--:|",
        "| `anthropic → gemini` | 1/1 |",
    ]


def test_a_cause_has_its_rule_example_values_command_and_evidence() -> None:
    lost = finding(want={"name": "shell"}, got={"$absent": True}, message="call 1 (`shell`) is gone")
    page_lines = lines(run([item("box/one", lost), item("box/two", lost)]))
    start = page_lines.index("### What failed, by cause")
    rule = CORPUS.rules["translation/call-lost"]
    assert page_lines[start + 2].startswith(
        f"1. **MUST** `translation/call-lost` · 2 items · {rule.breach[:1].upper()}"
    )
    assert page_lines[start + 2].endswith(f"[evidence](<{rule.evidence[0]['url']}>)")
    assert page_lines[start + 3 : start + 8] == [
        "   - item `box/one · request · anthropic → gemini` at `/a, in 01-request`",
        "   - what ``call 1 (`shell`) is gone``",
        '   - want `{"name": "shell"}`, got `(absent)`',
        f"   - fix {rule.fix}",
        '   - run `pytest --toolcall-translator mine:T "toolcall::box/one" "toolcall::box/two"`',
    ]


def test_what_warned_and_what_gave_no_verdict_come_after() -> None:
    warned = finding("translation/ids-kept", "SHOULD")
    skipped = NotApplicable(
        "toolcall::box/six::stream::anthropic-to-gemini", "box/six", "stream", "anthropic", "gemini"
    )
    record = run(
        [
            item("box/one", finding()),
            item("box/two", warned),
            item("box/three", verdict="blocked", outcome="skipped", reason="blocked: 01-request: raised | `x`"),
            item("box/four", verdict="refused", outcome="failed"),
            item("box/five", outcome="unstable"),
            item("box/seven", finding(known="a ticket"), outcome="known"),
        ],
        skipped=[skipped],
        stale=["known.toml: gone; delete line 3"],
        missing=2,
    )
    page_lines = lines(record)
    heads = [line for line in page_lines if line.startswith("#")]
    assert heads == [
        "## Tool call conformance: failed",
        "### What failed, by cause",
        "### What warned",
        "### What was refused or not judged",
        "### Known failures",
    ]
    assert "**The run was stopped**: 8 items were to run." in page_lines
    text = "\n".join(page_lines)
    assert "- **SHOULD** `translation/ids-kept` · 1 item · " in text
    assert "- 1 item blocked: a call before it failed. 1 × `` blocked: 01-request: raised | `x` ``" in text
    assert "- 1 item refused, though it must be taken." in text
    assert "- 1 not applicable: " in text
    assert "- 1 item failed as the file of known failures expects" in text
    assert "- 1 item unstable: another try ended otherwise: `toolcall::box/five::request::anthropic-to-gemini`" in text
    assert "- 1 known failure stale: delete what no longer fails: `known.toml: gone; delete line 3`" in text


@pytest.mark.parametrize("causes", [1, 9, 300])
def test_it_has_a_hundred_lines_at_most_and_says_how_many_causes_are_left_out(causes: int) -> None:
    rules = [name for name in CORPUS.rules if name.startswith("translation/")]
    items = []
    for number in range(causes):
        route = (FORMATS[number % 4], FORMATS[number // 4 % 4])
        must = finding(rules[number % 90], place=f"/m{number}", want="x" * 9_000, got=[number], message="m" * 9_000)
        should = finding(rules[-1 - number % 90], "SHOULD", place=f"/s{number}")
        items += [item(f"box/{number}", must, should, route=route)]
        items += [item(f"no/{number}", verdict=verdict, outcome="skipped", reason=f"{verdict} {number}", route=route)
                  for verdict in ("blocked", "refused", "error", "not applicable")]  # fmt: skip
        items += [item(f"shaky/{number}", outcome="unstable", route=route, check="stream")]
    record = run(items, stale=[f"line {number}" for number in range(causes)], missing=1)
    causes = sum(root.fails for root in record.roots)  # one repair may mend several
    page_lines = lines(record)
    assert len(page_lines) <= MAX_LINES
    assert len("\n".join(page_lines)) < 60_000  # GitHub takes comments of 65,536 characters
    count = sum(re.match(r"\d+\. ", line) is not None for line in page_lines)
    assert count >= min(causes, 6)
    more = [line for line in page_lines if re.match(r"and \d+ more causes?: ", line)]
    assert bool(more) == (count < causes)
    assert not more or f"and {causes - count} more cause" in more[0]


HOSTILE = "|a`b``\n::error::x\r\n##[add-mask]y <script>alert(1)</script> [l](http://x) @me \u202egnp \x1b[31m \u2028"


def test_nothing_of_a_translator_has_a_meaning() -> None:
    fault = finding(message=HOSTILE, got=HOSTILE, want=[HOSTILE], pointer=f"/{HOSTILE}", body=HOSTILE, subject=HOSTILE)
    record = run(
        [item(f"box/{HOSTILE}", fault), item("box/two", verdict="blocked", outcome="skipped", reason=HOSTILE)],
        translator={"spec": HOSTILE, "name": HOSTILE, "version": HOSTILE},
        command=f"pytest --toolcall-translator {HOSTILE}",
        stale=[HOSTILE],
    )
    text = WRITER.text(record, CORPUS)
    assert set(text) - {"\n"} <= {character for character in text if character.isprintable()}
    for line in text.splitlines():
        assert re.match(r"$|#|\||- |\d+\. |\s+- |\*\*|`{1,9} ?\||and ", line), line
        assert "##[" not in line
        outside = re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", line)
        assert not re.search(r"<script|::|@me|\(http:", outside), line
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in rows} == {3}
