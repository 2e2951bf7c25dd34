"""The HTML report says what the terminal and Markdown say: the same causes, in the same order and words, each once."""

from __future__ import annotations

import html
import itertools
import re
from html.parser import HTMLParser
from importlib.resources import files
from typing import Any

from reports.runs import finding, item, run_of
from toolcall_conformance.library import Corpus
from toolcall_conformance.reports.html import page
from toolcall_conformance.reports.run_record import RunRecord
from toolcall_conformance.reports.text.blocks import breach_text, cause_blocks, first_sentence, new_roots
from toolcall_conformance.reports.timing import duration_in_words, finish, start
from toolcall_conformance.reports.vocabulary import FIELDS
from toolcall_conformance.reports.writers import markdown_report

_SPELLED = "`stream_options.include_usage`"


def mixed_run(corpus: Corpus, **header: Any) -> RunRecord:
    """New causes of both levels, two with the same items, a note and a known one."""
    lost = [
        finding("translation/text-lost"),
        finding(
            "translation/usage-lost",
            element="usage",
            message=f"ask for it by {_SPELLED}",
            pointer="/usage",
            signature="translation/usage-lost usage gemini /usage lost",
        ),
    ]
    id_finding = finding("translation/ids-kept", "SHOULD", element="id", want="call_1", got="call_2")
    expected_failure = {**finding("translation/call-lost", element="call"), "known": "a ticket"}
    note = finding("translation/ids-kept", "NOTE", element="id", signature="a note")
    return run_of(
        [
            item("shell/seed", "request", "anthropic", "gemini", lost),
            item("shell/quoting", "request", "anthropic", "gemini", lost),
            item("shell/seed", "response", "gemini", "anthropic", [id_finding]),
            item("shell/seed", "stream", "gemini", "anthropic", [expected_failure], reason=""),
            item("shell/quoting", "stream", "gemini", "anthropic", [note]),
        ],
        corpus,
        **header,
    )


