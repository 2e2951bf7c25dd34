"""Redaction filters: the suite's own, and those of the user."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cassettes.loopback_provider import PlannedReply, Provider, Record, replies
from toolcall_conformance.library import Corpus
from toolcall_conformance.recording.cassettes.redaction.filters import FilterError, Filters
from toolcall_conformance.recording.cassettes.redaction.redact import Redactor


def test_numbers_of_a_secret_name_stay_numbers() -> None:
    output = Redactor(Filters.default()).text('{"user_id": 918273, "l": [{"account_id":918274}, {"user_id": 918273}]}')
    assert output == '{"user_id": 1, "l": [{"account_id":1}, {"user_id": 1}]}'


CONFIGURATION = """
keys = ["customer"]
patterns = ["TICKET-[0-9]+", { name = "host", regex = "([a-z]+)[.]corp[.]example", replace = "host" }]
environment = ["MY_GATEWAY_TOKEN"]
headers = ["X-Request-Id"]
off = ["email", "user_id", "retry-after"]
"""


@pytest.mark.parametrize("kind", ["toml", "json"])
def test_filters_of_the_user(
    kind: str, corpus: Corpus, record: Record, upstream: Provider, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import tomllib

    file = tmp_path / "filters"
    file.write_text(CONFIGURATION if kind == "toml" else json.dumps(tomllib.loads(CONFIGURATION)))
    monkeypatch.setenv("MY_GATEWAY_TOKEN", "token-of-the-gateway")
    (first, last) = replies(corpus.cases["shell/realistic"], "anthropic", streamed=False)
    assert isinstance(last, PlannedReply)
    reply_text = "TICKET-4711 at db.corp.example for me@mail.org with token-of-the-gateway"
    text = (
        last.body.decode()
        .replace("Yes.", reply_text)
        .replace('"usage"', '"customer": "ACME", "user_id": "u1", "usage"')
    )
    upstream.answers = [
        first,
        PlannedReply(text.encode(), headers={**last.headers, "x-request-id": "r1", "retry-after": "3"}),
    ]
    ran = record("anthropic", "--case", "shell/realistic", "--unary", "--filters", str(file))
    assert ran.code == 0
    cassette = json.loads((tmp_path / "kept" / "anthropic" / "shell" / "realistic.json").read_text())
    answered = cassette["interactions"][1]["response"]
    reply = json.loads(answered["body"]["string"])
    assert (
        "REDACTED-pattern-1-1 at host.corp.example for me@mail.org with REDACTED-key-1" in reply["content"][0]["text"]
    )
    assert (reply["customer"], reply["user_id"]) == ("REDACTED-customer-1", "u1")
    assert answered["headers"] == {"content-type": ["application/json"], "x-request-id": ["r1"]}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("keys = [", "neither TOML nor JSON"),
        ("{", "neither TOML nor JSON"),
        ("key = []", "there is no setting 'key'; did you mean 'keys'?"),
        ('keys = "a"', "`keys` must be a list of names"),
        ("patterns = 1", "`patterns` must be a list of regular expressions"),
        ('patterns = ["("]', "pattern 1: '(' is not a regular expression"),
        ('patterns = ["x{4294967296}"]', "is not a regular expression (the repetition number is too large)"),
        (f'patterns = ["{"(" * 5_000}{")" * 5_000}"]', "is not a regular expression (maximum recursion depth"),
        ('patterns = ["a*"]', "pattern 1: 'a*' matches the empty text"),
        ("patterns = [1]", "pattern 1: is neither a text nor"),
        ('patterns = [{ regex = "a", name = "a b" }]', "`name` may hold letters, digits and hyphens"),
        ('patterns = [{ regex = "a", replace = "\\"" }]', "`replace` may hold only letters, digits and ._-"),
        ('off = ["e-mail"]', "`off` has 'e-mail', which is not a built-in filter; did you mean 'email'?"),
    ],
)
def test_filters_that_cannot_be_used(text: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "filters.toml"
    file.write_text(text)
    with pytest.raises(FilterError) as raised:
        Filters.load(file)
    assert str(raised.value).startswith(f"{file}: ")
    assert message in str(raised.value)


def test_the_filters_in_the_docs_are_filters(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "recording.md").read_text(encoding="utf-8")
    _, _, after = page.partition("<!-- filters -->\n```toml\n")
    file = tmp_path / "filters.toml"
    file.write_text(after.partition("```")[0], encoding="utf-8")
    filters = Filters.load(file)
    redactor = Redactor(filters)
    assert (
        redactor.text("TICKET-7 at db.corp.example, me@mail.org")
        == "REDACTED-pattern-1-1 at host.corp.example, me@mail.org"
    )
    assert ("customerid" in filters.keys, "x-request-id" in filters.headers) == (True, True)
    assert filters.environment == ("MY_GATEWAY_TOKEN",)


def test_filters_that_are_no_text(tmp_path: Path) -> None:
    file = tmp_path / "filters.toml"
    file.write_bytes(b"\xff")
    with pytest.raises(FilterError, match="is not UTF-8 text"):
        Filters.load(file)
