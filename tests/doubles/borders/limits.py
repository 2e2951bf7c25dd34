"""Numbers, lengths and counts that are as great, or as small, as they may be."""

from __future__ import annotations

from typing import Any

from doubles.border import GONE, borders

border = borders(__name__)

MARK = {"cache_control": {"type": "ephemeral"}}
LETTERS = "abcdefghijklmnopqrstuvwxyz"

border(
    "anthropic/user-id-length",
    "user-id-of-256",
    "A user's id has 256 characters, as many as it may",
    {"/metadata/user_id": "u" * 256},
    past={"/metadata/user_id": "u" * 257},
    says="A user's id has 257 characters",
)
border(
    "anthropic/temperature-range",
    "temperature-one",
    "The temperature is 1, the highest that there is",
    {"/temperature": 1},
    past={"/temperature": 1.01},
    says="The temperature is 1.01",
)
border(
    "anthropic/thinking-budget",
    "budget-of-1024",
    "1,024 tokens are for thinking, the least that there may be",
    {"/thinking/budget_tokens": 1024},
    past={"/thinking/budget_tokens": 1023},
    says="1,023 tokens are for thinking",
)
border(
    "anthropic/thinking-temperature",
    "thinking-at-temperature-one",
    "While the model thinks the temperature is 1, the only one that it may be",
    {"/temperature": 1},
    past={"/temperature": 0.99},
    says="While the model thinks the temperature is 0.99",
)
border(
    "anthropic/cache-breakpoints",
    "four-cache-marks",
    "Four places are marked for the cache, as many as may be",
    {
        "/tools/0/cache_control": MARK["cache_control"],
        "/system/-": {"type": "text", "text": "Name the source.", **MARK},
        "/messages/0/content": [{"type": "text", "text": "Is it windy in Faro?", **MARK}],
    },
    past={"/messages/0/content/-": {"type": "text", "text": "And in Évora?", **MARK}},
    says="Five places are marked for the cache, in all three parts of a request",
)
border(
    "anthropic/stop-not-blank",
    "stop-blank-but-for-a-dot",
    "A stop sequence is white space but for one character",
    {"/stop_sequences": ["\n \n."]},
    past={"/stop_sequences/0": "\n \n"},
    says="A stop sequence is white space",
)
border(
    "gemini/max-output-tokens",
    "one-token",
    "The reply may have one token, the least that there may be",
    {"/generationConfig/maxOutputTokens": 1},
    past={"/generationConfig/maxOutputTokens": 0},
    says="The reply may have no token",
)
border(
    "gemini/name-length",
    "name-of-128",
    "The name of a function has 128 characters, as many as it may",
    {"/tools/0/functionDeclarations/0/name": "n" * 128},
    past={"/tools/0/functionDeclarations/0/name": "n" * 129},
    warns="gemini/name-length-64",
    says="The name of a function has 129 characters",
)
border(
    "gemini/stop-limit",
    "five-stop-sequences",
    "There are five stop sequences, as many as there may be",
    {"/generationConfig/stopSequences": list("abcde")},
    past={"/generationConfig/stopSequences/-": "f"},
    says="There are six stop sequences",
)
border(
    "gemini/response-mime-type",
    "answers-of-one-word",
    "The answer is one of a list, which has a MIME type of its own",
    {"/generationConfig/responseMimeType": "text/x.enum"},
    past={"/generationConfig/responseMimeType": "text/enum"},
    says="The answer has a MIME type that the API does not know",
)
border(
    "gemini/temperature-range",
    "temperature-nought",
    "The temperature is 0, the lowest that there is",
    {"/generationConfig/temperature": 0},
    past={"/generationConfig/temperature": -0.01},
    says="The temperature is below 0",
)
border(
    "openai_chat/setting-range",
    "settings-at-their-ends",
    "Every number of the sampling is the greatest, or the least, that it may be",
    {
        "/temperature": 2,
        "/top_p": 1,
        "/presence_penalty": -2,
        "/frequency_penalty": 2,
        "/n": 128,
        "/logprobs": True,
        "/top_logprobs": 20,
    },
    past={"/frequency_penalty": 2.01},
    says="A penalty is 2.01",
)
border(
    "openai_chat/stop-limit",
    "four-stop-sequences",
    "There are four stop sequences, as many as there may be",
    {"/stop": list("abcd")},
    past={"/stop/-": "e"},
    says="There are five stop sequences",
)


