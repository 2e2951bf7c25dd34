"""An agent's next request: the reply's content as the assistant's message, then the answering entries.

https://platform.claude.com/docs/en/agents-and-tools/tool-use/handle-tool-calls
"""

from __future__ import annotations

from toolcall_reference.basics.jsontext import as_list
from toolcall_reference.conversation.intermediate import Body


def follow_up(request: Body, reply: Body, call_ids: list[str], entries: list[Body]) -> Body:
    """The next request; thinking and its signatures are sent back unchanged."""
    del call_ids
    message = {"role": "assistant", "content": reply.get("content")}
    return {**request, "messages": [*as_list(request.get("messages"), "messages"), message, *entries]}
