"""Redaction takes time that grows with the text, whatever is in it."""

from __future__ import annotations

import time

import pytest

from toolcall_conformance.recording.cassettes.redaction.filters import Filters
from toolcall_conformance.recording.cassettes.redaction.redact import Redactor

HOSTILE = (
    "http://",
    "http://?",
    "https://a?a=b&",
    "a@a.",
    "://a:",
    "bearer ",
    "-----BEGIN A ",
    "sk-",
    "\\",
    "abc: ",
    " ",
)


@pytest.mark.timing
@pytest.mark.parametrize("unit", HOSTILE)
def test_redacting_a_long_text_takes_a_moment(unit: str) -> None:
    text = (unit * 200_000)[:200_000]
    start = time.process_time()
    Redactor(Filters.default(), ["a secret value"]).text(text)
    assert time.process_time() - start < 3  # linear: 0.1 s; `http://` took 15 s


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("see http://a.test/b?key=s3cret now", "see http://a.test/b?key=REDACTED-key-1 now"),
        ("see http://http://a.test/b?key=s3cret", "see http://http://a.test/b?key=REDACTED-key-1"),
        ("http://a.test/b?c=d?key=s3cret", "http://a.test/b?c=d?key=REDACTED-key-1"),
        ("http://?key=s3cret", "http://?key=s3cret"),
        ("http://a.test/b?", "http://a.test/b?"),
    ],
)
def test_the_query_of_a_url_is_redacted(text: str, expected: str) -> None:
    assert Redactor(Filters.default()).text(text) == expected
