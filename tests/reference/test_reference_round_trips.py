"""Recorded requests of the providers' own hosts: to each other format and back, only what cannot be expressed is lost.

The recordings are not part of this repository; they are looked for next to the checkout, or where ``TOOLCALL_TRAFFIC``
says. By default a sample goes round, ``--recorded 0`` takes all; ``-s`` prints the counts.
"""

from __future__ import annotations

import copy
import json
import os
import random
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from corpus_judge import judge
from reference.reference_bodies import FORMATS, MODELS, open_way
from toolcall_conformance import formats
from toolcall_conformance.basics.findings import Finding, Level
from toolcall_conformance.judge.comparisons import REQUEST, compare
from toolcall_conformance.judge.rules.check import check_body
from toolcall_conformance.judge.translation.calls.pairing import align_sides
from toolcall_conformance.judge.translation.losses import count_losses, find_losses
from toolcall_conformance.judge.translation.pair import Pair, Sides
from toolcall_conformance.judge.translation.texts import search_sources
from toolcall_conformance.judge.translation.wire_words import is_legal_id
from toolcall_conformance.library import Corpus
from toolcall_reference import Refused

TRAFFIC = Path(os.environ.get("TOOLCALL_TRAFFIC") or Path(__file__).parents[3] / "shared" / "traffic")
SEED = 20_261_122

OFFICIAL = {
    "anthropic": r"api\.anthropic\.com",
    "openai_chat": r"api\.openai\.com|.*\.openai\.azure\.com",
    "openai_responses": r"api\.openai\.com|.*\.openai\.azure\.com",
    "gemini": r"generativelanguage\.googleapis\.com|(.*-)?aiplatform\.googleapis\.com",
}

STRICT = "anthropic-to-openai_.*|openai_responses-to-.*"
LIMITS = r"max_completion_tokens|max_output_tokens|generationConfig\.maxOutputTokens"
ANSWER_FORMATS = r"response_format|text\.format|generationConfig\.response|output_config\.format"

#: Why the reference may refuse a recorded request: (format, words of the refusal) -> reason.
REFUSALS = {
    ("openai_responses", "held by OpenAI"): "the history is on OpenAI's side, and no other provider has it",
    ("openai_responses", "not kept here"): "the history is that of a reply which this session did not make",
    (
        "anthropic",
        "not in the history",
    ): "the result answers a call of another id; Anthropic did not compare them in 2024",
}

#: What is told below MUST and is right all the same: (rule, words of the subject, pairs) -> reason. No MUST is excused.
WARNINGS = {
    ("translation/state-lost", "", ".*"): "no format carries another's signatures: the loss table, loop, signature",
    ("translation/setting-added", LIMITS, ".*-to-anthropic"): "Anthropic demands a limit; it comes back",
    (
        "translation/setting-added",
        "thinkingConfig",
        "anthropic-to-gemini",
    ): "adaptive thinking is a budget of -1 in Gemini",
    (
        "translation/response-format-changed",
        ANSWER_FORMATS,
        ".*-to-(anthropic|gemini)",
    ): "there, a schema has no name",
    (
        "translation/response-format-lost",
        ANSWER_FORMATS,
        ".*-to-anthropic",
    ): "there is no JSON mode without a schema",
    (
        "translation/setting-by-convention-lost",
        "labels|metadata",
        "gemini-to-.*|.*-to-gemini",
    ): "labels are Vertex AI's alone",
    ("translation/text-invented", "", ".*"): "a placeholder for a file that only its provider has, or a blank turn",
    ("translation/tool-strict", "", STRICT): "OpenAI takes the tool's schema, but not as strict",
    ("translation/ids-kept", "", ".*-to-openai_chat"): "an id of more than 40 characters",
    ("gemini/json-mode-with-functions", "", ".*-to-gemini"): "so the recorded request; Gemini 3 takes it",
}

#: What went though both formats express it: (element, pairs) -> reason.
UNDUE = {("tool-strict", STRICT): "OpenAI takes the tool's schema, but not as strict"}

used: set[tuple[str, ...]] = set()

pytestmark = pytest.mark.skipif(not TRAFFIC.is_dir(), reason="the recorded traffic is not beside this checkout")


class Request(NamedTuple):
    path: str
    model: str
    body: dict[str, Any]


@cache
def requests(name: str) -> list[Request]:
    """The official requests of a format that were taken, each body once."""
    requests_by_key: dict[str, Request] = {}
    for path in sorted((TRAFFIC / name).rglob("*.json")):
        record = json.loads(path.read_text(encoding="utf-8"))
        vendor = any(feature == "compat_host" or "bedrock" in feature for feature in record["features"])
        is_success = (record["status"] or 200) < 400 and isinstance(record["request"], dict)
        if is_success and not vendor and re.fullmatch(OFFICIAL[name], record["host"] or ""):
            key = json.dumps(record["request"], sort_keys=True)
            where = path.relative_to(TRAFFIC).as_posix()
            requests_by_key.setdefault(key, Request(where, record["model"] or MODELS[name], record["request"]))
    return list(requests_by_key.values())


