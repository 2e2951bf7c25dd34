"""Calls: those without arguments, those made more than once, and the turns that they stand in."""

from __future__ import annotations

from doubles.border import GONE, borders

border = borders(__name__)

PIECES = "/events/2/data/candidates/0/content/parts/0/functionCall/partialArgs"

border(
    "anthropic/call-shape",
    "call-without-arguments",
    "The input of a call is an empty object",
    {"/messages/1/content/1/input": {}},
    past={"/messages/1/content/1/input": GONE},
)
border(
    "anthropic/blocks-in-role",
    "thinking-before-the-call",
    "The assistant's message has thinking, a text and a call",
    {
        "/messages/1/content": lambda entries: [
            {"type": "thinking", "thinking": "Lisbon, then.", "signature": "EqQBCkYICxgCKkDm1uT0Yp3k"},
            *entries,
        ]
    },
    past={
        "/messages/2/content/-": {"type": "thinking", "thinking": "It rains.", "signature": "EqQBCkYICxgCKkDm1uT0Yp3k"}
    },
    says="Thinking stands behind a result, in the user's message",
)
border(
    "openai_chat/call-arguments",
    "arguments-of-an-empty-object",
    "The arguments of a call are the text of an empty object",
    {"/messages/1/tool_calls/0/function/arguments": "{}"},
    past={"/messages/1/tool_calls/0/function/arguments": {}},
)
border(
    "openai_chat/call-shape",
    "reply-call-with-empty-arguments",
    "A call of a reply has its name and the text of an empty object",
    {"/choices/0/message/tool_calls/0/function/arguments": "{}"},
    past={"/choices/0/message/tool_calls/0/function/arguments": GONE},
)
border(
    "openai_chat/call-type",
    "call-of-the-other-type",
    "A call is of a free-text tool, and says so",
    {
        "/messages/1/tool_calls/0": {
            "id": "call_Q7mZt2vKc8XeYb4LpRd1NsWa",
            "type": "custom",
            "custom": {"name": "apply_patch", "input": "-"},
        },
    },
    past={"/messages/1/tool_calls/0/type": GONE},
    says="A call of a free-text tool does not say its type",
    follows="openai_chat/call-shape",
)
border(
    "openai_chat/custom-call",
    "empty-free-text",
    "The free text of a call is empty",
    {"/choices/0/message/tool_calls/0/custom/input": ""},
    past={"/choices/0/message/tool_calls/0/custom/input": {}},
    says="The free text of a call is an object",
)
border(
    "openai_responses/custom-call-input",
    "no-free-text",
    "The free text of a call is empty",
    {"/input/1/input": ""},
    past={"/input/1/input": None},
    says="The free text of a call is null",
)
border(
    "openai_responses/arguments-string",
    "text-of-an-empty-object",
    "The arguments of a call are the text of an empty object",
    {"/input/1/arguments": "{}"},
    past={"/input/1/arguments": {}},
)
border(
    "openai_responses/call-is-item",
    "call-behind-an-empty-message",
    "What the assistant says before its call is the empty text",
    {"/input/1/content": ""},
    past={
        "/input/1/tool_calls": [
            {
                "id": "call_Qh7w2LrXk9VbTz4NmYpA6sDe",
                "type": "function",
                "function": {"name": "get_weather", "arguments": '{"city":"Oslo"}'},
            }
        ]
    },
    says="The assistant's message has the call, too",
)
border(
    "gemini/call-follows-user",
    "call-behind-a-turn-without-a-role",
    "The turn before a call does not say its role, which is the user's then",
    {"/contents/0/role": GONE},
    past={"/contents/0": GONE},
    says="The first turn is a call",
)
border(
    "gemini/calls-in-model-turn",
    "call-behind-a-text",
    "The model's turn has a text before its call",
    {"/contents/1/parts": lambda entries: [{"text": "I will read it."}, *entries]},
    past={"/contents/1/role": GONE},
    says="The turn with a call does not say its role, which is the user's then",
    follows="gemini/result-answers-call",
)
border(
    "gemini/part-one-field",
    "thought-of-an-empty-text",
    "A part has an empty text, and says that it is a thought",
    {"/contents/1/parts/0": {"text": "", "thought": True}},
    past={"/contents/1/parts/0": {"thought": True}},
    says="A part says that it is a thought, and has none",
)
border(
    "gemini/signature-on-part",
    "argument-called-thought-signature",
    "An argument of a call has the name of the key that stands on the part",
    {"/candidates/0/content/parts/0/functionCall/args/thoughtSignature": "none"},
    past={"/candidates/0/content/parts/0/functionCall/thoughtSignature": "CiQBveKhDOC3"},
    says="The signature stands on the part and in the call",
)
border(
    "openai_chat/function-message",
    "legacy-result-empty",
    "The content of a result in the old form is empty",
    {"/messages/2/content": ""},
    past={"/messages/2/name": GONE},
    warns="openai_chat/legacy-functions",
)
border(
    "gemini/shape",
    "pieces-of-each-type",
    "Pieces of arguments have a number and a truth value",
    {
        PIECES: [
            {"jsonPath": "$.city", "stringValue": "bon"},
            {"jsonPath": "$.days", "numberValue": 3},
            {"jsonPath": "$.brief", "boolValue": True},
        ]
    },
    past={f"{PIECES}/0/stringValue": 7},
    says="A piece of a text is a number",
    example="gemini/stream-partial-args",
)
border(
    "openai_chat/call-shape",
    "old-call-with-empty-arguments",
    "A call in the old form has its name and the text of an empty object",
    {
        "/choices/0/message": {
            "role": "assistant",
            "content": None,
            "refusal": None,
            "function_call": {"name": "get_weather", "arguments": "{}"},
        },
        "/choices/0/finish_reason": "function_call",
    },
    past={"/choices/0/message/function_call/arguments": GONE},
    says="A call in the old form has no arguments",
)
