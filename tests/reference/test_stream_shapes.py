"""The shapes of streams that break translators, one by one: what the reference makes of each for every other format."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from reference.reference_bodies import FORMATS, open_way
from reference.stream_bodies import assemble, client_view, events, frame_events

OTHERS = {name: [other for other in FORMATS if other != name] for name in FORMATS}


def translate_bodies(client: str, upstream: str, bodies: list[Any], **more: Any) -> bytes:
    session = open_way(client, upstream, **more)
    return b"".join(session.stream([frame_events(upstream, bodies)]))


def read(client: str, upstream: str, bodies: list[Any]) -> dict[str, Any]:
    """What the client sees of a stream."""
    return client_view(client, assemble(client, translate_bodies(client, upstream, bodies)))


def calls(client: str, upstream: str, bodies: list[Any]) -> list[tuple[str, Any]]:
    return [(name, arguments) for _, name, arguments in read(client, upstream, bodies)["calls"]]


def ids(client: str, upstream: str, bodies: list[Any]) -> list[str | None]:
    return [call_id for call_id, _, _ in read(client, upstream, bodies)["calls"]]


def chat(*deltas: dict[str, Any], finish: str | None = "tool_calls", done: bool = True, **more: Any) -> list[Any]:
    head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 7, "model": "m"}
    bodies: list[Any] = [{**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
    if finish is not None:
        bodies.append({**head, "choices": [{"index": 0, "delta": {}, "finish_reason": finish}], **more})
    return [*bodies, "[DONE]"] if done else bodies


def piece(index: int | None, text: str, **more: Any) -> dict[str, Any]:
    function = {key: more.pop(key) for key in ("name",) if key in more} | {"arguments": text}
    entry = {"index": index, **more, "function": function} if index is not None else {**more, "function": function}
    return {"tool_calls": [entry]}


def drifting(index: int, text: str) -> list[dict[str, Any]]:
    """A call whose later pieces have another id than its first."""
    first = piece(index, text[:1], id=f"a{index}", name="look")
    return [first, *(piece(index, fragment, id=f"b{index}") for fragment in text[1:])]


def claude(*content: Any, stop: str = "tool_use") -> list[dict[str, Any]]:
    message: dict[str, Any] = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": [],
        "stop_reason": None,
    }
    bodies: list[dict[str, Any]] = [{"type": "message_start", "message": {**message, "usage": {"input_tokens": 9}}}]
    for index, (block, *deltas) in enumerate(content):
        bodies.append({"type": "content_block_start", "index": index, "content_block": block})
        bodies += [{"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas]
        bodies.append({"type": "content_block_stop", "index": index})
    end = {"stop_reason": stop, "stop_sequence": None}
    return [*bodies, {"type": "message_delta", "delta": end, "usage": {"output_tokens": 5}}, {"type": "message_stop"}]


def use(place: int, *fragments: str, **more: Any) -> list[Any]:
    block = {"type": "tool_use", "id": f"toolu_{place}", "name": "look", "input": {}, **more}
    return [block, *({"type": "input_json_delta", "partial_json": text} for text in fragments)]


def gemini(*parts: list[dict[str, Any]], finish: str | None = "STOP") -> list[dict[str, Any]]:
    bodies: list[dict[str, Any]] = [{"responseId": "r", "candidates": [{"content": {"parts": part}}]} for part in parts]
    last = {"responseId": "r", "candidates": [{"content": {"role": "model"}, "finishReason": finish}]}
    return [*bodies, last] if finish else bodies


def responses(*inner: dict[str, Any], output: list[Any], status: str = "completed", **more: Any) -> list[Any]:
    response = {"id": "resp_1", "status": "in_progress", "output": []}
    end = {"type": f"response.{status}", "response": {**response, "status": status, "output": output, **more}}
    return [{"type": "response.created", "response": response}, *inner, end]


INTERLEAVED = chat(
    piece(0, "", id="call_a", type="function", name="look"),
    piece(1, "", id="call_b", type="function", name="look"),
    piece(0, '{"city":'),
    piece(1, '{"city": "Ro'),
    piece(0, '"Oslo"}'),
    piece(1, 'me"}'),
)


@pytest.mark.parametrize("client", OTHERS["openai_chat"])
def test_interleaved_calls_are_distinguished(client: str) -> None:
    assert calls(client, "openai_chat", INTERLEAVED) == [("look", {"city": "Oslo"}), ("look", {"city": "Rome"})]
    assert ids(client, "openai_chat", INTERLEAVED) == ["call_a", "call_b"]


def test_interleaved_calls_are_blocks_one_after_the_other() -> None:
    bodies = [event["data"] for event in events(translate_bodies("anthropic", "openai_chat", INTERLEAVED))]
    blocks = [(body["type"], body["index"]) for body in bodies if body["type"] in _ENDS]
    assert blocks == [(kind, index) for index in (0, 1) for kind in _ENDS]
    assert [body["index"] for body in bodies if "index" in body] == sorted(
        body["index"] for body in bodies if "index" in body
    )


_ENDS = ("content_block_start", "content_block_stop")


@pytest.mark.parametrize(
    "bodies",
    [
        chat(piece(0, "", id="call_a", name="look")),
        chat(piece(0, "{}", id="call_a", name="look")),
        chat(piece(0, " ", id="call_a", name="look"), piece(0, "")),
        chat({"tool_calls": [{"index": 0, "id": "call_a", "function": {"name": "look"}}]}),
    ],
)
def test_no_arguments_of_chat(bodies: list[Any]) -> None:
    for client in OTHERS["openai_chat"]:
        assert calls(client, "openai_chat", bodies) == [("look", {})]


def overlapping(*content: Any) -> list[dict[str, Any]]:
    """All blocks are opened, then grow in turn, then are stopped."""
    bodies = claude(*content)
    of = {kind: [body for body in bodies if body["type"] == f"content_block_{kind}"] for kind in ("start", "stop")}
    deltas = [[body for body in bodies if body.get("index") == at and "delta" in body] for at in range(len(content))]
    in_turn = [body for row in zip(*deltas, strict=True) for body in row]
    return [bodies[0], *of["start"], *in_turn, *of["stop"], *bodies[-2:]]


def text_block(*texts: str) -> list[dict[str, Any]]:
    return [{"type": "text", "text": ""}, *({"type": "text_delta", "text": text} for text in texts)]


@pytest.mark.parametrize("client", OTHERS["anthropic"])
def test_overlapping_blocks_of_anthropic_are_distinguished_by_their_index(client: str) -> None:
    bodies = overlapping(use(1, '{"city":', '"Oslo"}'), use(2, '{"city": "Ro', 'me"}'))
    assert calls(client, "anthropic", bodies) == [("look", {"city": "Oslo"}), ("look", {"city": "Rome"})]
    texts = overlapping(text_block("one ", "two "), text_block("three ", "four"), use(1, "{", "}"))
    assert "".join(read(client, "anthropic", texts)["text"]) == "one two three four"
    assert calls(client, "anthropic", texts) == [("look", {})]


@pytest.mark.parametrize("missing", ["index", "stop"])
def test_blocks_of_anthropic_without_index_or_end(missing: str) -> None:
    bodies = claude(use(1, '{"city":', '"Oslo"}'), use(2, '{"city": "Ro', 'me"}'))
    if missing == "stop":
        bodies = [body for body in bodies if body["type"] != "content_block_stop"]
    else:
        bodies = [{key: value for key, value in body.items() if key != "index"} for body in bodies]
    for client in OTHERS["anthropic"]:
        assert calls(client, "anthropic", bodies) == [("look", {"city": "Oslo"}), ("look", {"city": "Rome"})]


@pytest.mark.parametrize("bodies", [claude(use(1)), claude(use(1, "")), claude(use(1, "{}")), claude(use(1, "", " "))])
def test_no_arguments_of_anthropic(bodies: list[Any]) -> None:
    for client in OTHERS["anthropic"]:
        assert calls(client, "anthropic", bodies) == [("look", {})]


@pytest.mark.parametrize("call", [{"name": "look"}, {"name": "look", "args": {}}, {"name": "look", "args": None}])
def test_no_arguments_of_gemini(call: dict[str, Any]) -> None:
    for client in OTHERS["gemini"]:
        assert calls(client, "gemini", gemini([{"functionCall": call}])) == [("look", {})]


def test_arguments_in_the_start_of_a_block() -> None:
    for client in OTHERS["anthropic"]:
        assert calls(client, "anthropic", claude(use(1, input={"city": "Oslo"}))) == [("look", {"city": "Oslo"})]


def test_stop_next_to_calls() -> None:
    bodies = chat(piece(0, "{}", id="call_a", name="look"), finish="stop")
    for client, finish in (("anthropic", ("tool_use", None)), ("gemini", "STOP")):
        assert read(client, "openai_chat", bodies)["finish"] == finish
    bodies = gemini([{"functionCall": {"name": "look"}}])
    assert read("openai_chat", "gemini", bodies)["finish"] == "tool_calls"


@pytest.mark.parametrize("client", OTHERS["openai_chat"])
def test_dialects_of_chat(client: str) -> None:
    whole = {"city": "Oslo"}, {"city": "Rome"}
    text = ('{"city":"Oslo"}', '{"city":"Rome"}')
    for bodies in (
        chat(piece(None, text[0], id="", name="look"), piece(None, text[1], id="", name="look"), finish="stop"),
        chat({"tool_calls": [piece(None, fragment, name="look")["tool_calls"][0] for fragment in text]}),
        chat(piece(-1, text[0], id="a", name="look"), piece(-1, text[1], id="b", name="look")),
        chat(piece(0, text[0], id="a", name="look"), piece(0, text[1], id="b", name="look")),
        chat(
            *(piece(0, fragment, id="a", name="look") for fragment in text[0]), piece(1, text[1], id="b", name="look")
        ),
        [
            *chat(piece(0, text[0], id="a", name="look"), done=False),
            *chat(piece(1, text[1], id="b", name="look")),
        ],
        chat(piece(0, text[0], id="a", name="look"), piece(1, text[1], id="b", name="look"), done=False),
        # later pieces under another id: https://github.com/poolsideai/pool/issues/9
        chat(*(delta for at in (0, 1) for delta in drifting(at, text[at]))),
        # the arguments before what names their call: https://github.com/QuantumNous/new-api/pull/6903
        chat(*(delta for at in (0, 1) for delta in (piece(at, text[at]), piece(at, "", id="ab"[at], name="look")))),
        # one index and no ids: https://github.com/BerriAI/litellm/issues/11262
        chat(piece(0, text[0], name="look"), piece(0, text[1], name="look")),
        # a record that is null: https://github.com/Kilo-Org/kilocode/pull/3083
        [None, *chat(*(piece(at, text[at], id="ab"[at], name="look") for at in (0, 1)))],
    ):
        assert calls(client, "openai_chat", bodies) == [("look", whole[0]), ("look", whole[1])]
        call_ids = ids(client, "openai_chat", bodies)
        assert len(set(call_ids)) == 2 or client == "gemini"


@pytest.mark.parametrize("client", OTHERS["openai_chat"])
def test_a_call_after_a_finish_reason_needs_one_of_its_own(client: str) -> None:
    bodies = chat(piece(0, "{}", id="a", name="look"), done=False)
    later = chat(piece(1, '{"n": 1', id="b", name="look"), finish=None, done=False)
    text = str(events(translate_bodies(client, "openai_chat", [*bodies, *later])))
    assert "ended before its reply was complete" in text


def test_ids_that_are_not_there_are_those_of_the_unary_reply() -> None:
    parts = [{"functionCall": {"name": "look", "args": {"n": n}}} for n in (1, 2)]
    body = {"responseId": "r", "candidates": [{"content": {"parts": parts}, "finishReason": "STOP"}]}
    for client in OTHERS["gemini"]:
        whole = client_view(client, open_way(client, "gemini").response(body))
        reply = read(client, "gemini", gemini(*([part] for part in parts)))
        assert reply["calls"] == whole["calls"]


@pytest.mark.parametrize("client", OTHERS["gemini"])
def test_arguments_in_pieces_of_vertex(client: str) -> None:
    def more(*pieces: dict[str, Any], **also: Any) -> list[dict[str, Any]]:
        return [{"functionCall": {"partialArgs": list(pieces), "willContinue": True, **also}}]

    bodies = gemini(
        more(name="look"),
        more({"jsonPath": "$.city", "stringValue": "Bos", "willContinue": True}),
        more({"jsonPath": "$.city", "stringValue": "ton"}, {"jsonPath": "$.days", "numberValue": 3.0}),
        more({"jsonPath": "$.at[1].x", "boolValue": True}, {"jsonPath": "$.at[0]", "nullValue": None}),
        more({"jsonPath": "$['a.b']", "numberValue": 0.5}),
        [{"functionCall": {}}],
        [{"functionCall": {"name": "other"}}],
    )
    whole = {"city": "Boston", "days": 3, "at": [None, {"x": True}], "a.b": 0.5}
    assert calls(client, "gemini", bodies) == [("look", whole), ("other", {})]
    # One server never says that the call is complete.
    assert calls(client, "gemini", [*bodies[:5], bodies[-1]]) == [("look", whole)]


def test_signatures_go_back() -> None:
    bodies = gemini(
        [{"text": "Hm.", "thought": True}],
        [{"functionCall": {"name": "look", "args": {"n": 1}}, "thoughtSignature": "c2ln"}],
        [{"functionCall": {"name": "look", "args": {"n": 2}}}],
    )
    session = open_way("anthropic", "gemini", upstream_model="gemini-3-pro")
    tools = [{"name": "look", "input_schema": {"type": "object"}}]
    ask: dict[str, Any] = {
        "model": "m",
        "max_tokens": 9,
        "messages": [{"role": "user", "content": "Go"}],
        "tools": tools,
    }
    session.request(ask)
    body = assemble("anthropic", b"".join(session.stream([frame_events("gemini", bodies)])))
    answers = [{"type": "tool_result", "tool_use_id": block["id"], "content": "ok"} for block in body["content"]]
    again = [{"role": "assistant", "content": body["content"]}, {"role": "user", "content": answers}]
    parts = session.request({**ask, "messages": [*ask["messages"], *again]})["contents"][1]["parts"]
    assert [part.get("thoughtSignature") for part in parts if "functionCall" in part] == ["c2ln", None]


@pytest.mark.parametrize("client", OTHERS["openai_responses"])
def test_responses_that_leave_out_one_thing_or_the_other(client: str) -> None:
    call = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "look"}
    whole = {**call, "status": "completed", "arguments": '{"n":1}'}
    added = {"type": "response.output_item.added", "output_index": 0, "item": {**call, "arguments": ""}}
    delta = {"type": "response.function_call_arguments.delta", "item_id": "fc_1", "output_index": 0, "delta": '{"n":'}
    done = {
        "type": "response.function_call_arguments.done",
        "item_id": "fc_1",
        "output_index": 0,
        "arguments": '{"n":1}',
    }
    item_done = {"type": "response.output_item.done", "output_index": 0, "item": whole}
    odd = [{"type": "keepalive", "sequence_number": 3}, {"type": "response.unheard_of", "delta": "x"}]
    for inner, output in (
        ([added, delta, done, item_done], [whole]),
        ([added, done], [whole]),
        ([added, item_done], []),
        ([item_done], [whole]),
        ([], [whole]),
        ([added, delta], [whole]),
        ([*odd, added, *odd, delta, done, *odd, item_done, *odd], [whole]),
    ):
        bodies = responses(*inner, output=output)
        assert calls(client, "openai_responses", bodies) == [("look", {"n": 1})]
        assert ids(client, "openai_responses", bodies) == ["call_1"]


def test_usage_after_the_finish() -> None:
    usage = {"prompt_tokens": 11, "completion_tokens": 4, "total_tokens": 15}
    late = {"id": "chatcmpl-1", "choices": [], "usage": usage}
    bodies = chat({"content": "Hi"}, finish="stop", done=False)
    for ending in ([late, "[DONE]"], [late]):
        message = assemble("anthropic", translate_bodies("anthropic", "openai_chat", [*bodies, *ending]))
        assert (message["usage"]["input_tokens"], message["usage"]["output_tokens"]) == (11, 4)


TRUNCATED = {
    "anthropic": claude(use(1, '{"city": "Os'), stop="max_tokens"),
    "openai_chat": chat(piece(0, '{"city": "Os', id="toolu_1", name="look"), finish="length"),
    "openai_responses": responses(
        output=[
            {
                "type": "function_call",
                "call_id": "toolu_1",
                "name": "look",
                "arguments": '{"city": "Os',
                "status": "incomplete",
            }
        ],
        status="incomplete",
        incomplete_details={"reason": "max_output_tokens"},
    ),
}


@pytest.mark.parametrize("upstream", TRUNCATED)
def test_truncated_arguments_pass_as_they_are(upstream: str) -> None:
    marks = {
        "anthropic": ("max_tokens", None),
        "openai_chat": "length",
        "openai_responses": ("incomplete", {"reason": "max_output_tokens"}, ["incomplete"]),
        "gemini": "MAX_TOKENS",
    }
    for client in OTHERS[upstream]:
        view = client_view(client, assemble(client, translate_bodies(client, upstream, TRUNCATED[upstream])))
        assert view["finish"] == marks[client]
        assert [call[1:] for call in view["calls"]] == [("look", {"_raw_arguments": '{"city": "Os'})]


ERRORS = {
    "anthropic": {"type": "error", "error": {"type": "overloaded_error", "message": "Later."}},
    "openai_chat": {"error": {"message": "Later.", "type": "service_unavailable_error", "param": None, "code": None}},
    "openai_responses": {"type": "error", "code": "server_is_overloaded", "message": "Later.", "param": None},
    "gemini": {"error": {"code": 503, "message": "Later.", "status": "UNAVAILABLE"}},
}
OPEN = {
    "anthropic": claude(use(1, '{"city": "Os'))[:3],
    "openai_chat": chat(piece(0, '{"city": "Os', id="toolu_1", name="look"), finish=None, done=False),
    "openai_responses": responses(
        {
            "type": "response.output_item.added",
            "output_index": 0,
            "item": {"type": "function_call", "id": "fc_1", "call_id": "toolu_1", "name": "look", "arguments": ""},
        },
        output=[],
    )[:2],
    "gemini": gemini([{"text": "Well"}], finish=None),
}


@pytest.mark.parametrize("upstream", FORMATS)
def test_an_error_in_the_middle(upstream: str) -> None:
    for client in OTHERS[upstream]:
        output_events = events(translate_bodies(client, upstream, [*OPEN[upstream], ERRORS[upstream], *OPEN[upstream]]))
        last = output_events[-1]
        if client == "anthropic":
            assert last == {"event": "error", "data": ERRORS["anthropic"]}
        elif client == "openai_responses":
            data = last["data"]
            assert (last["event"], data["message"], data["sequence_number"]) == (
                "error",
                "Later.",
                len(output_events) - 1,
            )
        elif client == "gemini":
            assert last["data"]["error"]["status"] == "UNAVAILABLE"
        else:
            assert last["data"]["error"]["type"] == "service_unavailable_error"
        for word in ("content_block_stop", "message_stop", "[DONE]", "done", "completed", "finishReason"):
            assert f'"{word}"' not in str(output_events).replace("'", '"'), (client, word)


def test_a_response_that_failed() -> None:
    failed = responses(output=[], status="failed", error={"code": "rate_limit_exceeded", "message": "Slow down."})
    assert events(translate_bodies("anthropic", "openai_responses", failed))[-1]["data"]["error"] == {
        "type": "rate_limit_error",
        "message": "Slow down.",
    }


@pytest.mark.parametrize("client", OTHERS["gemini"])
def test_calls_that_gemini_itself_calls_unusable(client: str) -> None:
    part = {"functionCall": {"name": "look", "args": {}}}
    with_it = [
        {"responseId": "r", "candidates": [{"content": {"parts": [part]}, "finishReason": "UNEXPECTED_TOOL_CALL"}]}
    ]
    assert b"look" not in translate_bodies(client, "gemini", with_it)
    # Where they have gone out before that was known, only an error keeps them from being run.
    late = events(translate_bodies(client, "gemini", gemini([part], finish="UNEXPECTED_TOOL_CALL")))
    assert "error" in str(late[-1]["data"])


def test_free_text_tools() -> None:
    tools = [{"type": "custom", "custom": {"name": "patch"}}]
    ask = {"model": "m", "messages": [{"role": "user", "content": "Go"}], "tools": tools}
    session = open_way("openai_chat", "anthropic")
    session.request(ask)
    bodies = claude(use(1, '{"inp', 'ut": "a\\n', 'b"}', name="patch"))
    stream = b"".join(session.stream([frame_events("anthropic", bodies)]))
    assert client_view("openai_chat", assemble("openai_chat", stream))["calls"] == [("toolu_1", "patch", "a\nb")]
    item = {"type": "custom_tool_call", "id": "ctc_1", "call_id": "call_1", "name": "patch", "input": "a\nb"}
    added = {"type": "response.output_item.added", "output_index": 0, "item": {**item, "input": ""}}
    deltas = [{"type": "response.custom_tool_call_input.delta", "output_index": 0, "delta": text} for text in "a\nb"]
    bodies = responses(added, *deltas, output=[item])
    assert calls("openai_chat", "openai_responses", bodies) == [("patch", "a\nb")]
    assert calls("anthropic", "openai_responses", bodies) == [("patch", {"input": "a\nb"})]


def test_long_names_come_back() -> None:
    name = "server.with.dots__" + "x" * 90
    tools = [{"functionDeclarations": [{"name": name[:64], "parametersJsonSchema": {"type": "object"}}]}]
    session = open_way("gemini", "anthropic")
    sent = session.request({"contents": [{"role": "user", "parts": [{"text": "Go"}]}], "tools": tools})
    bodies = claude(use(1, "{}", name=sent["tools"][0]["name"]))
    assert sent["tools"][0]["name"] != name[:64]
    stream = b"".join(session.stream([frame_events("anthropic", bodies)]))
    assert [call[1] for call in client_view("gemini", assemble("gemini", stream))["calls"]] == [name[:64]]


@pytest.mark.parametrize(("functions", "count"), [(True, 1), (True, 2), (False, 1)])
def test_the_deprecated_functions(functions: bool, count: int) -> None:
    ask: dict[str, Any] = {"model": "m", "messages": [{"role": "user", "content": "Go"}]}
    ask |= {"functions": [{"name": "look", "parameters": {"type": "object"}}]} if functions else {}
    session = open_way("openai_chat", "anthropic")
    session.request(ask)
    bodies = claude(*(use(place, '{"n": ', f"{place}}}") for place in range(count)))
    body = assemble("openai_chat", b"".join(session.stream([frame_events("anthropic", bodies)])))
    message = body["choices"][0]["message"]
    assert ("function_call" in message) == (functions and count == 1)
    assert [call[2] for call in client_view("openai_chat", body)["calls"]] == [{"n": place} for place in range(count)]


def test_text_thought_and_hosted_steps_between() -> None:
    bodies = claude(
        [{"type": "thinking", "thinking": "", "signature": ""}, {"type": "thinking_delta", "thinking": "Hm"}],
        [{"type": "text", "text": ""}, {"type": "text_delta", "text": "One."}],
        use(1, "{}"),
        [{"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}}],
        [{"type": "text", "text": ""}, {"type": "text_delta", "text": "\n"}, {"type": "text_delta", "text": "Two."}],
        [{"type": "text", "text": ""}, {"type": "text_delta", "text": "  "}],
    )
    texts = {client: read(client, "anthropic", bodies)["text"] for client in OTHERS["anthropic"]}
    assert texts == {
        "gemini": "One.\nTwo.",
        "openai_chat": ("One.\n\n\nTwo.", ""),
        "openai_responses": ("One.\nTwo.", ""),
    }


def test_pings_are_dropped_and_unknown_events_ignored() -> None:
    bodies = claude(use(1, "{}"))
    noisy = [more for body in bodies for more in (body, {"type": "ping"}, {"type": "unheard_of", "index": 0})]
    for client in OTHERS["anthropic"]:
        assert translate_bodies(client, "anthropic", noisy) == translate_bodies(client, "anthropic", bodies)


def test_refusals() -> None:
    bodies = chat({"refusal": "I "}, {"refusal": "won't."}, finish="stop")
    assert read("openai_responses", "openai_chat", bodies)["text"] == ("", "I won't.")
    reply = read("anthropic", "openai_chat", bodies)
    assert (reply["text"], reply["finish"]) == ("I won't.", ("refusal", None))


def test_a_refusal_without_words_of_its_own() -> None:
    """Anthropic says it at the end alone: the earlier text stays, and the end names the refusal."""
    bodies = claude([{"type": "text", "text": ""}, {"type": "text_delta", "text": "Hello.."}], stop="refusal")
    chats = read("openai_chat", "anthropic", bodies)
    assert (chats["text"], chats["finish"]) == (("Hello..", ""), "content_filter")
    reply = read("openai_responses", "anthropic", bodies)
    assert reply["text"] == ("Hello..", "")
    assert reply["finish"] == ("incomplete", {"reason": "content_filter"}, ["incomplete"])
    assert read("gemini", "anthropic", bodies)["finish"] == "SAFETY"


def test_token_counts_are_never_negative() -> None:
    details = {"completion_tokens_details": {"reasoning_tokens": 40}}
    usage = {"prompt_tokens": 11, "completion_tokens": 4, "total_tokens": 55, **details}
    counts = read("gemini", "openai_chat", chat({"content": "Hi"}, finish="stop", usage=usage))["usage"]
    assert counts == {"promptTokenCount": 11, "totalTokenCount": 55, "thoughtsTokenCount": 40}


def first_output(client: str, upstream: str, bodies: list[Any]) -> int:
    read = 0

    def chunks() -> Iterator[bytes]:
        nonlocal read
        for body in bodies:
            read += 1
            yield frame_events(upstream, [body])

    next(open_way(client, upstream).stream(chunks()))
    return read


def test_the_first_output_comes_before_the_second_input() -> None:
    text = {
        "anthropic": claude([{"type": "text", "text": ""}, {"type": "text_delta", "text": "Hi"}], stop="end_turn"),
        "openai_chat": chat({"role": "assistant", "content": "Hi"}, {"content": "."}, finish="stop"),
        "openai_responses": responses(output=[]),
        "gemini": gemini([{"text": "Hi"}], [{"text": "."}]),
    }
    for upstream, others in OTHERS.items():
        for client in others:
            # A record of Gemini has something to say only when something is said.
            expected = {"anthropic": 3, "openai_responses": 2}.get(upstream, 1) if client == "gemini" else 1
            assert first_output(client, upstream, text[upstream]) == expected, (client, upstream)


@pytest.mark.parametrize("client", OTHERS["openai_chat"])
def test_halves_of_a_character_in_two_fragments_are_one_character(client: str) -> None:
    call = {"index": 0, "id": "call_1", "type": "function", "function": {"name": "write_file", "arguments": ""}}
    pieces = [{"index": 0, "function": {"arguments": piece}} for piece in ('{"text":"\ud83d', '\ude80"}')]
    deltas: list[dict[str, Any]] = [{"content": "go \ud83d"}, {"content": "\ude80"}]
    deltas += [{"tool_calls": [entry]} for entry in (call, *pieces)]
    reply = read(client, "openai_chat", chat({"role": "assistant"}, *deltas))
    assert "".join(reply["text"]) == "go 🚀"
    assert [arguments for _, _, arguments in reply["calls"]] == [{"text": "🚀"}]


@pytest.mark.parametrize("client", FORMATS)
def test_half_a_character_that_nothing_follows_goes_out_as_an_escape(client: str) -> None:
    deltas = chat({"role": "assistant"}, {"content": "go \ud83d"}, finish="stop")
    assert r"\ud83d" in translate_bodies(client, "openai_chat", deltas).decode("utf-8")
