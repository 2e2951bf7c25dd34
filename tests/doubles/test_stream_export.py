"""The streams in ``corpus/verdicts/`` are up to date, and a judge needs nothing but their files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from doubles.export import root
from doubles.streams.export import exported, files_of, path_of
from doubles.streams.model import StreamDouble
from judging import judge_stream
from toolcall_conformance import formats
from toolcall_conformance.checks.streamed import told
from toolcall_conformance.findings import Finding, Level
from toolcall_conformance.library import load_corpus
from toolcall_conformance.reading import Opaque
from toolcall_conformance.streaming import dump, parse

AGAIN = "write it anew: cd tests && PYTHONPATH=.:../conformance:../reference_impl python -m doubles.export"
FILES = sorted(root().glob("stream-*/*/*.json"))


def test_every_double_is_there_and_nothing_else() -> None:
    expected = {path for double in exported() for path in files_of(double)}
    assert set(root().glob("stream-*/*/*")) == expected, AGAIN
    assert set(FILES) == {path_of(double) for double in exported()}
    print(f"{len(FILES)} verdicts on streams, {sum(path.stat().st_size for path in expected):,} bytes")


@pytest.mark.parametrize("double", [pytest.param(double, id=double.name) for double in exported()])
def test_it_is_what_the_double_makes(double: StreamDouble) -> None:
    for path, content in files_of(double).items():
        assert path.read_bytes() == content, AGAIN


@pytest.mark.parametrize("path", FILES, ids=lambda path: "/".join(path.parts[-3:]))
def test_the_judge_agrees_with_the_files_alone(path: Path) -> None:
    content = json.loads(path.read_text(encoding="utf-8"))
    output = parse(path.with_name(content["output"]).read_bytes())
    if "usual" in content:
        usual = parse(path.with_name(content["usual"]).read_bytes())
        assert content["expect"] == ["translation/stream-cuts"]
        assert said(content["client"], usual) != said(content["client"], output)
        return
    found = judged(content, output)
    must = {finding.rule for finding in found if finding.level is Level.MUST}
    should = {finding.rule for finding in found if finding.level is Level.SHOULD}
    if content["expect"]:
        assert must & set(content["expect"])
        assert must <= {*content["expect"], *content["follows"]}
        return
    assert not must
    if content["kind"] == "warning":
        assert should & set(content["may_warn"])
    else:
        assert should <= set(content["may_warn"])


def judged(content: dict[str, Any], output: dict[str, Any]) -> tuple[Finding, ...]:
    corpus = load_corpus()
    source = (corpus.root / content["source"]).read_bytes()
    if "source_bytes" in content:
        source = source[: content["source_bytes"]]
    if content.get("source_then") == "error":
        source += dump([corpus.transports[content["upstream"]]["stream"]["error"]])
    models = {key: content[key] for key in ("client_model", "upstream_model")}
    request = json.loads((corpus.root / content["request"]).read_text(encoding="utf-8"))
    ends = {"client": content["client"], "upstream": content["upstream"]}
    return judge_stream(output, source=parse(source), request=request, **ends, **models).findings


def said(client: str, stream: dict[str, Any]) -> dict[str, Any]:
    """What a client is told, however it is cut, and the state that it is given."""
    heard = formats.assembled(client, stream)
    reading = formats.read(client, "response", heard.body)
    state = [item.value for turn in reading.turns for item in turn.items if isinstance(item, Opaque)]
    return {**told(reading), "end": heard.end, "state": state}