class _Cards(HTMLParser):
    """The headings of a page, and the heading and fields of each cause."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.levels: list[int] = []
        self.counted: list[dict[str, str]] = []
        self.others: list[dict[str, str]] = []
        self._card: dict[str, str] = {}
        self._name = self._text = ""
        self.feed(re.sub(r"(?s)<(style|script)\b.*?</\1>", "", text))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        if re.fullmatch("h[1-6]", tag):
            self.levels.append(int(tag[1]))
        if tag == "section":
            self._card = {}  # what follows is of no cause
        if "data-cause" in attributes:
            self._card = {}
            (self.counted if "data-new" in attributes else self.others).append(self._card)
        if tag in ("h3", "dt", "dd"):
            self._text = ""

    def handle_data(self, data: str) -> None:
        self._text += data

    def handle_endtag(self, tag: str) -> None:
        if tag == "dt":
            self._name = self._text
        elif tag == "dd":
            self._card[self._name] = self._text.strip()
        elif tag == "h3":
            self._card.setdefault("heading", self._text)


def test_all_reports_have_the_same_causes_in_the_same_words(corpus: Corpus) -> None:
    run = mixed_run(corpus)
    new = new_roots(run.roots)
    cards = _Cards(page(run, corpus))
    assert len(new) == 3
    assert len(cards.counted) == len(new)
    assert len(cards.others) == len(run.roots) - len(new) == 2
    told_blocks = cause_blocks(new, corpus.rules, run.rerun_command, run.items, width=10_000)
    markdown = markdown_report.text(run, corpus)
    wrong = []
    for root, card, lines in zip(new, cards.counted, told_blocks, strict=True):
        breach = breach_text(root, corpus.rules)
        if card["heading"] != f"{breach[:1].upper()}{breach[1:]}" or card["heading"].replace("`", "") not in markdown:
            wrong.append(card["heading"])
        for line in lines[2:]:
            name, _, text = "".join(piece.text for piece in line).strip().partition(" ")
            # What the example says beside its breach stands in the card's head.
            if name != FIELDS["message"] and card.get(name) != text.strip():
                wrong.append(f"{root.rule}: {name} {text.strip()!r}, not {card.get(name)!r}")
    assert wrong == []


def test_a_known_must_comes_before_a_new_should(corpus: Corpus) -> None:
    heads = re.findall(
        r'(?s)data-cause="(\d+)"( data-new)?>.*?</span>\s*([A-Z]+)(, known)?</span>', page(mixed_run(corpus), corpus)
    )
    new, known = " data-new", ", known"
    levels = [("MUST", new, ""), ("MUST", new, ""), ("MUST", "", known), ("SHOULD", new, ""), ("NOTE", "", "")]
    assert heads == [(f"{number}", mark, level, word) for number, (level, mark, word) in enumerate(levels, 1)]


def test_a_field_has_one_name_in_all_reports(corpus: Corpus) -> None:
    run = mixed_run(corpus)
    cards = _Cards(page(run, corpus))
    names = {name for card in (*cards.counted, *cards.others) for name in card} - {"heading"}
    details = re.findall(r"(?m)^ +- (\S+)", markdown_report.text(run, corpus))
    assert {FIELDS[key] for key in ("item", "pointer", "want", "got", "command", "fix", "why")} <= names
    assert {FIELDS[key] for key in ("item", "message", "want", "command", "fix")} <= {*details}
    assert (names | {*details}) - {*FIELDS.values()} == set()


def test_values_occur_in_a_card_once(corpus: Corpus) -> None:
    text = page(mixed_run(corpus), corpus)
    body = re.sub(r"(?s)<(style|script)\b.*?</\1>", "", text)
    (card,) = (entry for entry in re.split("<li value", body) if re.search("SHOULD\\s*</span>", entry))
    assert html.unescape(card).count('"call_1"') == html.unescape(card).count('"call_2"') == 1


def test_code_between_backticks_is_code(corpus: Corpus) -> None:
    text = page(mixed_run(corpus), corpus)
    body = re.sub(r"(?s)<(style|script)\b.*?</\1>", "", text)
    assert f"<code>{_SPELLED.strip('`')}</code>" in body
    assert "`" not in body


def test_the_first_page_says_when_how_long_and_by_which_command(corpus: Corpus) -> None:
    when = {"started": "2026-11-28T20:13:05.120Z", "seconds": 125.4, "command": "pytest -q 'toolcall::@quick'"}
    top = page(mixed_run(corpus, run=when), corpus).partition("<nav")[0]
    text = html.unescape(re.sub("<[^>]+>", "", top))
    assert "2026-11-28 20:13 UTC, 2 min 5 s: pytest -q 'toolcall::@quick'" in text
    without = html.unescape(re.sub("<[^>]+>", "", page(mixed_run(corpus), corpus).partition("<nav")[0]))
    assert "UTC" not in without
    assert "pytest --toolcall-translator mine:T" in without


def test_first_sentences_end_with_one_full_stop(corpus: Corpus) -> None:
    assert first_sentence("It answers: Unknown ... field. More.") == "It answers: Unknown ... field."
    assert first_sentence("gpt-4.1 does") == "gpt-4.1 does."
    wrong = re.compile(r"(?<!\.)\.\.(?!\.)|(?<!\.)\.(?= [A-Z])|[^.]$")
    sentences = {name: first_sentence(rule.why) for name, rule in corpus.rules.items()}
    assert {name: sentence for name, sentence in sentences.items() if wrong.search(sentence)} == {}


def test_durations_in_words() -> None:
    texts = [duration_in_words(seconds) for seconds in (0.0, 9.1, 59.96, 60, 125.4, 3599.9, 3720)]
    assert texts == ["0 s", "9.1 s", "60 s", "1 min 0 s", "2 min 5 s", "1 h 0 min", "1 h 2 min"]


def test_a_clock_that_was_set_back_gives_no_negative_duration() -> None:
    assert finish({"a": 1}) == {"a": 1}
    late = {"run": {**start("pytest"), "started": "2999-01-01T00:00:00.000Z"}}
    assert finish(late)["run"]["seconds"] == 0


def test_routes_and_checks_that_did_not_run_are_left_out(corpus: Corpus) -> None:
    text = page(mixed_run(corpus), corpus)
    (table,) = re.findall("(?s)<table.*?</table>", text)
    assert re.findall(r'scope="(?:row|col)">([^<]+)<', table) == [
        "passed, of all", "request", "response", "stream", "anthropic → gemini", "gemini → anthropic",
    ]  # fmt: skip
    assert "1 route did not run." in text  # gemini to gemini, which the translator does not do
    # A narrow page shows rows as cards: what display takes from a table, its roles give back.
    assert {"table", "rowgroup", "row", "columnheader", "rowheader", "cell"} <= set(re.findall(r'role="(\w+)"', table))


def test_headings_leave_no_level_out(corpus: Corpus) -> None:
    levels = _Cards(page(mixed_run(corpus), corpus)).levels
    assert levels[0] == 1
    assert [pair for pair in itertools.pairwise(levels) if pair[1] > pair[0] + 1] == []


def _luminance(colour: str) -> float:
    """Relative luminance: https://www.w3.org/TR/WCAG22/#dfn-relative-luminance"""
    digits = colour[1:] if len(colour) == 7 else "".join(digit * 2 for digit in colour[1:])
    parts = [int(digits[place : place + 2], 16) / 255 for place in (0, 2, 4)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(share * part for share, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def test_every_colour_of_text_is_read_on_every_ground() -> None:
    style = (files("toolcall_conformance.reports.html") / "page.css").read_text(encoding="utf-8")
    colours = {name: pair for name, *pair in re.findall(r"--([\w-]+): light-dark\((#\w+), (#\w+)\)", style)}
    grounds = [name for name in colours if name in ("ground", "raised") or name.endswith("-ground")]
    texts = [name for name in colours if name not in (*grounds, "line", "focus")]
    assert len(grounds) == 5
    assert len(texts) >= 16
    weak = []
    for text, ground, theme in itertools.product(texts, grounds, (0, 1)):
        light, dark = sorted((_luminance(colours[name][theme]) for name in (text, ground)), reverse=True)
        if (light + 0.05) / (dark + 0.05) < 4.5:
            weak.append((text, ground, ("light", "dark")[theme]))
    assert weak == []
