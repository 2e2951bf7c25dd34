"""``--toolcall-cassettes``: every recorded exchange is a case, with a translator and without."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from functools import cache
from typing import Any
from urllib.parse import urlsplit

import jsonschema
import pytest

from cassettes import goldens
from cassettes.foreign import ForeignExchange, ruby_yaml, vcrpy_yaml
from toolcall_conformance.library import Corpus, fingerprint
from toolcall_conformance.reports.writers import json_report
from turns import share

REFERENCE = ("--toolcall-translator", "toolcall_reference:ReferenceTranslator")
QUIET = ("-q", "-p", "no:cacheprovider", "-p", "no:hypothesispytest", "-p", "no:anyio")
SCHEMA = jsonschema.Draft202012Validator(json.loads(json_report.SCHEMA_PATH.read_text(encoding="utf-8")))
suite = cache(fingerprint.suite)


@pytest.fixture(autouse=True)
def cached_fingerprint(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every run has a report, and every report the digests of all files: they are taken once."""
    monkeypatch.setattr(fingerprint, "suite", suite)


def replay(pytester: pytest.Pytester, *arguments: str, cassettes: str = "cassettes") -> tuple[Any, list[Any]]:
    """Run the only recordings; pytest's result and the items of the report, which is held against its schema."""
    options = ("--toolcall-cassettes", cassettes, "--toolcall-report", "report.json")
    done = pytester.runpytest_inprocess(*QUIET, *options, *arguments)
    report = pytester.path / "report.json"
    if not report.exists():
        return done, []
    content = json.loads(report.read_text(encoding="utf-8"))
    SCHEMA.validate(content)
    return done, content["items"]


def test_what_the_goldens_say_passes_everywhere(pytester: pytest.Pytester, corpus: Corpus) -> None:
    """The replies of half of the formats whole and of the others streamed, and on another day the other way round."""
    for turn in share((0, 1), 2):
        for place, name in enumerate(goldens.URLS):
            streamed = (place + turn) % 2 == 1
            for case in ("shell/realistic", "parallel/two-rounds"):
                path = pytester.path / "cassettes" / f"{name}-{case.replace('/', '-')}.json"
                goldens.write(path, goldens.exchanges(corpus, case, name, streamed=streamed))
        done, items = replay(pytester, *REFERENCE, "toolcall::recorded")
        assert done.ret == 0
        counts = Counter((item["check"], item["verdict"]) for item in items)
        exchanges = sum(
            len(corpus.cases[case].exchanges("gemini")) for case in ("shell/realistic", "parallel/two-rounds")
        )
        assert counts == {
            ("wire", "pass"): 4 * exchanges,
            ("drift", "pass"): 4 * exchanges,
            ("request", "pass"): 4 * exchanges * 4,
            ("response", "pass"): 2 * exchanges * 4,
            ("stream", "pass"): 2 * exchanges * 4,
        }
        done.stdout.fnmatch_lines([f"toolcall: {4 * exchanges} recorded exchanges in 8 cassettes"])


def test_without_a_translator_the_recordings_are_judged_alone(pytester: pytest.Pytester, corpus: Corpus) -> None:
    [first, *_] = goldens.exchanges(corpus, "shell/realistic", "anthropic")
    wrong = json.loads(first.answer)
    wrong["stop_reason"] = "end_turn"  # beside a call
    faulty = ForeignExchange(first.url, first.request, 200, "application/json", json.dumps(wrong).encode())
    goldens.write(pytester.path / "cassettes" / "a.json", [first, faulty])
    done, items = replay(pytester, "-v", "toolcall::")
    assert done.ret == 1
    assert "not applicable" not in done.stdout.str()
    assert {(item["nodeid"], item["verdict"]) for item in items} == {
        ("toolcall::recorded/a.json#1::wire::anthropic-to-anthropic", "pass"),
        ("toolcall::recorded/a.json#1::drift::anthropic-to-anthropic", "pass"),
        ("toolcall::recorded/a.json#2::wire::anthropic-to-anthropic", "fail"),
        ("toolcall::recorded/a.json#2::drift::anthropic-to-anthropic", "pass"),
    }
    [fault] = [finding for item in items for finding in item["findings"]]
    assert (fault["rule"], fault["level"], fault["body"]) == ("anthropic/finish-agrees-with-calls", "MUST", "response")
    again = [
        "  run   pytest --toolcall-cassettes=cassettes *",
        '*"toolcall::recorded/a.json#2::wire::anthropic-to-anthropic"',
    ]
    done.stdout.fnmatch_lines(again, consecutive=True)
    done, items = replay(pytester, "toolcall::recorded/a.json#2::wire")
    assert [item["verdict"] for item in items] == ["fail"]


