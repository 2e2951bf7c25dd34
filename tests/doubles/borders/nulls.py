"""Null in Gemini's replies, which stands for what is not there, and numbers in digits, which stand for numbers."""

from __future__ import annotations

from doubles.border import borders

border = borders(__name__)

CONTENT, PART = "/candidates/0/content", "/candidates/0/content/parts/0"

border(
    "gemini/candidates-or-feedback",
    "candidates-null",
    "The candidates are null, and the feedback says why",
    {"/candidates": None, "/promptFeedback": {"blockReason": "SAFETY"}},
    past={"/promptFeedback/blockReason": None},
    says="The candidates are null, and the reason in the feedback is null",
    follows="translation/target-format",
)
border(
    "gemini/candidates-or-feedback",
    "feedback-null",
    "The feedback and the error are null, and there is a candidate",
    {"/promptFeedback": None, "/error": None},
    past={"/candidates": None},
    says="The feedback, the error and the candidates are null",
    follows="translation/target-format",
)
border(
    "gemini/part-one-field",
    "other-fields-null",
    "A part has its text, and null for the fields that it could have instead",
    {f"{PART}": {"text": "It is a list.", "functionCall": None, "inlineData": None, "executableCode": None}},
    past={f"{PART}/functionCall": {"name": "read_file", "args": {}}},
    says="A part has a text and a call",
    example="gemini/candidate-once",
)
border(
    "gemini/results-in-user-turn",
    "result-null",
    "A part of a reply has null for its functionResponse",
    {f"{PART}/functionResponse": None},
    past={f"{PART}": {"functionResponse": {"name": "read_file", "response": {}}}},
    says="A part of a reply is a functionResponse",
    example="gemini/candidate-once",
)
border(
    "gemini/call-args-object",
    "args-null",
    "The args of a call are null",
    {f"{PART}/functionCall/args": None},
    past={f"{PART}/functionCall/args": "null"},
    says="The args of a call are the text null",
)
border(
    "gemini/usage-counts",
    "counts-null",
    "The count of thoughts is null",
    {"/usageMetadata/thoughtsTokenCount": None},
    past={"/usageMetadata/thoughtsTokenCount": "none"},
    says="The count of thoughts is a word",
)
border(
    "gemini/temperature-range",
    "temperature-in-digits",
    "The temperature is a text of digits, which the mapping takes for a number",
    {"/generationConfig/temperature": "1e-1"},
    past={"/generationConfig/temperature": "low"},
    says="The temperature is a word",
)
border(
    "gemini/shape",
    "sampling-in-digits",
    "topP and the penalties are texts of digits",
    {"/generationConfig": {"topP": "0.5", "presencePenalty": "-1", "frequency_penalty": "2E0"}},
    past={"/generationConfig/topP": "half"},
    says="topP is a word",
    example="gemini/temperature-range",
)
border(
    "gemini/finish-given",
    "finish-unspecified",
    "A candidate says that its reason is not specified",
    {"/candidates/0/finishReason": "FINISH_REASON_UNSPECIFIED"},
    past={"/candidates/0/finishReason": None},
    says="A candidate has null for its reason",
)
border(
    "gemini/reply-role-given",
    "content-with-a-role-alone",
    "A content has its role, and null for its parts",
    {f"{CONTENT}/parts": None},
    past={f"{CONTENT}/role": None},
    says="A content has null for its role",
)
border(
    "gemini/reply-role-given",
    "streamed-content-with-a-role-alone",
    "A content of a chunk has its role, and null for its parts",
    {"/events/1/data/candidates/0/content/parts": None},
    past={"/events/1/data/candidates/0/content/role": None},
    says="A content of a chunk has null for its role",
    example="gemini/stream-candidate-once",
)
