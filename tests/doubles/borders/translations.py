"""Translations that say the same in a way that is near to another: what was trimmed, joined or left out."""

from __future__ import annotations

from typing import Any

from doubles.border import GONE, borders

border = borders(__name__)

SOURCE, OUTPUT = "/source/tools/0", "/output/tools/0/function"


def together(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A Chat conversation with the second call in the message of the first."""
    system, question, first, first_result, second, second_result, last = messages
    return [
        system,
        question,
        {**first, "tool_calls": [*first["tool_calls"], *second["tool_calls"]]},
        first_result,
        second_result,
        last,
    ]


def side_by_side(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """An Anthropic conversation with the first result behind the second call."""
    question, first, first_result, second, second_result = messages
    return [
        question,
        first,
        second,
        {**second_result, "content": [*first_result["content"], *second_result["content"]]},
    ]


def one_by_one(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The conversation of ``side_by_side`` as it was."""
    question, first, second, both = messages
    first_result, *other_results = both["content"]
    return [question, first, {**both, "content": [first_result]}, second, {**both, "content": other_results}]


border(
    "translation/calls-merged",
    "messages-side-by-side",
    "Two assistant messages with a call each, and no result between them, became one",
    {"/source/messages": side_by_side, "/output/messages": together},
    past={"/source/messages": one_by_one},
    says="Two assistant messages with a call each, and a result between them, became one",
)
border(
    "translation/schema-description",
    "description-without-its-last-line-break",
    "The description of a parameter lost the line break at its end",
    {f"{SOURCE}/input_schema/properties/command/description": "The command line.\n"},
    past={f"{OUTPUT}/parameters/properties/command/description": "The command line"},
    says="The description of a parameter lost the line break and the full stop at its end",
)
border(
    "translation/schema-items",
    "entries-without-their-title",
    "The entries of an array lost their title, and kept their type",
    {f"{SOURCE}/input_schema/properties/env/items/title": "Pair"},
    past={f"{OUTPUT}/parameters/properties/env/items": {}},
    says="The entries of an array lost their title and their type",
)
SHELL, SECONDS = "properties/shell/enum", "properties/timeout/enum"
border(
    "translation/schema-listed-twice",
    "values-once-that-came-twice",
    "A value that the source lists twice is listed once, in another order",
    {f"{SOURCE}/input_schema/{SHELL}": ["bash", "sh", "bash"], f"{OUTPUT}/parameters/{SHELL}": ["sh", "bash"]},
    past={f"{SOURCE}/input_schema/{SHELL}": ["bash", "sh"], f"{OUTPUT}/parameters/{SHELL}": ["sh", "bash", "sh"]},
    says="A value that the source lists once is listed twice",
)
border(
    "translation/schema-listed-twice",
    "numbers-twice-as-they-came",
    "A number that the source lists twice is listed twice",
    {f"{SOURCE}/input_schema/{SECONDS}": [5, 9, 5], f"{OUTPUT}/parameters/{SECONDS}": [5, 9, 5]},
    past={f"{SOURCE}/input_schema/{SECONDS}": [5, 9]},
    says="A number that the source lists once is listed twice",
)
ASKED = {"id": "toolu_01Hf8sLgW2uBnXtC6vPqDkMy", "name": "web_search", "input": {"query": "y"}}
CALL = {"id": ASKED["id"], "type": "function", "function": {"name": "web_search", "arguments": '{"query":"y"}'}}
border(
    "translation/server-call-as-client-call",
    "call-by-the-name-of-a-server-tool",
    "The client gets its call, whose function has the name of the tool that the provider ran",
    {
        "/source/content/-": {"type": "tool_use", **ASKED},
        "/source/stop_reason": "tool_use",
        "/output/choices/0/message/tool_calls": [CALL],
        "/output/choices/0/finish_reason": "tool_calls",
    },
    past={
        "/output/choices/0/message/tool_calls/-": {
            "id": "srvtoolu_01Qm4pVxT7dKcJwR9hYbNzEa",
            "type": "function",
            "function": {"name": "web_search", "arguments": '{"query":"x"}'},
        }
    },
    says="The client gets its call, and the one that the provider ran",
)
OTHER = {"type": "thinking", "thinking": "The manifest says it.", "signature": "EqQBCkYICxgCKkDm1uT0Yp3kq8rJx5vZ"}
border(
    "translation/state-repeated",
    "same-thought-signed-twice",
    "The same thought comes twice, each with a signature of its own",
    {
        "/source/messages/1/content": lambda entries: [OTHER, *entries],
        "/output/messages/1/content": lambda entries: [OTHER, *entries],
    },
    past={"/output/messages/1/content": lambda entries: [entries[0], *entries]},
    says="One of two signatures comes twice",
)
border(
    "translation/text-role",
    "both-say-the-same",
    "The assistant says what the user says later",
    {"/source/messages/1/content/0/text": "Be brief.", "/output/messages/2/content": "Be brief."},
    past={"/output/messages/5/role": "assistant"},
    says="The assistant says what the user says, twice",
)
border(
    "translation/tool-description",
    "tool-without-its-last-blank",
    "The description of a tool lost the blank at its end",
    {f"{SOURCE}/description": "Run a command and return its output. "},
    past={f"{OUTPUT}/description": "Run a command and return its output"},
    says="The description of a tool lost the blank and the full stop at its end",
)
border(
    "translation/tool-kind",
    "format-text-left-out",
    "A free-text tool does not say that its format is text, which is the default",
    {"/output/tools/0/format": GONE},
    past={
        "/output/tools/0": {
            "type": "function",
            "name": "run_shell_command",
            "description": "Run a command and return its output.",
            "parameters": {"type": "object", "properties": {"input": {"type": "string"}}, "required": ["input"]},
        }
    },
)
border(
    "translation/compaction-asked",
    "summary-asked-by-the-system",
    "The wish for a compaction became a wish for a summary, said by the developer",
    {"/output/messages/2/role": "developer"},
    past={"/output/messages/2/content": "(no content)"},
    says="The wish for a compaction became a text that stands for nothing",
)
PACKED = [
    {"role": "user", "content": "On which port does the proxy listen?"},
    {
        "type": "compaction",
        "id": "cmp_0a1b2c3d4e5f",
        "encrypted_content": "gAAAAABpTq3vXw0nK8bYc5HdRkQ2mZ7sJ1fLtUoPiEaGyWzB",
    },
    {"role": "user", "content": "Read the file again."},
]
MISSING = "[What was said here is packed by another provider, and cannot be read.]"
border(
    "translation/stored-history",
    "packed-conversation-said-to-be-missing",
    "Words in the place of a compaction say that what it stands for cannot be read",
    {
        "/source/previous_response_id": GONE,
        "/source/input": PACKED,
        "/output/messages": [
            {"role": "user", "content": "On which port does the proxy listen?"},
            {
                "role": "user",
                "content": [{"type": "text", "text": MISSING}, {"type": "text", "text": "Read the file again."}],
            },
        ],
    },
    past={"/output/messages/1/content/0/text": PACKED[1]["encrypted_content"]},
    says="In the place of a compaction stands its encrypted text",
)