BROKEN = """
from toolcall_reference import ReferenceTranslator


class Session:
    def __init__(self, session):
        self.session = session

    def request(self, body):
        made = self.session.request(body)
        for message in made.get("messages", []):
            message.pop("tool_calls", None)
        return made

    def response(self, body):
        made = self.session.response(body)
        for choice in made.get("choices", []):
            choice["message"].pop("tool_calls", None)
        return made

    def stream(self, chunks):
        for chunk in self.session.stream(chunks):
            yield chunk.replace(b"get_weather", b"get_wether").replace(b"run_shell_command", b"run_command")


class Translator:
    def open(self, route):
        return Session(ReferenceTranslator().open(route))
"""


def test_a_faulty_translator_is_seen_without_goldens(
    pytester: pytest.Pytester, corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytester.makepyfile(broken_for_replay=BROKEN)
    monkeypatch.syspath_prepend(pytester.path)
    folder = pytester.path / "cassettes"
    goldens.write(folder / "a.json", goldens.exchanges(corpus, "shell/realistic", "anthropic"))
    goldens.write(folder / "b.json", goldens.exchanges(corpus, "shell/realistic", "openai_responses", streamed=True))
    spec = ("--toolcall-translator", "broken_for_replay:Translator")
    done, items = replay(pytester, *spec, "toolcall::recorded")
    assert done.ret == 1
    findings = {
        (item["check"], item["client"], item["upstream"], finding["rule"])
        for item in items
        for finding in item["findings"]
        if finding["level"] == "MUST"
    }
    assert ("request", "anthropic", "openai_chat", "translation/call-lost") in findings
    assert ("response", "openai_chat", "anthropic", "translation/call-lost") in findings
    assert ("stream", "gemini", "openai_responses", "translation/call-name") in findings
    assert not {rule for check, _, _, rule in findings if check in ("wire", "drift")}


def test_a_refusal_is_reported_and_fails_nothing(
    pytester: pytest.Pytester, corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    refusing = BROKEN.replace(
        "        made = self.session.request(body)", '        raise type("Refused", (Exception,), {})("not mine")'
    )
    pytester.makepyfile(refusing_for_replay=refusing)
    monkeypatch.syspath_prepend(pytester.path)
    goldens.write(pytester.path / "cassettes" / "a.json", goldens.exchanges(corpus, "shell/realistic", "anthropic"))
    done, items = replay(
        pytester, "--toolcall-translator", "refusing_for_replay:Translator", "toolcall::recorded/a.json#1::request"
    )
    assert done.ret == 0
    assert {item["verdict"] for item in items} == {"warn"}
    assert {finding["rule"] for item in items for finding in item["findings"]} == {"translation/refused"}


def test_other_hosts_and_files_are_counted(pytester: pytest.Pytester, corpus: Corpus) -> None:
    folder = pytester.path / "cassettes"
    folder.mkdir()
    recorded = goldens.exchanges(corpus, "shell/realistic", "gemini")
    weather = ForeignExchange("https://api.weather.example/today", {"q": 1}, 200, "application/json", b"{}")
    (folder / "some.yaml").write_text(vcrpy_yaml([weather, *recorded, weather]), encoding="utf-8")
    (folder / "ruby.yml").write_text(ruby_yaml(recorded), encoding="utf-8")
    (folder / "package.json").write_text("{}", encoding="utf-8")
    (folder / "notes.txt").write_text("no cassette", encoding="utf-8")
    done, items = replay(pytester, "toolcall::recorded")
    assert done.ret == 0
    done.stdout.fnmatch_lines(
        [
            (
                f"toolcall: {2 * len(recorded)} recorded exchanges in 2 cassettes; skipped: 2 × another API: POST "
                "api.weather.example, 1 × a file that is not a cassette"
            )
        ]
    )
    assert len(items) == 4 * len(recorded)


@pytest.mark.parametrize(
    ("name", "text", "sentences"),
    [
        ("cut.json", '{"interactions": [{"request": {"me', ["cut.json: not valid JSON", "truncated or edited"]),
        ("cut.yaml", 'interactions:\n- request: "x\n', ["cut.yaml: neither JSON nor YAML", "record it again"]),
        ("empty.yaml", " \n", ["empty.yaml: the file is empty"]),
        (
            "edited.json",
            '{"interactions": [{"request": {"uri": "https://api.anthropic.com/v1/messages"}, "response": {}}]}',
            ["edited.json: interaction 1: ", "is missing", "record it again"],
        ),
        (
            "edited.yml",
            "http_interactions:\n- request: {method: post, uri: x}\n  response: {status: {code: many}}\n",
            ["edited.yml: interaction 1: ", "many"],
        ),
        (
            "damaged.json",
            (
                '{"interactions": [{"request": {"method": "POST", "uri": "x", "headers": {}, "body": ""}, "response": '
                '{"status": {"code": 200}, "headers": {}, "body": {"base64_string": "abc"}}}]}'
            ),
            ["damaged.json: interaction 1: a body in base64 that cannot be decoded"],
        ),
    ],
)
def test_damaged_cassettes_are_reported(pytester: pytest.Pytester, name: str, text: str, sentences: list[str]) -> None:
    folder = pytester.path / "cassettes"
    folder.mkdir()
    (folder / name).write_text(text, encoding="utf-8")
    done, _ = replay(pytester, "toolcall::recorded")
    assert done.ret == 4
    message = done.stderr.str()
    assert "Traceback" not in message
    for sentence in sentences:
        assert sentence in message
    assert (folder / name).read_text(encoding="utf-8") == text


@pytest.mark.parametrize(
    ("cassettes", "sentence"),
    [
        ("nowhere", "nowhere: no such file or folder; --toolcall-cassettes takes a folder of cassettes"),
        ("empty", "empty: its one file is no cassette; give "),
        ("empty/har.json", "har.json: an unknown format of cassette (the keys 'log')"),
        ("other", "other: no exchange of a known API is recorded in its 1 cassette, but 1 × another API: POST api.we"),
    ],
)
def test_a_folder_without_recordings_is_reported(pytester: pytest.Pytester, cassettes: str, sentence: str) -> None:
    for name in ("empty", "other"):
        (pytester.path / name).mkdir()
    (pytester.path / "empty" / "har.json").write_text('{"log": {}}', encoding="utf-8")
    weather = ForeignExchange("https://api.weather.example/today", {"q": 1}, 200, "application/json", b"{}")
    (pytester.path / "other" / "a.yaml").write_text(vcrpy_yaml([weather]), encoding="utf-8")
    done, _ = replay(pytester, "toolcall::recorded", cassettes=cassettes)
    assert done.ret == 4
    assert sentence in done.stderr.str().replace("\n", "")


def test_an_id_that_names_nothing_is_reported(pytester: pytest.Pytester, corpus: Corpus) -> None:
    goldens.write(pytester.path / "cassettes" / "a.json", goldens.exchanges(corpus, "shell/realistic", "gemini"))
    done, _ = replay(pytester, "toolcall::recorded/a.json#7::wire")
    assert done.ret == 4
    assert "did you mean recorded/a.json#2 or recorded/a.json#1" in done.stderr.str()


def as_gateway_answer(exchange: ForeignExchange, change: Callable[[Any], object]) -> ForeignExchange:
    """The exchange as a gateway answers it, whose reply has been changed."""
    answer = json.loads(exchange.answer)
    change(answer)
    url = f"https://gateway.example{urlsplit(exchange.url).path}"
    return ForeignExchange(url, exchange.request, 200, "application/json", json.dumps(answer).encode())


def end_turn(body: Any) -> None:
    body["stop_reason"] = "end_turn"


def test_members_of_other_hosts_are_reported_and_fail_nothing(pytester: pytest.Pytester, corpus: Corpus) -> None:
    [first, *_] = goldens.exchanges(corpus, "shell/realistic", "anthropic")
    goldens.write(pytester.path / "cassettes" / "a.json", [as_gateway_answer(first, end_turn)])
    done, items = replay(pytester, "toolcall::recorded")
    assert done.ret == 0
    assert [(item["check"], item["verdict"]) for item in items] == [("wire", "warn"), ("drift", "pass")]
    assert [finding["level"] for finding in items[0]["findings"]] == ["SHOULD"]
    done, _ = replay(pytester, "--toolcall-strict", "toolcall::recorded")
    assert done.ret == 1


def add_cost(body: Any) -> None:
    body["cost"] = 0.0021
    del body["role"]


@pytest.mark.parametrize("about", [{}, {"case": "shell/realistic", "date": "2026-11-22"}])
def test_drift_at_other_hosts_is_a_note_that_names_the_host(
    about: dict[str, Any], pytester: pytest.Pytester, corpus: Corpus
) -> None:
    recorded = goldens.exchanges(corpus, "shell/realistic", "anthropic")
    folder = pytester.path / "cassettes"
    goldens.write(folder / "a.json", [as_gateway_answer(exchange, add_cost) for exchange in recorded], **about)
    goldens.write(
        folder / "same.json", [as_gateway_answer(exchange, lambda body: body) for exchange in recorded], **about
    )
    done, items = replay(pytester, "--toolcall-strict", "toolcall::recorded")
    drift = [item for item in items if item["check"] == "drift"]
    assert [item["verdict"] for item in drift] == ["pass"] * 2 * len(recorded)
    findings = [finding for item in drift for finding in item["findings"]]
    assert {(finding["rule"], finding["level"]) for finding in findings} == {
        ("drift/new-member", "NOTE"),
        ("drift/member-gone", "NOTE"),
    }
    assert all("; gateway.example, not the provider's own host, " in finding["message"] for finding in findings)
    assert not [item for item in drift if "same.json" in item["case"] and item["findings"]]
    count = len(recorded)
    note = f"toolcall: note: {count} of {2 * count} replies of gateway.example drift"
    done.stdout.fnmatch_lines([f"{note}; -v lists how"])
    assert "drift;" not in replay(pytester, "toolcall::recorded/same.json#1")[0].stdout.str()
    done, _ = replay(pytester, "-v", "-v", "toolcall::recorded")
    done.stdout.fnmatch_lines([f"{note}:", f"  * {count} × drift/new-member */cost*"])


def test_drift_at_the_provider_s_own_host_warns(pytester: pytest.Pytester, corpus: Corpus) -> None:
    [first, *_] = goldens.exchanges(corpus, "shell/realistic", "anthropic")
    elsewhere = as_gateway_answer(first, add_cost)
    own = ForeignExchange(first.url, *exchange_fields(elsewhere))
    goldens.write(pytester.path / "cassettes" / "a.json", [own])
    done, items = replay(pytester, "toolcall::recorded/a.json#1::drift")
    assert done.ret == 0
    assert [item["verdict"] for item in items] == ["warn"]
    assert "toolcall: note:" not in done.stdout.str()


MENDING = BROKEN.replace('choice["message"].pop("tool_calls", None)', 'choice["finish_reason"] = "tool_calls"').replace(
    'message.pop("tool_calls", None)', "pass"
)


@pytest.mark.parametrize(("host", "verdict"), [("api.openai.com", "warn"), ("openrouter.example", "pass")])
def test_a_vendor_s_ways_may_be_mended(
    host: str, verdict: str, pytester: pytest.Pytester, corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytester.makepyfile(mending_for_replay=MENDING)
    monkeypatch.syspath_prepend(pytester.path)
    [first, *_] = goldens.exchanges(corpus, "write_file/dialect-stop-beside-calls", "openai_chat")
    url = first.url.replace("api.openai.com", host)
    goldens.write(pytester.path / "cassettes" / "a.json", [ForeignExchange(url, *exchange_fields(first))])
    spec = ("--toolcall-translator", "mending_for_replay:Translator")
    _, items = replay(pytester, *spec, "toolcall::recorded/a.json#1::response::openai_chat-to-openai_chat")
    assert [item["verdict"] for item in items] == [verdict]


def exchange_fields(exchange: ForeignExchange) -> tuple[Any, ...]:
    return exchange.request, exchange.status, exchange.content_type, exchange.answer


def test_tools_are_called_by_the_names_that_were_declared(pytester: pytest.Pytester, corpus: Corpus) -> None:
    for streamed in (False, True):
        recorded = goldens.exchanges(corpus, "mcp/odd-characters", "gemini", streamed=streamed)
        goldens.write(pytester.path / "cassettes" / f"{streamed}.json", recorded)
    done, items = replay(pytester, *REFERENCE, "toolcall::recorded")
    assert done.ret == 0
    assert {item["verdict"] for item in items} == {"pass"}


def test_errors_are_replayed_and_what_was_refused_is_not_judged(pytester: pytest.Pytester, corpus: Corpus) -> None:
    [golden, *_] = corpus.cases["errors/upstream-rate-limit"].exchanges("anthropic")
    refused = {"model": "x", "messages": "none"}  # breaks the schema, and was answered with an error
    answer = json.dumps(golden.error["body"]).encode()
    for name, request in (("good", golden.request), ("refused", refused)):
        exchange = ForeignExchange(
            goldens.URLS["anthropic"], request, golden.error["status"], "application/json", answer
        )
        goldens.write(pytester.path / "cassettes" / f"{name}.json", [exchange])
    done, items = replay(pytester, "toolcall::recorded")
    assert done.ret == 0
    assert {(item["check"], item["verdict"]) for item in items} == {("wire", "pass")}
    done, items = replay(pytester, *REFERENCE, "toolcall::recorded/good.json#1")
    assert done.ret == 0
    assert Counter((item["check"], item["verdict"]) for item in items) == {("wire", "pass"): 1, ("response", "pass"): 4}


def test_a_stream_that_failed_is_translated_and_not_judged_as_a_reply(
    pytester: pytest.Pytester, corpus: Corpus
) -> None:
    [golden, *_] = corpus.cases["streaming/error-amid-arguments"].exchanges("anthropic")
    assert golden.broken_path is not None
    failed = golden.broken_path.read_bytes()
    request = {**golden.request, "stream": True}
    exchange = ForeignExchange(goldens.URLS["anthropic"], request, 200, "text/event-stream", failed)
    goldens.write(pytester.path / "cassettes" / "a.json", [exchange])
    done, items = replay(pytester, *REFERENCE, "toolcall::recorded/a.json#1::stream")
    assert done.ret == 0
    assert len(items) == 4


OWN = BROKEN.replace("class Session:", 'class Session:\n    history = "own"\n')


def test_a_conversation_of_another_program_is_not_continued(
    pytester: pytest.Pytester, corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytester.makepyfile(own_for_replay=OWN)
    monkeypatch.syspath_prepend(pytester.path)
    goldens.write(pytester.path / "cassettes" / "a.json", goldens.exchanges(corpus, "shell/realistic", "anthropic"))
    spec = ("--toolcall-translator", "own_for_replay:Translator")
    _, items = replay(pytester, *spec, "toolcall::recorded/a.json#2::request")
    assert {item["verdict"] for item in items} == {"blocked"}
    assert {item["reason"] for item in items} == {
        "blocked: the recorded request continues a conversation that this session did not start"
    }


def test_two_folders_with_the_same_file_are_distinguished_or_refused(pytester: pytest.Pytester, corpus: Corpus) -> None:
    recorded = goldens.exchanges(corpus, "shell/realistic", "anthropic")
    for folder in ("one", "two"):
        goldens.write(pytester.path / "all" / folder / "a.json", recorded)
    done, _ = replay(pytester, "--toolcall-cassettes", "all/two", "toolcall::recorded", cassettes="all/one")
    assert done.ret == 4
    assert "all/one/a.json has the same name; give the folder above both, or rename one" in done.stderr.str()
    done, items = replay(pytester, "toolcall::recorded/one/a.json#1", cassettes="all")
    assert done.ret == 0
    assert len(items) == 2
