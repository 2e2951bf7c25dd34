"""The reader of the Anthropic format, and what its rules must let pass."""

from __future__ import annotations

from typing import Any

import pytest

from toolcall_conformance.basics.findings import Level
from toolcall_conformance.basics.jsonvalue import resolve
from toolcall_conformance.basics.reading import Hosted, Media, Opaque, Reasoning, Text, Unknown, Unreadable, Value
from toolcall_conformance.formats.anthropic.readers import read_request, read_response
from toolcall_conformance.judge.rules.check import check_body
from toolcall_conformance.library import Corpus

FIRST, SECOND = "toolu_01Vq8ZtL3mXc7RbK5wHn2JdY", "toolu_01Bf4GsW9pQx6TnM8vCk3ZrE"
SEARCH = "srvtoolu_01Kd7HyP2nVw5XcJ9qRt4LmB"
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
TOOL = {"name": "read_file", "description": "Reads a file.", "input_schema": {"type": "object", "properties": {}}}
IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}}


def request(*messages: Any, **more: Any) -> dict[str, Any]:
    return {"model": "claude-sonnet-4-5-20250929", "max_tokens": 1024, "tools": [TOOL], "messages": [*messages], **more}


def reply(*content: Any, stop: Any = "end_turn", **more: Any) -> dict[str, Any]:
    return {
        "id": "msg_01Hx4RkQ7vTn9WzJ2cLp5YdS",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-4-5-20250929",
        "content": [*content],
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": {"input_tokens": 412, "output_tokens": 58},
        **more,
    }


def user(*content: Any) -> dict[str, Any]:
    return {"role": "user", "content": content[0] if isinstance(content[0], str) else [*content]}


