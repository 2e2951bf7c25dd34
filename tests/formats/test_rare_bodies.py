"""What real bodies and the corpus's own hold rarely or never: parts, settings and faults that each format still has."""

from __future__ import annotations

import json
from types import FunctionType, ModuleType
from typing import Any

import pytest

from corpus_judge import judge
from toolcall_conformance import formats
from toolcall_conformance.basics.findings import Level
from toolcall_conformance.basics.reading import Call, Hosted, Media, Reasoning, Result, Text, Value
from toolcall_conformance.basics.streaming import parse
from toolcall_conformance.formats.anthropic.stream.partial_json import parse_beginning
from toolcall_conformance.formats.gemini.proto_json import to_json_schema
from toolcall_conformance.formats.gemini.stream.partial_args import PartialArgs
from toolcall_conformance.formats.rule import rule, rules_of
from toolcall_conformance.judge.rules.check import check_body
from toolcall_conformance.library import load_corpus

CORPUS = load_corpus()
ITEM_TYPE = "openai_responses/item-type"


def items(name: str, direction: str, body: dict[str, Any]) -> list[Any]:
    """What a body says, without pointers."""
    reading = formats.read(name, direction, body)
    assert reading.residue == []
    entries: list[Any] = []
    for item in (item for turn in reading.turns for item in turn.items):
        match item:
            case Text() | Reasoning():
                entries.append((type(item).__name__, item.text))
            case Media():
                entries.append((item.kind, item.mime, item.data or item.file_id))
            case Call():
                entries.append(("Call", item.id))
            case Hosted():
                entries.append(("Hosted", item.type))
            case Result():
                parts = [
                    part.text if isinstance(part, Text) else part.value for part in item.parts if is_text_or_value(part)
                ]
                entries.append(("Result", item.id, item.call, *parts))
    return entries


def is_text_or_value(part: Any) -> bool:
    return isinstance(part, (Text, Value))


def broken_places(name: str, body: dict[str, Any], direction: str = "request", model: str | None = None) -> set[str]:
    findings = check_body(CORPUS, name, direction, body, model=model)
    return {f"{finding.rule} {finding.pointer}" for finding in findings}


def anthropic(*messages: Any, **more: Any) -> dict[str, Any]:
    return {"model": "m", "max_tokens": 9, "messages": list(messages), **more}


def test_blocks_of_anthropic_that_hold_blocks() -> None:
    inner = [{"type": "text", "text": "inner"}]
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGk="}}
    document = {"type": "document", "source": {"type": "content", "content": [*inner, picture]}}
    body = anthropic({"role": "user", "content": [document]})
    assert items("anthropic", "request", body) == [("Text", "inner"), ("image", "image/png", "aGk=")]
    call = {"type": "tool_use", "id": "a", "name": "f", "input": {}}
    search_result = {"type": "search_result", "source": "s", "title": "t", "content": inner}
    result = {"type": "tool_result", "tool_use_id": "a", "content": [search_result]}
    body = anthropic({"role": "assistant", "content": [call]}, {"role": "user", "content": [result]})
    assert items("anthropic", "request", body) == [("Call", "a"), ("Result", "a", 0, "inner")]


def test_sound_and_files_of_chat() -> None:
    sound = {"id": "au", "data": "aGk=", "transcript": "hello", "expires_at": 1}
    message = {"role": "assistant", "content": None, "audio": sound}
    reply = {"choices": [{"index": 0, "finish_reason": "stop", "message": message}]}
    assert items("openai_chat", "response", reply) == [("audio", None, "aGk="), ("Text", "hello")]
    for content, texts in (("hello", ["hello"]), (" hello\n", [" hello\n"]), ("See below.", ["See below.", "hello"])):
        reply = {"choices": [{"index": 0, "finish_reason": "stop", "message": message | {"content": content}}]}
        assert [item[1] for item in items("openai_chat", "response", reply) if item[0] == "Text"] == texts
    file = {"type": "file", "file": {"file_data": "aGk=", "filename": "a.pdf"}}
    again = {"role": "assistant", "content": None, "audio": {"id": "au"}}
    body = {"model": "m", "messages": [again, {"role": "user", "content": [file]}]}
    assert items("openai_chat", "request", body) == [("audio", None, "au"), ("document", "application/pdf", "aGk=")]


