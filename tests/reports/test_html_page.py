"""The HTML report: what the page holds, and that nothing foreign in it acts as more than text."""

from __future__ import annotations

import base64
import hashlib
import html
import itertools
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from reports.runs import exchange, finding, item, large_run, run_of
from toolcall_conformance.cli import main
from toolcall_conformance.library import Corpus
from toolcall_conformance.reports.causes.examples import Examples
from toolcall_conformance.reports.causes.harm import Harm
from toolcall_conformance.reports.html import page
from toolcall_conformance.reports.html.cause_cards import evidence_sources
from toolcall_conformance.reports.html.words import script_json, visible
from toolcall_conformance.reports.run_record import run_from_report as run_of_report
from toolcall_conformance.reports.writers import json_report

EVIL = "</script><script>document.title = 'ran'</script><img src=x onerror=alert(1)>\u202egnp.exe\u2028\x1b[31m\ud800"


def page_data(text: str) -> Any:
    """What the page gives its script."""
    match = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    assert match is not None
    return json.loads(match[1])


@pytest.fixture(scope="module")
def rule(corpus: Corpus) -> str:
    """A rule with an address in its evidence."""
    return next(name for name, entry in corpus.rules.items() if any("url" in source for source in entry.evidence))


def evil_run(corpus: Corpus, rule: str) -> Any:
    bodies = {"source": {EVIL: EVIL}, "produced": [EVIL], "golden": EVIL}
    fault = finding(
        rule, message=EVIL, subject=EVIL, want=EVIL, got={"$shown": EVIL, "$length": 9}, near=EVIL, code=EVIL
    )
    record = item(
        "a/b", "request", "anthropic", "gemini", [fault], reason=EVIL, bodies=[{"name": EVIL, "parts": bodies}]
    )
    translator = {"spec": EVIL, "name": EVIL, "version": EVIL}
    return run_of([record], corpus, translator=translator, command=f"pytest '{EVIL}'")


def test_foreign_words_are_shown_and_never_run(corpus: Corpus, rule: str) -> None:
    text = page(evil_run(corpus, rule), corpus)
    assert len(re.findall(r"<script\b", text)) == 2
    assert len(re.findall("</script", text)) == 2
    assert "<img" not in text
    assert "\u202e" not in text
    assert "⟨U+202E⟩gnp.exe" in html.unescape(text)
    text.encode()  # half surrogate pairs are written out
    (produced,) = [body for body in page_data(text)["bodies"] if body.startswith("[")]
    assert json.loads(produced) == [EVIL]  # the script makes it visible, the data is exact


