"""What published clients send: a MUST on one of their bodies alone is most likely our mistake.

The bodies were recorded before a gateway on loopback, with filler for long texts, and are looked for next to the
checkout. Two clients do send what the API refuses, and one form was refused when it was tried.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from corpus_judge import judge as judge_pair
from reference import reference_bodies
from toolcall_conformance.basics.contract import Route
from toolcall_conformance.judge import Judge
from toolcall_conformance.library import Corpus
from toolcall_reference import Refused

CLIENTS = Path(__file__).parents[3] / "shared" / "field" / "clients"
FORMATS = {
    **dict.fromkeys(("codex", "codex-sol", "codex-sol-exec", "openresponses-cli"), "openai_responses"),
    **dict.fromkeys(("ai-responses", "langchain-responses-stream", "openai-agents-responses"), "openai_responses"),
    "opencode-responses": "openai_responses",
    "opencode-chat": "openai_chat",
    **dict.fromkeys(("gemini-cli", "genai-afc", "genai-afc-stream"), "gemini"),
    **dict.fromkeys(("claude-code", "claude-code-mcp", "anthropic-tool-runner", "ai-anthropic"), "anthropic"),
    **dict.fromkeys(("langchain-anthropic", "opencode-anthropic", "strands-anthropic"), "anthropic"),
}
KNOWN = {
    "opencode-anthropic/openai_responses/01.json": {"anthropic/thinking-budget"},  # a budget of -1
    "openresponses-cli/anthropic/07.json": {"openai_responses/image-url-form"},  # base64 without data:
}

pytestmark = pytest.mark.skipif(not CLIENTS.is_dir(), reason="the clients' bodies are not beside this checkout")


def bodies() -> dict[str, Any]:
    return {
        path.relative_to(CLIENTS).as_posix(): json.loads(path.read_bytes()) for path in sorted(CLIENTS.rglob("*.json"))
    }


def test_no_body_breaks_a_must(corpus: Corpus) -> None:
    judge, musts, counts = Judge(corpus), {}, Counter[str]()
    for name, body in bodies().items():
        spoken = FORMATS[name.partition("/")[0]]
        findings = judge.body(spoken, "request", body).findings
        counts.update(f"{finding.level} {finding.rule}" for finding in findings)
        if rules := {finding.rule for finding in findings if finding.is_must}:
            musts[name] = rules
    print("\n" + "\n".join(f"  {count:5} {what}" for what, count in counts.most_common()))
    assert musts == KNOWN
    assert "SHOULD openai_responses/null-key" not in counts
    assert "SHOULD gemini/result-id-both-or-neither" not in counts


def test_the_reference_takes_what_codex_sends(corpus: Corpus) -> None:
    """Each body of Codex reaches each format without a MUST; a refusal must be one that every translator may make."""
    judge, faults, done = Judge(corpus), [], 0
    for name, body in bodies().items():
        for upstream in reference_bodies.FORMATS if name.startswith("codex") else ():
            try:
                output = reference_bodies.open_way("openai_responses", upstream).request(body)
            except Refused as refusal:
                route = Route("openai_responses", upstream, "", "")
                faults += [] if judge.may_refuse(route, body) else [f"{name} to {upstream}: {refusal}"]
                continue
            findings = judge_pair(body, output, client="openai_responses", upstream=upstream).findings
            faults += [
                f"{name} to {upstream}: {finding.rule} {finding.pointer}" for finding in findings if finding.is_must
            ]
            done += 1
    assert not faults, "\n".join(faults)
    assert done > 60


def test_every_client_is_there() -> None:
    assert {name.partition("/")[0] for name in bodies()} == set(FORMATS)
    assert len(bodies()) > 80
