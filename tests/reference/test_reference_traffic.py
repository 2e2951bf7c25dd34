"""Recorded traffic: every request and reply is translated to the other formats, or refused with a reason.

A sample of the translations is judged here, too, on every route; ``--recorded 0`` takes all.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from corpus_judge import judge, judge_stream
from formats.test_traffic import FOLDERS, Record
from formats.test_traffic import records as recorded
from reference.reference_bodies import FORMATS, open_way
from toolcall_conformance.basics.findings import Finding
from toolcall_conformance.basics.streaming import parse
from toolcall_reference import Refused

SHARE = 15
"""Of how many records one is judged by default."""

TRAFFIC = Path(__file__).parents[2].parent / "shared" / "traffic"


def records(name: str) -> Iterator[tuple[Path, dict[str, Any]]]:
    for path in sorted((TRAFFIC / name).rglob("*.json")):
        record = json.loads(path.read_text(encoding="utf-8"))
        if (record.get("status") or 200) < 400:
            yield path, record


@pytest.mark.skipif(not TRAFFIC.is_dir(), reason="the recorded traffic is not beside this checkout")
@pytest.mark.parametrize("name", FORMATS)
def test_recorded_bodies_are_translated(name: str) -> None:
    done, refused = 0, []
    for path, record in records(name):
        for other in FORMATS:
            if other == name:
                continue
            jobs = [(open_way(name, other).request, record.get("request"))]
            if not record.get("streaming"):
                jobs.append((open_way(other, name).response, record.get("response")))
            for translate, body in jobs:
                if not isinstance(body, dict):
                    continue
                try:
                    json.dumps(translate(body), allow_nan=False)
                    done += 1
                except Refused as reason:
                    refused.append((path.name, str(reason)))
    assert done > 500
    # State held by the provider, replies that failed, calls that only their own API knows, broken histories.
    assert len(refused) < done / 15, refused[:10]


def jobs(record: Record) -> Iterator[tuple[str, Any]]:
    """The kinds of bodies in a record, with each."""
    content = record.content
    if isinstance(content["request"], dict):
        yield "request", content["request"]
    if isinstance(content["response"], dict) and not content["streaming"]:
        yield "response", content["response"]
    if content.get("sse") and content.get("stream_format") == "sse":
        yield "stream", content["sse"].encode("utf-8", "surrogatepass")


def musts(name: str, other: str, kind: str, body: Any) -> list[Finding]:
    """The MUST findings of a route: of a request from ``name``, of a reply or stream to ``other``."""
    client, upstream = (name, other) if kind == "request" else (other, name)
    session = open_way(client, upstream, stream=kind == "stream")
    if kind == "stream":
        output = parse(b"".join(session.stream([body])))
        findings = judge_stream(output, client=client, upstream=upstream, source=parse(body)).findings
    else:
        translation = session.request(body) if kind == "request" else session.response(body)
        findings = judge(body, translation, client=client, upstream=upstream, direction=kind, captured=True).findings
    return [finding for finding in findings if finding.is_must]


def sample_records(name: str, share: int) -> list[Record]:
    """Every ``share``-th official record, and all of the folder of those that refuted a rule once."""
    official = [record for record in recorded(name) if record.is_official(name)]
    released = {path.relative_to(FOLDERS[1]).as_posix() for path in (FOLDERS[1] / name).rglob("*.json")}
    return [record for number, record in enumerate(official) if number % share == 0 or record.path in released]


@pytest.mark.skipif(not TRAFFIC.is_dir(), reason="the recorded traffic is not beside this checkout")
@pytest.mark.parametrize("name", FORMATS)
def test_recorded_bodies_pass_the_judge_on_every_route(name: str, pytestconfig: pytest.Config) -> None:
    faults, done = [], 0
    for record in sample_records(name, SHARE if pytestconfig.getoption("--recorded") else 1):
        for kind, body in jobs(record):
            for other in FORMATS:
                try:
                    findings = musts(name, other, kind, body)
                except Refused:
                    continue
                done += 1
                faults += [
                    f"{record.path} {kind} {other} {finding.rule} {finding.pointer}: {finding.message}"
                    for finding in findings
                ]
    assert not faults, "\n".join(faults)
    assert done > 100
