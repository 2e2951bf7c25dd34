"""One translator gets the same verdicts and findings in this interpreter, as a library that sends, and as a gateway."""

from __future__ import annotations

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


class Translator:
    name = "broken"

    def open(self, route):
        if (route.client, route.upstream) == ("anthropic", "gemini"):
            raise Unsupported("not this way")
        return Session(route, ReferenceTranslator().open(route))
"""


@pytest.fixture
def families(request: pytest.FixtureRequest) -> tuple[str, ...]:
    return ("toolcall::",) if request.config.getoption("--all-items") else FAMILIES


@pytest.mark.parametrize("medium", ["fused", "gateway"])
def test_the_reference(tmp_path: Path, families: tuple[str, ...], medium: str) -> None:
    here = compared.report(tmp_path, REFERENCE, *families)
    spec = "lent_fused:Translator" if medium == "fused" else compared.gateway(tmp_path, REFERENCE)
    there = compared.report(tmp_path, spec, *families, lent=REFERENCE)
    assert compared.differences(here, there) == []
    assert len(there["items"]) > 200
    assert {item["check"] for item in there["items"]} == set(compared.CARRIED)


@pytest.mark.parametrize("medium", ["fused", "gateway"])
def test_a_translator_with_faults(tmp_path: Path, medium: str) -> None:
    (tmp_path / "broken.py").write_text(BROKEN, encoding="utf-8")
    lent, what = "broken:Translator", ("toolcall::mcp/two-servers", "toolcall::errors/upstream-rate-limit")
    here = compared.report(tmp_path, lent, *what)
    spec = "lent_fused:Translator" if medium == "fused" else compared.gateway(tmp_path, lent)
    there = compared.report(tmp_path, spec, *what, lent=lent)
    assert compared.differences(here, there) == []
    rules = {finding["rule"] for item in there["items"] for finding in item["findings"]}
    assert rules >= {"translation/crashed", "translation/bad-output", "translation/refused", "anthropic/error-envelope"}
    assert len(rules) > 5
