"""One translator gets the same verdicts and findings in this interpreter, as a library that sends, and as a gateway."""

from __future__ import annotations

import json
from pathlib import Path

import compared
import pytest

REFERENCE = "toolcall_reference:ReferenceTranslator"

# With errors, names that no format takes, state of the provider's, models that need escapes.
FAMILIES = (
    "toolcall::shell/seed",
    "toolcall::mcp/names-cut-alike",
    "toolcall::state/seed",
    "toolcall::shell/dialect-absent-arguments",
    "toolcall::errors/upstream-rate-limit-after-tool",
)

# The reference, but for a fault of each kind that every medium can carry.
BROKEN = """
from toolcall_reference import ReferenceTranslator


class Refused(Exception):
    pass


class Unsupported(Exception):
    pass


class Session:
    def __init__(self, route, inner):
        self.route, self.inner = route, inner

    def request(self, body):
        ends = self.route.client, self.route.upstream
        if ends == ("openai_chat", "anthropic"):
            raise KeyError("not these two")
        if ends == ("openai_responses", "openai_chat"):
            raise Refused("not these two")
        made = dict(self.inner.request(body))
        made.pop("tools", None)
        return made | {"invented": 2**63}

    def response(self, body):
        if self.route.upstream == "gemini":
            return [body]
        if self.route.client == "gemini":
            raise ValueError("no reply")
        return self.inner.response(body) | {"extra": "é"}

    def error(self, status, body, headers):
        return 500, {"wrong": body}, {}

    def stream(self, chunks):
        return self.inner.stream(chunks)


class Translator:
    name = "broken"

    def open(self, route):
        if (route.client, route.upstream) == ("anthropic", "gemini"):
            raise Unsupported("not this way")
        return Session(route, ReferenceTranslator().open(route))
"""

# Faults of streams by the route; each shows in the bytes or in when they come, in every medium.
BROKEN_STREAMS = r"""
from toolcall_reference import ReferenceTranslator


class Session:
    def __init__(self, route, inner):
        self.route, self.inner = route, inner

    def __getattr__(self, name):
        return getattr(self.inner, name)

    def stream(self, chunks):
        ends = self.route.client, self.route.upstream
        if ends == ("anthropic", "openai_chat"):  # all at once
            chunks = [b"".join(chunks)]
        elif ends == ("openai_chat", "gemini"):  # each piece by itself
            chunks = (chunk.decode("utf-8", "replace").encode() for chunk in chunks)
        elif ends == ("openai_chat", "anthropic"):  # each line is one event
            chunks = (line + b"\n" for chunk in chunks for line in chunk.split(b"\n"))
        made = self.inner.stream(chunks)
        if ends == ("openai_responses", "anthropic"):  # the last words are lost
            made = list(made)
            return iter(made[:-1])
        return self.endless(made) if ends == ("openai_chat", "openai_responses") else self.raising(made)

    def endless(self, made):
        try:
            yield from made
        except Exception:  # what was lost ends in order
            pass
        yield b'data: {"id":"x","object":"chat.completion.chunk","created":1,"model":"m","choices":'
        yield b'[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'

    def raising(self, made):
        for piece in made:
            if b"finishReason" in piece:
                raise KeyError("at the end")
            yield piece


class Translator:
    name = "broken streams"

    def open(self, route):
        return Session(route, ReferenceTranslator().open(route))
"""

BROKEN_ITEMS = (
    "toolcall::replace/seed::stream::anthropic-to-openai_chat",
    "toolcall::replace/seed::stream::openai_chat-to-openai_responses",
    "toolcall::replace/seed::stream::openai_responses-to-anthropic",
    "toolcall::replace/seed::stream::gemini-to-openai_chat",
    "toolcall::write_file/unicode-arguments::stream::openai_chat-to-gemini-recut",
    "toolcall::write_file/unicode-arguments::stream::openai_chat-to-anthropic-recut",
    "toolcall::write_file/unicode-arguments::stream::openai_chat-to-openai_responses-cut",
)
STREAM_RULES = {
    "translation/stream-at-once",
    "translation/stream-cuts",
    "translation/stream-cut-end",
    "openai_chat/stream-after-end",
    "openai_responses/stream-unfinished",
    "translation/crashed",
}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture
def families(request: pytest.FixtureRequest) -> tuple[str, ...]:
    return ("toolcall::",) if request.config.getoption("--all-items") else FAMILIES


@pytest.mark.parametrize("medium", ["fused", "gateway"])
def test_the_reference(tmp_path: Path, home: Path, families: tuple[str, ...], medium: str) -> None:
    here = json.loads(compared.at_home(home, REFERENCE, *families))
    spec = "lent_fused:Translator" if medium == "fused" else compared.gateway(tmp_path, REFERENCE)
    there = compared.report(tmp_path, spec, *families, lent=REFERENCE)
    assert compared.differences(here, there) == []
    assert len(there["items"]) > 200
    assert {item["check"] for item in there["items"]} == set(compared.CARRIED)


@pytest.mark.parametrize("medium", ["fused", "gateway"])
def test_a_translator_with_faults(tmp_path: Path, home: Path, medium: str) -> None:
    for folder in (tmp_path, home):
        (folder / "broken.py").write_text(BROKEN, encoding="utf-8")
    lent, what = "broken:Translator", ("toolcall::mcp/two-servers", "toolcall::errors/upstream-rate-limit")
    here = json.loads(compared.at_home(home, lent, *what))
    spec = "lent_fused:Translator" if medium == "fused" else compared.gateway(tmp_path, lent)
    there = compared.report(tmp_path, spec, *what, lent=lent)
    assert compared.differences(here, there) == []
    rules = {finding["rule"] for item in there["items"] for finding in item["findings"]}
    assert rules >= {"translation/crashed", "translation/bad-output", "translation/refused", "anthropic/error-envelope"}
    assert len(rules) > 5


@pytest.mark.parametrize("medium", ["fused", "gateway"])
def test_a_translator_whose_streams_have_faults(tmp_path: Path, home: Path, medium: str) -> None:
    for folder in (tmp_path, home):
        (folder / "streams_broken.py").write_text(BROKEN_STREAMS, encoding="utf-8")
    lent = "streams_broken:Translator"
    here = json.loads(compared.at_home(home, lent, *BROKEN_ITEMS, cuts="5"))
    spec = "lent_fused:Translator" if medium == "fused" else compared.gateway(tmp_path, lent)
    there = compared.report(tmp_path, spec, *BROKEN_ITEMS, lent=lent, cuts="5")
    assert compared.differences(here, there) == []
    assert len(there["items"]) == len(BROKEN_ITEMS)
    rules = {finding["rule"] for item in there["items"] for finding in item["findings"]}
    assert rules >= STREAM_RULES
