"""Lists of captured exchanges: what is read of each form, what belongs together, and what is reported of the rest."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from captured import forms
from captured.forms import Sent
from toolcall_conformance.cli import main
from toolcall_conformance.recording.captures.exchanges import Capture, UnreadableCaptureError, format_of
from toolcall_conformance.recording.captures.files import read_capture, unpack
from toolcall_conformance.recording.captures.pairing import match_exchanges

CORPUS = forms.CORPUS
UNARY: dict[str, tuple[Callable[[list[Sent]], str], str]] = {
    "HAR": (forms.har, "a HAR"),
    "HAR in base64": (lambda sent: forms.har(sent, packed=True), "a HAR"),
    "lines": (forms.lines, "JSON, line by line"),
    "in turn": (forms.as_alternating_bodies, "JSON, line by line"),
    "a list": (forms.as_list, "JSON, entry by entry"),
    "curl": (forms.curl, "curl's output"),
    "debug log": (forms.debug_log, "LiteLLM's debug log"),
    "payloads": (forms.payloads, "LiteLLM's log"),
}
STREAMED = ("HAR", "HAR in base64", "lines", "curl")


def read(text: str | bytes) -> Capture:
    data = text.encode("utf-8", "surrogateescape") if isinstance(text, str) else text
    capture = read_capture(CORPUS, Path("x"), unpack(data))
    assert capture is not None
    return capture


@pytest.mark.parametrize("form", UNARY)
def test_a_form_is_read(form: str) -> None:
    write, name = UNARY[form]
    sent = forms.exchanges("openai_chat")
    capture = read(write(sent))
    assert capture.form == name
    assert [(exchange.request, exchange.reply) for exchange in capture.exchanges] == [
        (exchange.request, exchange.reply) for exchange in sent
    ]
    assert {format_of(CORPUS, exchange) for exchange in capture.exchanges} == {"openai_chat"}
    assert read(gzip.compress(write(sent).encode())).exchanges == capture.exchanges


@pytest.mark.parametrize("form", STREAMED)
def test_streams_are_read_byte_for_byte(form: str) -> None:
    sent = forms.exchanges("anthropic", streamed=True)
    capture = read(UNARY[form][0](sent))
    assert [(exchange.stream or b"").decode().rstrip("\n") for exchange in capture.exchanges] == [
        (exchange.stream or "").rstrip("\n") for exchange in sent
    ]


def test_a_body_or_a_stream_is_no_list() -> None:
    for name in CORPUS.formats:
        exchange = CORPUS.cases["shell/seed"].exchanges(name)[0]
        for text in (json.dumps(exchange.request), json.dumps(exchange.response, indent=2), exchange.stream().decode()):
            assert read_capture(CORPUS, Path("x"), text.encode()) is None
    for other in (b"", b"{", b"[1, 2]", b"{'a': 1}", b"\xff\xfe", b"12:34", b"words\nand more"):
        assert read_capture(CORPUS, Path("x"), other) is None


def test_what_some_write_har_as_latin_1_is_read_as_it_was() -> None:
    sent = [
        Sent({"model": "m", "messages": [{"role": "user", "content": "Genève ☃"}]}, {}, 'data: {"a": "Genève ☃"}\n\n')
    ]
    text = json.loads(forms.har(sent))
    content = text["log"]["entries"][1]["response"]["content"]
    content["text"] = content["text"].encode().decode("latin-1")
    [exchange] = read(json.dumps(text)).exchanges
    assert exchange.stream == 'data: {"a": "Genève ☃"}\n\n'.encode()


def test_where_nothing_shows_the_format_the_address_decides_or_nobody() -> None:
    bare = {"model": "m", "messages": [{"role": "user", "content": "x"}]}
    by_url = {"http://x/v1/messages": "anthropic", "http://x/v1/chat/completions?a=b": "openai_chat", "http://x": None}
    for url, name in by_url.items():
        [exchange] = read(forms.har([Sent(bare, {"odd": 1}, url=url)])).exchanges
        assert format_of(CORPUS, exchange) == name


def test_a_cut_line_is_distinguished_from_one_that_is_no_body() -> None:
    text = forms.lines(forms.exchanges("openai_chat"))
    capture = read(text + '{"request": {"model":\n')
    assert dict(capture.skipped) == {
        "a line that is cut off or no JSON (line 6)": 1,
        "a line with no body of a known API": 1,
    }


def test_a_client_that_gets_an_error_where_the_provider_answered(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = files(tmp_path, "anthropic", "openai_chat")
    har = json.loads(Path(names[0]).read_text(encoding="utf-8"))
    har["log"]["entries"][1]["response"] = {"status": 500, "content": {"mimeType": "text/plain", "text": "no"}}
    har["log"]["entries"][2]["response"] = {"status": 200, "content": {"mimeType": "text/plain", "text": ""}}
    Path(names[0]).write_text(json.dumps(har), encoding="utf-8")
    assert main(["judge", *names]) == 1
    output = capsys.readouterr().out
    assert "the client gets status 500, and the provider answered with 200" in " ".join(output.split())
    assert "reply not judged: no body on the client side" in output
    assert "not judged: 1 reply; the table shows which" in output


def test_lists_that_are_the_other_way_round(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = files(tmp_path, "anthropic", "openai_chat")
    later = Path(names[1]).read_text(encoding="utf-8").replace("T10:00:", "T10:01:")
    Path(names[1]).write_text(later, encoding="utf-8")
    main(["judge", *names])
    assert "are the two files swapped?" not in capsys.readouterr().out
    main(["judge", *reversed(names)])
    assert "note: each exchange of OUTPUT began before its partner of SOURCE: are the two" in capsys.readouterr().out


def test_telemetry_and_mixtures_are_reported_and_never_judged() -> None:
    event = {"event_name": "gen_ai.client.inference.operation.details", "attributes": {"gen_ai.input.messages": []}}
    for text in (json.dumps(event), f"{json.dumps(event)}\n{json.dumps(event)}", json.dumps({"resourceLogs": [event]})):
        with pytest.raises(
            UnreadableCaptureError, match="OpenTelemetry's GenAI messages, which are no bodies of an API"
        ):
            read_capture(CORPUS, Path("x"), text.encode())
    capture = read(forms.payloads(forms.exchanges("openai_chat"), "anthropic_messages"))
    assert not capture.exchanges
    [reason] = capture.skipped
    assert "LiteLLM's own mixture of formats (anthropic_messages); its debug log has the bodies" in reason


def test_a_dump_of_mitmproxy_is_reported_where_it_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "mitmproxy", None)
    with pytest.raises(
        UnreadableCaptureError, match=r"export it as HAR \(mitmdump -nr flows.mitm --set hardump=flows.har\)"
    ):
        read_capture(CORPUS, Path("flows.mitm"), b"20:9:websocket;0:~1:a;,}")


def test_exchanges_find_each_other_by_their_texts() -> None:
    client = read(forms.har(forms.exchanges("anthropic"))).exchanges
    upstream = read(forms.har([*reversed(forms.exchanges("openai_chat"))])).exchanges
    assert [upstream.index(match.upstream) for match in match_exchanges(client, upstream) if match.upstream] == [
        3,
        2,
        1,
        0,
    ]
    assert [match.upstream for match in match_exchanges(client, upstream[:2])].count(None) == 2
    other = read(
        forms.lines(
            [Sent({"model": "m", "messages": [{"role": "user", "content": "Something else"}]}, {"choices": []})]
        )
    )
    assert match_exchanges(client[:1], other.exchanges)[0].upstream is None


def files(folder: Path, client: str, upstream: str, form: Callable[..., str] = forms.har, **options: Any) -> list[str]:
    names = []
    for name, sent in (
        ("client.har", forms.exchanges(client, **options)),
        ("upstream.har", forms.exchanges(upstream, **options)),
    ):
        (folder / name).write_text(form(sent), encoding="utf-8")
        names.append(str(folder / name))
    return names


@pytest.mark.parametrize("streamed", [False, True], ids=["unary", "streamed"])
def test_two_lists_are_judged(streamed: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = files(tmp_path, "anthropic", "openai_chat", streamed=streamed)
    assert main(["judge", *names]) == 0
    output = capsys.readouterr().out
    assert "1  entry 2 → entry 2  anthropic → openai_chat  request ok, " in output
    assert f"{names[0]}: a HAR, 4 exchanges; skipped: 1 × an entry without a JSON body" in output


def test_a_fault_is_shown_with_the_command_that_repeats_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = files(tmp_path, "anthropic", "openai_chat")
    sent = forms.exchanges("openai_chat")
    sent[2] = replace(sent[2], reply=json.loads(json.dumps(sent[2].reply).replace("find_trains", "find_train")))
    Path(names[1]).write_text(forms.har(sent), encoding="utf-8")
    assert main(["judge", *names]) == 1
    output = capsys.readouterr().out
    assert "translation/call-name" in output
    command = f"toolcall-conformance judge {names[0]} {names[1]} --only 3"
    assert command in " ".join(output.replace("\\\n", " ").split())
    assert main(["judge", *names, "--only", "3"]) == 1
    assert main(["judge", *names, "--only", "1"]) == 0
    assert main(["judge", *names, "--only", "9"]) == 4
    assert "there are exchanges 1 to 4" in capsys.readouterr().err
    assert main(["judge", *names, "--json"]) == 1
    assert {item["verdict"] for item in json.loads(capsys.readouterr().out)["items"]} == {"pass", "warn", "fail"}


def test_a_tool_that_is_renamed_upstream_and_back_is_no_fault(tmp_path: Path) -> None:
    names = files(tmp_path, "anthropic", "openai_chat")
    text = Path(names[1]).read_text(encoding="utf-8").replace("find_trains", "find_train")
    Path(names[1]).write_text(text, encoding="utf-8")
    assert main(["judge", *names]) == 0


def test_one_list_is_judged_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.jsonl").write_text(forms.lines(forms.exchanges("gemini")), encoding="utf-8")
    assert main(["judge", str(tmp_path / "a.jsonl")]) == 0
    assert "1  line 2  gemini  request ok, response ok" in capsys.readouterr().out


def test_a_list_and_a_body(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = files(tmp_path, "anthropic", "openai_chat")
    (tmp_path / "body.json").write_text(json.dumps(forms.exchanges("openai_chat")[0].request), encoding="utf-8")
    assert main(["judge", names[0], str(tmp_path / "body.json")]) == 4
    assert "client.har holds a HAR, and" in capsys.readouterr().err.replace("body.json holds a HAR", "")
    (tmp_path / "other.jsonl").write_text('{"a": 1}\n{"b": 2}\n', encoding="utf-8")
    assert main(["judge", str(tmp_path / "other.jsonl")]) == 4
    assert "nothing to judge: " in capsys.readouterr().err
