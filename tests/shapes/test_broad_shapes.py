"""The shapes of real exchanges that no case had once: how many some case has now."""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path

import pytest

import forked_runs
from formats.test_traffic import TRAFFIC, records
from shapes import broad
from toolcall_conformance import Judge, formats
from toolcall_conformance.library import Case, Corpus

#: At how many of them a translator that does not know the shape fails in some case. It only rises.
MET = 85

#: How many of them recorded exchanges show.
RECORDED = 69

ERRORS = ("object", "reply-blocked", "reply-fails", "seed", "turn-paused", "upstream-rate-limit")
SAMPLE = (
    *(f"toolcall::errors/{case}" for case in ERRORS),
    *("toolcall::mcp/two-servers", "toolcall::grep/keyword-properties"),
)
"""Cases that the raising translator is played in: some have a shape, some have none; of some the reply may be one."""


def test_as_many_shapes_occur_as_before(corpus: Corpus) -> None:
    cases_by_shape = broad.cases_by_shape(corpus)
    print(broad.table(cases_by_shape))
    met = sum(any(cases.values()) for cases in cases_by_shape.values())
    assert met >= MET, "a case lost its shape; where more are met, raise MET"


@pytest.mark.skipif(not TRAFFIC.is_dir(), reason="the recorded traffic is not beside this checkout")
def test_they_are_known_in_recorded_exchanges() -> None:
    """Each pattern that real bodies can show finds some; a pattern that finds none would count nothing."""
    counts: Counter[str] = Counter()
    for name in formats.names():
        for record in records(name):
            if (record.content["status"] or 200) < 400:
                counts.update(frozenset().union(*(broad.of_body(name, kind, body) for kind, body in record.bodies)))
    print("\n".join(f"{counts[each]:5} {each}" for each in broad.PATTERNS))
    assert sum(each in counts for each in broad.PATTERNS) == RECORDED


def test_a_translator_that_raises_fails_where_a_shape_is_seen(corpus: Corpus, tmp_path: Path) -> None:
    """In every item of some cases, and in no other."""
    report = tmp_path / "report.json"
    quiet = ["-q", "-p", "no:cacheprovider", "-p", "no:hypothesispytest", "-p", "no:anyio"]
    options = [*quiet, "-k", "request or response", "--toolcall-report", str(report)]
    translator = ["--toolcall-translator", "shapes.refusing_reference:Raising"]
    done = forked_runs.run([*options, *translator, *SAMPLE], tmp_path, _environment())
    assert report.exists(), done.stdout + done.stderr
    items = json.loads(report.read_text(encoding="utf-8"))["items"]
    items = [item for item in items if item["check"] in ("request", "response")]
    failed = {item["nodeid"] for item in items if item["verdict"] not in ("pass", "warn")}
    judge = Judge(corpus)
    nodeids = {
        item["nodeid"]
        for item in items
        if _is_played(judge, corpus.cases[item["case"]], item["client"], item["upstream"], item["check"])
    }
    assert failed == nodeids
    assert nodeids
    assert len(nodeids) < len(items)


def _environment() -> dict[str, str]:
    """This process's, without what other tests set, and with these tests to import."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("PYTEST_", "TOOLCALL_"))}
    paths = [str(Path(__file__).parents[1]), *filter(None, [environment.get("PYTHONPATH")])]
    return environment | {"PYTHONPATH": os.pathsep.join(paths)}


def _is_played(judge: Judge, case: Case, client: str, upstream: str, check: str) -> bool:
    """Whether a body that the item gives to a translator has a shape, and no error may come in its place."""
    if any(broad.of_body(client, "request", exchange.request) for exchange in case.exchanges(client)):
        return True
    return check == "response" and any(
        broad.of_body(upstream, "response", exchange.response) and not judge.may_fail(upstream, exchange.response)
        for exchange in case.exchanges(upstream)
        if exchange.response is not None
    )