def test_shells_and_thoughts_of_responses() -> None:
    elsewhere = {"type": "container_reference", "container_id": "x"}
    action = {"type": "exec", "command": ["ls"], "env": {}}
    thought = {"type": "reasoning", "id": "r", "summary": [], "content": [{"type": "reasoning_text", "text": "hm"}]}
    input_items = [
        {"type": "shell_call", "call_id": "c", "action": {"commands": ["ls"]}, "environment": elsewhere},
        {"type": "local_shell_call", "id": "i", "call_id": "c2", "action": action, "status": "completed"},
        {"type": "local_shell_call_output", "id": "c2", "output": "ok"},
        {"type": "shell_call_output", "call_id": "c3", "output": [{"stdout": "a"}]},
        thought,
    ]
    assert items("openai_responses", "request", {"model": "m", "input": input_items}) == [
        ("Hosted", "shell_call"),  # where the provider has the shell, the client answers nothing
        ("Call", "c2"),
        ("Result", "c2", 0, "ok"),
        ("Result", "c3", None, [{"stdout": "a"}]),
        ("Reasoning", "hm"),
    ]


@pytest.mark.parametrize(
    ("mime", "setting"),
    [
        ("text/plain", ("response_format", {"type": "text"})),
        ("text/x.enum", ("private:responseMimeType", "text/x.enum")),
    ],
)
def test_types_of_gemini_s_replies(mime: str, setting: tuple[str, Any]) -> None:
    # One content need not stand in a list.
    body = {"contents": {"role": "user", "parts": [{"text": "x"}]}, "generationConfig": {"responseMimeType": mime}}
    settings = formats.read("gemini", "request", body).settings
    assert [(setting.name, setting.value) for setting in settings.values()] == [setting]
    assert formats.get("gemini").client.entries(body) == [body["contents"]]


def test_schemas_of_gemini_in_the_proto_s_spelling() -> None:
    assert to_json_schema({"type": "STRING", "minLength": "3", "maxLength": "x"}) == {
        "type": "STRING",
        "minLength": 3,
        "maxLength": "x",
    }
    own = to_json_schema({"ref": "#/defs/a", "defs": {"a": {"type": "STRING"}}})
    assert own == {"$ref": "#/$defs/a", "$defs": {"a": {"type": "STRING"}}}


def test_pieces_of_arguments_at_places_of_lists() -> None:
    arguments: dict[str, Any] = {}
    pieces = PartialArgs(arguments)
    assert pieces.add({"jsonPath": "$.a[0]", "stringValue": "Bos", "willContinue": True})
    assert pieces.add({"jsonPath": "$.a[0]", "stringValue": "ton"})
    assert arguments == {"a": ["Boston"]}
    assert not pieces.add({"jsonPath": "$.a[x", "stringValue": "?"})


def test_what_javascript_alone_calls_a_number() -> None:
    assert parse_beginning('{"a": 1, "b": NaN') == {"a": 1}


@pytest.mark.parametrize("name", ["openai_chat", "openai_responses", "gemini"])
def test_a_reply_without_content_is_no_history(name: str) -> None:
    assert formats.get(name).client.as_history({}, echo=True) == []


def strict_tool_request(schema: dict[str, Any]) -> dict[str, Any]:
    tool = {"name": "f", "strict": True, "input_schema": {"type": "object", "additionalProperties": False, **schema}}
    return anthropic({"role": "user", "content": "x"}, tools=[tool])


def test_schemas_in_lists_of_schemas() -> None:
    inside = {"properties": {"a": {"anyOf": [{"type": "object"}, {"type": "string"}]}}}
    place = "/tools/0/input_schema/properties/a"
    assert broken_places("anthropic", strict_tool_request(inside)) == {f"anthropic/tool-strict-closed {place}/anyOf/0"}
    definitions = {"x": {"anyOf": [{"type": "string"}]}}
    for number, wrong in ((0, set()), (1, {f"anthropic/tool-schema-refs {place}/$ref"})):
        pointing = {"properties": {"a": {"$ref": f"#/$defs/x/anyOf/{number}"}}, "$defs": definitions}
        assert broken_places("anthropic", strict_tool_request(pointing)) == wrong


