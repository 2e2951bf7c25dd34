"""What a finding wants is true: put at its place and judged again, it is gone and brings no new MUST.

Asked of all verdicts that have findings, a third of them a day. What the repair of one fault uncovers of others is
listed in ``uncovered.json``, each with its reason; forms, words and bytes next to a stream cannot be put.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from doubles import want_trials
from doubles.want_trials import UNCOVERED, try_wants
from every import every
from toolcall_conformance.basics.findings import Words
from toolcall_conformance.library import load_corpus
from toolcall_conformance.library.verdicts import read_verdicts

VERDICTS = [
    entry for entry in read_verdicts(load_corpus().root) if entry["kind"] != "harmless" and "usual" not in entry
]


@every("verdict", VERDICTS, id=lambda verdict: verdict["name"], parts=4)
def test_wants_are_true(verdict: Mapping[str, Any]) -> None:
    lies = try_wants(verdict).lies
    assert not lies, "\n".join(map(str, lies))


def test_most_wants_can_be_put() -> None:
    assert sum(try_wants(verdict).put for verdict in VERDICTS[::25]) > 60


def verdict(name: str) -> Mapping[str, Any]:
    return next(entry for entry in VERDICTS if entry["name"] == name)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("finish/failure-and-its-words-dropped/openai_chat", "error"),
        ("calls/calls-as-text/openai_chat", {"functionCall": {"name": "write_file", "args": {}}}),
    ],
)
def test_a_false_want_is_named(name: str, value: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A word that the format does not have, and an element of the source's format."""
    monkeypatch.setattr(want_trials, "values_of", lambda finding: (value,) if finding.is_must else ())
    assert try_wants(verdict(name)).lies


def test_what_is_uncovered_is_of_rules_that_are_there() -> None:
    rules = load_corpus().rules.keys()
    assert UNCOVERED.keys() <= rules
    assert {rule for uncovered in UNCOVERED.values() for rule in uncovered} <= rules


def test_words_are_no_value() -> None:
    assert Words("an error event") == "an error event"
    assert not isinstance("an error event", Words)
