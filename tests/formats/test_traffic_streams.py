"""Recorded streams of the providers themselves: none of what they send must be called wrong.

Where the recordings are looked for, and which hosts are official, is in ``test_traffic``.
"""

from __future__ import annotations

import random
from collections import Counter
from functools import cache
from typing import Any

import pytest

from formats.test_mutations import mutate, readable_body
from formats.test_traffic import TRAFFIC, Record, records
from toolcall_conformance import formats
from toolcall_conformance.basics.findings import Finding, Level
from toolcall_conformance.basics.jsonvalue import deep_copy, resolve
from toolcall_conformance.basics.streaming import parse
from toolcall_conformance.judge.rules.check import check_body
from toolcall_conformance.library import Corpus

#: Rules that an official stream breaks all the same, with the reason: (rule, part of the file's path) -> reason.
EXCEPTIONS: dict[tuple[str, str], str] = {}

#: The greatest share of official streams with a finding of MUST level, exceptions included.
TOLERATED = 0.02

#: Recorded streams above this many events are left out where streams are damaged: they are slow and hold nothing more.
MAX_EVENTS = 60

SEED = 20_261_122

pytestmark = pytest.mark.skipif(not TRAFFIC.is_dir(), reason="the recorded traffic is not beside this checkout")

each_format = pytest.mark.parametrize("name", formats.names())


@cache
def streams(name: str) -> tuple[tuple[Record, Any], ...]:
    """The recorded streams of a format; those of Bedrock are another envelope, and a JSON array has no events."""
    if formats.get(name).stream is None:
        pytest.skip(f"the streams of {name} cannot be read")
    return tuple(
        (record, parse(record.content["sse"].encode("utf-8", "surrogatepass")))
        for record in records(name)
        if record.content["sse"] and record.content["stream_format"] == "sse"
    )


@each_format
def test_official_streams_have_no_fault(name: str, corpus: Corpus) -> None:
    official = [(record, stream) for record, stream in streams(name) if record.is_official(name)]
    counts: Counter[str] = Counter()
    faults: list[str] = []
    excused = 0
    for record, stream in official:
        findings = check_body(corpus, name, "stream", stream)
        counts.update({f"{finding.level} {finding.rule}" for finding in findings})
        grave = [finding for finding in findings if finding.level is Level.MUST]
        excused += any(_excused(finding, record) for finding in grave)
        faults.extend(_line(finding, record) for finding in grave if not _excused(finding, record))
    print(f"\n{name}: {len(official)} official streams, {excused} excused, streams by rule:")
    print("\n".join(f"  {count:5} {what}" for what, count in counts.most_common()))
    assert not faults, "\n".join(faults)
    assert len(official) > 20
    assert excused <= TOLERATED * len(official)


@each_format
def test_official_streams_are_read_to_their_end(name: str) -> None:
    """A good grammar that ended nowhere would find no fault either."""
    for record, stream in streams(name):
        if record.is_official(name) and not any(part in record.path for _, part in EXCEPTIONS):
            assembled = formats.assemble(name, stream)
            assert assembled.end in ("whole", "failed"), record.path
            reading = formats.read(name, "stream", stream)
            assert len(reading.calls) == len(assembled.calls), record.path
            assert [call.name for call in reading.calls] == [call.name for call in assembled.calls], record.path
            if assembled.end == "whole":
                assert all(call.closed for call in assembled.calls), record.path


@each_format
def test_streams_of_others_can_be_checked(name: str, corpus: Corpus) -> None:
    """Compatible vendors and files of unknown hosts: what they do otherwise is printed, and nobody vouches for it."""
    others = [(record, stream) for record, stream in streams(name) if not record.is_official(name)]
    counts: Counter[tuple[str, str]] = Counter()
    for record, stream in others:
        host = str(record.content["host"] or record.content["vendor"])
        for line in {f"{finding.level} {finding.rule}" for finding in check_body(corpus, name, "stream", stream)}:
            counts[line, host] += 1
    print(f"\n{name}: {len(others)} other streams, streams by rule and host:")
    print("\n".join(f"  {count:5} {rule} {host}" for (rule, host), count in counts.most_common()))


@each_format
def test_damaged_streams_are_read_and_checked(name: str, corpus: Corpus, pytestconfig: pytest.Config) -> None:
    """Events deleted, doubled, swapped or mutated: nothing raises, and all pointers lead somewhere."""
    chance = random.Random(f"{SEED} {name}")
    originals = [stream for _, stream in streams(name) if 0 < len(stream["events"]) <= MAX_EVENTS]
    for _ in range(pytestconfig.getoption("--mutations") // 5):
        stream = damage_stream(chance, deep_copy(chance.choice(originals)))
        reading = formats.read(name, "stream", stream)
        for call in reading.calls:
            resolve(readable_body(name, "stream", stream), call.pointer)
        for streamed in formats.assemble(name, stream).calls:
            resolve(stream, streamed.pointer)
        for finding in check_body(corpus, name, "stream", stream):
            resolve(stream, finding.pointer)


def damage_stream(chance: random.Random, stream: Any) -> Any:
    """The stream with one to three faults, changed in place."""
    events = stream["events"]
    for _ in range(chance.randint(1, 3)):
        if not events:
            break
        index, other = chance.randrange(len(events)), chance.randrange(len(events))
        deed = chance.choice(["delete", "double", "swap", "cut", "move", "mutate", "mutate"])
        if deed == "delete":
            del events[index]
        elif deed == "double":
            events.insert(other, deep_copy(events[index]))
        elif deed == "swap":
            events[index], events[other] = events[other], events[index]
        elif deed == "cut":
            del events[index:]
        elif deed == "move":
            events.insert(other, events.pop(index))
        else:
            events[index] = mutate(chance, events[index])
    return stream


def _excused(finding: Finding, record: Record) -> bool:
    return any(finding.rule == rule and part in record.path for rule, part in EXCEPTIONS)


def _line(finding: Finding, record: Record) -> str:
    return f"{record.path} {finding.pointer or '(stream)'}: {finding.rule}: {finding.message}"
