"""Where one fault shows in several places, the judge reports the fault itself, and its consequences next to it."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from corpus_judge import judge, judge_history, judge_stream
from toolcall_conformance.basics.findings import Finding
from toolcall_conformance.basics.streaming import parse
from toolcall_conformance.judge import Judge
from toolcall_conformance.library import load_corpus
from toolcall_conformance.reports.causes.repetitions import leading_rules

CORPUS = load_corpus()
Events = list[dict[str, Any]]
SOURCES = {"openai_chat": "anthropic"}
ENDS = ("anthropic", "openai_chat")


def golden(case: str, name: str, exchange: int = 0) -> dict[str, Any]:
    """The golden stream of a case, parsed."""
    return copy.deepcopy(dict(parse(CORPUS.cases[case].exchanges(name)[exchange].stream())))


def request(case: str, name: str, exchange: int = 0) -> dict[str, Any]:
    """The golden request of a case."""
    return copy.deepcopy(dict(CORPUS.cases[case].exchanges(name)[exchange].request))


def judge_changed_stream(
    case: str, client: str, change: Callable[[Events], Events], exchange: int = 0
) -> tuple[Finding, ...]:
    """What the judge reports of a golden stream whose events are changed, against one of another format."""
    upstream = SOURCES.get(client, "openai_chat")
    output = golden(case, client, exchange)
    output["events"] = change(output["events"])
    return judge_stream(output, client=client, upstream=upstream, source=golden(case, upstream, exchange)).findings


def causes(findings: Sequence[Finding]) -> dict[str, str]:
    """The rules of the findings that are MUST, each with that of its cause."""
    return {
        finding.rule: finding.because.rule if finding.because is not None else ""
        for finding in findings
        if finding.is_must
    }


def leading_rules_by_rule(findings: Sequence[Finding], client: str) -> dict[str, str]:
    """The rules that a report prints next to another one."""
    return leading_rules(findings, CORPUS, check="stream", client=client, upstream=SOURCES.get(client, "openai_chat"))


def without_last(count: int) -> Callable[[Events], Events]:
    return lambda events: events[:-count]


def without_finish(events: Events) -> Events:
    """A Chat or Gemini stream of which no chunk says why it ended."""
    for event in events:
        data = event["data"]
        for choice in [*data.get("choices", ()), *data.get("candidates", ())] if isinstance(data, dict) else ():
            choice.pop("finishReason", None)
            choice.update({"finish_reason": None} if "finish_reason" in choice else {})
    return events


@pytest.mark.parametrize(
    ("client", "change", "end"),
    [
        ("anthropic", without_last(2), "anthropic/stream-end"),
        ("openai_chat", without_finish, "openai_chat/stream-finish"),
        ("openai_responses", without_last(1), "openai_responses/stream-end"),
        ("gemini", without_finish, "gemini/stream-finish"),
    ],
)
@pytest.mark.parametrize("exchange", [0, 1], ids=["calls", "text"])
def test_a_missing_end_is_no_wrong_reason(
    client: str, change: Callable[[Events], Events], end: str, exchange: int
) -> None:
    findings = judge_changed_stream("parallel/three-tools", client, change, exchange)
    rule_causes = causes(findings)
    assert rule_causes.pop(end) == ""
    assert rule_causes.pop("translation/finish-reason") == end
    assert set(rule_causes.values()) <= {end, "translation/finish-reason"}
    assert leading_rules_by_rule(findings, client)["translation/finish-reason"] == end
    (reason,) = [finding for finding in findings if finding.rule == "translation/finish-reason"]
    assert "the translation ends with" not in reason.message


def test_a_wrong_reason_stays_one_where_the_end_is_missing_too() -> None:
    def wrong(events: Events) -> Events:
        *head, delta, _ = events
        delta["data"]["delta"]["stop_reason"] = "max_tokens"
        return [*head, delta]

    rule_causes = causes(judge_changed_stream("parallel/three-tools", "anthropic", wrong))
    assert rule_causes["anthropic/stream-end"] == rule_causes["translation/finish-reason"] == ""


@pytest.mark.parametrize("upstream", ["openai_chat", "gemini"])
def test_a_function_without_a_name_is_the_hosted_tool_that_it_was_made_of(upstream: str) -> None:
    source, output = request("mcp/approval", "openai_responses"), request("mcp/approval", upstream)
    if upstream == "gemini":
        output["tools"].append({"functionDeclarations": [{"name": "", "description": ""}]})
    else:
        output["tools"].append({"type": "function", "function": {"name": "", "description": "", "parameters": {}}})
    findings = judge(source, output, client="openai_responses", upstream=upstream).findings
    (invented,) = [finding for finding in findings if finding.is_must]
    assert (invented.rule, invented.source_pointer) == ("translation/tool-invented", "/tools/1")
    assert invented.message == "harbours, which the provider runs, became a function without a name"
    assert "translation/hosted-tool-lost" not in {finding.rule for finding in findings}


def test_a_function_with_a_name_of_its_own_was_made_of_nothing() -> None:
    source, output = request("mcp/approval", "openai_responses"), request("mcp/approval", "openai_chat")
    output["tools"].append({"type": "function", "function": {"name": "tie_knots"}})
    findings_by_rule = {
        finding.rule: finding
        for finding in judge(source, output, client="openai_responses", upstream="openai_chat").findings
    }
    assert findings_by_rule["translation/tool-invented"].source_pointer is None
    assert "translation/hosted-tool-lost" in findings_by_rule


def with_call_of_step(upstream: str, call_id: str | None, name: str | None = None, *, answered: bool) -> Any:
    """A golden history in which the provider's own search is a call of the client's, too; by default with its id."""
    source, output = (request("citations/then-call", each, 1) for each in ("anthropic", upstream))
    blocks = [block for message in source["messages"] for block in message["content"] if isinstance(block, dict)]
    step = next(block for block in blocks if block["type"] == "server_tool_use")
    call_id, name, text = call_id or step["id"], name or step["name"], json.dumps(step["input"])
    if upstream == "openai_chat":
        at = next(place for place, message in enumerate(output["messages"]) if message.get("tool_calls"))
        call = {"id": call_id, "type": "function", "function": {"name": name, "arguments": text}}
        output["messages"][at]["tool_calls"].insert(0, call)
        result = {"role": "tool", "tool_call_id": call_id, "content": "[No output]"}
        output["messages"][at + 1 : at + 1] = [result] if answered else []
    else:
        at = next(place for place, item in enumerate(output["input"]) if item.get("type") == "function_call")
        output["input"].insert(at, {"type": "function_call", "call_id": call_id, "name": name, "arguments": text})
        item = {"type": "function_call_output", "call_id": call_id, "output": "[No output]"}
        output["input"][at + 2 : at + 2] = [item] if answered else []
    findings = judge(source, output, client="anthropic", upstream=upstream).findings
    return {
        finding.rule: finding.because.rule if finding.because else ""
        for finding in findings
        if finding.element in ("call", "result")
    }


@pytest.mark.parametrize("upstream", ["openai_chat", "openai_responses"])
@pytest.mark.parametrize("call_id", [None, "call_Ab3"], ids=["its id", "another id"])
@pytest.mark.parametrize("name", [None, "harbours__web_search"], ids=["its name", "behind a server's"])
def test_a_step_in_a_history_is_no_call_whatever_its_id(upstream: str, call_id: str | None, name: str | None) -> None:
    server = "translation/server-call-as-client-call"
    assert with_call_of_step(upstream, call_id, name, answered=False) == {server: ""}
    assert with_call_of_step(upstream, call_id, name, answered=True) == {
        server: "",
        "translation/result-invented": server,
    }


def test_a_call_of_another_name_is_no_step() -> None:
    rule_causes = with_call_of_step("openai_chat", "call_Ab3", "look_up", answered=False)
    assert "translation/call-invented" in rule_causes
    assert "translation/server-call-as-client-call" not in rule_causes


@pytest.mark.parametrize("call_id", ["call_Ab3", None], ids=["another id", "its id"])
def test_a_step_in_a_reply_is_no_call_whatever_its_id(call_id: str | None) -> None:
    source, output = (CORPUS.cases["citations/then-call"].exchanges(name)[0].response for name in ENDS)
    output = copy.deepcopy(dict(output))
    step = next(block for block in source["content"] if block["type"] == "server_tool_use")
    function = {"name": step["name"], "arguments": json.dumps(step["input"])}
    call = {"id": call_id or step["id"], "type": "function", "function": function}
    output["choices"][0]["message"]["tool_calls"].insert(0, call)
    findings = judge(source, output, client=ENDS[1], upstream=ENDS[0], direction="response").findings
    assert [finding.rule for finding in findings if finding.is_must and finding.element == "call"] == [
        "translation/server-call-as-client-call"
    ]


def pieces_one_further(events: Events) -> Events:
    """An Anthropic stream in which the pieces and ends of blocks have the index of the next block."""
    for event in events:
        if event["data"]["type"] in ("content_block_delta", "content_block_stop"):
            event["data"]["index"] += 1
    return events


@pytest.mark.parametrize("case", ["parallel/two-rounds", "read_many_files/two-rounds"])
def test_a_block_that_goes_on_at_an_index_of_none_is_one_fault(case: str) -> None:
    findings = [finding for finding in judge_changed_stream(case, "anthropic", pieces_one_further) if finding.is_must]
    assert {finding.rule for finding in findings} == {"anthropic/stream-block-open"}
    assert (findings[0].want, findings[0].got) == (0, 1)
    assert findings[0].message == "the block started at /events/1/data has the number 0, and goes on at 1"
    assert len(findings) == 2  # one a call


def test_blocks_that_share_an_index_are_one_fault_with_its_consequences() -> None:
    def all_first(events: Events) -> Events:
        for event in events:
            event["data"].update({"index": 0} if "index" in event["data"] else {})
        return [event for event in events if event["data"]["type"] != "content_block_stop"]

    rule_causes = causes(judge_changed_stream("parallel/two-rounds", "anthropic", all_first))
    index = "anthropic/stream-block-index"
    assert rule_causes.pop(index) == ""
    assert rule_causes["anthropic/stream-block-closed"] == rule_causes["anthropic/stream-arguments-json"] == index
    assert set(rule_causes.values()) == {index}


def without_pictures(contents: list[dict[str, Any]], response: Callable[[dict[str, Any]], Any]) -> None:
    """Take the pictures out of Gemini contents, and give the results what ``response`` makes of each."""
    for content in contents:
        content["parts"] = [part for part in content["parts"] if "inlineData" not in part]
        for result in (part["functionResponse"] for part in content["parts"] if "functionResponse" in part):
            result.pop("parts", None)
            result["response"] = response(result["response"])


@pytest.mark.parametrize("form", ["object", "text"])
def test_a_picture_that_is_text_now_did_not_vanish(form: str) -> None:
    source, output = (request("dialects/picture-in-tool-message", name) for name in ("openai_chat", "gemini"))
    text_part, picture = next(message["content"] for message in source["messages"] if message["role"] == "tool")
    data = picture["image_url"]["url"].partition(",")[2]
    parts = [{"text": text_part["text"]}, {"inlineData": {"mimeType": "image/png", "data": data}}]
    result = parts if form == "object" else json.dumps(parts)
    without_pictures(output["contents"], lambda _: {"output": result})
    findings = [
        finding
        for finding in judge(source, output, client="openai_chat", upstream="gemini").findings
        if finding.is_must
    ]
    assert causes(findings) == {"translation/media-lost": "", "translation/result-content": "translation/media-lost"}
    (lost,) = [finding for finding in findings if finding.rule == "translation/media-lost"]
    assert "the bytes of the image are in a text or an object" in lost.message


def test_a_picture_that_is_nowhere_vanished() -> None:
    source, output = (request("dialects/picture-in-tool-message", name) for name in ("openai_chat", "gemini"))
    without_pictures(output["contents"], lambda response: response)
    findings = judge(source, output, client="openai_chat", upstream="gemini").findings
    assert causes(findings) == {"translation/media-dropped-silently": ""}


def test_a_reply_without_a_choice_is_one_fault() -> None:
    source = CORPUS.cases["parallel/three-tools"].exchanges("gemini")[0].response
    output = copy.deepcopy(dict(CORPUS.cases["parallel/three-tools"].exchanges("openai_chat")[0].response))
    output["choices"] = []
    findings = judge(source, output, client="openai_chat", upstream="gemini", direction="response").findings
    rule_causes = causes(findings)
    assert rule_causes.pop("openai_chat/reply-choice") == ""
    assert set(rule_causes.values()) == {"openai_chat/reply-choice"}


def empty_call(events: Events) -> Events:
    """A stream of Responses in which the one call has neither a name nor arguments."""
    for event in events:
        data = event["data"]
        for item in [data.get("item"), *data.get("response", {}).get("output", ())]:
            if item is not None:
                members = {key: item[key] for key in ("id", "call_id", "status") if key in item}
                item.clear()
                item.update({"type": "function_call", "name": "", "arguments": "", **members})
    return [event for event in events if "custom_tool_call_input" not in event["data"]["type"]]


def test_a_call_of_which_nothing_was_read_is_lost_and_not_renamed() -> None:
    findings = judge_changed_stream("free_form/grammar-lark", "openai_responses", empty_call)
    assert causes(findings) == {"translation/call-lost": ""}
    (lost,) = [finding for finding in findings if finding.is_must]
    assert lost.message == "only an empty call is there, without a name and arguments"
    assert (lost.pointer, lost.subject.partition(";")[0]) == ("/output/0", "call 1, run_query")


def test_a_call_with_its_arguments_but_without_a_name_is_there() -> None:
    source, output = (CORPUS.cases["parallel/three-tools"].exchanges(name)[0].response for name in ENDS)
    output = copy.deepcopy(dict(output))
    output["choices"][0]["message"]["tool_calls"][0]["function"]["name"] = ""
    findings_by_rule = {
        finding.rule: finding
        for finding in judge(source, output, client=ENDS[1], upstream=ENDS[0], direction="response").findings
    }
    assert findings_by_rule["translation/call-name"].message == "a call has no name"
    assert "translation/call-lost" not in findings_by_rule


@pytest.mark.parametrize(("key", "is_named"), [("function_declarations", True), ("functionDeclarations", False)])
def test_a_lost_tool_names_the_member_in_the_other_spelling(key: str, is_named: bool) -> None:
    source, output = (request("parallel/three-tools", name) for name in ("gemini", "openai_chat"))
    source["tools"] = [{key: tool["functionDeclarations"]} for tool in source["tools"]]
    del output["tools"], output["messages"][1:]
    findings = judge(source, output, client="gemini", upstream="openai_chat").findings
    lost = [finding.message for finding in findings if finding.rule == "translation/tool-lost"]
    assert lost
    assert all(("the source says it as `function_declarations`" in message) is is_named for message in lost)


def test_a_parameter_of_the_user_s_is_no_other_spelling() -> None:
    source, output = (request("dialects/picture-in-tool-message", name) for name in ("gemini", "openai_chat"))
    output["tools"][0]["function"]["parameters"]["properties"].pop("full_page")
    findings_by_rule = {
        finding.rule: finding for finding in judge(source, output, client="gemini", upstream="openai_chat").findings
    }
    assert findings_by_rule["translation/schema-property-lost"].message == "a parameter of a tool was lost"


def stray(piece: str) -> Callable[[Events], Events]:
    """A Chat stream with a fragment at a new index, without id and name, after its calls."""

    def change(events: Events) -> Events:
        at = max(
            place
            for place, event in enumerate(events)
            if isinstance(event["data"], dict)
            and any(choice["delta"].get("tool_calls") for choice in event["data"]["choices"])
        )
        extra = copy.deepcopy(events[at])
        entry = {"index": 7, "function": {"arguments": piece}}
        extra["data"]["choices"][0]["delta"] = {"tool_calls": [entry]}
        return [*events[: at + 1], extra, *events[at + 1 :]]

    return change


def test_arguments_after_a_whole_call_go_on_with_none() -> None:
    rule_causes = causes(judge_changed_stream("parallel/three-tools", "openai_chat", stray('{"query": "x"}')))
    assert rule_causes.pop("translation/call-invented") == ""
    assert "translation/arguments" not in rule_causes


def test_nothing_at_a_new_index_is_no_call() -> None:
    rule_causes = causes(judge_changed_stream("parallel/three-tools", "openai_chat", stray("")))
    assert rule_causes == {"openai_chat/stream-call-index": ""}


@pytest.mark.parametrize(
    ("upstream", "container", "orphan"),
    [
        ("openai_chat", "messages", "openai_chat/result-answers-call"),
        ("anthropic", "messages", "anthropic/result-of-known-call"),
    ],
)
def test_results_of_a_stored_conversation_follow_from_its_absence(upstream: str, container: str, orphan: str) -> None:
    whole, output = request("state/parallel-calls", upstream, 1), request("state/parallel-calls", upstream, 1)
    calls = next(at for at, item in enumerate(whole[container]) if item["role"] == "assistant")
    output[container] = whole[container][calls + 1 :]
    findings = judge_history(whole, output, client="openai_responses", upstream=upstream, stored=True).findings
    rule_causes = causes(findings)
    assert rule_causes["translation/stored-history"] == ""
    assert rule_causes[orphan] == "translation/stored-history"


@pytest.mark.parametrize(
    ("finish", "rule"), [("OTHER", "translation/stream-error-as-break"), ("STOP", "translation/stream-error-told")]
)
def test_a_failed_stream_is_reported_by_the_reason_of_its_end(finish: str, rule: str) -> None:
    """No client goes on after OTHER; what it does not learn is the error's words."""
    sent = golden("finish/unexpected-call", "openai_responses")
    candidate = {"index": 0, "content": {"role": "model", "parts": []}, "finishReason": finish}
    received = {
        "events": [{"data": {"candidates": [candidate], "responseId": "r", "modelVersion": "gemini-2.5-flash"}}]
    }
    findings = judge_stream(received, client="gemini", upstream="openai_responses", source=sent).findings
    assert [finding.rule for finding in findings if finding.rule.startswith("translation/stream-error")] == [rule]


