"""The public names as a user's type checker sees them. Checked by mypy, and run, by ``test_public_names.py``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import toolcall_conformance as tc

CORPUS: tc.Corpus = tc.load_corpus()
CASE: tc.Case = CORPUS.cases["shell/seed"]
RULE: tc.Rule = CORPUS.rule("translation/call-lost")
ROUTE = tc.Route("anthropic", "gemini", "claude-sonnet-4-5", "gemini-2.5-flash")
ENDS = tc.Ends("anthropic", "gemini")
JUDGE = tc.Judge(CORPUS, tolerated=True)


def all_judgements(client: Any, upstream: Any, reply: Any, answer: Any) -> Iterator[tc.Judgement]:
    """Every kind of judgement, of the bodies of one exchange and their translations."""
    requests = tc.Requests(client=client, upstream=upstream)
    yield JUDGE.request(client, upstream, ROUTE, declared=["top-k"], captured=False)
    yield JUDGE.request(client, upstream, ENDS)
    yield JUDGE.response(reply, answer, ENDS, requests=requests, vendor=False, declared=(), captured=True)
    yield JUDGE.response(reply, answer, ENDS, raw_arguments={0: "{}"})
    yield JUDGE.error({"status": 429, "body": {}}, {"status": 429, "headers": {}, "body": {}}, ENDS)
    yield JUDGE.stream(None, tc.parse(b"data: {}\n\n"), ENDS, requests=tc.Requests(client))
    yield JUDGE.stream(b"data: {}\n\n", b"data: {}\n\n", ENDS, requests=requests, vendor=True, declared=(), how="fails")
    yield JUDGE.history(upstream, upstream, ENDS, request=client, provider_memory={}, stored=False)
    yield JUDGE.round_trip(client, client, own="anthropic", through="gemini", direction="request")
    yield JUDGE.body("gemini", "request", upstream, model="gemini-2.5-flash")


def judgement_counts(judgement: tc.Judgement) -> Mapping[str, int]:
    """What a judgement holds."""
    findings: tuple[tc.Finding, ...] = judgement.findings
    losses: tuple[tc.Loss, ...] = judgement.losses
    tolerated: tuple[tc.Tolerated, ...] = judgement.tolerated
    level: tc.Level = max((finding.level for finding in findings), default=tc.Level.NOTE)
    return {level.value: len(findings), "losses": len(losses), "tolerated": len(tolerated)}


def calls(body: Any) -> list[str | None]:
    """The names of the calls that a request has."""
    reading: tc.Reading = tc.read("anthropic", "request", body)
    return [call.name for call in reading.calls]


class Session:
    """A translator of events."""

    @tc.events.stream
    def stream(self, upstream: Iterator[Any]) -> Iterator[Any]:
        """Hand on what comes."""
        yield from upstream


class TestMine(tc.ConformanceSuite):
    """A test class of a user's own."""

    __test__ = False
    translator = "toolcall_reference:ReferenceTranslator"
    cases = ("shell",)


def fails() -> Exception:
    """What a translator may raise."""
    return tc.Refused("no") if CASE.features else tc.Unsupported(RULE.id)
