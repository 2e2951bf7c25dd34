"""Results: none, empty ones, many in another order, and what stands between them and their calls."""

from __future__ import annotations

from doubles.border import GONE, borders

border = borders(__name__)

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
PICTURE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}}


def turned(entries: list[object]) -> list[object]:
    """A list from its end to its beginning."""
    return entries[::-1]


border(
    "anthropic/error-result-text",
    "error-of-two-texts",
    "A result that is an error has two texts",
    {"/messages/2/content/0/content/-": {"type": "text", "text": "try again at noon"}},
    past={"/messages/2/content/0/content/-": PICTURE},
)
border(
    "anthropic/result-blocks",
    "result-names-a-tool",
    "A result names a tool that may be used from now on",
    {"/messages/2/content/0/content": [{"type": "tool_reference", "tool_name": "get_weather"}]},
    past={"/messages/2/content/0/content/0": {"type": "output_text", "text": "18 °C"}},
)
border(
    "anthropic/result-content",
    "result-without-content",
    "A result has no content",
    {"/messages/2/content/0/content": GONE},
    past={"/messages/2/content/0/content": 18},
    says="The content of a result is a number",
)
border(
    "anthropic/result-of-known-call",
    "results-in-reverse",
    "The results of two calls stand in another order than these",
    {"/messages/2/content": turned},
    past={
        "/messages/2/content/-": {
            "type": "tool_result",
            "tool_use_id": "toolu_01Vq8ZtL3mXc7RbK5wHn2Jdy",
            "content": "19 °C",
        }
    },
    says="The id of a third result differs from that of a call in the case of one letter",
    example="anthropic/call-ids-unique",
)
border(
    "anthropic/result-once",
    "two-results-alike",
    "The results of two calls say the same",
    {"/messages/2/content/1/content": "18 °C, light rain"},
    past={"/messages/2/content/-": {"type": "tool_result", "tool_use_id": "toolu_01Bf4GsW9pQx6TnM8vCk3ZrE"}},
    says="A call has a result and an empty one",
    example="anthropic/call-ids-unique",
)
border(
    "anthropic/result-shape",
    "result-with-nothing-but-its-id",
    "A result names its call, and has nothing else",
    {"/messages/2/content/0": {"type": "tool_result", "tool_use_id": "toolu_01Vq8ZtL3mXc7RbK5wHn2JdY"}},
    past={"/messages/2/content/0/tool_use_id": GONE},
    follows="anthropic/calls-answered",
)
border(
    "anthropic/results-first",
    "picture-behind-the-results",
    "A text and a picture of the user stand behind the result",
    {"/messages/2/content/-": PICTURE},
    past={"/messages/2/content": turned},
    says="A text and a picture of the user stand before the result",
)
border(
    "gemini/result-once",
    "two-results-of-one-function",
    "One function was called twice, and each call has a result",
    {
        "/contents/1/parts/-": {
            "functionCall": {"name": "read_file", "args": {"path": "README.md"}, "id": "fc_9"},
        },
        "/contents/2/parts/-": {
            "functionResponse": {"name": "read_file", "response": {"output": "# Notes"}, "id": "fc_9"},
        },
    },
    past={
        "/contents/2/parts/-": {
            "functionResponse": {"name": "read_file", "response": {"output": "# Notes"}, "id": "fc_9"},
        },
    },
    says="One of two calls has two results",
)
border(
    "gemini/results-in-user-turn",
    "results-in-a-turn-without-a-role",
    "The turn with a result does not say its role, which is the user's then",
    {"/contents/2/role": GONE},
    past={"/contents/2/role": "model"},
)
border(
    "gemini/result-parts-media",
    "file-in-a-result",
    "A result has a file by its address among its parts",
    {
        "/contents/2/parts/0/functionResponse/parts/-": {
            "fileData": {"mimeType": "image/png", "fileUri": "gs://pictures/one.png"}
        }
    },
    past={"/contents/2/parts/0/functionResponse/parts/-": {"text": "a chart"}},
)
border(
    "openai_chat/calls-answered",
    "answers-in-reverse",
    "The results of two calls stand in another order than these, and one is empty",
    {"/messages": lambda entries: [*entries[:2], entries[3], entries[2]]},
    past={"/messages/2": GONE},
    says="The call whose result is empty has none",
)
border(
    "openai_chat/results-follow-calls",
    "user-behind-the-last-result",
    "The user speaks behind the last result, and the results stand in another order",
    {"/messages": lambda entries: [*entries[:2], entries[3], entries[2], *entries[4:]]},
    past={"/messages": lambda entries: [*entries[:3], entries[4], entries[3]]},
    says="The user speaks between two results",
)
border(
    "openai_chat/result-once",
    "answers-alike",
    "The results of two calls say the same",
    {"/messages/3/content": "feature/readers\n"},
    past={"/messages/-": {"role": "tool", "tool_call_id": "call_h3GfJ9uTq5ViOx7EkMz2CyBn", "content": ""}},
    says="A call has a result and an empty one",
    example="openai_chat/calls-answered",
)
border(
    "openai_chat/result-call-id",
    "empty-answer",
    "A result is empty, and names its call",
    {"/messages/2/content": ""},
    past={"/messages/2/tool_call_id": GONE},
    follows="openai_chat/calls-answered",
)
border(
    "openai_chat/result-error-mark",
    "mark-in-the-text",
    "That a tool failed is said in the text, in another provider's words",
    {"/messages/2/content": '{"is_error": true, "message": "git: command not found"}'},
    past={"/messages/2/is_error": True},
)
border(
    "openai_chat/result-text-only",
    "two-texts-in-an-answer",
    "A result has two texts",
    {"/messages/2/content/-": {"type": "text", "text": "It is wide."}},
    past={"/messages/2/content/1": {"type": "image_url", "image_url": {"url": "https://example.org/screen.png"}}},
    says="A result has a text and a picture",
)
border(
    "openai_responses/call-answered",
    "output-behind-a-message",
    "The user speaks between a call and its output",
    {"/input": lambda entries: [*entries[:2], {"role": "user", "content": "Only Oslo, please."}, entries[2]]},
    past={"/input/3": GONE},
    says="The user speaks in place of a call's output",
)
border(
    "openai_responses/result-error-mark",
    "mark-in-an-output",
    "That a tool failed is said in the text, in another provider's words",
    {"/input/2/output": '{"is_error": true}'},
    past={"/input/2/is_error": True},
)
border(
    "openai_responses/result-has-call",
    "output-of-a-conversation",
    "The call of an output is in the conversation that is named",
    {"/previous_response_id": GONE, "/conversation": "conv_68f1c3a0d7e48190a5b3c6f2"},
    past={"/conversation": GONE},
    says="The call of an output is nowhere",
)
border(
    "openai_responses/result-is-item",
    "empty-output",
    "An output is empty",
    {"/input/2/output": ""},
    past={"/input/2": {"role": "tool", "tool_call_id": "call_Qh7w2LrXk9VbTz4NmYpA6sDe", "content": ""}},
    says="An empty output is a message",
    follows=("openai_responses/call-answered", "openai_responses/message-role"),
)
border(
    "openai_responses/result-names-call",
    "output-with-an-id-of-its-own",
    "An output has an id of its own beside that of its call",
    {"/input/2/id": "fco_68f1c3a59d7c8191a4e0b27d"},
    past={"/input/2/call_id": GONE},
    says="An output has an id of its own, and none of its call",
    follows="openai_responses/call-answered",
)
border(
    "openai_responses/result-output",
    "output-without-parts",
    "An output is a list without parts",
    {"/input/2/output": []},
    past={"/input/2/output": {}},
    says="An output is an object",
)
border(
    "openai_responses/result-part-type",
    "picture-in-an-output",
    "An output has a picture beside a text",
    {"/input/2/output/-": {"type": "input_image", "image_url": f"data:image/png;base64,{PNG}", "detail": "auto"}},
    past={"/input/2/output/0/type": "text"},
)
border(
    "openai_responses/result-type-mirrors-call",
    "an-output-of-each-kind",
    "A function and a free-text tool were called, and each output is of its call's kind",
    {
        "/input": lambda entries: [
            *entries,
            {"type": "function_call", "call_id": "call_B3nUf8cJx1", "name": "get_tide", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "call_B3nUf8cJx1", "output": "low"},
        ]
    },
    past={"/input/4/type": "custom_tool_call_output"},
    says="The output of a function has the kind that the other one has",
)
border(
    "openai_responses/result-type-mirrors-call",
    "client-search-answered-as-a-function",
    "The client answers a search for tools that it ran as it answers a function",
    {
        "/input": lambda value: [
            *value,
            {
                "type": "tool_search_call",
                "call_id": "call_B3nUf8cJx1",
                "execution": "client",
                "status": "completed",
                "arguments": {"query": "tides"},
            },
            {"type": "function_call_output", "call_id": "call_B3nUf8cJx1", "output": "No tool tells of tides."},
        ]
    },
    past={"/input/4/type": "custom_tool_call_output"},
    says="The search is answered as a free-text tool is",
)