def test_a_function_next_to_a_built_in_tool_before_gemini_3() -> None:
    tools = [{"functionDeclarations": [{"name": "f"}]}, {"googleSearch": {}}]
    body = {"contents": [{"role": "user", "parts": [{"text": "x"}]}], "tools": tools}
    faults = broken_places("gemini", body, model="gemini-2.5-flash")
    assert faults == {"gemini/built-in-with-functions /tools/1/googleSearch"}


def test_a_number_that_is_larger_than_any_double() -> None:
    call = {"functionCall": {"name": "f", "args": {"n": 10**400, "m": 2**53}}}
    faults = broken_places(
        "gemini", {"contents": [{"role": "user", "parts": [{"text": "x"}]}, {"role": "model", "parts": [call]}]}
    )
    assert "gemini/args-double /contents/1/parts/0/functionCall/args/n" in faults
    assert "gemini/args-double /contents/1/parts/0/functionCall/args/m" not in faults


def test_a_call_that_is_demanded_of_no_tool() -> None:
    choice = {"type": "allowed_tools", "mode": "required", "tools": [{"type": "function", "name": "f"}]}
    body = {"model": "m", "input": "x", "tool_choice": choice}
    assert broken_places("openai_responses", body) == {"openai_responses/tool-choice-declared /tool_choice"}


def test_a_completed_reply_that_says_why_it_is_incomplete() -> None:
    reply = {
        "id": "r", "object": "response", "status": "completed", "model": "m", "created_at": 1761000355, "output": [],
        "incomplete_details": {"reason": "max_output_tokens"},
        "parallel_tool_calls": True, "tool_choice": "auto", "tools": [],
    }  # fmt: skip
    assert broken_places("openai_responses", reply, "response") == {
        "openai_responses/finish-agrees /incomplete_details"
    }


def test_two_functions_for_one_rule() -> None:
    module = ModuleType("rules")
    for name in ("one", "two"):
        function = FunctionType((lambda _: iter(())).__code__, {"__name__": "rules"})
        setattr(module, name, rule("anthropic/shape")(function))
    with pytest.raises(ValueError, match="check the same rule: anthropic/shape"):
        rules_of(module)


def test_kinds_of_events() -> None:
    assert formats.event_kind("openai_chat", {"data": "[DONE]"}) == "[DONE]"
    assert formats.event_kind("openai_chat", {"data": "a text that no format sends"}) == "text"
    assert formats.event_kind("anthropic", {"data": {}}) == "no type"
    assert formats.event_kind("anthropic", {"data": {"type": "ping"}}) == "ping"
    assert formats.event_kind("gemini", {}) == "no object"


def test_a_format_that_there_is_not() -> None:
    with pytest.raises(LookupError, match="no such format: 'cohere'"):
        formats.get("cohere")


def event(data: dict[str, Any]) -> bytes:
    return f"event: {data['type']}\ndata: {json.dumps(data)}\n\n".encode()


def test_a_thought_among_the_parts_of_a_message() -> None:
    part = {"type": "reasoning_text", "text": "hm"}
    body = {"model": "m", "input": [{"type": "message", "role": "assistant", "content": [part]}]}
    assert items("openai_responses", "request", body) == [("Reasoning", "hm")]


@pytest.mark.parametrize(
    ("kind", "expected"),
    [("agent_message", set()), ("multi_agent_call", set()), ("message_of_an_agent", {f"{ITEM_TYPE} /input/1/type"})],
)
def test_items_that_only_the_beta_of_responses_has(kind: str, expected: set[str]) -> None:
    """Codex sends messages between agents in ordinary requests, and OpenAI takes it."""
    content = [{"type": "input_text", "text": "Berth seven."}, {"type": "encrypted_content", "encrypted_content": "gA"}]
    item = {"type": kind, "id": "amsg_1", "author": "/root", "recipient": "/root/office", "content": content}
    body = {"model": "gpt-5.4", "input": [{"role": "user", "content": "Ask."}, item]}
    assert broken_places("openai_responses", body) == expected


