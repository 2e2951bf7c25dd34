"""An agent's next request: the reply's output unchanged, with its reasoning, then the answering entries.

https://platform.openai.com/docs/guides/function-calling
"""

from __future__ import annotations

from toolcall_reference.basics.jsontext import as_list
from toolcall_reference.conversation.intermediate import Body


def follow_up(request: Body, reply: Body, call_ids: list[str], entries: list[Body]) -> Body:
    """The next request; history that OpenAI stores is referenced and not repeated."""
    del call_ids
    if request.get("conversation") is not None:
        return {**request, "input": entries}
    if request.get("previous_response_id") is not None:
        return {**request, "previous_response_id": reply.get("id"), "input": entries}
    request_input = request.get("input")
    before = (
        [{"role": "user", "content": request_input}]
        if isinstance(request_input, str)
        else as_list(request_input, "input")
    )
    return {**request, "input": [*before, *as_list(reply.get("output"), "output"), *entries]}
