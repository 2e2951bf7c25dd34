"""What providers sent to Vercel's AI SDK: 148 recorded replies and streams, of which none must be called wrong.

Each is judged as what an upstream sends to a translator, and translated by the reference for every client. The files
belong to https://github.com/vercel/ai and are looked for next to the checkout. ``vercel_ai.json`` says which format
each folder has, which files are errors and with which status, and which files are left out, each with the reason.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from corpus_judge import judge, judge_stream
from reference.reference_bodies import FORMATS, open_way
from reference.stream_bodies import frame_events
from toolcall_conformance import formats
from toolcall_conformance.basics.findings import Finding
from toolcall_conformance.basics.streaming import parse
from toolcall_conformance.judge import Judge
from toolcall_conformance.library import Corpus
from toolcall_reference import Refused

GOLDENS = Path(__file__).parents[3] / "shared" / "field" / "goldens" / "vercel-ai"
KNOWN: dict[str, Any] = json.loads(Path(__file__).with_name("vercel_ai.json").read_text(encoding="utf-8"))

pytestmark = pytest.mark.skipif(not GOLDENS.is_dir(), reason="the recorded replies are not beside this checkout")


class Sent(NamedTuple):
    """What an upstream sent: ``direction`` is response, stream or error; ``data`` the bytes of a stream, else JSON."""

    name: str
    format: str
    direction: str
    data: Any

    @property
    def body(self) -> Any:
        """As the judge takes it."""
        return parse(self.data) if self.direction == "stream" else self.data


def files() -> Iterator[str]:
    for path in sorted(GOLDENS.rglob("*")):
        if path.is_file():
            yield path.relative_to(GOLDENS).as_posix()


def reasons(name: str) -> list[str]:
    """Why a file is left out; nothing for one that is judged."""
    return [entry["reason"] for entry in KNOWN["left_out"] if fnmatchcase(name, entry["files"])]


def read(name: str) -> Sent:
    path = GOLDENS / name
    others = [form for files_, form in KNOWN["other_names"].items() if fnmatchcase(path.name, files_)]
    form = [*others, KNOWN["formats"][path.parent.name]][0]
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".txt":
        events: list[Any] = [json.loads(line) for line in text.splitlines() if line.strip()]
        return Sent(name, form, "stream", frame_events(form, [*events, "[DONE]"] if form == "openai_chat" else events))
    body = json.loads(text)
    if name in KNOWN["errors"]:
        return Sent(name, form, "error", {"status": KNOWN["errors"][name], "body": body})
    return Sent(name, form, "response", body)


def sent_bodies() -> list[Sent]:
    return [read(name) for name in files() if not reasons(name)]


def lines(name: str, findings: tuple[Finding, ...]) -> list[str]:
    return [
        f"{name} {finding.pointer or '(body)'}: {finding.rule}: {finding.message}"
        for finding in findings
        if finding.is_must
    ]


def test_each_file_is_judged_or_left_out_with_one_reason() -> None:
    names = list(files())
    unused = [
        entry["files"] for entry in KNOWN["left_out"] if not any(fnmatchcase(name, entry["files"]) for name in names)
    ]
    counts = Counter(len(reasons(name)) for name in names)
    print(f"\n{counts[0]} judged, {counts[1]} left out")
    assert set(counts) == {0, 1}
    assert unused == []
    assert KNOWN["errors"].keys() <= set(names)


def test_what_an_upstream_sends_has_no_fault(corpus: Corpus) -> None:
    counts: Counter[str] = Counter()
    faults: list[str] = []
    for sample in sent_bodies():
        findings = Judge(corpus).sent(sample.format, sample.direction, sample.body).findings
        counts.update(f"{finding.level} {finding.rule}" for finding in findings)
        counts[sample.direction] += 1
        faults += lines(sample.name, findings)
    print("\n" + "\n".join(f"  {count:5} {what}" for what, count in counts.most_common()))
    assert not faults, "\n".join(faults)
    assert counts["response"] > 50
    assert counts["stream"] > 50


def test_streams_are_read_to_their_end() -> None:
    """A stream that ended nowhere would have no fault either."""
    for sample in sent_bodies():
        if sample.direction == "stream":
            assert formats.assemble(sample.format, sample.body).end in ("whole", "failed"), sample.name


@pytest.mark.parametrize("client", FORMATS)
def test_the_reference_takes_them(client: str) -> None:
    """Every reply is translated, and what the judge says of the translation is no fault."""
    faults: list[str] = []
    done, refused = 0, set()
    for sample in sent_bodies():
        if sample.direction == "error":
            continue
        session = open_way(client, sample.format, stream=sample.direction == "stream")
        try:
            if sample.direction == "stream":
                output: Any = parse(b"".join(session.stream([sample.data])))
                findings = judge_stream(output, client=client, upstream=sample.format, source=sample.body).findings
            else:
                output = session.response(sample.data)
                findings = judge(
                    sample.data, output, client=client, upstream=sample.format, direction="response"
                ).findings
        except Refused:
            refused.add(sample.name)
            continue
        done += 1
        faults += lines(sample.name, findings)
    assert not faults, "\n".join(faults)
    assert done > 100
    assert all("mcp-tool-approval" in name for name in refused), refused  # they wait for a word that only one API has
