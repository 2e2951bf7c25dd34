"""A level that is edited in the corpus is the level of the finding, wherever the finding comes from.

Each rule is broken at one of the levels a day.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from toolcall_conformance.basics.contract import Refused, Route
from toolcall_conformance.basics.findings import Finding, Level, Verdict
from toolcall_conformance.basics.streaming import parse
from toolcall_conformance.checks import CHECKS, ItemResult
from toolcall_conformance.checks.base import Tally, failure_finding
from toolcall_conformance.drivers import (
    BadOutput,
    Crashed,
    Misdirected,
    Produced,
    ProtocolError,
    RefusedOutcome,
    RequestFlaw,
    TimedOut,
    UnsupportedOutcome,
)
from toolcall_conformance.drivers.python.driver import PythonDriver
from toolcall_conformance.engine.items.plan import route_of
from toolcall_conformance.engine.run import make_harness
from toolcall_conformance.judge import Ends, Judge, Requests
from toolcall_conformance.judge.rules.check import check_body
from toolcall_conformance.library import Corpus, default_root
from toolcall_reference import ReferenceTranslator
from turns import share

ROOT = default_root()
OF_TRANSLATION = ("translation/rules", "drift/rules")
OF_FORMATS = tuple(f"formats/{path.name}/rules" for path in ROOT.glob("formats/*"))
LEVELS = ["NOTE", "SHOULD", "MUST"]
CASE = "write_file/unicode-arguments"
CHAT, ANTHROPIC = "openai_chat", "anthropic"


@pytest.fixture(scope="module", params=LEVELS)
def edited_corpus(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """The corpus with every rule between formats at one level."""
    return _write_edited_corpus(tmp_path_factory.mktemp(request.param), OF_TRANSLATION, request.param)


@pytest.fixture(scope="module", params=LEVELS)
def edited_formats(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """The corpus with every rule of a format at one level."""
    return _write_edited_corpus(tmp_path_factory.mktemp(request.param), OF_FORMATS, request.param)


def _write_edited_corpus(root: Path, folders: tuple[str, ...], level: str) -> Corpus:
    _link(ROOT, root, folders)
    for name in folders:
        for path in (ROOT / name).glob("*.json"):
            raw = json.loads(path.read_text(encoding="utf-8"))
            raw.pop("level_in_replies", None)
            (root / name / path.name).write_text(json.dumps(raw | {"level": level}), encoding="utf-8")
    return Corpus(root)


def _link(source: Path, target: Path, folders: tuple[str, ...]) -> None:
    """Link what is in a folder, except the ``folders`` that are rewritten."""
    for path in source.iterdir():
        name = str(path.relative_to(ROOT))
        if name in folders:
            (target / path.name).mkdir()
        elif any(folder.startswith(f"{name}/") for folder in folders):
            (target / path.name).mkdir()
            _link(path, target / path.name, folders)
        else:
            (target / path.name).symlink_to(path)


def level_of(corpus: Corpus) -> Level:
    return corpus.rule("translation/crashed").level


def unlike(corpus: Corpus, findings: Iterable[Finding]) -> list[tuple[str, Level]]:
    """The findings that have another level than their rules have in the edited corpus."""
    return [
        (finding.rule, finding.level) for finding in findings if finding.level is not corpus.rule(finding.rule).level
    ]


def test_rules_of_translation(edited_corpus: Corpus) -> None:
    missed = []
    for rule in share(edited_corpus.rules.values(), len(LEVELS), LEVELS.index(level_of(edited_corpus).name)):
        if rule.raw["check"] not in ("judge", "loop") or "source" not in rule.raw["breaks"]:
            continue
        pair = rule.raw["breaks"]
        ends = Ends(pair["client"], pair["upstream"], None, pair.get("upstream_model"))
        ask = getattr(Judge(edited_corpus), "history" if rule.raw["check"] == "loop" else rule.raw["direction"])
        options = {"requests": Requests(pair["request"], pair.get("upstream_request"))} if "request" in pair else {}
        findings = ask(pair["source"], pair["output"], ends, **options).findings
        if {finding.level for finding in findings if finding.rule == rule.id} != {level_of(edited_corpus)}:
            missed.append(rule.id)
    assert missed == []


def test_rules_of_formats(edited_formats: Corpus) -> None:
    count = 0
    rules = [rule for rule in edited_formats.rules.values() if rule.raw["check"] in ("schema", "function")]
    for rule in share(rules, len(LEVELS), LEVELS.index(rules[0].level.name)):
        name, _ = rule.id.split("/")
        findings = check_body(
            edited_formats, name, rule.raw["direction"], rule.raw["breaks"], model=rule.raw.get("model")
        )
        assert rule.id in {finding.rule for finding in findings}
        assert unlike(edited_formats, findings) == []
        count += 1
    assert count > 100


@pytest.mark.parametrize(
    ("outcome", "rule"),
    [
        (RefusedOutcome("no"), "refused"),
        (UnsupportedOutcome("no"), "refused"),
        (Crashed(KeyError("x"), "Traceback"), "crashed"),
        (TimedOut(1.0), "timed-out"),
        (BadOutput("no object"), "bad-output"),
        (ProtocolError("no message"), "protocol-error"),
        (Misdirected("another path"), "upstream-address"),
    ],
)
def test_calls_that_bring_nothing(edited_corpus: Corpus, outcome: Any, rule: str) -> None:
    finding = failure_finding(edited_corpus, "request", outcome, "01-request")
    assert (finding.rule, finding.level) == (f"translation/{rule}", level_of(edited_corpus))


def test_what_is_seen_next_to_a_body(edited_corpus: Corpus) -> None:
    tally = Tally.of(
        make_harness(edited_corpus), edited_corpus.cases[CASE], "request", Route("anthropic", "gemini", "a", "b")
    )
    flaws = tuple(RequestFlaw(kind, "it is wrong", ("gpt-4.1", "gpt-4o")) for kind in ("key", "header", "model"))
    tally.add_side_effects("request", Produced({}, mutated=True, flaws=flaws), "01-request")
    assert len(tally.findings) == 4
    assert unlike(edited_corpus, tally.findings) == []
    verdicts = {"MUST": Verdict.FAIL, "SHOULD": Verdict.WARN, "NOTE": Verdict.PASS}
    assert tally.result().verdict is verdicts[level_of(edited_corpus)]


Stream = Callable[[Iterable[bytes]], Iterator[bytes]]
Change = Callable[[Stream, Iterable[bytes]], Iterator[bytes]]


class Changed:
    """The reference with a change in its streams, or in what it says of calls."""

    def __init__(self, change: Change | None = None, reply: Callable[[Any], Any] | None = None) -> None:
        self._change, self._reply = change, reply

    def open(self, route: Any) -> Any:
        inner: Any = ReferenceTranslator().open(route)
        if self._change is not None:
            change, own = self._change, inner.stream
            inner.stream = lambda chunks: change(own, chunks)
        if self._reply is not None:
            reply, own_response = self._reply, inner.response
            inner.response = lambda body: reply(own_response(body))
        return inner


def play(corpus: Corpus, translator: Any, check: str, variant: str = "", upstream: str = CHAT) -> ItemResult:
    """The case through a check, from Anthropic's clients."""
    driver = PythonDriver(translator, "changed")
    route = route_of(corpus.cases[CASE], ANTHROPIC, upstream)
    try:
        return CHECKS[check](corpus.cases[CASE], route, driver.open, make_harness(corpus), variant, None)
    finally:
        driver.close()


