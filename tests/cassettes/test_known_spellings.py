"""A known secret in every spelling that the docs name: none is left, and the last check sees each of them."""

from __future__ import annotations

import base64
import gzip
import html
import json
import quopri
import random
import string
import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import pytest

from cassettes.carriers import deltas, interaction, pieces
from toolcall_conformance.basics.known_secrets import KnownSecrets, find_secrets
from toolcall_conformance.recording.cassettes.redaction.filters import Filters
from toolcall_conformance.recording.cassettes.redaction.interactions import scrub
from toolcall_conformance.recording.cassettes.redaction.leaks import has_leak
from toolcall_conformance.recording.cassettes.redaction.redact import Redactor

KEYS = (
    "sk-test-Zq81hRk2mVw9LtB4xN7pYc3e",
    "opaque/key+with=odd~letters&more<",
    "tr0ub4dor",
    'quo"te\\d-päss-wörd-1',
    "".join(random.Random(7).choices(string.ascii_letters + string.digits + "-_", k=108)),
)


def format_letters(form: str) -> Callable[[str], str]:
    """A spelling of each character, or of each byte."""
    return lambda key: "".join(form.format(ord(letter)) for letter in key)


def gzip_base64(key: str) -> str:
    return base64.b64encode(gzip.compress(f"the key: {key}\n".encode(), mtime=0)).decode()


def separate_bytes(between: str, before: str = "") -> Callable[[str], str]:
    return lambda key: between.join(f"{before}{byte:02x}" for byte in key.encode())


