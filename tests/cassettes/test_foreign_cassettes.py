"""Cassettes that other tools wrote are read as what was exchanged."""

from __future__ import annotations

import base64
import fnmatch
import gzip
import json
import os
import zlib
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from cassettes.foreign import WRITERS, ForeignExchange
from toolcall_conformance.basics import jsonvalue
from toolcall_conformance.basics.contract import Route
from toolcall_conformance.basics.streaming import dump, parse
from toolcall_conformance.drivers.base import OpenOutcome
from toolcall_conformance.engine.run import make_harness
from toolcall_conformance.library import Corpus
from toolcall_conformance.recording.cassettes.cases import RecordedCase
from toolcall_conformance.recording.cassettes.files import read
from toolcall_conformance.recording.cassettes.interactions import (
    Interaction,
    RecordedExchange,
    SkippedInteraction,
    identify,
)
from toolcall_conformance.recording.cassettes.replay.checks import REPLAYS

TRAFFIC = Path(os.environ.get("TOOLCALL_TRAFFIC") or Path(__file__).parents[3] / "shared" / "traffic")
FORMATS = ("anthropic", "openai_chat", "openai_responses", "gemini")
A_FILE = 40


def recordings(name: str) -> list[tuple[dict[str, Any], ForeignExchange]]:
    exchange_pairs = []
    for path in sorted((TRAFFIC / name).rglob("*.json")):
        record = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(record["request"], dict) or record["host"] is None or "bedrock" in record["host"]:
            continue
        text = record["sse"] or json.dumps(record["response"], ensure_ascii=False)
        kind = "text/event-stream" if record["sse"] else "application/json"
        url = f"https://{record['host'].replace('*', 'masked')}{record['endpoint']}"
        answer = text.encode("utf-8", "replace")
        exchange_pairs.append((record, ForeignExchange(url, record["request"], record["status"] or 200, kind, answer)))
    return exchange_pairs


def recorded_findings(corpus: Corpus, recording: RecordedExchange) -> list[tuple[str, str, str]]:
    """What the checks that need no translator say of an exchange."""
    case = RecordedCase("recorded/x#1", recording, corpus.formats)
    route = Route(recording.format, recording.format, recording.model or "", recording.model or "")
    results = [REPLAYS[check](case, route, _nobody, make_harness(corpus), "", None) for check in ("wire", "drift")]
    # A recorder that keeps JSON bodies as data sorts their keys, and so the findings.
    return sorted((finding.rule, finding.level, finding.pointer) for result in results for finding in result.findings)


def _nobody(_route: Route) -> OpenOutcome:
    raise AssertionError("no translator is asked")


def directly(corpus: Corpus, name: str, record: dict[str, Any], exchanged: ForeignExchange) -> RecordedExchange:
    """The same exchange without a cassette between."""
    host = str(urlsplit(exchanged.url).hostname)
    official = any(fnmatch.fnmatch(host, pattern) for pattern in corpus.transports[name]["hosts"])
    about = (Path("x"), 1, name, record["model"], host, official, None, record["request"])
    if record["sse"]:
        return RecordedExchange(*about, stream=exchanged.answer)
    if exchanged.status >= 400:
        return RecordedExchange(*about, error={"status": exchanged.status, "headers": {}, "body": record["response"]})
    if isinstance(record["response"], list):
        return RecordedExchange(*about, stream=dump([{"data": chunk} for chunk in record["response"]]))
    return RecordedExchange(*about, response=record["response"])


