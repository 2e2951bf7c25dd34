"""What a variable of the environment holds as a secret is in nothing that a run prints or writes, in any spelling."""

from __future__ import annotations

import base64
import html
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from miniature import write_case
from toolcall_conformance.basics import known_secrets
from toolcall_conformance.basics.known_secrets import KnownSecrets, redact_bytes, redact_secrets
from toolcall_conformance.basics.visible_text import shorten

SECRET = "q7/Vault+token&4fd-29Zk"
CODED = base64.b64encode(f"x {SECRET}".encode()).decode()
SPELT = (SECRET, json.dumps(SECRET).replace("/", "\\/"), html.escape(SECRET), SECRET.encode().hex(), CODED)
TRANSLATOR = f"""
import logging
import os
import sys

import good

SPELT = {SPELT!r}


class Unsupported(Exception):
    pass


def raises(body):
    print(SPELT)
    print(SPELT, file=sys.stderr)
    logging.getLogger("leak").error("%s", SPELT)
    raise ValueError("x" * 1990 + " ".join(SPELT))


BODIES = {{
    "raises": raises,
    "text": lambda body: {{"format": "beta", "text": " ".join(SPELT)}},
    "extra": lambda body: {{"format": "beta", "text": "", "extra": [SPELT, {{SPELT[0]: 1}}]}},
    "long": lambda body: {{"format": "beta", "text": "y" * 1990 + SPELT[0]}},
}}


def current():
    case = os.environ.get("PYTEST_CURRENT_TEST", "").split("::")
    return case[1].split("/")[1] if len(case) > 1 and case[1].startswith("leaking/") else ""


class Session(good.Session):
    def request(self, body):
        return BODIES[current()](body) if current() else super().request(body)


class T:
    name, version = "leaking", SPELT[0]

    def open(self, route):
        if route.upstream == "alpha":
            raise Unsupported(SPELT[0])
        return Session(route)
"""


@pytest.fixture(autouse=True)
def clean_environment_cache() -> Iterator[None]:
    """The environment of one test is not that of another."""
    known_secrets.forget_environment()
    yield
    known_secrets.forget_environment()


def clean(text: str, *, is_reported: bool = True) -> None:
    """Neither the secret nor its base64 nor half of it is in a text, but its variable's name."""
    assert KnownSecrets([SECRET]).replace_base64(KnownSecrets([SECRET]).replace(text, lambda _: ""), str) == (
        KnownSecrets([SECRET]).replace(text, lambda _: "")
    )
    assert not KnownSecrets([SECRET]).occur_in(text)
    assert SECRET[:8] not in text
    assert CODED[4:24] not in text
    if is_reported:
        assert "REDACTED-VAULT_TOKEN" in text


def test_no_report_has_it(project: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VAULT_TOKEN", SECRET)
    for name in ("raises", "text", "extra", "long"):
        write_case(project.corpus, f"leaking/{name}", title=name)
    project.write_module("leaking", TRANSLATOR)
    reports = ("report.json", "report.md", "report.html")
    result = project.run(
        "toolcall::leaking::request::alpha-to-beta",
        *(f"--toolcall-report={name}" for name in reports),
        "--toolcall-artifacts=bodies",
        "--junitxml=junit.xml",
        "-v",
        "-rA",
        spec="leaking:T",
    )
    clean(result.stdout.str() + result.stderr.str())
    for name in (*reports, "junit.xml"):
        clean((project.path / name).read_text(encoding="utf-8"), is_reported=name != "report.md")
    options = ("--toolcall-known-failures=known.toml", "--toolcall-known-failures-update")
    result = project.run("toolcall::leaking::request::alpha-to-beta", *options, "-rA", spec="leaking:T")
    clean(result.stdout.str() + result.stderr.str(), is_reported=False)
    clean((project.path / "known.toml").read_text(encoding="utf-8"), is_reported=False)
    json.loads((project.path / "report.json").read_text(encoding="utf-8"))
    files = [file for file in Path(project.path / "bodies").rglob("*.*") if file.is_file()]
    assert len(files) > 4
    for file in files:
        clean(file.read_text(encoding="utf-8"), is_reported=False)
    assert any("REDACTED-VAULT_TOKEN" in file.read_text(encoding="utf-8") for file in files)


def test_without_such_a_variable_nothing_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("VAULT_TOKEN", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    assert redact_secrets(f"a {SECRET}") == f"a {SECRET}"
    assert redact_bytes(b"\xff\x00a") == b"\xff\x00a"


def test_bytes_of_a_file_stay_but_for_the_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VAULT_TOKEN", SECRET)
    known_secrets.forget_environment()
    assert redact_bytes(b"\xff\x00" + SECRET.encode() + b"\r\n\xfe") == b"\xff\x00REDACTED-VAULT_TOKEN\r\n\xfe"
    assert SECRET[:4] not in shorten("a" * 995 + SECRET + "a" * 5000)