class _Elements(HTMLParser):
    """The elements and attributes of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.addresses: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.addresses |= {str(value) for name, value in attrs if name == "href"}


def test_a_page_asks_nobody_for_anything(corpus: Corpus, rule: str) -> None:
    text = page(evil_run(corpus, rule), corpus)
    elements = _Elements(text)
    assert not elements.tags & {"link", "img", "iframe", "object", "embed", "base", "video", "audio", "source"}
    assert not {name for name in elements.attributes if re.match("on|src|style|action|formaction|background", name)}
    assert {re.sub("[:=].*|[a-z]+$", "", address) for address in elements.addresses} <= {
        "#",
        "https",
        "http",
        "#item",
        "#cause-1",
    }
    assert not re.search(r"(@import|url\(|fetch\(|XMLHttpRequest|\bimport\b *[({'\"])", text)


@pytest.mark.parametrize("kind", ["style", "script"])
def test_its_policy_allows_its_own_style_and_script_only(corpus: Corpus, rule: str, kind: str) -> None:
    text = page(evil_run(corpus, rule), corpus)
    (inside,) = re.findall(rf"<{kind}>(.*?)</{kind}>", text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()
    policy = html.unescape(re.findall(r'Content-Security-Policy" content="([^"]*)"', text)[0])
    assert f"{kind}-src 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none'; ")


def test_a_cause_says_all_without_a_script(corpus: Corpus, rule: str) -> None:
    fault = finding(rule, subject="call 1, read_file", code="mine/parts.py:12", near='{"role": "user"}')
    text = page(run_of([item("shell/seed", "request", "anthropic", "gemini", [fault])], corpus), corpus)
    plain_text = html.unescape(re.sub(r"<wbr>|</?(span|bdi|code)\b[^>]*>", "", text))
    plain_text = re.sub(r"(?s)<(style|script)\b.*?</\1>|<[^>]+>", " ", plain_text)
    definition = corpus.rules[rule]
    for words in (
        "1 of 1 item failed; 1 cause: 1 MUST", "Mend first",
        rule, definition.why, definition.sentence, "call 1, read_file", "/messages/0/content",
        '"a"', '"b"', "mine/parts.py:12", definition.evidence[0]["url"],
        'pytest --toolcall-translator mine:T "toolcall::shell/seed::request::anthropic-to-gemini"',
    ):  # fmt: skip
        assert words in plain_text


def test_the_most_frequent_of_the_gravest_comes_first(corpus: Corpus) -> None:
    cases = [f"shell/{name}" for name in ("seed", "quoting", "long-output")]
    harmful = item("shell/seed", "request", "anthropic", "gemini", [finding("translation/crashed", element="body")])
    frequent = [item(case, "response", "anthropic", "gemini", [finding("translation/text-lost")]) for case in cases]
    text = page(run_of([harmful, *frequent], corpus), corpus)
    headed = re.findall('<code class="whole">(translation/[^<]+)</code>', text)
    assert headed[:2] == ["translation/text-lost", "translation/crashed"]


def test_an_address_that_is_none_of_the_web_is_no_link(corpus: Corpus, rule: str) -> None:
    definition = replace(corpus.rules[rule], evidence=({"kind": "doc", "url": "javascript:alert(1)", "note": "no"},))
    assert list(evidence_sources(definition)) == [("documentation", "", "no")]


def test_every_item_finding_and_body_is_in_the_data(corpus: Corpus) -> None:
    run = large_run(corpus, 400, 100)
    data = page_data(page(run, corpus))
    columns = {name: number for number, name in enumerate(data["columns"]["item"])}
    assert len(data["items"]) == 400
    for record, row in zip(run.items, data["items"], strict=True):
        case, check, name = (data["texts"][row[columns[key]]] for key in ("case", "check", "name"))
        assert record.nodeid == f"toolcall::{case}::{check}::{name}"
        numbers = row[len(columns)] if record.findings else []
        rules = [data["texts"][data["findings"][number][0]] for number in numbers]
        assert rules == [fault["rule"] for fault in record.findings]
    with_bodies = [number for number, record in enumerate(run.items) if record.bodies]
    assert sorted(map(int, (key for key, more in data["more"].items() if "bodies" in more))) == with_bodies
    for cause, root in zip(data["causes"], run.roots, strict=True):
        assert [run.items[number].nodeid for number in cause["items"]] == [record.nodeid for record in root.items]


def test_twenty_thousand_items_stay_under_fifteen_megabytes(corpus: Corpus) -> None:
    assert len(page(large_run(corpus, 20_000, 5_000), corpus).encode()) < 15_000_000


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\u202eb", "a⟨U+202E⟩b"),
        ("\u2066\u200b\x00\x7f\ufeff", "⟨U+2066⟩⟨U+200B⟩⟨U+0000⟩⟨U+007F⟩⟨U+FEFF⟩"),
        ("\ud83d", "⟨U+D83D⟩"),
        ("\U000e0041", "⟨U+E0041⟩"),
        ("Grüße, 你好, שלום 👍\n\t", "Grüße, 你好, שלום 👍\n\t"),
    ],
)
def test_what_nobody_sees_is_written_out(text: str, expected: str) -> None:
    assert visible(text) == expected


def test_the_pages_script_takes_the_same_for_unseen() -> None:
    """Both expressions, read as sets of characters."""
    source = (Path(page.__code__.co_filename).parent / "dom.js").read_text(encoding="utf-8")
    match = re.search(r"/\[(.*?)\]\|\[\\ud800-\\udfff\]/gu", source)
    assert match is not None
    theirs = re.sub(r"\\u\{(\w+)\}", lambda escape: f"\\U{int(escape[1], 16):08x}", match[1])
    pattern = re.compile(f"[{theirs}\\ud800-\\udfff]")
    every = map(chr, itertools.chain(range(0x3000), range(0xD7F0, 0x10010), range(0xE0000, 0xE0100)))
    assert [
        character for character in every if (visible(character) != character) != bool(pattern.fullmatch(character))
    ] == []


def test_json_for_a_script_ends_no_element() -> None:
    text = script_json(["</script>", "<!--", "&", "\u2028", 2**70])
    assert not set("<>&") & set(text)
    assert text.isascii()
    assert json.loads(text) == ["</script>", "<!--", "&", "\u2028", 2**70]


def test_a_report_read_again_is_the_same_run(corpus: Corpus) -> None:
    run = large_run(corpus, 200, 50)
    report = json.loads(json_report.text(run, corpus))
    again = run_of_report(json.loads(json_report.text(run, corpus)), Harm.of(corpus))
    assert json_report.document(again) == report
    assert page(again, corpus) == page(run, corpus)


def test_equal_bodies_are_in_a_report_once(corpus: Corpus, rule: str) -> None:
    items = [item(f"a/{name}", "request", "gemini", "gemini", [finding(rule)], bodies=[exchange(1)]) for name in "bc"]
    report = json_report.document(run_of(items, corpus))
    assert len(report["bodies"]) == 2  # the source is the expected body


def test_the_examples_are_the_simplest_in_any_order(rule: str) -> None:
    items = [
        replace(item(f"a/{size}", "request", "gemini", "gemini", [finding(rule)]), size=size) for size in (5, 3, 9, 1)
    ]
    for order in itertools.permutations(items):
        examples, nodeids = Examples(2), set[str]()
        for record in order:
            keeps, dropped = examples.offer(record)
            nodeids |= {record.nodeid} if keeps else set()
            nodeids -= set(dropped)
        assert {nodeid.split("::")[1] for nodeid in nodeids} == {"a/1", "a/3"}


def test_the_command_makes_a_page_of_a_stored_report(
    corpus: Corpus, rule: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stored, page_path = tmp_path / "report.json", tmp_path / "report.html"
    run = run_of([item("shell/seed", "request", "anthropic", "gemini", [finding(rule)])], corpus)
    stored.write_text(json_report.text(run, corpus), encoding="utf-8")
    assert main(["report", str(stored), str(page_path)]) == 0
    assert str(page_path) in capsys.readouterr().out
    assert page_path.read_text(encoding="utf-8") == page(run, corpus)


@pytest.mark.parametrize(
    ("content", "out", "message"),
    [
        (None, "a.html", "cannot be read"),
        ("{", "a.html", "not JSON"),
        ("{}", "a.html", "the footer is missing"),
        ("{}", "a.pdf", "end its name in .html"),
        ("{}", "report.json/a.html", "cannot be made"),
    ],
)
def test_what_the_command_cannot_do_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str | None, out: str, message: str
) -> None:
    stored = tmp_path / "report.json"
    if content is not None:
        stored.write_text(content, encoding="utf-8")
    assert main(["report", str(stored), str(tmp_path / out)]) == 4
    assert message in capsys.readouterr().err
    assert not (tmp_path / "a.html").exists()


def test_a_run_writes_a_page_next_to_other_reports(project: Any) -> None:
    project.run("toolcall::", "--toolcall-report", "report.html", "--toolcall-report", "report.json")
    report = json.loads((project.path / "report.json").read_text(encoding="utf-8"))
    data = page_data((project.path / "report.html").read_text(encoding="utf-8"))
    assert len(data["items"]) == len(report["items"])
    assert data["again"] == report["command"]
