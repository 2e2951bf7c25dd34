"""An agent's next request: the candidate's content unchanged, with its signatures, then the answering entries.

https://ai.google.dev/gemini-api/docs/thought-signatures
"""

from __future__ import annotations

from toolcall_reference.basics.jsontext import as_list, as_object
from toolcall_reference.conversation.intermediate import Body


def follow_up(request: Body, reply: Body, call_ids: list[str], entries: list[Body]) -> Body:
    """The next request."""
    del call_ids
    candidates = as_list(reply.get("candidates"), "candidates")
    content = as_object(as_object(candidates[0], "a candidate").get("content"), "content") if candidates else {}
    contents = request.get("contents")
    before = [contents] if isinstance(contents, dict) else as_list(contents, "contents")
    reply_contents = [{**content, "role": "model"}] if content.get("parts") else []
    return {**request, "contents": [*before, *reply_contents, *entries]}
