"""The HTML report in a browser: it opens soon and without an error, has no barriers, and runs nothing foreign.

Needs Chromium, Node.js and the modules of ``browser/package.json``: ``npm ci`` in a copy of that folder, whose path is
then in ``TOOLCALL_BROWSER``.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from reports.runs import exchange, finding, item, large_run, run_of
from toolcall_conformance.library import Corpus, load_corpus
from toolcall_conformance.reports.html import page
from toolcall_conformance.reports.vocabulary import FIELDS

HERE = Path(__file__).parent / "browser"
EVIL = "</script><script>document.title = 'ran'</script><img src=x onerror=\"document.title = 'ran'\">\u202egnp.exe"
SECONDS = 120


def _browser_requirements() -> tuple[str, str, str]:
    """The folder with the modules, Node.js and Chromium; skips without them."""
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    node, modules = shutil.which("node"), os.environ.get("TOOLCALL_BROWSER", "")
    if chromium is None or node is None:
        pytest.skip("there is no Chromium or no Node.js here")
    if not (Path(modules) / "node_modules" / "axe-core").is_dir():
        pytest.skip("TOOLCALL_BROWSER names no folder in which `npm ci` has run")
    return modules, node, chromium


def _page(corpus: Corpus) -> str:
    """A page with a lost id, an exchanged one, a stream, and foreign words in every place."""
    rules = [name for name, rule in corpus.rules.items() if any("url" in source for source in rule.evidence)]
    body = exchange(1)
    body["marks"]["produced"] = {
        "/messages/0/content/0/id": "B",
        "/messages/1/content/0/id": "A",
        "/messages/2/content/0/id": "?",
    }
    body["parts"]["source"]["note"] = EVIL
    lost = finding(rules[0], pointer="/messages/2/content/0/id", message=EVIL, subject=EVIL, near=EVIL)
    events = [{"event": "delta", "data": {"type": "delta", "id": "call_1", "text": EVIL}}, {"data": "[DONE]"}]
    stream = {
        "name": "01-response.sse",
        "parts": {"sent": {"events": events}, "received": {"events": events[:1], "rest": EVIL}, "golden": {"a": 2**70}},
        "ids": {"sent": {"call_1": "A"}, "received": {"call_1": "A"}},
    }
    torn = finding(rules[1], "SHOULD", body="01-response.sse", pointer="/events/0/data/text")
    return page(
        run_of(
            [
                item("shell/seed", "request", "anthropic", "gemini", [lost], reason=EVIL, bodies=[body]),
                item("shell/seed", "stream", "anthropic", "gemini", [torn], bodies=[stream]),
                item(
                    "shell/seed",
                    "response",
                    "gemini",
                    "gemini",
                    [],
                    losses=[{"element": "system", "kind": "may", "count": 1}],
                ),
            ],
            corpus,
        ),
        corpus,
    )


@pytest.fixture(scope="module")
def browser_view(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the browser shows of a small page and of a large one."""
    modules, node, chromium = _browser_requirements()
    folder, corpus = tmp_path_factory.mktemp("browser"), load_corpus()
    files = {"page.html": _page(corpus), "large.html": page(large_run(corpus, 20_000, 5_000), corpus)}
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    words = [node, str(HERE / "look.mjs"), modules, chromium, *(str(folder / name) for name in files), str(folder)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert done.returncode == 0, done.stderr
    observations: dict[str, Any] = json.loads(done.stdout)
    return observations


def test_it_opens_without_an_error_and_asks_nobody(browser_view: dict[str, Any]) -> None:
    assert browser_view["problems"] == []
    assert browser_view["requests"] == []


def test_it_has_no_barriers_in_any_part_size_and_theme(browser_view: dict[str, Any]) -> None:
    assert browser_view["violations"] == []
    assert browser_view["wide"] == []


def test_ids_are_whole_and_a_narrow_page_has_a_card_for_each_route(browser_view: dict[str, Any]) -> None:
    assert browser_view["torn"] == []
    names = [content for content, _ in browser_view["labels"]]
    assert names == ['"request" / ""', '"response" / ""', '"stream" / ""'][: len(names)]
    assert browser_view["labels"]
    assert all(below for _, below in browser_view["labels"])


def test_foreign_words_are_seen_and_not_run(browser_view: dict[str, Any]) -> None:
    assert browser_view["title"] == "mine: tool call conformance"
    assert browser_view["scripts"] == 0
    assert "<script>document.title" in browser_view["item"]
    assert "⟨U+202E⟩gnp.exe" in browser_view["item"]
    assert "\u202e" not in browser_view["item"]


def test_lost_and_exchanged_ids_are_seen(browser_view: dict[str, Any]) -> None:
    source, produced, golden = browser_view["chips"]
    assert source == golden == "ABCDEFGHI"
    assert produced == "BA?"


def test_an_item_has_the_names_of_the_other_reports(browser_view: dict[str, Any]) -> None:
    names = {*browser_view["names"]}
    assert {FIELDS[key] for key in ("subject", "pointer", "want", "got", "near", "why", "fix")} <= names
    assert names <= {*FIELDS.values()}


def test_a_card_opens_in_place_and_shows_its_body(browser_view: dict[str, Any]) -> None:
    assert browser_view["open"] == 0
    assert browser_view["excerpt"] >= 1


def test_keys_search_and_the_matrix_lead_to_items(browser_view: dict[str, Any]) -> None:
    assert browser_view["focus"] == "text"
    assert browser_view["status"].startswith("0 of ")
    assert browser_view["next"] == "SUMMARY"
    assert browser_view["cell"] == "1 of 3 items"


def test_without_scripts_the_causes_are_there(browser_view: dict[str, Any]) -> None:
    for name in ("why", "item", "want", "got", "run", "fix"):
        assert f"\n{name}\n" in browser_view["bare"]
    assert "toolcall::shell/seed::request::anthropic-to-gemini" in browser_view["bare"]


def test_twenty_thousand_items_open_in_two_seconds(browser_view: dict[str, Any]) -> None:
    assert browser_view["milliseconds"] < 2_000
    assert browser_view["itemsMilliseconds"] < 2_000
