"""What an upstream sent: a vendor's own forms are notes there, and faults in what a translator makes."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from corpus_judge import judge, judge_stream
from toolcall_conformance.basics.findings import Finding
from toolcall_conformance.basics.streaming import parse
from toolcall_conformance.cli import main
from toolcall_conformance.judge import Judge
from toolcall_conformance.library import Corpus
from toolcall_conformance.library.circumstances import read_circumstance
from toolcall_conformance.library.files import CorpusError

Body = dict[str, Any]

HEAD: Body = {"id": "b1", "created": 1769088854, "model": "mistral-small-latest"}
CLAUDE: Body = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "claude-sonnet-4-5",
    "content": [
        {"type": "text", "text": "I look at the tables."},
        {"type": "tool_use", "id": "toolu_1", "name": "tide_times", "input": {"port": "Brest"}},
    ],
    "stop_reason": "tool_use",
    "stop_sequence": None,
    "usage": {"input_tokens": 9, "output_tokens": 12},
}
THOUGHT = {"type": "thinking", "thinking": [{"type": "text", "text": "The tide turns at six."}]}
SAID = {"type": "text", "text": "I look at the tables."}
CALL = {"id": "k4Wn8Qz2T", "function": {"name": "tide_times", "arguments": '{"port":"Brest"}'}}


def reply(message: Body, finish: str = "tool_calls") -> Body:
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish}
    usage = {"prompt_tokens": 9, "completion_tokens": 12, "total_tokens": 21}
    return {**HEAD, "object": "chat.completion", "choices": [choice], "usage": usage}


def chunks(*deltas: Body, finish: str = "tool_calls", **head: Any) -> Any:
    """A stream of these deltas; the last one says the finish."""
    written = []
    for number, delta in enumerate(deltas, 1):
        choice = {"index": 0, "delta": delta, "finish_reason": finish if number == len(deltas) else None}
        written.append(json.dumps({**HEAD, "object": "chat.completion.chunk", **head, "choices": [choice]}))
    return parse("".join(f"data: {data}\n\n" for data in [*written, "[DONE]"]).encode())


START = {"role": "assistant", "content": ""}


def search(late: bool = True, kind: str = "tool_search_call") -> Any:
    """A stream of the Responses API with a search for tools, whose call_id comes when it is done."""
    item = {"id": "tsc_1", "type": kind, "execution": "client", "arguments": {"goal": "tides"}}
    first_item = {**item, "call_id": None if late else "call_0", "status": "in_progress"}
    whole = {**item, "call_id": "call_1", "status": "completed"}
    events = [
        {"type": "response.output_item.added", "sequence_number": 0, "output_index": 0, "item": first_item},
        {"type": "response.output_item.done", "sequence_number": 1, "output_index": 0, "item": whole},
    ]
    return parse("".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events).encode())


OWN_FORMS = [
    ("openai_chat/call-type", "response", reply({"content": "", "tool_calls": [CALL]})),
    ("openai_chat/reply-content", "response", reply({"content": [THOUGHT, SAID]}, "stop")),
    ("openai_chat/finish-known", "response", reply({"content": "High water is"}, "model_length")),
    (
        "openai_chat/reply-content",
        "stream",
        chunks(START, {"content": [THOUGHT]}, {"content": "At six."}, finish="stop"),
    ),
    ("openai_chat/stream-call-index", "stream", chunks(START, {"content": None, "tool_calls": [CALL]})),
    ("openai_chat/stream-call-type", "stream", chunks(START, {"content": None, "tool_calls": [CALL]})),
    ("openai_chat/stream-chunk", "stream", chunks(START, {"content": "At six."}, finish="stop", object=None)),
]
"""A rule, and a body that has a vendor's own form in its place. ``object=None`` is taken out below."""
for _event in OWN_FORMS[-1][2]["events"][:-1]:
    del _event["data"]["object"]

WRONG_FORMS = [
    ("openai_chat/call-type", "response", reply({"content": "", "tool_calls": [CALL | {"type": "tool"}]})),
    ("openai_chat/reply-content", "response", reply({"content": [{"kind": "thinking"}]}, "stop")),
    ("openai_chat/reply-content", "response", reply({"content": {"text": "At six."}}, "stop")),
    ("openai_chat/finish-known", "response", reply({"content": "At six."}, "end_turn")),
    ("openai_chat/stream-call-index", "stream", chunks(START, {"tool_calls": [CALL | {"index": 4}]})),
    ("openai_chat/stream-call-type", "stream", chunks(START, {"tool_calls": [CALL | {"index": 0, "type": "tool"}]})),
    ("openai_chat/stream-chunk", "stream", chunks(START, {"content": "At six."}, finish="stop", object="chunk")),
]
"""The same a notch further: no vendor documents this."""


def levels(findings: tuple[Finding, ...], rule: str) -> set[str]:
    return {finding.level.name for finding in findings if finding.rule == rule}


@pytest.mark.parametrize(("rule", "direction", "body"), OWN_FORMS)
def test_a_vendors_own_form(corpus: Corpus, rule: str, direction: str, body: Any) -> None:
    sent = Judge(corpus).sent("openai_chat", direction, body)
    assert levels(sent.findings, rule) == {"NOTE"}
    assert not any(finding.is_must for finding in sent.findings)
    assert "MUST" in levels(Judge(corpus).body("openai_chat", direction, body).findings, rule)