def assistant(*content: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": content[0] if isinstance(content[0], str) else [*content]}


def text(words: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": words, **more}


def call(identity: str = FIRST, /, **arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": identity, "name": "read_file", "input": arguments}


def result(identity: str = FIRST, content: Any = "fine", **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": identity, "content": content, **more}


def thinking(words: str = "I read the file.") -> dict[str, Any]:
    return {"type": "thinking", "thinking": words, "signature": "EqQBCkYICxgCKkDm1uT0Yp3kq8rJx5vZb2nW7cH9s"}


def findings(corpus: Corpus, body: Any, direction: str = "request") -> list[str]:
    return [finding.rule for finding in check_body(corpus, "anthropic", direction, body)]


# --- the reader: conversation


def test_a_loop_is_read_with_pointers() -> None:
    body = request(user("Read a.txt"), assistant(text("Reading."), call(path="a.txt")), user(result(), text("Well?")))
    reading = read_request(body)
    assert [(turn.side, turn.pointer) for turn in reading.turns] == [
        ("user", "/messages/0/content"),
        ("assistant", "/messages/1/content/0/text"),
        ("user", "/messages/2/content/0"),
    ]
    (tool_call,) = reading.calls
    assert (tool_call.ordinal, tool_call.batch, tool_call.name, tool_call.arguments) == (
        0,
        0,
        "read_file",
        {"path": "a.txt"},
    )
    assert tool_call.pointer == "/messages/1/content/1"
    assert tool_call.name_pointer == "/messages/1/content/1/name"
    assert tool_call.arguments_pointer == "/messages/1/content/1/input"
    assert resolve(body, tool_call.id_pointer or "") == FIRST
    (got,) = reading.results
    assert got.call == 0
    assert got.parts == (Text("fine", "/messages/2/content/0/content"),)
    assert got.id_pointer == "/messages/2/content/0/tool_use_id"
    assert reading.turns[2].items[1] == Text("Well?", "/messages/2/content/1/text")
    assert reading.residue == []


def test_results_are_paired_by_id_in_any_order() -> None:
    calls = assistant(call(FIRST, path="a"), call(SECOND, path="b"))
    reading = read_request(request(user("Go"), calls, user(result(SECOND), result(FIRST))))
    assert [tool_call.batch for tool_call in reading.calls] == [0, 0]
    assert [got.call for got in reading.results] == [1, 0]


def test_a_reused_id_means_the_latest_call() -> None:
    body = request(
        *(user("Go"), assistant(call("call_0", path="a")), user(result("call_0", "A"))),
        *(assistant(call("call_0", path="b")), user(result("call_0", "B"))),
    )
    reading = read_request(body)
    assert [got.call for got in reading.results] == [0, 1]
    assert [tool_call.batch for tool_call in reading.calls] == [0, 1]


def test_one_id_twice_in_a_batch_is_answered_in_order() -> None:
    calls = assistant(call("call_0", path="a"), call("call_0", path="b"))
    reading = read_request(request(user("Go"), calls, user(result("call_0"), result("call_0"), result("call_0"))))
    assert [got.call for got in reading.results] == [0, 1, 0]


@pytest.mark.parametrize("identity", [None, "", 7, "toolu_unknown"])
def test_a_result_without_a_known_id_answers_nothing(identity: Any) -> None:
    (got,) = read_request(request(user("Go"), assistant(call()), user(result(identity)))).results
    assert got.call is None


def test_neighbouring_messages_of_a_role_are_one_turn_and_blank_text_opens_none() -> None:
    body = request(user("One"), assistant(text(" ")), user(text("Two")), assistant(call()), assistant(call(SECOND)))
    reading = read_request(body)
    assert [turn.side for turn in reading.turns] == ["user", "assistant"]
    assert len(reading.turns[0].items) == 2
    assert [tool_call.batch for tool_call in reading.calls] == [0, 0]


def test_groups_distinguish_results_of_different_messages() -> None:
    calls = assistant(call(FIRST), call(SECOND))
    reading = read_request(request(user("Go"), calls, user(result(FIRST)), user(result(SECOND))))
    assert len({got.group for got in reading.results}) == 2


@pytest.mark.parametrize(("mark", "read"), [({}, None), ({"is_error": True}, True), ({"is_error": False}, False)])
def test_the_error_mark(mark: dict[str, Any], read: bool | None) -> None:
    (got,) = read_request(request(user("Go"), assistant(call()), user(result(**mark)))).results
    assert got.error is read


def test_results_hold_text_media_and_values() -> None:
    reference = {"type": "tool_reference", "tool_name": "write_file"}
    parts = [text("See:"), IMAGE, reference, text("")]
    (got,) = read_request(request(user("Go"), assistant(call()), user(result(content=parts)))).results
    inside = "/messages/2/content/0/content"
    assert got.parts == (
        Text("See:", f"{inside}/0/text"),
        Media("image", "image/png", f"{inside}/1", data=PNG),
        Text("write_file", f"{inside}/2", labels=("write_file",)),
    )


def test_a_bare_object_as_result_is_a_value() -> None:
    (got,) = read_request(request(user("Go"), assistant(call()), user(result(content={"lines": 3})))).results
    assert got.parts == (Value({"lines": 3}, "/messages/2/content/0/content"),)


@pytest.mark.parametrize(
    ("block", "media"),
    [
        (IMAGE, Media("image", "image/png", "/messages/0/content/0", data=PNG)),
        (
            {"type": "image", "source": {"type": "url", "url": "https://pictures.example/a.png"}},
            Media("image", None, "/messages/0/content/0", url="https://pictures.example/a.png"),
        ),
        (
            {"type": "document", "source": {"type": "file", "file_id": "file_011CNha8iCJcU1wXNR6q4V8w"}, "title": "A"},
            Media("document", None, "/messages/0/content/0", file_id="file_011CNha8iCJcU1wXNR6q4V8w"),
        ),
        (
            {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "Hello"}},
            Media("document", "text/plain", "/messages/0/content/0", data="SGVsbG8="),
        ),
    ],
)
def test_media(block: dict[str, Any], media: Media) -> None:
    reading = read_request(request(user(block)))
    assert reading.turns[0].items == [media]
    assert reading.residue == []


def test_thoughts_and_their_signatures() -> None:
    redacted = {"type": "redacted_thinking", "data": "EmwKAhgBEgy3va3pzix"}
    items = read_request(request(user("Go"), assistant(thinking(), redacted, call()), user(result()))).turns[1].items
    assert isinstance(items[0], Reasoning)
    assert [item.origin for item in items if isinstance(item, Opaque)] == ["anthropic", "anthropic"]
    assert [item.pointer for item in items if isinstance(item, Opaque)] == [
        "/messages/1/content/0/signature",
        "/messages/1/content/1/data",
    ]


def test_server_tools_are_hosted_steps_and_strange_blocks_unknown() -> None:
    search = {"type": "server_tool_use", "id": SEARCH, "name": "web_search", "input": {"query": "x"}}
    search_result = {"type": "web_search_tool_result", "tool_use_id": SEARCH, "content": []}
    strange = {"type": "hologram", "data": 1}
    items = read_response(reply(search, search_result, strange, text("Done."))).turns[0].items
    assert [(item.type, item.id) for item in items if isinstance(item, Hosted)] == [
        ("server_tool_use", SEARCH),
        ("web_search_tool_result", SEARCH),
    ]
    assert items[2] == Unknown("hologram", "/content/2")


@pytest.mark.parametrize("arguments", ['{"a": 1}', [1], 3, True])
def test_arguments_that_are_no_object_are_unreadable(arguments: Any) -> None:
    (tool_call,) = read_response(reply({**call(), "input": arguments})).calls
    assert tool_call.arguments == Unreadable(arguments)


@pytest.mark.parametrize("block", [{**call(), "input": None}, {key: call()[key] for key in ("type", "id", "name")}])
def test_absent_arguments_are_empty(block: dict[str, Any]) -> None:
    (tool_call,) = read_response(reply(block)).calls
    assert tool_call.arguments == {}


# --- the reader: the rest of a request


def test_system_texts_at_the_top_and_in_the_middle() -> None:
    middle = {"role": "system", "content": "Answer in French."}
    reading = read_request(request(user("Hi"), middle, system=[text("Be brief."), text(" ")]))
    assert reading.system == [Text("Be brief.", "/system/0/text")]
    assert [turn.side for turn in reading.turns] == ["user", "system"]


def test_a_leading_system_message_counts_as_system_prompt() -> None:
    leading = {"role": "system", "content": "Be brief."}
    reading = read_request(request(leading, user("Hi"), system="Be kind."))
    assert [item.text for item in reading.system] == ["Be kind.", "Be brief."]


def test_settings_have_neutral_names_and_values() -> None:
    schema = {"type": "object"}
    body = request(
        user("Hi"),
        temperature=0.5,
        top_p=0.9,
        top_k=40,
        stop_sequences=["END"],
        stream=True,
        metadata={"user_id": "u-1"},
        thinking={"type": "enabled", "budget_tokens": 1024},
        output_config={"format": {"type": "json_schema", "schema": schema}, "effort": "low"},
        service_tier=None,
    )
    reading = read_request(body)
    values = {name: setting.value for name, setting in reading.settings.items()}
    assert values == {
        "model": "claude-sonnet-4-5-20250929",
        "max_output_tokens": 1024,
        "temperature": 0.5,
        "top_p": 0.9,
        "top_k": 40,
        "stop": ["END"],
        "stream": True,
        "user_id": "u-1",
        "response_format": {"type": "json_schema", "schema": schema},
        "reasoning": {"budget": 1024, "effort": "low"},
        "private:thinking": {"type": "enabled", "budget_tokens": 1024},
        "private:output_config.effort": "low",
    }
    for setting in reading.settings.values():
        resolve(body, setting.pointer)
    assert reading.residue == []


@pytest.mark.parametrize(
    ("choice", "neutral", "parallel"),
    [
        ({"type": "auto"}, {"mode": "auto"}, None),
        ({"type": "any", "disable_parallel_tool_use": True}, {"mode": "required"}, False),
        ({"type": "tool", "name": "read_file"}, {"mode": "required", "names": ["read_file"]}, None),
        ({"type": "none"}, {"mode": "none"}, None),
        ({"type": "auto", "disable_parallel_tool_use": False}, {"mode": "auto"}, True),
        ("required", None, None),
    ],
)
def test_tool_choice(choice: Any, neutral: Any, parallel: bool | None) -> None:
    settings = read_request(request(user("Hi"), tool_choice=choice)).settings
    assert (settings["tool_choice"].value if "tool_choice" in settings else None) == neutral
    assert (settings["parallel_calls"].value if "parallel_calls" in settings else None) is parallel


def test_tools_and_server_tools() -> None:
    search = {"type": "web_search_20250305", "name": "web_search", "max_uses": 3}
    body = request(user("Hi"), tools=[{**TOOL, "strict": True, "cache_control": {"type": "ephemeral"}}, search])
    first, second = read_request(body).tools
    assert (first.kind, first.name, first.strict, first.schema) == ("function", "read_file", True, TOOL["input_schema"])
    assert first.schema_pointer == "/tools/0/input_schema"
    assert (second.kind, second.name, second.schema) == ("hosted", "web_search", None)


def test_keys_that_nobody_reads_are_residue() -> None:
    body = request({**user("Hi"), "tool_calls": []}, parallel_tool_calls=False)
    assert [left.pointer for left in read_request(body).residue] == ["/messages/0/tool_calls", "/parallel_tool_calls"]


# --- the reader: replies


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        *(("tool_use", "tools"), ("end_turn", "end"), ("max_tokens", "length"), ("refusal", "refusal")),
        *(("model_context_window_exceeded", "length"), ("stop_sequence", "stop_sequence"), ("pause_turn", "pause")),
        *(("tool_calls", "other"), (["tool_use"], "other")),
    ],
)
def test_stop_reasons(raw: Any, reason: str) -> None:
    finish = read_response(reply(text("Done."), stop=raw)).finish
    assert finish is not None
    assert (finish.reason, finish.raw, finish.pointer) == (reason, raw, "/stop_reason")


def test_no_stop_reason_is_no_finish() -> None:
    assert read_response(reply(text("Done."), stop=None)).finish is None


def test_usage_counts_the_whole_prompt() -> None:
    usage = {
        "input_tokens": 10,
        "cache_creation_input_tokens": 200,
        "cache_read_input_tokens": 3000,
        "output_tokens": 50,
        "output_tokens_details": {"thinking_tokens": 20},
    }
    counts = read_response(reply(text("Done."), usage=usage)).usage
    assert counts == {"input": 3210, "output": 50, "cached": 3000, "written": 200, "reasoning": 20}


# --- what the rules must let pass

HARMLESS = {
    "text between calls": request(
        user("Go"), assistant(call(), text("and"), call(SECOND)), user(result(), result(SECOND))
    ),
    "results in another order": request(
        user("Go"), assistant(call(), call(SECOND)), user(result(SECOND), result(FIRST))
    ),
    "a result without content": request(
        user("Go"), assistant(call()), user({"type": "tool_result", "tool_use_id": FIRST})
    ),
    "an empty result": request(user("Go"), assistant(call()), user(result(content=""))),
    "an empty list as result": request(user("Go"), assistant(call()), user(result(content=[]))),
    "an empty text in a result": request(user("Go"), assistant(call()), user(result(content=[text("")]))),
    "ids of another provider": request(
        user("Go"), assistant(call("call_T2xQ9vLk4mZbR7nWc1HdJ8pY")), user(result("call_T2xQ9vLk4mZbR7nWc1HdJ8pY"))
    ),
    "a caller": request(user("Go"), assistant({**call(), "caller": {"type": "direct"}}), user(result())),
    "two user messages in a row": request(user("One"), user("Two")),
    "an assistant message first": request(assistant("Hello."), user("Hi")),
    "a prefilled answer": request(user("Go"), assistant("The answer is")),
    "an empty prefilled answer": request(user("Go"), assistant("")),
    "type custom": request(user("Hi"), tools=[{**TOOL, "type": "custom"}]),
    "type null": request(user("Hi"), tools=[{**TOOL, "type": None}]),
    "a nullable union below the root": request(
        user("Hi"),
        tools=[{**TOOL, "input_schema": {"type": "object", "properties": {"a": {"anyOf": [{"type": "null"}]}}}}],
    ),
    "parameters called like keywords": request(
        user("Hi"),
        tools=[
            {
                **TOOL,
                "input_schema": {
                    "type": "object",
                    "properties": {"oneOf": {"type": "string"}, "strict": {"type": "boolean"}, "$ref": {}},
                },
            }
        ],
    ),
    "a reference to an anchor": request(
        user("Hi"),
        tools=[
            {
                **TOOL,
                "input_schema": {
                    "type": "object",
                    "properties": {"a": {"$ref": "#here"}, "b": {"$ref": "#/$defs/b~1c"}},
                    "$defs": {"a": {"$anchor": "here"}, "b/c": True},
                },
            }
        ],
    ),
    "null where null is documented": request(
        user(text("Hi", cache_control=None, citations=None)), metadata={"user_id": None}, container=None
    ),
    "thinking left out of an earlier turn": request(
        *(user("Go"), assistant(call()), user(result()), assistant(text("Done."))),
        *(user("Again"), assistant(thinking(), call(SECOND)), user(result(SECOND))),
        max_tokens=4096,
        thinking={"type": "enabled", "budget_tokens": 1024},
    ),
    "thought once, in two steps of one turn": request(
        *(user("Go"), assistant(thinking(), call()), user(result())),
        *(assistant(call(SECOND)), user(result(SECOND))),
        thinking={"type": "enabled", "budget_tokens": 1024},
        max_tokens=2048,
    ),
    "adaptive thinking with unsigned history": request(
        user("Go"), assistant(call()), user(result()), thinking={"type": "adaptive"}, tool_choice={"type": "any"}
    ),
    "a failed result with text blocks": request(
        user("Go"), assistant(call()), user(result(content=[text("no such file")], is_error=True))
    ),
    "a server tool that is still at work": request(
        user("Go"),
        assistant({"type": "server_tool_use", "id": SEARCH, "name": "web_search", "input": {"query": "x"}}),
        tools=[{"type": "web_search_20250305", "name": "web_search"}],
    ),
    "four cache marks": request(user(*(text(f"{number}", cache_control={"type": "ephemeral"}) for number in range(4)))),
    "tools of an MCP server": request(
        user("Hi"),
        tools=[{"type": "mcp_toolset", "mcp_server_name": "wiki"}],
        mcp_servers=[{"type": "url", "name": "wiki", "url": "https://wiki.example/mcp"}],
        tool_choice={"type": "auto"},
    ),
}

HARMLESS_REPLIES = {
    "no content at all": reply(),
    "a call cut off at the limit": reply(call(), stop="max_tokens"),
    "a server call that is still at work": reply(
        {"type": "server_tool_use", "id": SEARCH, "name": "web_search", "input": {}}, stop="pause_turn"
    ),
    "keys that nobody documents": reply(text("Done."), novelty={"a": 1}),
    "a block of a type to come": reply({"type": "hologram", "data": 1}, text("Done.")),
    "no stop_sequence key": {key: value for key, value in reply(text("Done.")).items() if key != "stop_sequence"},
}


@pytest.mark.parametrize("name", HARMLESS)
def test_harmless_requests(name: str, corpus: Corpus) -> None:
    assert findings(corpus, HARMLESS[name]) == []


@pytest.mark.parametrize("name", HARMLESS_REPLIES)
def test_harmless_replies(name: str, corpus: Corpus) -> None:
    assert findings(corpus, HARMLESS_REPLIES[name], "response") == []


# --- where rules point


@pytest.mark.parametrize(
    ("body", "rule", "pointer"),
    [
        (request(user("Go"), assistant(call())), "calls-answered", "/messages/1/content/0"),
        (
            request(user("Go"), assistant(call(), call(SECOND)), user(result(), text("x"), result(SECOND))),
            "results-first",
            "/messages/2/content/2",
        ),
        (
            request(user("Go"), assistant(call()), user("wait"), user(result())),
            "results-first",
            "/messages/3/content/0",
        ),
        (
            request(user("Go"), assistant(call()), user(result()), user(result(SECOND))),
            "result-of-known-call",
            "/messages/3/content/0/tool_use_id",
        ),
        (request(user("Hi"), tools=[{**TOOL, "name": "a.b"}]), "tool-name", "/tools/0/name"),
        (request(user("Hi"), tools=[{**TOOL, "parameters": {}}]), "unknown-key", "/tools/0/parameters"),
        (
            request(user(text("Hi", cache_control={"type": "ephemeral", "depth": 1}))),
            "unknown-key",
            "/messages/0/content/0/cache_control/depth",
        ),
        (request(user("Hi"), temperature=None), "null-key", "/temperature"),
        (request(user("Hi"), stop=None), "null-key", "/stop"),
        (request(user("Hi"), parallel_tool_calls=None), "null-key", "/parallel_tool_calls"),
        (request(user("Hi"), tool_choice={"type": "tool"}), "tool-choice-name", "/tool_choice"),
        (
            request(user("Hi"), tools=[{**TOOL, "input_schema": {"type": "object", "required": "a"}}]),
            "tool-schema-valid",
            "/tools/0/input_schema/required",
        ),
        (request(user({"type": "input_text", "text": "Hi"})), "block-type", "/messages/0/content/0/type"),
        (
            request(user("Go"), assistant({**call(), "input": None}), user(result())),
            "call-input-object",
            "/messages/1/content/0/input",
        ),
    ],
)
def test_findings_point_at_the_place(body: Any, rule: str, pointer: str, corpus: Corpus) -> None:
    body_findings = check_body(corpus, "anthropic", "request", body)
    assert (f"anthropic/{rule}", pointer) in {(finding.rule, finding.pointer) for finding in body_findings}


def test_one_mistake_is_one_finding(corpus: Corpus) -> None:
    """An OpenAI tool, wrapped: not a flood of findings about everything that a flat tool would have."""
    wrapped = {"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}
    body_findings = check_body(corpus, "anthropic", "request", request(user("Hi"), tools=[wrapped]))
    assert [(finding.rule, finding.level) for finding in body_findings] == [("anthropic/tool-shape", Level.MUST)]


@pytest.mark.parametrize("identity", ["toolu_1\n", "call_1\nfc_1", "\n"])
def test_a_line_break_is_no_character_of_an_id(corpus: Corpus, identity: str) -> None:
    """Not at the end either, where Python's own ``$`` would let one pass."""
    body = request(user("go"), assistant(call(identity)), user(result(identity)))
    assert "anthropic/call-id" in {finding.rule for finding in check_body(corpus, "anthropic", "request", body)}


def test_a_line_break_is_no_character_of_a_name(corpus: Corpus) -> None:
    body = request(user("go"), tools=[TOOL | {"name": "read_file\n"}])
    assert "anthropic/tool-name" in {finding.rule for finding in check_body(corpus, "anthropic", "request", body)}


def test_a_continued_thread_needs_no_calls_and_tools(corpus: Corpus) -> None:
    """https://platform.claude.com/docs/en/build-with-claude/message-threads"""
    thread = {"type": "continue", "previous_message_id": "msg_01"}
    choice = {"type": "tool", "name": "read_file"}
    body = request(user(result()), thread=thread, tool_choice=choice) | {"tools": None}
    del body["tools"]
    assert findings(corpus, body) == []
    assert findings(corpus, body | {"messages": []}) == []  # the thread resumes a turn that had paused
    assert findings(corpus, body | {"thread": {"type": "create"}}) != []
    later = body | {"messages": [user(text("Go on.")), assistant(text("Yes.")), user(result())]}
    assert any("anthropic/result-of-known-call" in line for line in findings(corpus, later))
