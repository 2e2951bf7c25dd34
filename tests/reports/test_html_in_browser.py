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

from reports.runs import exchange, finding, item, large, run_of
from toolcall_conformance.library import Corpus, load_corpus
from toolcall_conformance.reports.html import page
from toolcall_conformance.reports.vocabulary import FIELDS

HERE = Path(__file__).parent / "browser"
EVIL = "</script><script>document.title = 'ran'</script><img src=x onerror=\"document.title = 'ran'\">\u202egnp.exe"
SECONDS = 120


def _needed() -> tuple[str, str, str]:
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
def seen(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the browser shows of a small page and of a large one."""
    modules, node, chromium = _needed()
    folder, corpus = tmp_path_factory.mktemp("browser"), load_corpus()
    files = {"page.html": _page(corpus), "large.html": page(large(corpus, 20_000, 5_000), corpus)}
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    words = [node, str(HERE / "look.mjs"), modules, chromium, *(str(folder / name) for name in files), str(folder)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert done.returncode == 0, done.stderr
    observations: dict[str, Any] = json.loads(done.stdout)
    return observations


def test_it_opens_without_an_error_and_asks_nobody(seen: dict[str, Any]) -> None:
    assert seen["problems"] == []
    assert seen["requests"] == []


def test_it_has_no_barriers_in_any_part_size_and_theme(seen: dict[str, Any]) -> None:
    assert seen["violations"] == []
    assert seen["wide"] == []


def test_ids_are_whole_and_a_narrow_page_has_a_card_for_each_route(seen: dict[str, Any]) -> None:
    assert seen["torn"] == []
    names = [content for content, _ in seen["labels"]]
    assert names == ['"request" / ""', '"response" / ""', '"stream" / ""'][: len(names)]
    assert seen["labels"]
    assert all(below for _, below in seen["labels"])


def test_foreign_words_are_seen_and_not_run(seen: dict[str, Any]) -> None:
    assert seen["title"] == "mine: tool call conformance"
    assert seen["scripts"] == 0
    assert "<script>document.title" in seen["item"]
    assert "⟨U+202E⟩gnp.exe" in seen["item"]
    assert "\u202e" not in seen["item"]


def test_lost_and_exchanged_ids_are_seen(seen: dict[str, Any]) -> None:
    source, produced, golden = seen["chips"]
    assert source == golden == "ABCDEFGHI"
    assert produced == "BA?"


def test_an_item_has_the_names_of_the_other_reports(seen: dict[str, Any]) -> None:
    names = {*seen["names"]}
    assert {FIELDS[key] for key in ("subject", "pointer", "want", "got", "near", "why", "fix")} <= names
    assert names <= {*FIELDS.values()}


def test_a_card_opens_in_place_and_shows_its_body(seen: dict[str, Any]) -> None:
    assert seen["open"] == 0
    assert seen["excerpt"] >= 1


def test_keys_search_and_the_matrix_lead_to_items(seen: dict[str, Any]) -> None:
    assert seen["focus"] == "text"
    assert seen["status"].startswith("0 of ")
    assert seen["next"] == "SUMMARY"
    assert seen["cell"] == "1 of 3 items"


def test_without_scripts_the_causes_are_there(seen: dict[str, Any]) -> None:
    for name in ("why", "item", "want", "got", "run", "fix"):
        assert f"\n{name}\n" in seen["bare"]
    assert "toolcall::shell/seed::request::anthropic-to-gemini" in seen["bare"]


def test_twenty_thousand_items_open_in_two_seconds(seen: dict[str, Any]) -> None:
    assert seen["milliseconds"] < 2_000
    assert seen["itemsMilliseconds"] < 2_000
