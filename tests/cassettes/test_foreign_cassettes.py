"""Cassettes that other tools wrote are read as what was exchanged."""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from foreign import WRITERS, Exchanged

from toolcall_conformance import jsonvalue
from toolcall_conformance.cassettes.identify import Recorded, Skipped, identify
from toolcall_conformance.cassettes.interactions import Interaction
from toolcall_conformance.cassettes.reading import read
from toolcall_conformance.library import Corpus

TRAFFIC = Path(os.environ.get("TOOLCALL_TRAFFIC") or Path(__file__).parents[3] / "shared" / "traffic")
FORMATS = ("anthropic", "openai_chat", "openai_responses", "gemini")
A_FILE = 40


def recordings(name: str) -> list[tuple[dict[str, Any], Exchanged]]:
    found = []
    for path in sorted((TRAFFIC / name).rglob("*.json")):
        record = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(record["request"], dict) or record["host"] is None or "bedrock" in record["host"]:
            continue
        text = record["sse"] if record["sse"] else json.dumps(record["response"], ensure_ascii=False)
        kind = "text/event-stream" if record["sse"] else "application/json"
        url = f"https://{record['host'].replace('*', 'masked')}{record['endpoint']}"
        answer = text.encode("utf-8", "replace")
        found.append((record, Exchanged(url, record["request"], record["status"] or 200, kind, answer)))
    return found


@pytest.mark.skipif(not TRAFFIC.is_dir(), reason="the recorded traffic is not beside this checkout")
@pytest.mark.parametrize("name", FORMATS)
def test_recorded_traffic_is_read_alike_from_all_kinds(
    name: str, corpus: Corpus, tmp_path: Path, pytestconfig: pytest.Config
) -> None:
    records = recordings(name)
    wanted = pytestconfig.getoption("--recorded") or len(records)
    records = records[:: max(1, len(records) // wanted)]
    counts: Counter[str] = Counter()
    for start in range(0, len(records), A_FILE):
        some = records[start : start + A_FILE]
        for kind, write in WRITERS.items():
            path = tmp_path / f"{start}-{kind}.txt"
            path.write_text(write([one for _, one in some]), encoding="utf-8")
            for (record, exchanged), one in zip(some, read(path), strict=True):
                found = identify(path, one, corpus)
                assert isinstance(found, Recorded), (kind, record["source"], found)
                assert found.format == name, record["source"]
                assert jsonvalue.equal(found.request, record["request"]), (kind, record["source"])
                if found.stream is not None:
                    counts["streams"] += 1
                    assert found.stream == exchanged.answer or record["stream_format"] == "json_array"
                elif found.error is not None:
                    counts["errors"] += 1
                    assert jsonvalue.equal(found.error["body"], record["response"])
                else:
                    counts["replies"] += 1
                    assert jsonvalue.equal(found.response, record["response"])
    print(f"\n{name}: {len(records)} exchanges in {len(WRITERS)} kinds of cassette: {dict(counts)}")
    assert counts.total() == len(records) * len(WRITERS) >= 300


def exchange(url: str, *, answer: bytes = b"{}", method: str = "POST", request: Any = None) -> Interaction:
    body = json.dumps({"messages": []} if request is None else request).encode()
    return Interaction(1, method, url, {}, body, 200, {}, answer)


@pytest.mark.parametrize(
    ("one", "why"),
    [
        (exchange("https://api.weather.example/today"), "another API: POST api.weather.example"),
        (exchange("https://api.openai.com/v1/models", method="GET"), "another API: GET api.openai.com"),
        (exchange("https://api.openai.com/v1/chat/completions", request=[]), "a request without a JSON object"),
        (
            exchange("https://api.openai.com/v1/chat/completions", request={"a": 1}),
            "a request of openai_chat without 'messages'",
        ),
        (exchange("https://api.openai.com/v1/chat/completions", answer=b" "), "an answer without a body (status 200)"),
        (exchange("https://api.openai.com/v1/chat/completions", answer=b"<p>"), "an answer that is no JSON"),
    ],
)
def test_what_is_no_exchange_of_these_apis_is_skipped(one: Interaction, why: str, corpus: Corpus) -> None:
    assert identify(Path("x.yaml"), one, corpus) == Skipped(Path("x.yaml"), 1, why)
