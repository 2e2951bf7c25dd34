"""One translator gets the same verdicts and findings in this interpreter, as a library that sends, and as a gateway."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from media import medium_comparison

REFERENCE = "toolcall_reference:ReferenceTranslator"

# Each format once on either side.
ROUTES = (
    "anthropic-to-openai_chat",
    "openai_chat-to-gemini",
    "openai_responses-to-anthropic",
    "gemini-to-openai_responses",
)

LOOPS = tuple(f"{route}*" for route in ROUTES)

# Of each check and each of its variants a few: names that no format takes, errors, state of the provider's, a vendor's
# ways, streams and what cuts do to them.
REFERENCE_ITEMS = (
    *(f"toolcall::mcp/names-cut-alike::{check}" for check in ("request", "response", "round_trip")),
    *(f"toolcall::mcp/names-cut-alike::agent_loop::{route}" for route in LOOPS),
    "toolcall::errors/upstream-rate-limit-after-tool::response",
    *(f"toolcall::state/seed::agent_loop::{route}" for route in (*LOOPS, "openai_responses-to-anthropic-stored")),
    *(f"toolcall::shell/dialect-absent-arguments::response::{route}" for route in ROUTES),
    *(
        f"toolcall::write_file/unicode-arguments::stream::{route}{variant}"
        for route, variants in zip(ROUTES, (("", "-recut"), ("", "-cut"), ("-recut",), ("-cut",)), strict=True)
        for variant in variants
    ),
    *(f"toolcall::parallel/three-tools::stream::{route}-concurrent" for route in ROUTES),
)

# What the names of items may end by: of streams, and of loops.
VARIANTS = {"concurrent", "cut", "recut", "fresh", "interleaved", "stored", "streamed", "stripping", "swapped"}

# The reference, but for a fault of each kind that every medium can carry: of bodies, and of streams by the route. The
# latter show in the bytes, or in when they come.
BROKEN = r"""
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


class Streaming:
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
    name = "broken"

    def open(self, route):
        if (route.client, route.upstream) == ("anthropic", "gemini"):
            raise Unsupported("not this way")
        kind = Streaming if route.stream else Session
        return kind(route, ReferenceTranslator().open(route))
"""

BROKEN_ITEMS = (
    *(f"toolcall::mcp/two-servers::{check}" for check in ("request", "response", "round_trip")),
    # A route for each fault, and one that has none but in the words of its requests and replies.
    *(f"toolcall::mcp/two-servers::agent_loop::{route}" for route in (*LOOPS, "openai_chat-to-anthropic*")),
    "toolcall::mcp/two-servers::agent_loop::openai_responses-to-openai_chat",
    "toolcall::errors/upstream-rate-limit::response",
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
    "openai_responses/stream-end",
}
BODY_RULES = {
    "translation/crashed",
    "translation/bad-output",
    "translation/refused",
    "anthropic/error-envelope",
}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.mark.parametrize("medium", ["fused", "gateway"])
def test_the_reference(tmp_path: Path, home: Path, request: pytest.FixtureRequest, medium: str) -> None:
    what = ("toolcall::",) if request.config.getoption("--all-items") else REFERENCE_ITEMS
    here = json.loads(medium_comparison.reference_report(home, REFERENCE, *what))
    spec = "fused_medium:Translator" if medium == "fused" else medium_comparison.gateway(tmp_path, REFERENCE)
    there = medium_comparison.report(tmp_path, spec, *what, lent=REFERENCE)
    assert medium_comparison.differences(here, there) == []
    assert {item["nodeid"] for item in there["items"]} == medium_comparison.verdicts(here).keys()
    assert {item["check"] for item in there["items"]} == set(medium_comparison.CARRIED)
    assert {name.rpartition("-")[2] for name in medium_comparison.verdicts(there)} >= VARIANTS


@pytest.mark.parametrize("medium", ["fused", "gateway"])
def test_a_translator_with_faults(tmp_path: Path, home: Path, medium: str) -> None:
    for folder in (tmp_path, home):
        (folder / "broken.py").write_text(BROKEN, encoding="utf-8")
    lent = "broken:Translator"
    here = json.loads(medium_comparison.reference_report(home, lent, *BROKEN_ITEMS, cuts="5"))
    spec = (
        "fused_medium:Translator"
        if medium == "fused"
        else medium_comparison.gateway(tmp_path, lent, "anthropic-to-gemini")
    )
    there = medium_comparison.report(tmp_path, spec, *BROKEN_ITEMS, lent=lent, cuts="5")
    assert medium_comparison.differences(here, there) == []
    rules = {finding["rule"] for item in there["items"] for finding in item["findings"]}
    assert rules >= BODY_RULES | STREAM_RULES
