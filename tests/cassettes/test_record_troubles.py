"""Whatever goes wrong while recording: one clear sentence, nothing half-written, earlier cassettes untouched."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest

from cassettes.loopback_provider import KEY, PlannedReply, Provider, ReceivedRequest, Record, replies
from cassettes.record_files import CASE, JSON, earlier, files, refusal
from toolcall_conformance.library import Corpus

EVENTS = {"content-type": "text/event-stream"}


@pytest.mark.parametrize(
    ("name", "variable"),
    [
        ("anthropic", "set ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN"),
        ("gemini", "set GOOGLE_API_KEY or GEMINI_API_KEY"),
    ],
)
def test_no_key(name: str, variable: str, record: Record, upstream: Provider) -> None:
    ran = record(name, "--case", CASE, key="")
    assert (ran.code, upstream.asked) == (4, [])
    assert f"no API key: {variable}" in ran.err


def test_a_key_that_no_header_carries(record: Record) -> None:
    ran = record("anthropic", "--case", CASE, key="sk-\u201cquoted\u201d")
    assert ran.code == 4
    assert "ANTHROPIC_API_KEY holds characters that no header can carry" in ran.err


@pytest.mark.parametrize("status", [401, 403])
def test_a_wrong_key_stops_the_run(status: int, record: Record, upstream: Provider, tmp_path: Path) -> None:
    path = earlier(tmp_path)
    upstream.answers = [refusal(status, f"invalid x-api-key {KEY}")]
    ran = record("anthropic", "--case", CASE, "--case", "shell/seed", "--unary")
    assert ran.code == 1
    assert f"HTTP {status} from 127.0.0.1" in ran.out
    assert "invalid x-api-key REDACTED-key-1; is the key in ANTHROPIC_API_KEY right" in ran.out
    assert "1 failed, 1 not tried" in ran.out
    assert KEY not in ran.out + ran.err
    assert (files(tmp_path), path.read_text()) == ([f"anthropic/{CASE}.json"], "earlier")


def test_a_wrong_key_under_the_status_400(record: Record, upstream: Provider) -> None:
    detail = {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}
    error = {"code": 400, "message": "API key not valid.", "status": "INVALID_ARGUMENT", "details": [detail]}
    upstream.answers = [PlannedReply(json.dumps({"error": error}).encode(), 400, JSON)]
    ran = record("gemini", "--family", "shell", "--unary")
    assert len(upstream.asked) == 1
    assert "API key not valid.; is the key in GOOGLE_API_KEY right" in ran.out


@pytest.mark.parametrize("notation", ["0.2", "date", "ms", "detail"])
def test_a_rate_limit_that_passes_is_waited_for(
    notation: str, corpus: Corpus, record: Record, upstream: Provider, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slept: list[float] = []
    monkeypatch.setattr(time, "sleep", slept.append)
    name, answer = "openai_chat", refusal(429, "slow down", **{"retry-after": "0.2"})
    if notation == "date":
        then = datetime.now(UTC) + timedelta(seconds=9)
        answer = refusal(429, "slow down", **{"retry-after": format_datetime(then, True)})
    elif notation == "ms":
        answer = refusal(429, "slow down", **{"retry-after-ms": "200"})
    elif notation == "detail":
        name = "gemini"
        detail = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "0.2s"}
        answer = PlannedReply(json.dumps({"error": {"code": 429, "details": [detail]}}).encode(), 429, JSON)
    upstream.answers = [answer, *replies(corpus.cases[CASE], name, streamed=False)]
    ran = record(name, "--case", CASE, "--unary")
    assert (ran.code, len(upstream.asked)) == (0, 3)
    assert "HTTP 429 from 127.0.0.1" in ran.out
    assert "waiting" in ran.out
    waited = max(slept)
    assert 7 < waited < 10 if notation == "date" else waited == pytest.approx(0.2)
    cassette = json.loads((tmp_path / "kept" / name / f"{CASE}.json").read_text())
    assert [interaction["response"]["status"]["code"] for interaction in cassette["interactions"]] == [200, 200]


@pytest.mark.timing
@pytest.mark.parametrize(("after", "message"), [("3600", "it asks to wait 3600 s"), (None, "it gives no waiting time")])
def test_a_rate_limit_that_lasts_stops_the_run(
    after: str | None, message: str, record: Record, upstream: Provider, tmp_path: Path
) -> None:
    path = earlier(tmp_path)
    upstream.answers = [refusal(429, "slow down", **({"retry-after": after} if after else {}))]
    began = time.monotonic()
    ran = record("anthropic", "--case", CASE, "--case", "shell/seed", "--unary", "--max-wait", "1")
    assert time.monotonic() - began < 5
    assert ran.code == 1
    assert message in ran.out
    assert "--max-wait allows 1 s" in ran.out
    assert "1 not tried" in ran.out
    assert path.read_text() == "earlier"


def test_a_rate_limit_in_the_second_exchange_leaves_no_half_conversation(
    corpus: Corpus, record: Record, upstream: Provider, tmp_path: Path
) -> None:
    upstream.answers = [replies(corpus.cases[CASE], "anthropic", streamed=False)[0], refusal(429, "slow down")]
    ran = record("anthropic", "--case", CASE, "--unary", "--partial")
    assert ran.code == 1
    assert files(tmp_path) == []


@pytest.mark.parametrize("name", ["anthropic", "openai_chat", "openai_responses", "gemini"])
def test_an_error_in_the_middle_of_a_stream(
    name: str, corpus: Corpus, record: Record, upstream: Provider, tmp_path: Path
) -> None:
    error = corpus.transports[name]["stream"]["error"]
    stream = corpus.cases[CASE].exchanges(name)[0].stream_path
    assert stream is not None
    events = stream.read_text(encoding="utf-8").split("\n\n")[:2]
    head = f"event: {error['event']}\n" if "event" in error else ""
    text = "\n\n".join([*events, f"{head}data: {json.dumps(error['data'])}", ""])
    upstream.answers = [PlannedReply(text.encode(), headers=EVENTS)]
    ran = record(name, "--case", CASE, "--stream")
    assert ran.code == 1
    message = error["data"].get("error", error["data"])["message"]
    assert f"the stream ends with an error of the provider: {message[:50]}" in ran.out
    assert files(tmp_path) == []


def test_a_stream_that_just_ends(corpus: Corpus, record: Record, upstream: Provider, tmp_path: Path) -> None:
    stream = corpus.cases[CASE].exchanges("anthropic")[0].stream_path
    assert stream is not None
    upstream.answers = [PlannedReply(stream.read_bytes()[:1500], headers=EVENTS)]
    ran = record("anthropic", "--case", CASE, "--stream")
    assert "the stream breaks off after" in ran.out
    assert (ran.code, files(tmp_path)) == (1, [])


def test_a_model_without_tools(record: Record, upstream: Provider, tmp_path: Path) -> None:
    upstream.answers = [refusal(400, "model-1 does not support tools")]
    ran = record("openai_chat", "--case", CASE, "--unary")
    assert "HTTP 400 from 127.0.0.1" in ran.out
    assert "does not support tools; if the model does not support tools, record another --model" in ran.out
    assert (ran.code, files(tmp_path)) == (1, [])


@pytest.mark.parametrize("name", ["anthropic", "openai_chat", "openai_responses", "gemini"])
def test_a_model_that_calls_no_tool(
    name: str, corpus: Corpus, record: Record, upstream: Provider, tmp_path: Path
) -> None:
    upstream.answers = [replies(corpus.cases[CASE], name, streamed=False)[1]]  # its last words at once
    ran = record(name, "--case", CASE, "--unary")
    assert "the model called no tool in exchange 1, but the case needs a call" in ran.out
    assert "it said 'Yes. 214 modules were built" in ran.out
    assert (ran.code, files(tmp_path)) == (1, [])


def test_a_conversation_that_ended_early_is_kept_on_demand_and_marked(
    corpus: Corpus, record: Record, upstream: Provider, tmp_path: Path
) -> None:
    def strange(_: ReceivedRequest) -> PlannedReply:
        answer = replies(corpus.cases[CASE], "openai_chat", streamed=False)[0]
        assert isinstance(answer, PlannedReply)
        return PlannedReply(answer.body.replace(b'"run_shell_command"', b'"read_file"'), headers=JSON)

    upstream.answers = [strange]
    ran = record("openai_chat", "--case", CASE, "--unary", "--partial")
    assert ran.code == 1
    assert "after exchange 1: the model calls 'read_file', for which the scenario has no result" in ran.out
    path = tmp_path / "kept" / "openai_chat" / f"{CASE}.json"
    cassette = json.loads(path.read_text())
    assert cassette["toolcall"]["complete"] is False
    assert "read_file" in cassette["toolcall"]["ended"]
    assert len(cassette["interactions"]) == 1
    path.write_text("earlier")
    upstream.answers = [strange]
    assert record("openai_chat", "--case", CASE, "--unary", "--partial").code == 1
    assert path.read_text() == "earlier"


@pytest.mark.parametrize("status", [402, 404, 405])
def test_what_no_other_case_can_mend_stops_the_run(status: int, record: Record, upstream: Provider) -> None:
    upstream.answers = [refusal(status, "model: model-1")]
    ran = record("anthropic", "--case", CASE, "--case", "shell/seed", "--unary")
    assert (ran.code, len(upstream.asked)) == (1, 1)
    assert f"HTTP {status} from 127.0.0.1" in ran.out
    assert ("are the model and the base URL right?" in ran.out) == (status == 404)
    assert "1 failed, 1 not tried" in ran.out


def test_a_bearer_token_takes_the_place_of_the_key(
    corpus: Corpus, record: Record, upstream: Provider, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "token-of-mine")
    upstream.answers = replies(corpus.cases[CASE], "anthropic", streamed=False)
    assert record("anthropic", "--case", CASE, "--unary", key="").code == 0
    assert upstream.asked[0].headers["authorization"] == "Bearer token-of-mine"
    assert "x-api-key" not in upstream.asked[0].headers
    assert all("token-of-mine" not in path.read_text() for path in (tmp_path / "kept").rglob("*.json"))


def test_the_organisation_is_sent_and_not_kept(
    corpus: Corpus, record: Record, upstream: Provider, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_ORG_ID", "our-organisation")
    (first, last) = replies(corpus.cases[CASE], "openai_chat", streamed=False)
    assert isinstance(last, PlannedReply)
    upstream.answers = [
        first,
        PlannedReply(last.body.replace(b"Yes.", b"Yes, our-organisation."), headers=last.headers),
    ]
    assert record("openai_chat", "--case", CASE, "--unary").code == 0
    assert upstream.asked[0].headers["openai-organization"] == "our-organisation"
    text = (tmp_path / "kept" / "openai_chat" / f"{CASE}.json").read_text()
    assert "our-organisation" not in text
    assert "Yes, REDACTED-key-1." in text


def test_a_call_in_the_last_reply_is_reported(corpus: Corpus, record: Record, upstream: Provider) -> None:
    first = replies(corpus.cases[CASE], "anthropic", streamed=False)[0]
    upstream.answers = [first, first]
    ran = record("anthropic", "--case", CASE, "--unary")
    assert ran.code == 0
    assert "the last reply calls run_shell_command; the case ends there" in ran.out


@pytest.mark.parametrize("url", ["http://127.0.0.1:9", "http://no-such-host.invalid"], ids=["refused", "dns"])
def test_the_network_is_gone(url: str, record: Record, tmp_path: Path) -> None:
    path = earlier(tmp_path)
    ran = record("anthropic", "--case", CASE, "--case", "shell/seed", "--unary", url=url)
    assert ran.code == 1
    assert f"{url.removeprefix('http://')} cannot be reached (" in ran.out
    assert "1 not tried" in ran.out
    assert path.read_text() == "earlier"


@pytest.mark.parametrize("way", ["--unary", "--stream"])
def test_the_connection_breaks_in_the_middle(
    way: str, corpus: Corpus, record: Record, upstream: Provider, tmp_path: Path
) -> None:
    streamed = way == "--stream"
    good = replies(corpus.cases[CASE], "anthropic", streamed=streamed)
    assert isinstance(good[0], PlannedReply)
    half = PlannedReply(good[0].body[:400], headers=good[0].headers, breaks=True)
    upstream.answers = [half, *replies(corpus.cases["shell/seed"], "anthropic", streamed=streamed)]
    ran = record("anthropic", "--case", CASE, "--case", "shell/seed", way)
    assert ran.code == 1
    assert "closed the connection in the middle of the reply" in ran.out
    assert "1 recorded, 1 failed" in ran.out  # the others are recorded all the same
    assert files(tmp_path) == [f"anthropic/shell/seed{'.stream' if streamed else ''}.json"]


def test_nothing_comes(record: Record, upstream: Provider, tmp_path: Path) -> None:
    upstream.answers = [PlannedReply(b"", silent=True)]
    ran = record("anthropic", "--case", CASE, "--unary", "--timeout", "0.2")
    assert "127.0.0.1:" in ran.out
    assert "was not done within 0.2 s, nothing had arrived; raise --timeout" in ran.out
    assert (ran.code, files(tmp_path)) == (1, [])


@pytest.mark.parametrize(
    ("body", "headers", "message"),
    [
        (b"<html>Sign in</html>", {"content-type": "text/html"}, "the answer is not JSON (text/html)"),
        (b'{"ok": true}', JSON, "the answer is no anthropic reply: it has no content"),
        (b"[1]", JSON, "the answer is no anthropic reply"),
    ],
)
def test_an_answer_that_is_no_reply(
    body: bytes, headers: dict[str, str], message: str, record: Record, upstream: Provider, tmp_path: Path
) -> None:
    upstream.answers = [PlannedReply(body, headers=headers)]
    ran = record("anthropic", "--case", CASE, "--unary")
    assert message in ran.out
    assert (ran.code, files(tmp_path)) == (1, [])


def test_a_stream_was_requested_and_none_came(corpus: Corpus, record: Record, upstream: Provider) -> None:
    upstream.answers = replies(corpus.cases[CASE], "anthropic", streamed=False)
    ran = record("anthropic", "--case", CASE, "--stream")
    assert (ran.code, "the answer is not an event stream (application/json)" in ran.out) == (1, True)


def test_an_exchange_with_another_host(record: Record, upstream: Provider) -> None:
    upstream.answers = [PlannedReply(b"", 308, {"location": "https://elsewhere.example/"})]
    ran = record("anthropic", "--case", CASE, "--unary")
    assert "it redirects elsewhere; give the right --base-url" in ran.out