def _tool(number: int) -> dict[str, Any]:
    return {"type": "function", "function": {"name": f"lamp_{number}"}}


border(
    "openai_chat/tool-count",
    "tools-128",
    "There are 128 tools, as many as there may be",
    {"/tools": [_tool(number) for number in range(128)]},
    past={"/tools/-": _tool(128)},
    says="There are 129 tools",
)
border(
    "openai_chat/metadata-strings",
    "sixteen-entries",
    "There are 16 entries of metadata, as many as there may be",
    {"/metadata": dict.fromkeys(LETTERS[:16], "")},
    past={"/metadata/q": ""},
    says="There are 17 entries of metadata",
)
border(
    "openai_responses/metadata-strings",
    "sixteen-long-entries",
    "There are 16 entries of metadata, with keys and values as long as they may be",
    {"/metadata": {letter * 64: letter * 512 for letter in LETTERS[:16]}},
    past={f"/metadata/{'a' * 64}": "a" * 513},
    says="A value of the metadata has 513 characters",
)
border(
    "openai_responses/call-id-length",
    "call-id-of-one",
    "The id of a call has one character, the least that there may be",
    {"/input/1/call_id": "7", "/input/2/call_id": "7"},
    past={"/input/1/call_id": "", "/input/2/call_id": ""},
    says="The id of a call is empty",
)
border(
    "openai_responses/item-id-form",
    "item-id-of-64",
    "The id of an item has 64 characters of every kind that it may have",
    {"/input/1/id": "fc_" + "aZ9_-" * 12 + "b"},
    past={"/input/1/id": "fc_" + "aZ9_-" * 12 + "bc"},
    says="The id of an item has 65 characters",
)
border(
    "openai_responses/max-output-tokens-minimum",
    "sixteen-tokens",
    "The reply may have 16 tokens, the least that there may be",
    {"/max_output_tokens": 16},
    past={"/max_output_tokens": 15},
    says="The reply may have 15 tokens",
    example="openai_responses/sampling-range",
)
border(
    "openai_responses/sampling-range",
    "sampling-at-its-ends",
    "The temperature is 2, and top_p 1: the greatest that there are",
    {"/temperature": 2, "/top_p": 1},
    past={"/top_p": 1.01},
    says="top_p is 1.01",
)
border(
    "openai_chat/messages-present",
    "a-system-message-alone",
    "The only message is the system's",
    {"/messages": [{"role": "system", "content": "Write one line of verse."}]},
    past={"/messages/0": GONE},
    says="The list of messages is empty",
)
border(
    "openai_chat/tools-not-empty",
    "one-tool",
    "There is one tool with a name and nothing else",
    {"/tools": [_tool(1)]},
    past={"/tools/0": GONE},
    says="The list of tools is empty",
)
border(
    "openai_chat/tool-calls-not-empty",
    "one-call",
    "A message has one call beside its text",
    {
        "/messages/1/tool_calls": [
            {"id": "call_Vw3ReQpL0sYhUcXz9TgKb1Na", "type": "function", "function": {"name": "ls", "arguments": "{}"}}
        ],
        "/messages/2": {"role": "tool", "tool_call_id": "call_Vw3ReQpL0sYhUcXz9TgKb1Na", "content": ""},
    },
    past={"/messages/1/tool_calls/0": GONE, "/messages/2": GONE},
    says="The list of a message's calls is empty",
)
border(
    "gemini/contents-given",
    "one-content-without-a-role",
    "There is one content, and it does not say whose it is",
    {"/contents/0/role": GONE},
    past={"/contents/0": GONE},
    says="The list of contents is empty",
)
border(
    "gemini/parts-given",
    "one-empty-text",
    "The only part of a content is an empty text",
    {"/contents/0/parts": [{"text": ""}]},
    past={"/contents/0/parts/0": GONE},
    says="The list of parts is empty",
)
border(
    "openai_responses/input-present",
    "no-input-but-a-state",
    "A request has no input, and goes on from an earlier reply",
    {"/input": GONE, "/previous_response_id": "resp_68f1c3a3f2bc8191a06d9e4c7b5f38120d7e6c5b4a392817"},
    past={"/previous_response_id": GONE},
    says="A request has no input, and goes on from nothing",
)