@pytest.mark.parametrize(("rule", "direction", "body"), WRONG_FORMS)
def test_what_no_vendor_documents(corpus: Corpus, rule: str, direction: str, body: Any) -> None:
    assert "MUST" in levels(Judge(corpus).sent("openai_chat", direction, body).findings, rule)


@pytest.mark.parametrize(("rule", "body"), [(rule, body) for rule, way, body in OWN_FORMS if way == "response"])
def test_the_form_in_a_translation_is_a_fault(rule: str, body: Body) -> None:
    findings = judge(CLAUDE, body, client="openai_chat", upstream="anthropic", direction="response").findings
    assert levels(findings, rule) == {"MUST"}


def test_calls_and_text_of_a_vendor_must_arrive() -> None:
    """The translator needs no option for the forms of its source, and may lose nothing in them."""
    source = reply({"content": [THOUGHT, SAID], "tool_calls": [CALL]})
    findings = judge(source, CLAUDE, client="anthropic", upstream="openai_chat", direction="response").findings
    assert not any(finding.is_must for finding in findings)
    for place, rule in ((0, "translation/text-lost"), (1, "translation/call-lost")):
        poorer = copy.deepcopy(CLAUDE)
        del poorer["content"][place]
        findings = judge(source, poorer, client="anthropic", upstream="openai_chat", direction="response").findings
        assert "MUST" in levels(findings, rule)


def test_a_stream_that_goes_through_as_it_is() -> None:
    """In one format the breaches that the source's own stream has are not the translator's; new ones are."""
    source = chunks(START, {"content": None, "tool_calls": [CALL]})
    findings = judge_stream(source, client="openai_chat", upstream="openai_chat", source=source).findings
    assert levels(findings, "openai_chat/stream-call-index") == {"NOTE"}
    assert not any(finding.is_must for finding in findings)
    whole = chunks(START, {"content": None, "tool_calls": [CALL | {"index": 0, "type": "function"}]})
    findings = judge_stream(source, client="openai_chat", upstream="openai_chat", source=whole).findings
    assert levels(findings, "openai_chat/stream-call-index") == {"MUST"}


@pytest.mark.parametrize(("end", "code"), [("--upstream", 0), ("--client", 1)])
def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str], end: str, code: int) -> None:
    file = tmp_path / "reply.json"
    file.write_text(json.dumps(OWN_FORMS[0][2]), encoding="utf-8")
    assert main(["judge", "--json", "--response", end, "openai_chat", str(file)]) == code
    (finding,) = json.loads(capsys.readouterr().out)["findings"]
    assert finding["rule"] == "openai_chat/call-type"
    assert finding["level"] == ("MUST" if code else "NOTE")


def test_the_command_with_a_stream_and_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stream, error = tmp_path / "reply.sse", tmp_path / "error.json"
    events = [event["data"] for event in OWN_FORMS[-1][2]["events"]]
    texts = [event if isinstance(event, str) else json.dumps(event) for event in events]
    stream.write_text("".join(f"data: {text}\n\n" for text in texts), encoding="utf-8")
    assert main(["judge", "--json", "--stream", "--upstream", "openai_chat", str(stream)]) == 0
    findings = json.loads(capsys.readouterr().out)["findings"]
    assert {(finding["rule"], finding["level"], finding["event"]) for finding in findings} >= {
        ("openai_chat/stream-chunk", "NOTE", 1)
    }
    error.write_text(json.dumps({"status": 400, "body": {"error": {"message": "No.", "type": "x"}}}), encoding="utf-8")
    assert main(["judge", "--error", "--upstream", "openai_chat", str(error)]) == 0


def test_the_circumstance_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "vendors-own-form"]) == 0
    assert "only the forms that its file describes" in " ".join(capsys.readouterr().out.split())


def test_a_form_of_a_rule_that_is_not_named(tmp_path: Path) -> None:
    path = tmp_path / "late.json"
    texts = dict.fromkeys(("explanation", "why", "next"), "x.")
    path.write_text(
        json.dumps(
            {"name": "late", "at_most": "NOTE", "forms": {"a/b": {}}, "evidence": [], "since": "0.1.0", **texts}
        ),
        encoding="utf-8",
    )
    with pytest.raises(CorpusError, match="forms names a rule that rules does not name"):
        read_circumstance(path)


def test_a_request_comes_from_no_upstream(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "request.json"
    file.write_text("{}", encoding="utf-8")
    assert main(["judge", "--upstream", "openai_chat", str(file)]) == 4
    assert "add --response, --error or --stream" in capsys.readouterr().err
    assert main(["judge", "--response", str(file)]) == 4
    assert "--client" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("body", "level"), [(search(), "NOTE"), (search(late=False), "MUST"), (search(kind="shell_call"), "MUST")]
)
def test_the_late_id_of_a_search_is_taken_from_an_upstream_alone(body: Any, level: str, corpus: Corpus) -> None:
    """The official SDK raises for it, so no translator may make it; the API was seen to send it."""
    rule = "openai_responses/stream-identity"
    sent = {
        finding.level
        for finding in Judge(corpus).sent("openai_responses", "stream", body).findings
        if finding.rule == rule
    }
    output_levels = {
        finding.level
        for finding in Judge(corpus).body("openai_responses", "stream", body).findings
        if finding.rule == rule
    }
    assert sent == {level}
    assert output_levels == {"MUST"}