@pytest.mark.parametrize("name", FORMATS)
def test_there_and_back(name: str, corpus: Corpus, pytestconfig: pytest.Config) -> None:
    every = requests(name)
    number = pytestconfig.getoption("--recorded") or len(every)
    sample = random.Random(f"{SEED} {name}").sample(every, min(number, len(every)))
    faults: list[str] = []
    for other in FORMATS:
        if other != name:
            counts = Counter[str]()
            for request in sample:
                faults += [
                    f"{request.path} {name}-to-{other}: {fault}" for fault in go(request, name, other, corpus, counts)
                ]
            summary = ", ".join(f"{count} {what}" for what, count in counts.most_common())
            print(f"\n{name}-to-{other}: {len(sample)} requests of {len(every)}: {summary}")
    assert not faults, "\n".join(faults)


def go(request: Request, name: str, other: str, corpus: Corpus, counts: Counter[str]) -> Iterator[str]:
    """Translate a request there and back; what is wrong with it. Fills ``counts``."""
    stream = request.body.get("stream") is True  # Gemini's body does not say so: its address does, and the route knows
    first = open_way(name, other, client_model=request.model, stream=stream)
    second = open_way(other, name, upstream_model=request.model, stream=stream)
    try:
        there = first.request(copy.deepcopy(request.body))
        back = second.request(copy.deepcopy(there))
    except Refused as refusal:
        counts["refused"] += 1
        reasons = [key for key in REFUSALS if key[0] == name and key[1] in str(refusal)]
        used.update(reasons)
        if not reasons:
            yield f"refused: {refusal}"
        return
    counts["done"] += 1
    lost = frozenset(loss.element for loss in first.losses)
    hop = judge(
        request.body,
        there,
        client=name,
        upstream=other,
        client_model=request.model,
        upstream_model=MODELS[other],
        corpus=corpus,
        declared=lost,
    ).findings
    before, after = (formats.read(name, "request", body) for body in (request.body, back))
    declared = lost | {loss.element for loss in second.losses}
    sides, unsourced = search_sources.remove_search_sources(
        Sides(corpus, before, after, through=other, declared=declared)
    )
    pair = align_sides(sides)
    findings = [*unsourced, *compare(pair, REQUEST)]
    legal = check_body(corpus, name, "request", back, model=request.model, reading=after)
    own = Counter(
        finding.rule
        for finding in check_body(corpus, name, "request", request.body, model=request.model, reading=before)
    )
    own.subtract(finding.rule for finding in legal)
    new = [finding for finding in legal if own[finding.rule] < 0]  # the recorded body may have had its own
    yield from unexcused_findings([*hop, *new, *findings], f"{name}-to-{other}", counts)
    for loss in find_losses(pair):
        counts[f"{loss.element} ({loss.kind})"] += 1
    for element, demand in count_losses(pair):
        if demand == "must":
            reasons = [key for key in UNDUE if key[0] == element and re.fullmatch(key[1], f"{name}-to-{other}")]
            used.update(reasons)
            counts[f"{element} (undue)"] += 1
            if not reasons:
                yield f"{element} went, though both formats express it"
    yield from lost_ids(pair, counts)


def unexcused_findings(findings: list[Finding], pair: str, counts: Counter[str]) -> Iterator[str]:
    """The findings that nothing excuses."""
    for finding in findings:
        if finding.level is Level.NOTE:
            continue
        excuses = [
            (rule, subject, pairs)
            for rule, subject, pairs in WARNINGS
            if finding.rule == rule and re.search(subject, finding.subject) and re.fullmatch(pairs, pair)
        ]
        if excuses and finding.level is Level.SHOULD:
            used.update(excuses)
            counts[f"warned: {finding.rule} {finding.subject if finding.element == 'setting' else ''}".strip()] += 1
        else:
            yield f"{finding.level} {finding.rule} {finding.pointer}: {finding.message} ({finding.subject})"


def lost_ids(pair: Pair, counts: Counter[str]) -> Iterator[str]:
    """Ids that are not what they were, though the format between could say them."""
    source, output = pair.source.calls, pair.output.calls
    way = Pair(pair.corpus, pair.source, formats.read(str(pair.through), "request", {}))
    for left, right in pair.call_pairs.items():
        old, new = source[left].id, output[right].id
        if old is None:
            counts["ids: had none"] += 1
        elif old == new:
            counts["ids: kept"] += 1
        elif not is_legal_id(way, old) or sum(call.id == old for call in source) > 1:
            counts["ids: not legal between"] += 1
        else:
            yield f"the id {old!r} came back as {new!r}"


def test_every_exception_is_needed(pytestconfig: pytest.Config) -> None:
    if pytestconfig.getoption("--recorded"):
        pytest.skip("known only after all requests went round: --recorded 0")
    assert {*REFUSALS, *WARNINGS, *UNDUE} - used == set()