def in_one_piece(stream: Stream, chunks: Iterable[bytes]) -> Iterator[bytes]:
    yield b"".join(stream(list(chunks)))


def decode_by_piece(stream: Stream, chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Decodes each piece for itself."""
    yield from stream(chunk.decode("utf-8", "replace").encode() for chunk in chunks)


def swallows_errors(stream: Stream, chunks: Iterable[bytes]) -> Iterator[bytes]:
    for piece in stream(chunks):
        if b"event: error" in piece:
            return
        yield piece


def ends_in_order(stream: Stream, chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Closes whatever is open, and ends every stream like a whole reply."""
    out = b""
    for piece in swallows_errors(stream, chunks):
        out += piece
        yield piece
    if b"message_stop" not in out:
        started = out.count(b"event: content_block_start")
        for index in range(out.count(b"event: content_block_stop"), started):
            yield b'event: content_block_stop\ndata: {"type":"content_block_stop","index":%d}\n\n' % index
        yield (
            b'event: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence"'
            b':null},"usage":{"output_tokens":1}}\n\nevent: message_stop\ndata: {"type":"message_stop"}\n\n'
        )


def ends_between_blocks(stream: Stream, chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Ends a stream like a whole reply once no block is open."""
    out = b""
    for piece in swallows_errors(stream, chunks):
        out += piece
        yield piece
    if b"message_stop" not in out and out.count(b"block_start\n") == out.count(b"block_stop\n"):
        yield from ends_in_order(lambda _chunks: iter([]), [])


def other_finish(stream: Stream, chunks: Iterable[bytes]) -> Iterator[bytes]:
    for piece in stream(chunks):
        yield piece.replace(b'"stop_reason":"tool_use"', b'"stop_reason":"max_tokens"')


def raises(_stream: Stream, _chunks: Iterable[bytes]) -> Iterator[bytes]:
    raise KeyError("delta")
    yield b""


@pytest.mark.parametrize(
    ("change", "variant", "rule"),
    [
        (in_one_piece, "", "stream-at-once"),
        (other_finish, "", "stream-equals-reply"),
        (raises, "", "crashed"),
        (decode_by_piece, "recut", "stream-cuts"),
        (ends_in_order, "cut", "stream-cut-call"),
        (ends_between_blocks, "cut", "stream-cut-end"),
        (swallows_errors, "cut", "stream-error-as-break"),
    ],
)
def test_streams(edited_corpus: Corpus, change: Change, variant: str, rule: str) -> None:
    # Only where the source closes a call before its reply ends there is something between the two to cut.
    upstream = ANTHROPIC if rule == "stream-cut-end" else CHAT
    findings = play(edited_corpus, Changed(change), "stream", variant, upstream).findings
    assert f"translation/{rule}" in {finding.rule for finding in findings}
    assert unlike(edited_corpus, findings) == []


def without_calls(reply: Any) -> Any:
    return reply | {"content": [{"type": "text", "text": "Done."}], "stop_reason": "end_turn"}


def under_another_name(reply: Any) -> Any:
    return reply | {"content": [block | ({"name": "other"} if "name" in block else {}) for block in reply["content"]]}


@pytest.mark.parametrize(("reply", "rule"), [(without_calls, "loop-broken"), (under_another_name, "call-name")])
def test_conversations(edited_corpus: Corpus, reply: Callable[[Any], Any], rule: str) -> None:
    findings = play(edited_corpus, Changed(reply=reply), "agent_loop").findings
    assert f"translation/{rule}" in {finding.rule for finding in findings}
    assert unlike(edited_corpus, [finding for finding in findings if finding.rule == f"translation/{rule}"]) == []


def test_refusals(edited_corpus: Corpus) -> None:
    class Refusing:
        def open(self, _route: Any) -> Refusing:
            return self

        def request(self, _body: Any) -> Any:
            raise Refused("not this one")

    result = play(edited_corpus, Refusing(), "request")
    assert [finding.rule for finding in result.findings] == ["translation/refused"]
    assert unlike(edited_corpus, result.findings) == []
    assert (result.verdict is Verdict.REFUSED) == (level_of(edited_corpus) is Level.MUST)


def test_captured_streams(edited_corpus: Corpus) -> None:
    golden = edited_corpus.cases["shell/seed"].exchanges(CHAT)[0].stream_path
    assert golden is not None
    findings = Judge(edited_corpus).stream(None, parse(golden.read_bytes()), Ends(ANTHROPIC, ANTHROPIC)).findings
    assert [(finding.rule, finding.level) for finding in findings] == [
        ("translation/target-format", level_of(edited_corpus))
    ]