def test_a_compaction_in_a_stream() -> None:
    usage = {"input_tokens": 1, "output_tokens": 1}
    message_end: dict[str, Any] = {"stop_reason": None, "stop_sequence": None, "usage": usage}
    message = {"id": "m", "type": "message", "role": "assistant", "model": "m", "content": [], **message_end}
    delta = {"type": "compaction_delta", "content": "short"}
    stream: list[dict[str, Any]] = [
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "compaction", "content": None}},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
    ]
    body = formats.assemble("anthropic", parse(b"".join(map(event, stream)))).body
    assert body is not None
    assert body["content"] == [{"type": "compaction", "content": "short"}]


def test_a_reply_that_is_completed_when_it_begins() -> None:
    reply = {
        "id": "r", "object": "response", "status": "completed", "model": "m", "created_at": 1761000355, "output": [],
        "parallel_tool_calls": True, "tool_choice": "auto", "tools": [],
    }  # fmt: skip
    stream = parse(event({"type": "response.created", "sequence_number": 0, "response": reply}))
    findings = check_body(CORPUS, "openai_responses", "stream", stream)
    assert ("openai_responses/stream-status", "/events/0/data/response/status") in {
        (finding.rule, finding.pointer) for finding in findings
    }


def test_results_of_gemini_in_the_reverse_order() -> None:
    results = [{"functionResponse": {"id": name, "name": "f", "response": {}}} for name in "ab"]
    tail = [{"role": "user", "parts": [*results]}, "no content"]
    formats.get("gemini").client.reverse_results(tail)
    assert tail[0] == {"role": "user", "parts": results[::-1]}


def _deep(depth: int, leaf: dict[str, Any], holder: str, is_single: bool) -> dict[str, Any]:
    """A schema within schemas, each under one keyword."""
    for _ in range(depth):
        leaf = {holder: leaf if is_single else [leaf]} if holder != "properties" else {holder: {"any_of": leaf}}
    return leaf


@pytest.mark.parametrize(("holder", "is_single"), [("items", True), ("any_of", False), ("properties", True)])
@pytest.mark.parametrize("depth", [61, 100_000])
def test_schemas_of_gemini_in_any_depth(holder: str, is_single: bool, depth: int) -> None:
    schema = to_json_schema(_deep(depth, {"type": 1, "min_length": "3"}, holder, is_single))
    for _ in range(depth):
        (schema,) = schema.values()
        schema = schema[0] if isinstance(schema, list) else schema
        schema = schema.get("any_of", schema) if holder == "properties" else schema
    assert schema == {"type": "STRING", "minLength": 3}
    same = _deep(depth, {"type": "STRING"}, "items", is_single=True)
    assert to_json_schema(same) is same


@pytest.mark.parametrize("depth", [30, 80])
def test_a_deep_schema_in_gemini_s_spelling_says_the_same(depth: int) -> None:
    """To the judge: nothing was lost of a schema of another format, and a lost type is seen."""
    tool = {"name": "t", "description": "A tool.", "input_schema": _object(depth, {"type": "string"})}
    source = {"max_tokens": 9, "messages": [{"role": "user", "content": "Hi."}], "tools": [tool]}
    for leaf, rules in [({"type": 1}, set()), ({"type": 3}, {"translation/schema-type"})]:
        declared = {"name": "t", "description": "A tool.", "parameters": _object(depth, leaf, typed=6)}
        output = {
            "contents": [{"role": "user", "parts": [{"text": "Hi."}]}],
            "tools": [{"functionDeclarations": [declared]}],
            "generationConfig": {"maxOutputTokens": 9},
        }
        findings = judge(source, output, client="anthropic", upstream="gemini", direction="request").findings
        assert {finding.rule for finding in findings if finding.level is Level.MUST} == rules


def _object(depth: int, leaf: dict[str, Any], typed: Any = "object") -> dict[str, Any]:
    for _ in range(depth):
        leaf = {"type": typed, "properties": {"a": leaf}}
    return leaf
