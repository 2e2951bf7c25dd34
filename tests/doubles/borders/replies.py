"""Replies: how they may end, what they need not have, and counts of nought."""

from __future__ import annotations

from doubles.border import GONE, borders

border = borders(__name__)

border(
    "anthropic/finish-agrees-with-calls",
    "cut-behind-a-call",
    "A reply with a call was cut, and says so",
    {"/stop_reason": "max_tokens"},
    past={"/stop_reason": "end_turn"},
    says="A reply with a call says that the turn is over",
)
CODE = "srvtoolu_01Nw5TzQ8kXc3VbR7hLp2JdY"
BY_CODE = {"caller": {"type": "code_execution_20250825", "tool_id": CODE}}
RESULT = {
    "type": "code_execution_tool_result",
    "tool_use_id": CODE,
    "content": {"type": "code_execution_result", "stdout": "19", "stderr": "", "return_code": 0, "content": []},
}
border(
    "anthropic/finish-agrees-with-calls",
    "answered-call-of-code",
    "A reply that is over repeats a call that its code made, and has the result of the code",
    {
        "/content/1/caller": BY_CODE["caller"],
        "/content/-": RESULT,
        "/stop_reason": "end_turn",
    },
    past={"/content/2/tool_use_id": "srvtoolu_01Hq9RkV4mXc6TbW2nLp8JdZ"},
    says="A reply that is over has a call that its code made, and the result of other code only",
)
border(
    "openai_responses/finish-agrees",
    "running-call-of-a-program",
    "A completed reply has a call in progress, which a hosted program made",
    {
        "/status": "completed",
        "/incomplete_details": None,
        "/output/0/status": "in_progress",
        "/output/0/arguments": '{"city":"Lisbon"}',
        "/output/0/caller": {"type": "program", "caller_id": "call_Tz7w2LrXk9VbQh4NmYpA6sDe"},
    },
    past={"/output/0/caller": {"type": "direct"}},
    says="A completed reply has a call in progress, which the model itself made",
)
border(
    "anthropic/finish-reason",
    "refused",
    "A reply says that the model refused",
    {"/stop_reason": "refusal", "/content": []},
    past={"/stop_reason": "content_filter"},
    says="A reply gives another provider's reason for a refusal",
)
border(
    "gemini/reply-role",
    "only-role-and-parts",
    "The content of a reply has its role and one empty text",
    {"/candidates/0/content/parts/0/text": ""},
    past={"/candidates/0/content/role": "user"},
)
border(
    "gemini/usage-counts",
    "counts-of-nought",
    "A token count is 0",
    {"/usageMetadata/promptTokenCount": 0, "/usageMetadata/totalTokenCount": 18},
    past={"/usageMetadata/promptTokenCount": 0.5},
    says="A token count is half a token",
)
border(
    "openai_chat/finish-known",
    "filtered",
    "A reply says that its content was held back",
    {"/choices/0/finish_reason": "content_filter"},
    past={"/choices/0/finish_reason": "safety"},
)
border(
    "openai_chat/finish-without-calls",
    "call-without-content",
    "A reply has one call, and no key for content",
    {"/choices/0/message/content": GONE},
    past={"/choices/0/message": {"role": "assistant", "content": "On main."}},
    example="openai_chat/call-shape",
)
border(
    "openai_chat/refusal-text",
    "empty-refusal",
    "The refusal is the empty text",
    {"/choices/0/message/refusal": ""},
    past={"/choices/0/message/refusal": False},
    says="The refusal is false",
)
border(
    "openai_chat/reply-role",
    "only-role-and-content",
    "The message of a reply has its role and its content, and nothing else",
    {"/choices/0/message": {"role": "assistant", "content": "On main."}},
    past={"/choices/0/message/role": "developer"},
)
border(
    "openai_chat/usage-counts",
    "counts-of-nothing",
    "The token counts are 0",
    {"/usage": {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}},
    past={"/usage/total_tokens": -1},
    says="A token count is below 0",
)
border(
    "openai_responses/finish-agrees",
    "completed-with-a-call",
    "A completed reply has a call that is completed",
    {
        "/status": "completed",
        "/incomplete_details": None,
        "/output/0/status": "completed",
        "/output/0/arguments": '{"city":"Oslo"}',
    },
    past={"/output/0/status": "incomplete"},
    says="A completed reply has a call that is incomplete",
)
border(
    "openai_responses/finish-failed-error",
    "failed-without-a-word",
    "The error of a failed reply has a code and an empty message",
    {"/error": {"code": "rate_limit_exceeded", "message": ""}},
    past={"/error": None},
)
border(
    "openai_responses/finish-incomplete-details",
    "incomplete-by-the-limit",
    "A reply is incomplete since it met the limit of tokens",
    {"/incomplete_details/reason": "max_output_tokens"},
    past={"/incomplete_details/reason": "length"},
)
border(
    "openai_responses/finish-incomplete-reason",
    "incomplete-by-a-filter",
    "A reply is incomplete since its content was held back",
    {"/incomplete_details/reason": "content_filter"},
    past={"/incomplete_details": {}},
    says="The object that tells why a reply is incomplete is empty",
    follows="openai_responses/finish-incomplete-details",
)
border(
    "openai_responses/finish-status",
    "cancelled",
    "A reply was cancelled",
    {"/status": "cancelled"},
    past={"/status": "canceled"},
)
border(
    "openai_responses/reply-content-part",
    "refusal-of-a-reply",
    "The part of a reply's message is a refusal, which has no annotations",
    {"/output/0/content/0": {"type": "refusal", "refusal": "No."}},
    past={"/output/0/content/0": {"type": "refusal", "text": "No."}},
)
border(
    "openai_responses/reply-envelope",
    "reply-without-items",
    "The output of a reply is an empty list",
    {"/output": []},
    past={"/output": GONE},
)
border(
    "openai_responses/usage-shape",
    "counts-of-no-tokens",
    "The token counts are 0",
    {"/usage/input_tokens": 0, "/usage/output_tokens": 0, "/usage/total_tokens": 0},
    past={"/usage/total_tokens": GONE},
)
border(
    "openai_chat/max-completion-tokens",
    "older-model-with-max-tokens",
    "A model that does not reason gets the limit under its old name",
    {"/model": "gpt-4o-2024-08-06", "/max_completion_tokens": GONE, "/max_tokens": 2048},
    past={"/model": "o1-2024-12-17"},
)
border(
    "gemini/reply-words",
    "modality-of-its-own",
    "The modality of a count is a word that nobody knows",
    {"/usageMetadata/promptTokensDetails": [{"modality": "SMELL", "tokenCount": 412}]},
    past={"/usageMetadata/promptTokensDetails/0/modality": 1},
)
border(
    "gemini/shape",
    "logprobs-unsaid",
    "The mean of the probabilities is null",
    {"/candidates/0/avgLogprobs": None},
    past={"/candidates/0/avgLogprobs": [-0.4]},
    says="The mean of the probabilities is a list",
    example="gemini/reply-words",
)
border(
    "openai_responses/own-call-shape",
    "file-deleted",
    "A file is deleted, for which a patch has no diff",
    {"/output/0/operation": {"type": "delete_file", "path": "gauge.py"}},
    past={"/output/0/call_id": GONE},
    says="A call of OpenAI's own tool has no call_id",
)
border(
    "openai_responses/own-call-keys",
    "all-keys-of-a-shell",
    "A call of the shell has all keys that the tool knows",
    {"/output/0/action/timeout_ms": 5000, "/output/0/action/user": "deploy"},
    past={"/output/0/action": {"type": "exec", "command": ["df"], "env": {}, "timeoutMs": 5000}},
    says="A call of the shell has a key in another spelling",
)
