"""Results in a shape, under a name or at a place that the target does not take."""

from __future__ import annotations

import json

from doubles.body import ANTHROPIC, CHAT, GEMINI, RESPONSES, broken, need
from doubles.draft import Draft


@broken(
    {
        ANTHROPIC: "anthropic/result-content",
        CHAT: "openai_chat/result-content",
        RESPONSES: "openai_responses/result-output",
    }
)
def result_object_for_text(draft: Draft) -> None:
    """The content of a result is an object where text or parts belong."""
    for result in need(draft.results):
        result.content = {"output": result.content}


@broken("gemini/result-response-object")
def result_text_for_object(draft: Draft) -> None:
    """The response of a function is text where an object belongs."""
    for result in need(draft.results):
        result.content = json.dumps(result.content)


@broken("gemini/result-response-object")
def result_list_for_object(draft: Draft) -> None:
    """The response of a function is a list where an object belongs."""
    for result in need(draft.results):
        result.content = [result.content]


@broken(
    {
        CHAT: "openai_chat/result-content",
        RESPONSES: "openai_responses/result-output",
        GEMINI: "gemini/result-response-object",
    }
)
def result_null(draft: Draft) -> None:
    """The content of a result is null."""
    for result in need(draft.results):
        result.content = None


@broken("gemini/result-names-call")
def result_name_missing(draft: Draft) -> None:
    """Responses do not name their function."""
    for result in need(draft.results):
        del result.inner["name"]


@broken("gemini/result-names-call")
def result_name_unknown(draft: Draft) -> None:
    """Responses name a function called unknown."""
    for result in need(draft.results):
        result.inner["name"] = "unknown"


@broken("gemini/result-names-call")
def result_name_is_id(draft: Draft) -> None:
    """Responses name the call's id instead of the function."""
    for number, result in enumerate(need(draft.results)):
        result.inner["name"] = f"call_9i4k1Kv00n4fXtNyI68ukXl{number}"


@broken("gemini/result-names-call")
def result_name_of_first_call(draft: Draft) -> None:
    """All responses name the first function that was ever called."""
    for result in need(draft.results):
        result.inner["name"] = draft.calls[0].name


@broken("gemini/results-in-user-turn")
def results_in_model_turn(draft: Draft) -> None:
    """Responses stand in a content of the model."""
    for result in need(draft.results):
        (result.message or {})["role"] = "model"


@broken("anthropic/blocks-in-role")
def results_in_assistant_message(draft: Draft) -> None:
    """Results stand in the assistant's message, right behind their calls."""
    for batch in need(draft.batches):
        answers = draft.results_of(batch)
        entries = [answer.entry for answer in answers]
        for answer in answers:
            answer.remove()
        batch[-1].holder.extend(entries)
    draft.tidy()


@broken("anthropic/roles")
def results_with_role_tool(draft: Draft) -> None:
    """Results stand in messages of the role tool."""
    for result in need(draft.results):
        (result.message or {})["role"] = "tool"


@broken(("translation/results-linked", "translation/result-lost"), target=RESPONSES)
def results_before_calls(draft: Draft) -> None:
    """A result stands before its call."""
    call, result = need(draft.calls)[0], need(draft.results)[0]
    need(result.content)  # an empty one says nothing by which it could be known
    result.holder.remove(result.entry)
    call.holder.insert(call.place, result.entry)


@broken(("openai_responses/result-is-item", "openai_responses/message-role"))
def result_as_tool_message(draft: Draft) -> None:
    """Results stand in tool messages as in Chat Completions."""
    for result in need(draft.results):
        result.holder[result.place] = {"role": "tool", "tool_call_id": result.id, "content": result.content}


@broken(("openai_responses/call-is-item", "openai_responses/foreign-key"))
def calls_inside_message(draft: Draft) -> None:
    """Calls stand in the assistant's message as in Chat Completions."""
    for call in need(draft.calls):
        function = {"name": call.name, "arguments": call.raw}
        inner = [{"id": call.id, "type": "function", "function": function}]
        call.holder[call.place] = {"role": "assistant", "content": "", "tool_calls": inner}


@broken("openai_chat/results-follow-calls")
def user_message_between_call_and_result(draft: Draft) -> None:
    """The user's text stands between a call and its result."""
    batch = need(draft.result_batches)[0]
    after = batch[-1].place + 1
    need(after < len(draft.messages) and draft.messages[after]["role"] == "user")
    message = draft.messages.pop(after)
    draft.messages.insert(batch[0].place, message)


@broken("openai_chat/results-follow-calls")
def results_far_from_calls(draft: Draft) -> None:
    """Results stand at the end of the conversation instead of behind their calls."""
    batch = need(draft.result_batches)[0]
    need(batch[-1].place + 1 < len(draft.messages))
    ids = [call.id for call in draft.calls]
    need(len(set(ids)) == len(ids))  # else they stand behind another call of that id
    entries = [result.entry for result in batch]
    for result in batch:
        result.remove()
    draft.messages.extend(entries)


@broken("anthropic/results-first")
def text_before_results(draft: Draft) -> None:
    """The user's text stands before the results in their message."""
    for batch in draft.result_batches:
        holder = batch[0].holder
        if len(holder) > len(batch):
            holder.sort(key=lambda block: block["type"] == "tool_result")
            return
    need(False)


@broken("anthropic/results-first")
def placeholder_before_results(draft: Draft) -> None:
    """A made-up text stands before the results in their message."""
    need(draft.results)[0].holder.insert(0, {"type": "text", "text": "Tool results:"})
