"""A client of Chat's deprecated functions: what it declares, what it did before, and where it looks for its call."""

from __future__ import annotations

from typing import Any

from doubles.body import ANTHROPIC, CHAT, GEMINI, RESPONSES, SAME, broken, harmless, need, warning
from doubles.draft import Draft

OTHERS = (ANTHROPIC, GEMINI, RESPONSES)
CALLED = "legacy_functions/called"
FORCED = "legacy_functions/forced-by-name"
THRICE = "legacy_functions/one-name-thrice"
BEFORE = "legacy_functions/in-the-history"


@broken("translation/tool-lost", target=OTHERS, sources=[CHAT], cases=[CALLED, THRICE])
def functions_unread(draft: Draft) -> None:
    """Only tools are read, so the declared functions are gone."""
    for key in ("tools", "tool_choice", "toolConfig"):
        draft.body.pop(key, None)


@broken("translation/tool-choice", target=OTHERS, sources=[CHAT], cases=[FORCED])
def forced_function_forgotten(draft: Draft) -> None:
    """Only tool_choice is read: the model need not call the function that function_call names."""
    need([draft.body.pop(key, None) for key in ("tool_choice", "toolConfig")])


@broken("translation/call-lost", target=OTHERS, sources=[CHAT], cases=[THRICE, BEFORE])
def function_call_of_the_history_lost(draft: Draft) -> None:
    """Only tool_calls are read: calls of functions, and their results, are gone from the history."""
    for handle in [*draft.results, *draft.calls]:
        handle.remove()
    draft.tidy()


@broken("translation/results-linked", target=(ANTHROPIC, RESPONSES), sources=[CHAT], cases=[THRICE])
def results_by_name_alone(draft: Draft) -> None:
    """Results are linked to the last call of their function: an earlier call is answered twice, or never."""
    results = need(draft.results[1:])
    ids = [result.id for result in draft.results]
    for result, other in zip([draft.results[0], *results], reversed(ids), strict=True):
        result.id = other


@broken("anthropic/calls-answered", sources=[CHAT], cases=[THRICE])
def one_id_for_one_name(draft: Draft) -> None:
    """Ids are made of the function's name, so that calls of one function have one id, and results go to the last."""
    first = need(draft.results)[0]
    first.remove()
    draft.tidy()


@broken("openai_chat/function-message", sources=SAME, cases=[CALLED, THRICE])
def function_message_without_a_name(draft: Draft) -> None:
    """A result of a function loses its name, its only link to the call."""
    for message in need([message for message in draft.messages if message["role"] == "function"]):
        del message["name"]


@harmless(target=CHAT, sources=SAME, cases=[CALLED, THRICE], beside="openai_chat/function-message")
def function_message_keys_turned(draft: Draft) -> None:
    """A result of a function has its keys in another order."""
    for place, message in enumerate(draft.messages):
        if message["role"] == "function":
            draft.messages[place] = dict(reversed(message.items()))
    need(any(message["role"] == "function" for message in draft.messages))


@warning("translation/call-form", target=CHAT, check="response", sources=OTHERS, cases=[CALLED, FORCED, THRICE])
def tool_calls_for_a_client_of_functions(draft: Draft) -> None:
    """A client that declared functions gets its call as tool_calls, at which it does not look."""
    message = draft.messages[0]
    message["tool_calls"] = [_call(need(message.pop("function_call", None)))]
    draft.body["choices"][0]["finish_reason"] = "tool_calls"


@warning(
    "translation/call-form",
    fault="function-call-for-a-client-of-tools",
    target=CHAT,
    check="response",
    sources=OTHERS,
    cases=[BEFORE],
)
def function_call_for_a_client_of_tools(draft: Draft) -> None:
    """A client that declares tools gets its call as function_call, since its history has such calls."""
    message = draft.messages[0]
    message["function_call"] = need(message.pop("tool_calls", None))[0]["function"]
    draft.body["choices"][0]["finish_reason"] = "function_call"


def _call(function: dict[str, Any]) -> dict[str, Any]:
    return {"id": "call_pTq7RkXm2VbYzLw9HsNcJd4G", "type": "function", "function": function}


@harmless(target=CHAT, check="response", sources=OTHERS, cases=[CALLED, THRICE], beside="translation/call-lost")
def tool_calls_null_beside_function_call(draft: Draft) -> None:
    """Beside the function_call stands tool_calls: null."""
    need(draft.messages[0].get("function_call"))
    draft.messages[0]["tool_calls"] = None