@pytest.mark.skipif(not TRAFFIC.is_dir(), reason="the recorded traffic is not beside this checkout")
@pytest.mark.parametrize("name", FORMATS)
def test_recorded_traffic_is_read_alike_from_all_kinds(
    name: str, corpus: Corpus, tmp_path: Path, pytestconfig: pytest.Config
) -> None:
    records = recordings(name)
    count = pytestconfig.getoption("--recorded") or len(records)
    records = records[:: max(1, len(records) // count)]
    counts: Counter[str] = Counter()
    for start in range(0, len(records), A_FILE):
        some = records[start : start + A_FILE]
        for kind, write in WRITERS.items():
            path = tmp_path / f"{start}-{kind}.txt"
            path.write_text(write([entry for _, entry in some]), encoding="utf-8")
            for (record, exchanged), interaction in zip(some, read(path), strict=True):
                recording = identify(path, interaction, corpus)
                assert isinstance(recording, RecordedExchange), (kind, record["source"], recording)
                assert recording.format == name, record["source"]
                assert jsonvalue.equal(recording.request, record["request"]), (kind, record["source"])
                findings = recorded_findings(corpus, replace(recording, model=record["model"]))
                assert findings == recorded_findings(corpus, directly(corpus, name, record, exchanged)), (
                    kind,
                    record["source"],
                )
                counts["findings"] += len(findings)
                if recording.stream is not None:
                    counts["streams"] += 1
                    assert recording.stream == exchanged.answer or record["stream_format"] == "json_array"
                elif recording.error is not None:
                    counts["errors"] += 1
                    assert jsonvalue.equal(recording.error["body"], record["response"])
                else:
                    counts["replies"] += 1
                    assert jsonvalue.equal(recording.response, record["response"])
    print(f"\n{name}: {len(records)} exchanges in {len(WRITERS)} kinds of cassette: {dict(counts)}")
    assert counts["replies"] + counts["streams"] + counts["errors"] == len(records) * len(WRITERS) >= 300
    assert counts["findings"]


def exchange(url: str, *, answer: bytes = b"{}", method: str = "POST", request: Any = None) -> Interaction:
    body = json.dumps({"messages": []} if request is None else request).encode()
    return Interaction(1, method, url, {}, body, 200, {}, answer)


@pytest.mark.parametrize(
    ("interaction", "reason", "address"),
    [
        (
            exchange("https://api.weather.example/today?key=1"),
            "another API: POST api.weather.example",
            "POST https://api.weather.example/today",
        ),
        (
            exchange("https://api.openai.com/v1/models", method="GET"),
            "another API: GET api.openai.com",
            "GET https://api.openai.com/v1/models",
        ),
        (exchange("https://api.openai.com/v1/chat/completions", request=[]), "a request without a JSON object", ""),
        (
            exchange("https://api.openai.com/v1/chat/completions", request={"a": 1}),
            "a request of openai_chat without 'messages'",
            "",
        ),
        (
            exchange("https://api.openai.com/v1/chat/completions", answer=b" "),
            "an answer without a body (status 200)",
            "",
        ),
        (exchange("https://api.openai.com/v1/chat/completions", answer=b"<p>"), "an answer that is not JSON", ""),
    ],
)
def test_what_is_no_exchange_of_these_apis_is_skipped(
    interaction: Interaction, reason: str, address: str, corpus: Corpus
) -> None:
    assert identify(Path("x.yaml"), interaction, corpus) == SkippedInteraction(Path("x.yaml"), 1, reason, address)


def test_a_stream_as_one_array_is_a_stream(corpus: Corpus) -> None:
    """Gemini without ``alt=sse``: https://ai.google.dev/api/generate-content#method:-models.streamgeneratecontent"""
    url = "https://generativelanguage.googleapis.com/v1beta/models/g:streamGenerateContent"
    interaction = exchange(url, request={"contents": []}, answer=b'[{"candidates": []}, {"usageMetadata": {}}]')
    recording = identify(Path("x.yaml"), interaction, corpus)
    assert isinstance(recording, RecordedExchange)
    assert parse(recording.stream or b"") == {"events": [{"data": {"candidates": []}}, {"data": {"usageMetadata": {}}}]}


@pytest.mark.parametrize("pack", [zlib.compress, lambda data: zlib.compress(data, wbits=-15), gzip.compress, bytes])
def test_compressed_bodies_are_unpacked(pack: Callable[[bytes], bytes], tmp_path: Path) -> None:
    """Also where the recorder has unpacked the body and kept the header."""
    encoding = "gzip" if pack is gzip.compress else "deflate"
    body = {"base64_string": base64.b64encode(pack(b'{"a": 1}')).decode()}
    interaction = {
        "request": {"method": "POST", "uri": "x", "headers": {}, "body": ""},
        "response": {"status": {"code": 200}, "headers": {"Content-Encoding": [encoding]}, "body": body},
    }
    (tmp_path / "a.json").write_text(json.dumps({"interactions": [interaction]}), encoding="utf-8")
    [unpacked_interaction] = read(tmp_path / "a.json")
    assert unpacked_interaction.response_body == b'{"a": 1}'


def test_what_cannot_be_unpacked_is_said(corpus: Corpus) -> None:
    packed = replace(
        exchange("https://api.openai.com/v1/chat/completions", answer=b"\x0b\x02\x80"),
        response_headers={"content-encoding": "br"},
    )
    assert identify(Path("x"), packed, corpus) == SkippedInteraction(Path("x"), 1, "an answer compressed with br")
