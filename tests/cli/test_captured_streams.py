"""``toolcall-conformance judge --stream``: a client's stream alone, and against what the upstream sent."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from toolcall_conformance.basics.streaming import cuts
from toolcall_conformance.cli import main
from toolcall_conformance.library import load_corpus
from toolcall_reference import ReferenceTranslator

CORPUS = load_corpus()
CASE = "parallel/three-tools"
CALL = b'"type":"tool_use"'


def golden(name: str, case: str = CASE) -> bytes:
    path = CORPUS.cases[case].exchanges(name)[0].stream_path
    assert path is not None
    return path.read_bytes()


def translate_stream(upstream: str, client: str, stream: bytes | None = None) -> bytes:
    case = CORPUS.cases[CASE]
    route = type("Route", (), {"client": client, "upstream": upstream})()
    route.client_model, route.upstream_model, route.stream = case.model(client), case.model(upstream), True
    session: Any = ReferenceTranslator().open(route)
    session.request(case.exchanges(client)[0].request)
    return b"".join(session.stream([golden(upstream) if stream is None else stream]))


def first_events(stream: bytes, events: int) -> bytes:
    return b"".join(cuts.split_events(stream)[:events])


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Any]:
    """The exit code and what was printed; ``files`` are written first."""
    monkeypatch.chdir(tmp_path)

    def judge(*words: str, stdin: bytes | None = None, **files: bytes) -> tuple[int, str, str]:
        for name, data in files.items():
            Path(name).write_bytes(data)
        if stdin is not None:
            monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        code = main(["judge", *words])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return judge


@pytest.fixture
def judge_findings(run: Callable[..., Any]) -> Callable[..., tuple[int, list[dict[str, Any]]]]:
    """The exit code, and the findings that are no notes."""

    def judge(*words: str, **files: bytes) -> tuple[int, list[dict[str, Any]]]:
        code, out, error = run("--json", *words, **files)
        assert not error
        return code, [finding for finding in json.loads(out)["findings"] if finding["level"] != "NOTE"]

    return judge


@pytest.mark.parametrize("name", CORPUS.formats)
def test_a_golden_stream_alone(judge_findings: Any, name: str) -> None:
    assert judge_findings("--client", name, "--stream", "s", s=golden(name)) == (0, [])


def test_a_broken_stream_alone(judge_findings: Any) -> None:
    again = golden("anthropic").replace(b'"index":1', b'"index":0')
    code, findings = judge_findings("--client", "anthropic", "--stream", "s", s=again)
    assert code == 1
    wrong = next(finding for finding in findings if finding["rule"] == "anthropic/stream-block-index")
    events = cuts.split_events(again)
    assert CALL in events[wrong["event"] - 1]
    assert wrong["pointer"] == f"/events/{wrong['event'] - 1}/data/index"
    assert wrong["subject"] == f"event {wrong['event']} of {len(events)}, content_block_start"


def test_a_stream_alone_that_breaks_off(judge_findings: Any) -> None:
    code, findings = judge_findings(
        "--client", "openai_chat", "--stream", "s", s=first_events(golden("openai_chat"), 6)
    )
    assert code == 1
    assert "openai_chat/stream-finish" in {finding["rule"] for finding in findings}


@pytest.mark.parametrize("upstream", CORPUS.formats)
@pytest.mark.parametrize("client", CORPUS.formats)
def test_a_translation(judge_findings: Any, client: str, upstream: str) -> None:
    reply = json.dumps(CORPUS.cases[CASE].exchanges(upstream)[0].response).encode()
    words = ("--client", client, "--upstream", upstream, "--stream", "up", "down")
    output = translate_stream(upstream, client)
    code, findings = judge_findings(*words, up=golden(upstream), down=output)
    assert (code, {finding["level"] for finding in findings} - {"SHOULD"}) == (0, set())
    assert judge_findings(*words, up=reply, down=output) == (code, findings)


def test_what_changed_is_found_in_the_reply_that_it_amounts_to(run: Any, judge_findings: Any) -> None:
    output = translate_stream("gemini", "anthropic").replace(b"Lyon Part-Dieu", b"Lyon Perrache")
    words = ("--client", "anthropic", "--upstream", "gemini", "--stream", "up", "down")
    code, findings = judge_findings(*words, up=golden("gemini"), down=output)
    assert code == 1
    (wrong,) = [finding for finding in findings if finding["level"] == "MUST"]
    assert wrong["rule"] == "translation/arguments"
    assert wrong["body"] == "the reply, assembled"
    assert "; opened by event " in wrong["subject"]
    code, out, _ = run(*words)
    assert code == 1
    assert "translation/arguments" in out
    assert "in    the reply, assembled" in out


def test_the_upstream_broke_off(run: Any, judge_findings: Any) -> None:
    """What ends with its source is right; what closes a call or ends in order is not."""
    up = first_events(golden("openai_chat"), 15)
    words = ("--client", "anthropic", "--upstream", "openai_chat", "--stream", "up", "down")
    down = translate_stream("openai_chat", "anthropic", up)
    assert judge_findings(*words, up=up, down=down) == (0, [])
    _, out, _ = run(*words)
    assert "up breaks off after 15 events; the judge checks that the output does not look complete" in out
    _, out, _ = run(*words, up=up + b"data: {")
    assert "up breaks off after 15 events, in the middle of the next one;" in out
    without_its_error = b"".join(event for event in cuts.split_events(down) if b"event: error" not in event)
    assert judge_findings(*words, down=without_its_error) == (0, [])
    started = without_its_error.count(b"content_block_start\n") - 1
    stopped = b'event: content_block_stop\ndata: {"type":"content_block_stop","index":%d}\n\n' % started
    code, findings = judge_findings(*words, down=without_its_error + stopped)
    assert (code, [finding["rule"] for finding in findings]) == (1, ["translation/stream-cut-call"])
    code, findings = judge_findings(*words, down=translate_stream("openai_chat", "anthropic"))
    assert code == 1
    early = first_events(golden("anthropic"), 3)
    end = b'event: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{}}\n\n'
    end += b'event: message_stop\ndata: {"type":"message_stop"}\n\n'
    code, findings = judge_findings(*words, down=early + end)
    assert "translation/stream-cut-end" in {finding["rule"] for finding in findings}


@pytest.mark.parametrize("client", CORPUS.formats)
def test_what_just_stops_with_its_source_is_right_in_every_format(judge_findings: Any, client: str) -> None:
    up = first_events(golden("anthropic"), 8)
    words = ("--client", client, "--upstream", "anthropic", "--stream", "up", "down")
    assert judge_findings(*words, up=up, down=first_events(golden(client), 2)) == (0, [])


def test_a_call_may_be_closed_with_the_whole_text_of_its_arguments(judge_findings: Any) -> None:
    """Responses says it before the item is done."""
    pieces = cuts.split_events(golden("openai_responses"))
    place = next(count for count, event in enumerate(pieces) if b"function_call_arguments.done" in event)
    down = cuts.split_events(golden("anthropic"))
    stops = [count for count, event in enumerate(down) if b"event: content_block_stop" in event]
    words = ("--client", "anthropic", "--upstream", "openai_responses", "--stream", "up", "down")
    one_call_closed = b"".join(down[: stops[1] + 1])
    assert judge_findings(*words, up=b"".join(pieces[: place + 1]), down=one_call_closed) == (0, [])
    assert judge_findings(*words, up=b"".join(pieces[:place])) == (0, []), (
        "nothing can follow on an object that is complete"
    )
    code, findings = judge_findings(*words, up=b"".join(pieces[: place - 1]))
    assert (code, [finding["rule"] for finding in findings]) == (1, ["translation/stream-cut-call"])


def test_torn_bytes_count_though_the_upstream_broke_off(judge_findings: Any) -> None:
    words = ("--client", "openai_chat", "--upstream", "anthropic", "--stream", "up", "down")
    down = first_events(golden("openai_chat"), 3).replace(b"I check", b"I \xff", 1)
    assert b"\xff" in down
    _, findings = judge_findings(*words, up=first_events(golden("anthropic"), 8), down=down)
    assert [finding["rule"] for finding in findings] == ["openai_chat/stream-text"]


def test_a_fault_before_the_end_counts_though_the_upstream_broke_off(judge_findings: Any) -> None:
    up = first_events(golden("openai_chat"), 15)
    down = first_events(golden("anthropic"), 15).replace(b'"index":1', b'"index":5')
    words = ("--client", "anthropic", "--upstream", "openai_chat", "--stream", "up", "down")
    _, findings = judge_findings(*words, up=up, down=down)
    assert {finding["rule"] for finding in findings} >= {"anthropic/stream-block-index"}
    assert not any(finding["rule"] == "anthropic/stream-end" for finding in findings)


def test_the_upstream_failed(run: Any, judge_findings: Any) -> None:
    failing = (
        b'data: {"error":{"message":"The server had an error","type":"server_error","param":null,"code":null}}\n\n'
    )
    up = first_events(golden("openai_chat"), 6) + failing
    words = ("--client", "anthropic", "--upstream", "openai_chat", "--stream", "up", "down")
    down = translate_stream("openai_chat", "anthropic", up)
    assert judge_findings(*words, up=up, down=down) == (0, [])
    assert "up holds an error of the upstream; the judge checks that the client receives it" in run(*words)[1]
    silent = b"".join(event for event in cuts.split_events(down) if b"event: error" not in event)
    assert [finding["rule"] for finding in judge_findings(*words, down=silent)[1]] == [
        "translation/stream-error-as-break"
    ]


def test_a_whole_reply_of_which_nothing_comes(judge_findings: Any) -> None:
    error = b'event: error\ndata: {"type":"error","error":{"type":"api_error","message":"no"}}\n\n'
    words = ("--client", "anthropic", "--upstream", "gemini", "--stream", "up", "down")
    code, findings = judge_findings(*words, up=golden("gemini"), down=error)
    assert (code, findings[-1]["message"]) == (1, "the upstream's reply is whole, and the client gets an error")
    code, findings = judge_findings(*words, down=b'event: ping\ndata: {"type":"ping"}\n\n')
    assert (code, findings[-1]["message"]) == (1, "the upstream's reply is whole, and the client gets nothing of it")


def test_a_stream_of_another_format_is_one_finding(judge_findings: Any) -> None:
    alone, with_source = ("--stream", "s"), ("--upstream", "openai_chat", "--stream", "s", "s")
    other = "no event belongs to a reply of anthropic; they look like openai_chat"
    for words, message in ((alone, other), (with_source, "the stream went through unchanged")):
        code, (wrong,) = judge_findings("--client", "anthropic", *words, s=golden("openai_chat"))
        assert (code, wrong["rule"]) == (1, "translation/target-format")
        assert wrong["message"] == message


def test_stdin_takes_one_of_the_two(run: Any) -> None:
    words = ("--client", "gemini", "--upstream", "gemini", "--stream")
    assert run(*words, "-", "s", stdin=golden("gemini"), s=golden("gemini"))[0] == 0
    assert run(*words, "s", "-", stdin=golden("gemini"))[0] == 0
    assert run("--client", "gemini", "--stream", "-", stdin=golden("gemini"))[0] == 0
    assert "only one of the two bodies can be read from stdin" in run(*words, "-", "-")[2]


def test_bytes_that_are_no_text_are_a_finding_where_the_client_gets_them(judge_findings: Any) -> None:
    torn = golden("openai_chat").replace("è".encode(), b"\xc3", 1)
    assert torn != golden("openai_chat")
    code, findings = judge_findings("--client", "openai_chat", "--stream", "s", s=torn)
    assert code == 1
    assert "openai_chat/stream-text" in {finding["rule"] for finding in findings}


ALONE = ("--client", "anthropic", "--stream", "s")
PAIR = ("--client", "anthropic", "--upstream", "openai_chat", "--stream", "s", "good")
BAD = [
    (ALONE, b"", "s: is empty"),
    (ALONE, b" \n\n", "s: is empty"),
    (PAIR, b"\r\n", "s: is empty"),
    (ALONE, b"hello\n\n", "s: it has no event (lines `data: …`, then a blank line)"),
    (ALONE, b": ping\n\n", "s: it has no event (lines `data: …`, then a blank line)"),
    (ALONE, b'data: {"type":"ping"}\n', "s: the stream breaks off in its first event: no blank line ends it"),
    (PAIR, b'data: {"id":', "s: the stream breaks off in its first event: no blank line ends it"),
    (ALONE, b"\x1f\x8b\x08\x00\xff", "s: it is packed with gzip, and damaged: *"),
    (ALONE, b'{"content": []}', "s: this is JSON, but --stream expects an event stream (lines `data: …`; *"),
    (ALONE, b'[{"candidates": []}]', "s: this is JSON, * Gemini sends them with ?alt=sse). Leave out --stream *"),
    (PAIR, b'{"choices": ', "s: not JSON: line 1 column 13: Expecting value; is the file cut off?"),
    (PAIR, b"[]", "s: a reply must be a JSON object"),
    (PAIR, b"hello", "s: not JSON: line 1 column 1: Expecting value"),
    (PAIR, b"\x1f\x8b\x08", "s: it is packed with gzip, and damaged: *"),
    (PAIR, b'data: {"id":"\xff"}\n\n', "s: byte 13 is no UTF-8; capture the bytes unchanged"),
    (PAIR, b'data: {"x":1}\n\n', "s: no event in it belongs to a reply of openai_chat"),
    (("--client", "anthropic", "--upstream", "gemini", "s", "s"), b"event: a\ndata: {}\n\n", "s: not JSON: * --stream"),
    (("--client", "anthropic", "--stream", "nowhere"), b"", "nowhere: cannot be read (No such file or directory)"),
    (("--client", "antropic", "--stream", "s"), b"", "there is no format 'antropic'; did you mean anthropic?"),
    (("--client", "anthropic", "--stream", "s", "s"), b"", "s: is empty"),
    (
        ("--client", "anthropic", "--upstream", "gemini", "--response", "s"),
        b"",
        "the following arguments are required: OUTPUT",
    ),
]


@pytest.mark.parametrize(("words", "data", "sentence"), BAD)
def test_bad_input_gives_a_sentence(run: Any, words: tuple[str, ...], data: bytes, sentence: str) -> None:
    code, out, error = run(*words, s=data, good=golden("anthropic"))
    assert code == 4
    assert not out
    (line,) = error.splitlines()
    assert line == f"toolcall-conformance judge: {sentence}" or _matches(line, sentence)


def _matches(line: str, sentence: str) -> bool:
    parts = f"toolcall-conformance judge: {sentence}".split("*")
    return len(parts) > 1 and line.startswith(parts[0]) and all(part in line for part in parts)


def test_the_upstreams_format_is_named_where_it_is_another(run: Any) -> None:
    error = run(*PAIR, s=golden("gemini"), good=golden("anthropic"))[2]
    assert "s: no event in it belongs to a reply of openai_chat; it looks like gemini" in error
