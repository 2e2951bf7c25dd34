"""Thinking and what a provider's own tools leave in a conversation: where it stands, and what belongs to it."""

from __future__ import annotations

from doubles.border import GONE, borders

border = borders(__name__)

STATE = "EqQBCkYICxgCKkDm1uT0Yp3kq8rJx5vZb2nW7cH9sLf4"
REDACTED = {"type": "redacted_thinking", "data": STATE}

border(
    "anthropic/redacted-thinking-data",
    "redacted-twice",
    "There are two blocks of redacted thinking, the one with a few bytes",
    {"/messages/1/content": lambda entries: [{"type": "redacted_thinking", "data": "EqQB"}, *entries]},
    past={"/messages/1/content/0": {"type": "redacted_thinking"}},
)
border(
    "anthropic/thinking-first",
    "redacted-thinking-first",
    "The turn begins with redacted thinking",
    {"/messages/1/content/0": REDACTED},
    past={"/messages/1/content": lambda entries: [{"type": "text", "text": "I will look it up."}, *entries]},
    says="The turn begins with a text, and redacted thinking stands behind it",
)
border(
    "anthropic/thinking-not-last",
    "a-text-behind-thinking",
    "One character of text stands behind thinking and redacted thinking",
    {"/messages/1/content": lambda entries: [entries[0], REDACTED, {"type": "text", "text": "."}]},
    past={"/messages/1/content/2": GONE},
    says="A message ends with redacted thinking",
)
border(
    "anthropic/hosted-call-shape",
    "search-for-nothing",
    "The input of a call of the provider's own tool is an empty object",
    {"/messages/1/content/0/input": {}},
    past={"/messages/1/content/0/input": GONE},
)
border(
    "anthropic/hosted-not-answered",
    "only-the-clients-call-answered",
    "The client answers its own call, which stands behind one of the provider's tools",
    {
        "/tools/-": {"name": "get_tide", "input_schema": {"type": "object"}},
        "/messages/1/content/-": {
            "type": "tool_use",
            "id": "toolu_01Bf4GsW9pQx6TnM8vCk3ZrE",
            "name": "get_tide",
            "input": {},
        },
        "/messages/-": {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "toolu_01Bf4GsW9pQx6TnM8vCk3ZrE", "content": "low"}],
        },
    },
    past={
        "/messages/2/content/-": {"type": "tool_result", "tool_use_id": "srvtoolu_01Kd7HyP2nVw5XcJ9qRt4LmB"},
    },
    says="The client answers its own call and the one of the provider's tool",
)
border(
    "anthropic/hosted-result-linked",
    "a-text-before-the-found",
    "A text stands between the call of a provider's tool and what it found",
    {"/messages/1/content": lambda entries: [entries[0], {"type": "text", "text": "I look."}, *entries[1:]]},
    past={"/messages/1/content": lambda entries: [entries[1], entries[2], entries[0], entries[3]]},
    says="What a provider's tool found stands before its call",
)
border(
    "anthropic/hosted-result-opaque",
    "found-without-its-age",
    "What was found does not say how old it is",
    {"/messages/1/content/1/content/0/page_age": None},
    past={"/messages/1/content/1/content/0/encrypted_content": GONE},
)
border(
    "anthropic/hosted-result-opaque",
    "found-with-little-inside",
    "The encrypted content of what was found is one character",
    {"/messages/1/content/1/content/0/encrypted_content": "E"},
    past={"/messages/1/content/1/content/0/encrypted_content": None},
)
border(
    "anthropic/hosted-result-shape",
    "nothing-found",
    "A search found nothing",
    {"/messages/1/content/1/content": []},
    past={"/messages/1/content/1/content": ""},
    says="What a search found is an empty text",
)
border(
    "anthropic/hosted-result-shape",
    "failed-for-a-reason-of-its-own",
    "A search failed for a reason that has no name yet",
    {"/messages/1/content/1/content/error_code": "moon_phase"},
    past={"/messages/1/content/1/tool_use_id": None},
    follows="anthropic/hosted-result-linked",
)
border(
    "anthropic/mcp-call-shape",
    "server-asked-for-nothing",
    "The input of a call of a server's tool is an empty object",
    {"/content/0/input": {}},
    past={"/content/0/server_name": GONE},
)
border(
    "anthropic/mcp-call-shape",
    "server-of-one-letter",
    "The name of the server is one letter",
    {"/content/0/server_name": "s"},
    past={"/content/0/server_name": None},
)
border(
    "gemini/server-call-not-answered",
    "only-the-function-answered",
    "The function is answered that stands behind a tool that the provider ran",
    {
        "/contents/1/parts/2": {"functionCall": {"name": "read_file", "args": {"path": "a"}, "id": "k7m2"}},
        "/contents/2/parts/0": {"functionResponse": {"name": "read_file", "response": {"output": "b"}, "id": "k7m2"}},
    },
    past={
        "/contents/2/parts/-": {"functionResponse": {"name": "url_context", "response": {}, "id": "q3v8w1pz"}},
    },
    says="The function is answered, and the tool that the provider ran",
    follows="gemini/result-id-matches-call",
)
border(
    "openai_responses/hosted-call-has-no-result",
    "only-the-function-has-an-output",
    "A function has an output, and the search behind which it stands has none",
    {
        "/input/2": {"type": "function_call", "call_id": "call_B3nUf8cJx1", "name": "get_tide", "arguments": "{}"},
        "/input/3": {"type": "function_call_output", "call_id": "call_B3nUf8cJx1", "output": "low"},
        "/tools/-": {"type": "function", "name": "get_tide", "parameters": None, "strict": None},
    },
    past={
        "/input/-": {
            "type": "function_call_output",
            "call_id": "ws_68f1c3a5c2d081918f4b7e6a0d3c95120e8b7a6d5c4f3921",
            "output": "rain",
        }
    },
    says="A function has an output, and the search, too",
)
border(
    "openai_responses/hosted-item",
    "server-call-that-failed",
    "The call of a server's tool failed: it has no output, and an error",
    {"/input/1/output": None, "/input/1/error": "timeout"},
    past={"/input/1/arguments": {}},
    says="The arguments of the call of a server's tool are an object",
)
border(
    "openai_responses/reasoning-has-follower",
    "reasoning-before-a-message",
    "The reasoning is followed by a message",
    {
        "/input": lambda entries: [
            *entries[:2],
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Rain in both."}]},
        ]
    },
    past={"/input/2": GONE},
    says="The reasoning is followed by nothing",
)
border(
    "openai_responses/reasoning-stateless",
    "stored-reasoning-by-its-id",
    "Reasoning that is stored has its id alone",
    {"/store": True, "/input/1/encrypted_content": GONE},
    past={"/store": False},
    says="Reasoning that is not stored has its id alone",
)
border(
    "openai_responses/reasoning-summary",
    "an-empty-summary",
    "The summary of a reasoning has one text, which is empty",
    {"/input/1/summary": [{"type": "summary_text", "text": ""}]},
    past={"/input/1/summary": GONE},
)
