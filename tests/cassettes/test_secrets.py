"""Secrets, planted wherever a recording has room for one: none is in a cassette, and what is left is whole."""

from __future__ import annotations

import base64
import json
import random
import string
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote, urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cassettes.carriers import NAMED_PLACES, PLACES, encode_base64, escape
from cassettes.loopback_provider import KEY, PlannedReply, Provider, Record, replies
from toolcall_conformance import formats
from toolcall_conformance.basics import jsonvalue
from toolcall_conformance.basics.streaming import parse
from toolcall_conformance.library import Corpus
from toolcall_conformance.recording.cassettes.recorder import recorder
from toolcall_conformance.recording.cassettes.redaction.filters import Filters
from toolcall_conformance.recording.cassettes.redaction.interactions import body, scrub
from toolcall_conformance.recording.cassettes.redaction.leaks import has_leak
from toolcall_conformance.recording.cassettes.redaction.redact import Redactor
from toolcall_conformance.recording.cassettes.redaction.split_secrets import _spread
from turns import share

WORD = string.ascii_letters + string.digits
FORMATS = ("anthropic", "openai_chat", "openai_responses", "gemini")


def draw_text(draw: random.Random, count: int, alphabet: str = WORD) -> str:
    # A digit in the middle, as every secret of this length has one.
    return (
        "".join(draw.choice(alphabet) for _ in range(count // 2))
        + "7"
        + "".join(draw.choice(alphabet) for _ in range(count - count // 2 - 1))
    )


def encode_json(value: Any) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


#: Secrets that are known by their looks.
SHAPES: dict[str, Callable[[random.Random], str]] = {
    "anthropic": lambda draw: f"sk-ant-api03-{draw_text(draw, 40)}-{draw_text(draw, 8)}AA",
    "openai": lambda draw: f"sk-{draw_text(draw, 48)}",
    "openai project": lambda draw: f"sk-proj-{draw_text(draw, 30)}_{draw_text(draw, 30)}",
    "openrouter": lambda draw: f"sk-or-v1-{draw_text(draw, 64, '0123456789abcdef')}",
    "google": lambda draw: f"AIza{draw_text(draw, 35)}",
    "google oauth": lambda draw: f"ya29.{draw_text(draw, 60)}",
    "github": lambda draw: f"ghp_{draw_text(draw, 36)}",
    "github fine": lambda draw: f"github_pat_{draw_text(draw, 22)}_{draw_text(draw, 59)}",
    "gitlab": lambda draw: f"glpat-{draw_text(draw, 20)}",
    "slack": lambda draw: f"xoxb-{draw_text(draw, 12, string.digits)}-{draw_text(draw, 24)}",
    "aws": lambda draw: f"AKIA{draw_text(draw, 16, string.ascii_uppercase + string.digits)}",
    "stripe": lambda draw: f"sk_live_{draw_text(draw, 24)}",
    "hugging face": lambda draw: f"hf_{draw_text(draw, 34)}",
    "groq": lambda draw: f"gsk_{draw_text(draw, 52)}",
    "jwt": lambda draw: (
        f"{encode_json({'alg': 'HS256'})}.{encode_json({'sub': draw_text(draw, 9)})}.{draw_text(draw, 43)}"
    ),
    "pem": lambda draw: f"-----BEGIN PRIVATE KEY-----\nMII{draw_text(draw, 50)}\n-----END PRIVATE KEY-----",
    "organisation": lambda draw: f"org-{draw_text(draw, 24)}",
    "project": lambda draw: f"proj_{draw_text(draw, 24)}",
    "e-mail": lambda draw: f"{draw_text(draw, 9)}@{draw_text(draw, 6)}.org",
}
#: Names of what has no looks of its own.
NAMES = (
    *("api_key", "apiKey", "X-API-Key", "authorization", "access_token", "refresh_token", "client_secret"),
    *("password", "aws_secret_access_key", "privateKey", "set-cookie", "user_id", "organization_id", "account_id"),
)


def planted_secrets() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Where, the secret, and the interaction; each secret is another one."""
    draw = random.Random(20260601)
    for place, plant in PLACES.items():
        for shape, make in SHAPES.items():
            secret = make(draw)
            yield f"{shape} in {place}", secret, plant(secret)
    for place, named in NAMED_PLACES.items():
        for name in NAMES:
            secret = draw_text(draw, 14)
            yield f"{name} in {place}", secret, named(name, secret)


@pytest.fixture(scope="module")
def scrubbed_secrets() -> list[tuple[str, str, dict[str, Any], dict[str, Any]]]:
    """Each planted secret with its interaction, and what a cassette has of it."""
    filters = Filters.default()
    return [(where, secret, raw, scrub(raw, Redactor(filters))) for where, secret, raw in planted_secrets()]


def test_no_planted_secret_is_left(scrubbed_secrets: Any) -> None:
    count = 0
    for where, secret, raw, interaction in scrubbed_secrets:
        assert has_leak(raw, [secret]), f"{where}: not planted"
        text = json.dumps(interaction)
        assert secret not in text, where
        assert json.dumps(secret)[1:-1] not in text, where
        assert not has_leak(interaction, [secret]), where
        count += 1
    print(f"\n{count} secrets planted, none left")
    assert count >= 400


def test_what_is_left_is_whole(scrubbed_secrets: Any) -> None:
    """JSON stays JSON, forms stay forms, streams have as many events, and a secret of a name is not its name."""
    for where, _, raw, interaction in scrubbed_secrets:
        for side, part in (("request", "body"), ("response", "body")):
            before, after = raw[side][part], interaction[side][part]
            before, after = (before["string"], after["string"]) if side == "response" else (before, after)
            if before.startswith("{"):
                assert shape(json.loads(after)) == shape(json.loads(before)), where
            assert len(parse(after.encode())["events"]) == len(parse(before.encode())["events"]), where
        urls = [urlsplit(entry["request"]["uri"]) for entry in (raw, interaction)]
        assert [name for name, _ in parse_qsl(urls[0].query)] == [name for name, _ in parse_qsl(urls[1].query)], where


def shape(value: Any) -> Any:
    """The types of a JSON value; names count only by their number, for one may be a secret."""
    if isinstance(value, dict):
        return [shape(entry) for entry in value.values()]
    return [shape(entry) for entry in value] if isinstance(value, list) else type(value)


SPELLINGS: dict[str, Callable[[str], str]] = {
    "plain": lambda key: key,
    "bearer": lambda key: f"Authorization: Bearer {key}",
    "percent": lambda key: "".join(f"%{ord(letter):02X}" for letter in key),
    "base64": lambda key: encode_base64(key, "Basic: x:"),
    "url-safe base64": lambda key: base64.urlsafe_b64encode(f"??>{key}".encode()).decode().rstrip("="),
    "base64 of JSON": lambda key: encode_base64(json.dumps({"a": key})),
    "base64 in lines": lambda key: base64.encodebytes(f"{'-' * 50}{key}{'-' * 50}".encode()).decode(),
    "twice base64": lambda key: encode_base64(encode_base64(key)),
    "JSON in JSON": lambda key: json.dumps({"a": json.dumps({"b": key})}),
    "escapes": escape,
    "hex": lambda key: key.encode().hex(),
    "lower case": str.lower,
    "in a word": lambda key: f"x{key}x",
}


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize(
    ("streamed", "key"), [(False, KEY), (True, "opaque/key+with=odd~letters&more")], ids=["unary", "stream and odd"]
)
def test_the_key_itself_survives_in_no_spelling(
    spelling: str, streamed: bool, key: str, corpus: Corpus, record: Record, upstream: Provider, tmp_path: Path
) -> None:
    """The provider gives the key to the model, which repeats it."""
    case = corpus.cases["shell/realistic"]
    upstream.answers = []
    for laid in replies(case, "openai_chat", streamed=streamed):
        assert isinstance(laid, PlannedReply)
        escaped_key = json.dumps(SPELLINGS[spelling](key))[1:-1]
        text = laid.body.decode().replace("I'll", f"{escaped_key} I'll").replace("Yes.", f"Yes, {escaped_key}.")
        assert escaped_key in text
        upstream.answers.append(
            PlannedReply(text.encode(), headers={**laid.headers, "openai-version": key, "x-key": key})
        )
    ran = record("openai_chat", "--case", "shell/realistic", "--stream" if streamed else "--unary", key=key)
    assert ran.code == 0, ran.out
    (file,) = (path for path in (tmp_path / "kept").rglob("*.json"))
    text = file.read_text()
    for form in (
        key,
        quote(key, safe=""),
        json.dumps(key)[1:-1],
        key.encode().hex(),
        encode_base64(key)[:20],
        key.lower(),
    ):
        assert form not in text
    assert "REDACTED-key-1" in text or "base64" in spelling
    assert not has_leak(json.loads(text), [key])


@pytest.mark.parametrize("name", FORMATS)
def test_a_key_in_pieces(name: str, corpus: Corpus) -> None:
    """A stream that brings the key piece by piece in a call's arguments; the call is read as it would be unary."""
    case = corpus.cases["streaming/partial-args" if name == "gemini" else "shell/realistic"]
    path = case.exchanges(name)[0].stream_path
    assert path is not None
    raw = path.read_text(encoding="utf-8")
    stream = parse(raw.encode())
    call = formats.read(name, "response", formats.assemble(name, stream).body).calls[0]
    value = max((text for text in call.arguments.values() if isinstance(text, str)), key=len)
    redactor = Redactor(Filters.default(), [value])
    text = body(raw, "text/event-stream", redactor)
    assert isinstance(text, str)
    assembled = formats.assemble(name, parse(text.encode()))
    assert assembled.end == "whole"
    (read,) = formats.read(name, "response", assembled.body).calls[:1]
    assert value not in str(read.arguments)
    assert "REDACTED-key-1" in read.arguments.values(), read.arguments
    assert not has_leak({"a": text}, [value])


def test_a_cassette_that_still_holds_the_key_is_not_written(
    corpus: Corpus, record: Record, upstream: Provider, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    laid = replies(corpus.cases["shell/realistic"], "anthropic", streamed=False)
    assert isinstance(laid[0], PlannedReply)
    upstream.answers = [PlannedReply(laid[0].body.replace(b"I'll", KEY.encode()), headers=laid[0].headers), laid[1]]
    monkeypatch.setattr(recorder, "scrub", lambda value, _: value)
    path = tmp_path / "kept" / "anthropic" / "shell" / "realistic.json"
    path.parent.mkdir(parents=True)
    path.write_text("earlier")
    ran = record("anthropic", "--case", "shell/realistic", "--unary")
    assert ran.code == 1
    assert "not written: a key is still in it after scrubbing" in ran.out
    assert path.read_text() == "earlier"


def test_equal_secrets_stay_equal_and_others_differ() -> None:
    secret, other = "sk-ant-" + "a1" * 12, "sk-ant-" + "b2" * 12
    output = Redactor(Filters.default()).text(json.dumps([secret, other, secret, f"x {other}"]))
    assert json.loads(output) == [
        "REDACTED-anthropic-key-1",
        "REDACTED-anthropic-key-2",
        "REDACTED-anthropic-key-1",
        "x REDACTED-anthropic-key-2",
    ]


def test_what_is_no_secret_stays_byte_for_byte(corpus: Corpus) -> None:
    """No id, signature, text or schema of the corpus is taken for a secret, but for an address and users' ids."""
    changed = {}
    for case in share(list(corpus.cases.values())[::12], 3):
        for name in case.formats:
            for exchange in case.exchanges(name):
                for path in (exchange.request_path, exchange.response_path, exchange.stream_path):
                    if path is None or not path.is_file():
                        continue
                    kind = "text/event-stream" if path.suffix == ".sse" else "application/json"
                    text = path.read_text(encoding="utf-8")
                    redactor = Redactor(Filters.default())
                    if body(text, kind, redactor) != text:
                        changed[str(path)] = set(redactor.placeholders)
    assert set().union(*changed.values()) <= {"bob@email.com", "ines@exemplo.pt", "u_5b1e07", "harbour-desk-19"}


def test_what_the_corpus_says_is_public() -> None:
    filters = Filters.default()
    assert Redactor(filters, public=["write to bob@email.com"]).text("to bob@email.com") == "to bob@email.com"
    assert Redactor(filters, ["bob@email.com"], ["bob@email.com"]).text("to bob@email.com") == "to REDACTED-key-1"
    assert Redactor(filters, public=["a long word"]).text('{"password": "a"}') == '{"password": "REDACTED-password-1"}'


@pytest.mark.parametrize(
    "text",
    [
        "The secret: patience. The password is the same.",
        "call_jGr6pFjtENfuvPZKb3OHe9Na toolu_01QuLQhjxJgQbQb5GAeoNrtw fc_0a1b2c3d4e5f60718293a4b5c6d7e8f9",
        '{"logprobs": {"content": [{"token": "Hel", "logprob": -0.1}]}}',
        '{"properties": {"password": {"type": "string"}, "api_key": {"type": "string"}}, "required": ["password"]}',
        "mail someone@example.com or a@b.test",
        "Basic understanding, bearer bonds",
        "import os.path; self.token = token",
    ],
)
def test_running_text_is_left_alone(text: str) -> None:
    assert Redactor(Filters.default()).text(text) == text


@settings(max_examples=40, deadline=None)
@given(st.lists(st.text(max_size=6), min_size=1, max_size=8), st.data())
def test_a_changed_text_is_spread_over_its_pieces(given_in: list[str], data: st.DataObject) -> None:
    joined = "".join(given_in)
    start = data.draw(st.integers(0, len(joined)))
    end = data.draw(st.integers(start, len(joined)))
    changed_text = joined[:start] + data.draw(st.text(max_size=9)) + joined[end:]
    spread = _spread(given_in, changed_text)
    assert "".join(spread) == changed_text
    assert len(spread) == len(given_in)


@settings(max_examples=40, deadline=None)
@given(st.text())
def test_no_text_is_too_odd(text: str) -> None:
    redactor = Redactor(Filters.default(), [KEY])
    output = redactor.text(text)
    assert redactor.text(output) == output
    output_with_key = redactor.text(f"{text} {KEY} {text}")
    assert KEY not in output_with_key


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=12,
)


@settings(max_examples=40, deadline=None)
@given(JSON_VALUES)
def test_json_stays_json(value: Any) -> None:
    for text in (json.dumps(value), json.dumps(value, ensure_ascii=False)):
        output = Redactor(Filters.default(), [KEY]).text(text)
        if isinstance(value, (dict, list)):
            assert shape(jsonvalue.parse(output)) == shape(value)


@pytest.mark.timing
@pytest.mark.parametrize(
    "unit", ["a", "a-_B9", "eyJ", "eyJabcdef.", "a.b@c-", "sk-", "api_key", "%41", "https://a?", '{"a":']
)
def test_no_long_text_takes_long(unit: str) -> None:
    text = unit * (100_000 // len(unit))
    began = time.process_time()
    Redactor(Filters.default(), [KEY]).text(text)
    assert time.process_time() - began < 3  # it takes a tenth of that; where time grows with the square, minutes
