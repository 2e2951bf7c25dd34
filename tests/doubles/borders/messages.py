"""Messages and their content: as short as it may be, in the other legal form, and who may say what."""

from __future__ import annotations

from doubles.border import GONE, borders

border = borders(__name__)

border(
    "anthropic/content-not-empty",
    "empty-last-message",
    "The last message is the assistant's, and empty",
    {"/messages/2": {"role": "assistant", "content": []}},
    past={"/messages/-": {"role": "user", "content": "Go on."}},
    says="An empty message of the assistant is not the last",
    follows="anthropic/roles",
)
border(
    "anthropic/content-shape",
    "content-of-one-text",
    "The content of the user's message is a list with one text",
    {"/messages/0/content": [{"type": "text", "text": "Is it windy in Faro?"}]},
    past={"/messages/0/content": {"type": "text", "text": "Is it windy in Faro?"}},
    says="The content of a message is a block outside a list",
)
border(
    "anthropic/prefill-trailing-space",
    "prefill-of-two-lines",
    "What the assistant begins with has a line break within",
    {"/messages/1/content": "Lisbon:\n-"},
    past={"/messages/1/content": "Lisbon:\n"},
    says="What the assistant begins with ends with a line break",
)
border(
    "anthropic/system-at-top",
    "system-message-second",
    "The second message is a system message",
    {"/messages/-": {"role": "system", "content": "Answer in Celsius."}},
    past={"/messages/0": GONE},
)
border(
    "openai_chat/assistant-part",
    "refusal-among-the-parts",
    "A part of the assistant's message is a refusal",
    {"/messages/1/content": [{"type": "refusal", "refusal": "I cannot say."}]},
    past={"/messages/1/content/-": {"type": "tool_use", "id": "call_1x", "name": "ls", "input": {}}},
    says="A part of the assistant's message is a call",
)
border(
    "openai_chat/message-content",
    "one-part",
    "The content of the user's message is a list with one text of one character",
    {"/messages/0/content": [{"type": "text", "text": "?"}]},
    past={"/messages/0/content/0": GONE},
    says="The content of the user's message is an empty list",
)
border(
    "openai_chat/system-text-only",
    "two-texts-of-the-system",
    "A system message has two texts",
    {"/messages/0/role": "system", "/messages/0/content/-": {"type": "text", "text": "Name the branch only."}},
    past={"/messages/0/content/1": {"type": "refusal", "refusal": "No."}},
    says="A system message has a refusal",
)
border(
    "gemini/system-text-only",
    "two-texts-of-the-instruction",
    "The system instruction has two texts",
    {"/systemInstruction/parts/-": {"text": "Name the file."}},
    past={"/systemInstruction/parts/1": {"fileData": {"fileUri": "gs://notes/style.txt"}}},
    says="The system instruction has a file",
)
border(
    "openai_responses/content-part",
    "refusal-of-the-assistant",
    "The assistant refused, and its part has the text in refusal",
    {"/input/-": {"type": "message", "role": "assistant", "content": [{"type": "refusal", "refusal": "No."}]}},
    past={"/input/1/content/0": {"type": "refusal", "text": "No."}},
    says="A refusal has its text in text",
    follows="openai_responses/unknown-key",
)
border(
    "openai_responses/input-form",
    "input-of-one-message",
    "The input is a list with one message",
    {"/input": [{"role": "user", "content": "Is it windy in Oslo?"}]},
    past={"/input": {"role": "user", "content": "Is it windy in Oslo?"}},
    says="The input is a message outside a list",
)
border(
    "openai_responses/instructions-string",
    "empty-instructions",
    "The instructions are the empty text",
    {"/instructions": ""},
    past={"/instructions": []},
    says="The instructions are an empty list",
)
border(
    "openai_responses/message-content",
    "empty-message",
    "The content of the assistant's message is the empty text",
    {"/input/1/content": ""},
    past={"/input/1/content": None},
)
border(
    "openai_responses/one-state",
    "conversation-alone",
    "A request goes on in a conversation, and names no earlier reply",
    {"/previous_response_id": GONE, "/conversation": {"id": "conv_68f1c3a0d7e48190a5b3c6f2"}},
    past={"/previous_response_id": "resp_68f1c3a3f2bc8191a06d9e4c7b5f38120d7e6c5b4a392817"},
)
border(
    "gemini/one-response-schema",
    "schema-of-the-answer-alone",
    "The schema of the answer stands in Gemini's own form",
    {
        "/generationConfig/responseJsonSchema": GONE,
        "/generationConfig/responseSchema": {"type": "OBJECT", "properties": {"title": {"type": "STRING"}}},
    },
    past={"/generationConfig/responseJsonSchema": {"type": "object"}},
)
border(
    "gemini/response-schema-mime",
    "answer-out-of-a-list",
    "The answer is one word of a list, for which there is a MIME type of its own",
    {
        "/generationConfig/responseMimeType": "text/x.enum",
        "/generationConfig/responseSchema": {"type": "STRING", "enum": ["yes", "no"]},
    },
    past={"/generationConfig/responseMimeType": "text/plain"},
    says="An answer in plain text has a schema",
)
border(
    "openai_chat/response-format",
    "some-object",
    "The answer is any JSON object",
    {"/response_format": {"type": "json_object"}},
    past={"/response_format": {"type": "json_schema", "name": "branch", "schema": {"type": "object"}}},
    says="The schema of the answer stands flat, as another API has it",
)
border(
    "openai_responses/text-format-flat",
    "flat-with-a-description",
    "The schema of the answer stands flat, with a description, and strict is left to the API",
    {"/text/format/description": "Cities by name.", "/text/format/strict": None},
    past={
        "/text/format": {
            "type": "json_schema",
            "json_schema": {"name": "cities", "schema": {"type": "object", "properties": {}}},
        }
    },
    says="The schema of the answer stands in an object, as another API has it",
)
border(
    "gemini/role",
    "role-of-nothing",
    "The role of a content is an empty text, which is none",
    {"/contents/0/role": ""},
    past={"/contents/0/role": "human"},
    says="The role of a content is another API's",
)
