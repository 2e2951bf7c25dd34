"""An agent's next request: the reply's message unchanged, then the answering entries.

https://platform.openai.com/docs/guides/function-calling
"""

from __future__ import annotations

from toolcall_reference.basics.jsontext import as_list, as_object, dump
from toolcall_reference.conversation.intermediate import Body


def follow_up(request: Body, reply: Body, call_ids: list[str], entries: list[Body]) -> Body:
    """The next request. A vendor's extra keys are sent back, too: some demand their reasoning.

    Calls of compatible servers are completed: with the id that their result names, a type, and arguments as text.
    """
    choices = as_list(reply.get("choices"), "choices")
    message = as_object(as_object(choices[0], "a choice").get("message"), "message") if choices else {}
    assistant_messages = [{"role": "assistant", **message}] if message else []
    calls = as_list(message.get("tool_calls"), "tool_calls")
    for call, call_id in zip(calls, call_ids, strict=False):
        call["id"] = call.get("id") or call_id
        call.setdefault("type", "function")
        function = call.get("function")
        if isinstance(function, dict) and not isinstance(function.get("arguments"), str):
            function["arguments"] = dump(function.get("arguments") or {})
    return {**request, "messages": [*as_list(request.get("messages"), "messages"), *assistant_messages, *entries]}