SPELLINGS: dict[str, Callable[[str], str]] = {
    "plain": str,
    "capitals": str.upper,
    "in a word": lambda key: f"x{key}x",
    "percent": lambda key: quote(key, safe=""),
    "percent, all": lambda key: "".join(f"%{byte:02X}" for byte in key.encode()),
    "percent twice": lambda key: quote(quote(key, safe=""), safe=""),
    "escaped slashes": lambda key: json.dumps(key, ensure_ascii=False)[1:-1].replace("/", "\\/"),
    "JSON in prose": lambda key: "It said " + json.dumps({"a": key}).replace("/", "\\/") + " again",
    "escapes": format_letters("\\u{:04x}"),
    "escapes twice": format_letters("\\\\u{:04x}"),
    "escapes three times": format_letters("\\\\\\\\u{:04X}"),
    "escapes of bytes": format_letters("\\x{:02x}"),
    "octal": format_letters("\\{:03o}"),
    "entities": html.escape,
    "entities in numbers": format_letters("&#{};"),
    "entities in hexadecimal numbers": format_letters("&#x{:x};"),
    "hex": separate_bytes(""),
    "hex with colons": separate_bytes(":"),
    "hex with blanks": separate_bytes(" "),
    "hex with 0x": separate_bytes(", ", "0x"),
    "base64": lambda key: base64.b64encode(f"Basic: {key}".encode()).decode(),
    "base64 for URLs": lambda key: base64.urlsafe_b64encode(f"??>{key}".encode()).decode().rstrip("="),
    "base64 twice": lambda key: base64.b64encode(base64.b64encode(f"a {key}".encode())).decode(),
    "base64 of gzip": gzip_base64,
    "quoted-printable": lambda key: quopri.encodestring((key * 3).encode()).decode(),
    "broken and indented": lambda key: f"a:\n    {key[: len(key) // 2]}\n    {key[len(key) // 2 :]}\n",
    "broken by CR alone": lambda key: f"a\r{key[: len(key) // 2]}\r{key[len(key) // 2 :]}\r",
    "hex of base64": lambda key: base64.b64encode(key.encode()).hex(),
    "base64 of UTF-16": lambda key: base64.b64encode(key.encode("utf-16-le")).decode(),
    "base64 of UTF-16, marked": lambda key: base64.b64encode(f"a {key}".encode("utf-16")).decode(),
    "a list of bytes": lambda key: str(list(key.encode())),
    "a list of bytes in lines": lambda key: json.dumps(list(key.encode()), indent=1),
    "escapes of JavaScript": format_letters("%u{:04x}"),
    "joined strings": lambda key: f'a = "{key[:6]}" + "{key[6:9]}" + \\n    "{key[9:]}"'.replace("\\n", "\n"),
    "joined strings without a sign": lambda key: f"('{key[:6]}' '{key[6:]}')",
    "colours": lambda key: f"{key[:5]}\x1b[1;31m{key[5:]}\x1b[0m",
    "emphasis": lambda key: f"{key[:5]}**{key[5:8]}**{key[8:]}",
    "places where a line may break": lambda key: "<wbr>".join(pieces(key, 4)),
    "tags": lambda key: f"{key[:4]}<b class='x'>{key[4:]}</b>",
    "soft hyphens": lambda key: "\u00ad".join(pieces(key, 3)),
    "soft hyphens by name": lambda key: "&shy;".join(pieces(key, 6)),
    "no width": "\u200b".join,
    "the last three quarters": lambda key: key[-max(8, -(-len(key) * 3 // 4)) :],
    "the first nine tenths": lambda key: key[: max(8, len(key) * 9 // 10)],
}


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_no_spelling_is_left(spelling: str) -> None:
    for key in KEYS:
        text = SPELLINGS[spelling](key)
        if not key.isascii() and spelling in ("octal", "capitals", "quoted-printable"):
            continue  # not all of its characters are one byte
        if not all(sign.isalnum() or sign in "-_" for sign in key) and spelling.startswith("joined strings"):
            continue  # it has quotes of its own
        for raw in (
            interaction(response=json.dumps({"text": f"It is {text}, keep it."}, ensure_ascii=False)),
            interaction(response=json.dumps({"arguments": json.dumps({"a": f"It is {text}."})})),
            interaction(response=f"It is {text}, yes", response_type="text/plain"),
            interaction(response=deltas(["It is ", *pieces(text, 5), "."]), response_type="text/event-stream"),
        ):
            assert has_leak(raw, [key]), key
            recording = scrub(raw, Redactor(Filters.default(), [key]))
            assert not has_leak(recording, [key]), (key, recording)
            assert key[:8] not in json.dumps(recording)


def test_words_apart_are_no_secret() -> None:
    raw = interaction(response=json.dumps({"text": "a correct horse, a battery: staple"}))
    for password in ("correcthorse", "battery-staple", "batterystaple"):
        assert scrub(raw, Redactor(Filters.default(), [password]))["response"]["body"] == raw["response"]["body"]
        assert not has_leak(raw, [password])


def test_equal_secrets_have_equal_placeholders_in_every_spelling() -> None:
    key = KEYS[0]
    output = Redactor(Filters.default(), [key]).text(f"{key} {separate_bytes(':')(key)} {format_letters('&#{};')(key)}")
    assert output == "REDACTED-key-1 REDACTED-key-1 REDACTED-key-1"


@pytest.mark.timing
@pytest.mark.parametrize("unit", ["\\", "\\u", "&#", "%25", "=", "\n ", "73 ", "sk-", "opaque/", "0x73,", KEYS[0][:-9]])
def test_searching_takes_time_in_proportion(unit: str) -> None:
    text = (unit * 200_000)[:200_000]
    secrets = KnownSecrets(KEYS)
    start = time.process_time()
    assert secrets.replace(text, lambda _: "") == text
    assert time.process_time() - start < 3  # it takes a fifth of a second at most


@pytest.mark.parametrize(
    ("name", "value", "secret"),
    [
        ("MISTRAL_API_KEY", "b7Jq0vXw2mNp", True),
        ("CI_JOB_TOKEN", "glcbt-64_b7Jq0vXw2mNp", True),
        ("PGPASSWORD", "correcthorse", True),
        ("DB_PASSWORD_OLD", "battery-staple", True),
        ("SESSION_SECRET", "bQxWzRtYpLmNvKjHgF", True),
        ("SORT_KEY", "customer_name", False),
        ("SORT_KEY", "identifier", False),
        ("SSH_KEY", __file__, False),
        ("TLS_KEY", "https://keys.example/1", False),
        ("A_KEY", "short1", False),
        ("PATH", "b7Jq0vXw2mNp", False),
    ],
)
def test_variables_that_hold_secrets(name: str, value: str, secret: bool) -> None:
    assert find_secrets({name: value}) == ({value: name} if secret else {})


def test_a_variable_that_holds_a_file_s_place_is_read_without_error(tmp_path: Path) -> None:
    assert find_secrets({"A_KEY": str(tmp_path)}) == {}
    assert find_secrets({"A_KEY": "/" + "b7Jq0/" * 60}) != {}
    assert find_secrets({"A_KEY": "/b7Jq0\0vXw2mNp"}) != {}
