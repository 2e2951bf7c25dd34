"""Recorded traffic of the providers themselves: what they send and accept must not be called wrong.

The recordings belong to other projects and are not part of this repository. They are looked for next to the checkout,
or where ``TOOLCALL_TRAFFIC`` says; without them these tests are skipped.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from toolcall_conformance import formats
from toolcall_conformance.basics.findings import Finding, Level
from toolcall_conformance.judge.rules.check import check_body
from toolcall_conformance.library import Corpus

TRAFFIC = Path(os.environ.get("TOOLCALL_TRAFFIC") or Path(__file__).parents[3] / "shared" / "traffic")
"""Where the recordings stand; accepted exchanges that refuted a rule once stand beside them."""
FOLDERS = (TRAFFIC, TRAFFIC.with_name(f"{TRAFFIC.name}-released"))

#: The hosts of the providers themselves. Compatible vendors are read, too, but nobody vouches for what they send.
OFFICIAL = {
    "anthropic": r"api\.anthropic\.com",
    "openai_chat": r"api\.openai\.com|.*\.openai\.azure\.com",
    "openai_responses": r"api\.openai\.com|.*\.openai\.azure\.com",
    "gemini": r"generativelanguage\.googleapis\.com|(.*-)?aiplatform\.googleapis\.com",
}

#: Rules that some accepted body breaks all the same, with the reason: (rule, part of the file's path) -> reason.
EXCEPTIONS: dict[tuple[str, str], str] = {
    **{
        (rule, "DataDog__dd-trace-py/anthropic_completion_tools_call_with_tool_result_stream"): (
            "sent in 2024 to claude-3-opus, when the ids of call and result were not compared yet; they are since"
        )
        for rule in ("anthropic/calls-answered", "anthropic/result-of-known-call")
    },
    ("openai_responses/strict-schema", "opentelemetry-js-contrib/openai-responses-records-function-call-outputs"): (
        "written by hand for a mock server (its reply is resp_fn_output_001); no provider ever saw it"
    ),
}

#: The greatest share of bodies with a finding of MUST level, exceptions included.
TOLERATED = 0.005

pytestmark = pytest.mark.skipif(not TRAFFIC.is_dir(), reason="the recorded traffic is not beside this checkout")

each_format = pytest.mark.parametrize("name", formats.names())


class Record(NamedTuple):
    path: str
    content: dict[str, Any]

    @property
    def bodies(self) -> list[tuple[str, Any]]:
        """The bodies with their directions; the reply of a streamed exchange is none."""
        pairs = [("request", self.content["request"]), ("response", self.content["response"])]
        return [(direction, body) for direction, body in pairs if isinstance(body, dict)]

    def is_official(self, name: str) -> bool:
        features = self.content["features"]
        return (
            re.fullmatch(OFFICIAL[name], self.content["host"] or "") is not None
            and not any(feature == "compat_host" or "bedrock" in feature for feature in features)
            and (self.content["status"] or 200) < 400
        )


def records(name: str) -> list[Record]:
    return [
        Record(path.relative_to(folder).as_posix(), json.loads(path.read_text(encoding="utf-8")))
        for folder in FOLDERS
        for path in sorted((folder / name).rglob("*.json"))
    ]


@each_format
def test_official_bodies_have_no_fault(name: str, corpus: Corpus) -> None:
    counts: Counter[str] = Counter()
    faults: list[str] = []
    excused = 0
    for record in records(name):
        if not record.is_official(name):
            continue
        for direction, body in record.bodies:
            counts[direction] += 1
            findings = check_body(corpus, name, direction, body, model=record.content["model"])
            counts.update(f"{finding.level} {finding.rule}" for finding in findings)
            grave = [finding for finding in findings if finding.level is Level.MUST]
            excused += any(_excused(finding, record) for finding in grave)
            faults.extend(_line(finding, record, direction) for finding in grave if not _excused(finding, record))
    bodies = counts["request"] + counts["response"]
    print(f"\n{name}: {bodies} official bodies, {excused} excused")
    print("\n".join(f"  {count:5} {what}" for what, count in counts.most_common()))
    assert not faults, "\n".join(faults)
    assert bodies > 100
    assert excused <= TOLERATED * bodies


@each_format
def test_official_errors_have_no_fault(name: str, corpus: Corpus) -> None:
    """Few were recorded, but for each format some; Bedrock's envelope is another one."""
    refused = [
        record
        for record in records(name)
        if (record.content["status"] or 200) >= 400
        and re.fullmatch(OFFICIAL[name], record.content["host"] or "")
        and isinstance(record.content["response"], dict)
    ]
    assert refused
    for record in refused:
        reply = {"status": record.content["status"], "body": record.content["response"]}
        assert check_body(corpus, name, "error", reply) == [], record.path
        failure = formats.read(name, "error", reply).failure
        assert failure is not None
        assert failure.message, record.path


@each_format
def test_official_requests_are_read_without_residue(name: str) -> None:
    left = {
        (residue.key, residue.pointer, record.path)
        for record in records(name)
        if record.is_official(name)
        for direction, body in record.bodies
        if direction == "request"
        for residue in formats.read(name, direction, body).residue
    }
    assert left == set()


@each_format
def test_every_recorded_body_can_be_checked(name: str, corpus: Corpus) -> None:
    for record in records(name):
        for direction, body in record.bodies:
            check_body(corpus, name, direction, body, model=record.content["model"])


def _excused(finding: Finding, record: Record) -> bool:
    return any(finding.rule == rule and part in record.path for rule, part in EXCEPTIONS)


def _line(finding: Finding, record: Record, direction: str) -> str:
    return f"{record.path} {direction} {finding.pointer or '(body)'}: {finding.rule}: {finding.message}"
