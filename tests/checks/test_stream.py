"""The check ``stream``: each fault under its own rule, and what is harmless let through."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from toolcall_conformance.basics.contract import Route
from toolcall_conformance.basics.findings import Level, Verdict
from toolcall_conformance.basics.streaming import cuts
from toolcall_conformance.checks.base import ItemResult
from toolcall_conformance.checks.stream import run, variants
from toolcall_conformance.drivers.python.driver import PythonDriver
from toolcall_conformance.engine.items.plan import PlannedItem, route_of
from toolcall_conformance.engine.output.artifacts import write_bodies
from toolcall_conformance.engine.run import make_harness
from toolcall_conformance.library import load_corpus
from toolcall_reference import ReferenceTranslator

CORPUS = load_corpus()
HARNESS = make_harness(CORPUS)
CASE = "write_file/unicode-arguments"
PARALLEL = "parallel/three-tools"

Change = Callable[[Any, Iterable[bytes]], Iterator[bytes]]


class Changed:
    """The reference with another ``stream``: ``change(the reference's own stream, chunks)``."""

    def __init__(self, change: Change) -> None:
        self._change = change

    def open(self, route: Route) -> Any:
        inner = ReferenceTranslator().open(route)
        change = self._change

        class Session:
            request = inner.request
            response = inner.response

            def stream(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
                return change(inner.stream, chunks)

        return Session()


def play(change: Change, client: str, upstream: str, variant: str = "", case: str = CASE) -> ItemResult:
    driver = PythonDriver(Changed(change), "changed")
    route = route_of(CORPUS.cases[case], client, upstream)
    try:
        return run(CORPUS.cases[case], route, driver.open, HARNESS, variant)
    finally:
        driver.close()


def rules(result: ItemResult, level: Level = Level.MUST) -> set[str]:
    return {finding.rule for finding in result.findings if finding.level is level}


def pass_through(stream: Any, chunks: Iterable[bytes]) -> Iterator[bytes]:
    yield from stream(chunks)


def in_one_piece(stream: Any, chunks: Iterable[bytes]) -> Iterator[bytes]:
    yield b"".join(stream(list(chunks)))


def as_text(stream: Any, chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Decodes each piece for itself."""
    yield from stream(chunk.decode("utf-8", "replace").encode() for chunk in chunks)


def in_lines(stream: Any, chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Takes every piece for whole lines."""
    yield from stream(b"\n".join(chunk.splitlines()) + b"\n\n" for chunk in chunks)


def piece_is_event(stream: Any, chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Takes every piece for whole events, and passes over what does not parse."""
    for chunk in chunks:
        data = re.search(rb"data: ?(.*)", chunk)
        try:
            json.loads(data[1]) if data else None
        except ValueError:
            continue
        yield from stream([chunk])


def closes_what_broke_off(stream: Any, chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Ends every stream in order (Anthropic's events)."""
    out = b""
    try:
        for piece in stream(chunks):
            if b"event: error" in piece:
                break
            out += piece
            yield piece
    except Exception:
        pass
    if b"message_stop" not in out:
        started, stopped = (set(re.findall(rb'_%b".*?"index":(\d+)' % kind, out)) for kind in (b"start", b"stop"))
        for index in sorted(started - stopped):
            data = b'{"type":"content_block_stop","index":%b}' % index
            yield b"event: content_block_stop\ndata: %b\n\n" % data
        if b"message_start" in out:
            yield (
                b'event: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence"'
                b':null},"usage":{"output_tokens":1}}\n\nevent: message_stop\ndata: {"type":"message_stop"}\n\n'
            )


def ends_what_broke_off(stream: Any, chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Ends the message in order once no block is open, else not at all (Anthropic's events)."""
    out = b""
    for piece in stream(chunks):
        if b"event: error" in piece:
            break
        out += piece
        yield piece
    if b"message_stop" not in out and out.count(b"event: content_block_start") == out.count(
        b"event: content_block_stop"
    ):
        yield (
            b'event: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence"'
            b':null},"usage":{"output_tokens":1}}\n\nevent: message_stop\ndata: {"type":"message_stop"}\n\n'
        )


def swallows_errors(stream: Any, chunks: Iterable[bytes]) -> Iterator[bytes]:
    for piece in stream(chunks):
        if b"event: error" not in piece:
            yield piece


def raises_when_cut(stream: Any, chunks: Iterable[bytes]) -> Iterator[bytes]:
    for piece in stream(chunks):
        if b"event: error" in piece:
            raise ConnectionError("the upstream broke off")
        yield piece


def pings(stream: Any, chunks: Iterable[bytes]) -> Iterator[bytes]:
    for piece in stream(chunks):
        yield b": keep-alive\n\n" + piece


def loses_a_word(stream: Any, chunks: Iterable[bytes]) -> Iterator[bytes]:
    for piece in stream(chunks):
        yield re.sub(rb'"text_delta","text":"[^"\\]+"', rb'"text_delta","text":""', piece)


def other_finish(stream: Any, chunks: Iterable[bytes]) -> Iterator[bytes]:
    for piece in stream(chunks):
        yield piece.replace(b'"stop_reason":"tool_use"', b'"stop_reason":"max_tokens"')


def raises_at_once(_stream: Any, _chunks: Iterable[bytes]) -> Iterator[bytes]:
    raise KeyError("delta")
    yield b""


def until_message_stop(stream: Any, chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Holds everything until the API's own end of a reply, and reads no further."""
    buffer = b""
    for piece in stream(chunks):
        buffer += piece
        if b"event: message_stop" in buffer:
            break
    yield buffer


def says_its_error_otherwise(stream: Any, chunks: Iterable[bytes]) -> Iterator[bytes]:
    for piece in stream(chunks):
        yield re.sub(rb'"error":\{[^}]*\}', b'"error":"the upstream failed"', piece)


BROKEN = [
    (until_message_stop, "", "translation/stream-at-once", Level.SHOULD),
    (says_its_error_otherwise, "cut", "anthropic/stream-error-shape", Level.MUST),
    (in_one_piece, "", "translation/stream-at-once", Level.SHOULD),
    (as_text, "recut", "translation/stream-cuts", Level.MUST),
    (in_lines, "recut", "translation/stream-cuts", Level.MUST),
    (piece_is_event, "recut", "translation/stream-cuts", Level.MUST),
    (closes_what_broke_off, "cut", "translation/stream-cut-call", Level.MUST),
    (ends_what_broke_off, "cut", "translation/stream-cut-end", Level.MUST),
    (swallows_errors, "cut", "translation/stream-error-as-break", Level.SHOULD),
    (other_finish, "", "translation/stream-equals-reply", Level.SHOULD),
    (other_finish, "", "translation/finish-reason", Level.MUST),
    (raises_at_once, "", "translation/crashed", Level.MUST),
]


@pytest.mark.parametrize(("change", "variant", "rule", "level"), BROKEN)
def test_a_fault_is_found_under_its_rule(change: Change, variant: str, rule: str, level: Level) -> None:
    # Only where the source closes a call before its reply ends there is something between the two to cut.
    upstream = "anthropic" if rule == "translation/stream-cut-end" else "openai_chat"
    result = play(change, "anthropic", upstream, variant)
    assert rule in rules(result, level)
    assert result.verdict is (Verdict.WARN if level is Level.SHOULD and not rules(result) else Verdict.FAIL)


@pytest.mark.parametrize("variant", ["", "recut", "cut"])
@pytest.mark.parametrize("change", [pass_through, pings])
@pytest.mark.parametrize("upstream", CORPUS.formats)
def test_what_is_harmless_passes(change: Change, upstream: str, variant: str) -> None:
    result = play(change, "anthropic", upstream, variant)
    assert result.findings == ()
    assert result.verdict is Verdict.PASS


@pytest.mark.parametrize("upstream", CORPUS.formats)
def test_a_stream_that_broke_off_may_raise(upstream: str) -> None:
    assert play(raises_when_cut, "anthropic", upstream, "cut").findings == ()


def test_nothing_fails_after_the_end() -> None:
    """The reply is in one event: there is no middle in which its upstream could fail."""
    case = CORPUS.cases["streaming/interleaved-calls"]
    stream = case.exchanges("gemini")[0].stream_path
    assert stream is not None
    assert len(cuts.split_events(stream.read_bytes())) == 1
    assert play(swallows_errors, "anthropic", "gemini", "cut", case.id).findings == ()


def test_a_word_that_is_lost() -> None:
    result = play(loses_a_word, "anthropic", "openai_chat", case="parallel/text-around")
    assert "translation/text-lost" in rules(result)
    assert "translation/stream-equals-reply" in rules(result, Level.SHOULD)


def test_faults_of_the_stream_are_not_repeated_for_the_reply() -> None:
    def uncounted(stream: Any, chunks: Iterable[bytes]) -> Iterator[bytes]:
        for piece in stream(chunks):
            yield re.sub(rb'"total_tokens": ?\d+', b'"total_tokens":null', piece)

    findings = play(uncounted, "openai_chat", "anthropic").findings
    assert {finding.rule for finding in findings} == {"openai_chat/usage-counts"}
    assert not any("assembled" in finding.body for finding in findings)


def test_a_stream_of_nothing_is_called_so(tmp_path: Path) -> None:
    def nothing(stream: Any, chunks: Iterable[bytes]) -> Iterator[bytes]:
        list(stream(chunks))
        return iter(())

    result = play(nothing, "openai_chat", "anthropic")
    finding, *_ = (finding for finding in result.findings if finding.rule == "translation/target-format")
    assert finding.message == "the upstream's reply is whole, and the client gets an empty stream"
    assert (finding.want, finding.body) == ("a reply of openai_chat", "01-response.sse")
    item = PlannedItem(CORPUS.cases[CASE], "stream", route_of(CORPUS.cases[CASE], "openai_chat", "anthropic"), "")
    folder = write_bodies(tmp_path, item, result)
    assert folder is not None
    assert b"event: message_start" in (folder / "01-response.sse.sent.sse").read_bytes(), "what the upstream sent"


@pytest.mark.parametrize(("change", "variant"), [(as_text, "recut"), (closes_what_broke_off, "cut")])
def test_the_bytes_that_came_are_kept(change: Change, variant: str, tmp_path: Path) -> None:
    """Both the pieces that were sent and what came of them: without these nobody can look for the fault."""
    result = play(change, "anthropic", "openai_chat", variant)
    assert result.verdict is Verdict.FAIL
    item = PlannedItem(CORPUS.cases[CASE], "stream", route_of(CORPUS.cases[CASE], "anthropic", "openai_chat"), variant)
    folder = write_bodies(tmp_path, item, result)
    assert folder is not None
    sent, sizes, output_path = (
        next(folder.glob(f"01-response.sse.{end}")) for end in ("sent.sse", "sent-pieces.json", "received.sse")
    )
    assert len(sent.read_bytes()) == sum(json.loads(sizes.read_bytes()))
    assert b"event: message_start" in output_path.read_bytes()


def test_a_fault_of_the_reply_says_which_events_made_it(tmp_path: Path) -> None:
    """Its pointer goes into the reply that the stream assembles to, which is next to the stream's bodies."""

    def renamed(stream: Any, chunks: Iterable[bytes]) -> Iterator[bytes]:
        yield from (
            re.sub(rb'"stop_reason": ?"tool_use"', b'"stop_reason":"max_tokens"', chunk) for chunk in stream(chunks)
        )

    result = play(renamed, "anthropic", "gemini")
    (wrong,) = (finding for finding in result.findings if finding.rule == "translation/finish-reason")
    assert (wrong.pointer, wrong.want, wrong.got) == ("/stop_reason", "tool_use", "max_tokens")
    assert re.fullmatch(r"made of event (\d+) of \d+, message_delta", wrong.subject)
    item = PlannedItem(CORPUS.cases[CASE], "stream", route_of(CORPUS.cases[CASE], "anthropic", "gemini"))
    folder = write_bodies(tmp_path, item, result)
    assert folder is not None
    assert json.loads((folder / "01-response.sse.assembled.json").read_bytes())["stop_reason"] == "max_tokens"


def test_a_session_without_streams_has_no_items() -> None:
    """And cuts are tried where a case has something that they can break."""
    assert variants(CORPUS, CORPUS.cases[CASE], "anthropic", "gemini") == ("", "recut", "cut")
    assert variants(CORPUS, CORPUS.cases["shell/seed"], "anthropic", "gemini") == ("",)
    shaped = CORPUS.cases["streaming/partial-args"]
    assert variants(CORPUS, shaped, "gemini", "gemini") == ("", "recut", "cut")
    assert variants(CORPUS, shaped, "openai_chat", "gemini") == ()  # nobody else can ask for such a stream
    assert variants(CORPUS, shaped, "openai_chat", "anthropic") == ("",)
    dialect = CORPUS.cases["dialects/groq"]  # nobody streams in it
    assert variants(CORPUS, dialect, "anthropic", next(iter(dialect.dialects))) == ()


def ends_with_the_finish(stream: Any, chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Reads nothing after the finish reason of Chat and Anthropic: there the reply is whole."""

    def until_then() -> Iterator[bytes]:
        for chunk in chunks:
            yield chunk
            if b'"finish_reason":"' in chunk:
                yield b"data: [DONE]\n\n"
                return
            if b"event: message_delta" in chunk:
                yield b'event: message_stop\ndata: {"type":"message_stop"}\n\n'
                return

    yield from stream(until_then())


def closes_with_the_whole_text(stream: Any, chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Closes the block as soon as Responses has said the whole text of its arguments, not only with its item."""
    chunks_seen: list[bytes] = []

    def record_chunks() -> Iterator[bytes]:
        for chunk in chunks:
            chunks_seen.append(chunk)
            yield chunk

    closed = False
    for piece in stream(record_chunks()):
        stop = re.search(rb"event: content_block_stop\n.*\n\n", piece)
        if stop is not None and closed:
            piece = piece.replace(stop[0], b"", 1)
        elif b"function_call_arguments.done" in b"".join(chunks_seen) and not closed and stop is None:
            yield b'event: content_block_stop\ndata: {"type":"content_block_stop","index":0}\n\n'
            closed = True
        closed = closed or stop is not None
        yield piece


@pytest.mark.parametrize(
    ("change", "upstream", "case"),
    [
        (ends_with_the_finish, "openai_chat", CASE),
        (ends_with_the_finish, "anthropic", CASE),
        (closes_with_the_whole_text, "openai_responses", "read_many_files/empty-arguments"),
    ],
)
def test_what_is_early_and_right_passes(change: Change, upstream: str, case: str) -> None:
    assert play(change, "anthropic", upstream, "cut", case).findings == ()