def test_an_empty_turn_in_the_place_of_a_call_is_that_call() -> None:
    source = request("shell/seed", "openai_responses", 1)
    output = request("shell/seed", "anthropic", 1)
    for message in output["messages"]:
        if message["role"] == "assistant":
            message["content"] = [{"type": "text", "text": ""}]
    rule_causes = causes(judge(source, output, client="openai_responses", upstream="anthropic").findings)
    assert rule_causes["translation/call-lost"] == ""
    assert rule_causes["anthropic/text-not-blank"] == "translation/call-lost"


def test_a_schema_that_is_gone_as_a_whole_has_no_root() -> None:
    source, output = request("shell/seed", "anthropic"), request("shell/seed", "openai_chat")
    output["tools"][0]["function"]["parameters"] = {}
    rule_causes = causes(judge(source, output, client="anthropic", upstream="openai_chat").findings)
    assert rule_causes["openai_chat/tool-schema-root"] == "translation/schema-property-lost"


def test_a_stream_that_breaks_off_owes_no_counts() -> None:
    """Some servers count in every chunk; the SDK keeps the counts of the last one."""
    stream = golden("shell/seed", "openai_chat")
    for event in stream["events"][:2]:
        event["data"]["usage"] = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    judged = Judge(CORPUS).body("openai_chat", "stream", stream)
    assert "openai_chat/stream-usage-kept" in {finding.rule for finding in judged.findings}
    broken = {**stream, "events": stream["events"][:4]}
    judged = Judge(CORPUS).body("openai_chat", "stream", broken)
    assert "openai_chat/stream-usage-kept" not in {finding.rule for finding in judged.findings}


def test_a_filter_after_a_call_does_not_become_the_end_of_a_turn() -> None:
    """Beside a call that is no end of Anthropic's, and tool_use would have agents run what the filter stopped."""
    case = CORPUS.cases["finish/filter-behind-call"]
    source, output = (copy.deepcopy(case.exchanges(name)[0].response) for name in ("openai_responses", "anthropic"))
    assert not causes(
        judge(source, output, client="anthropic", upstream="openai_responses", direction="response").findings
    )
    output["stop_reason"] = "end_turn"
    findings = judge(source, output, client="anthropic", upstream="openai_responses", direction="response").findings
    assert causes(findings) == {
        "translation/finish-reason": "",
        "anthropic/finish-agrees-with-calls": "translation/finish-reason",
    }
    assert [finding.want for finding in findings if finding.rule == "translation/finish-reason"] == ["refusal"]
