"""What instrumentations get wrong: parts that are none, and what is lost, invented or linked wrongly."""

from __future__ import annotations

import json
from typing import Any

from doubles.observation import Seen, broken, need, warning

STEPS = ("anthropic", "openai_responses", "gemini")
WITH_IDS = ("anthropic", "openai_chat", "openai_responses")


def _function_calls(draft: Seen) -> list[dict[str, Any]]:
    """The calls of the reply with arguments for a function that the request declares."""
    functions = {tool["name"] for tool in draft.output["tool_definitions"] if tool["type"] == "function"}
    calls = [part for part in draft.answers if part["type"] == "tool_call" and part["name"] in functions]
    return need([call for call in calls if isinstance(call["arguments"], dict) and call["arguments"]])


@broken("otel/shape")
def content_instead_of_parts(draft: Seen) -> None:
    """A message has its text under content, as the events before the attributes had it."""
    message = draft.output["output_messages"][0]
    message["content"] = message.pop("parts")


@broken("otel/shape")
def messages_as_text(draft: Seen) -> None:
    """The messages are one JSON text."""
    draft.output["input_messages"] = json.dumps(draft.output["input_messages"])


@broken("otel/part-shape")
def text_under_text(draft: Seen) -> None:
    """A text has its words under text, as providers have them."""
    part = draft.parts("text")[-1]
    part["text"] = part.pop("content")


@broken("otel/part-shape")
def call_without_name(draft: Seen) -> None:
    """A call's name stands in a member function, as in Chat Completions."""
    part = draft.parts("tool_call")[-1]
    part["function"] = {"name": part.pop("name"), "arguments": part.pop("arguments")}


@broken("otel/part-shape")
def result_instead_of_response(draft: Seen) -> None:
    """What a tool returned stands under result, as the convention's first example had it."""
    part = draft.parts("tool_call_response")[-1]
    part["result"] = part.pop("response")


@broken("otel/part-shape", target=STEPS)
def server_call_without_type(draft: Seen) -> None:
    """The details of a server tool's call do not say their type."""
    del draft.parts("server_tool_call")[-1]["server_tool_call"]["type"]


@broken("otel/part-shape", target=STEPS)
def server_response_under_response(draft: Seen) -> None:
    """What came of a server tool stands under response, as of a tool of the client's."""
    part = draft.parts("server_tool_call_response")[-1]
    part["response"] = part.pop("server_tool_call_response")


@broken("otel/message-per-choice")
def message_per_part(draft: Seen) -> None:
    """Every part of the reply is a message of its own."""
    (message,) = need(draft.output["output_messages"][:1])
    need(len(message["parts"]) > 1 and len(draft.output["output_messages"]) == 1)
    # The last one first, so that nothing but their number is wrong with the first.
    empty = {**message, "parts": []}
    draft.output["output_messages"] = [message, empty]


@broken("translation/call-lost")
def last_call_dropped(draft: Seen) -> None:
    """The last call of the reply is not recorded."""
    calls = need([part for part in draft.answers if part["type"] == "tool_call"])
    draft.drop(calls[-1])


@broken(("translation/call-duplicated",))
def call_twice(draft: Seen) -> None:
    """A call is recorded twice, as it comes and when it is complete."""
    draft.answers.append(dict(_function_calls(draft)[-1]))


@broken("translation/call-name")
def names_with_a_prefix(draft: Seen) -> None:
    """Names of tools have the prefix of the class that they are methods of."""
    calls = _function_calls(draft)
    calls[-1]["name"] = f"functions.{calls[-1]['name']}"


@broken("translation/arguments")
def arguments_cut(draft: Seen) -> None:
    """An argument is left out."""
    _function_calls(draft)[-1]["arguments"].popitem()


# Results that say the same cannot be told apart: then the one that is left may stand at the other's call.
@broken("translation/result-lost", follows=("translation/results-linked",))
def results_dropped(draft: Seen) -> None:
    """Of several results in the history the last one is not recorded."""
    part = draft.parts("tool_call_response")[-1]
    draft.drop(part)


@broken("translation/results-linked", target=WITH_IDS)
def results_at_an_unknown_id(draft: Seen) -> None:
    """A result has an id of its own in the place of its call's."""
    part = draft.parts("tool_call_response")[-1]
    need(part.get("id") in [call.get("id") for call in draft.parts("tool_call")])
    part["id"] = "result_1"


@broken("translation/result-content")
def result_said_otherwise(draft: Seen) -> None:
    """A result is recorded as done, without what it says."""
    part = draft.parts("tool_call_response")[-1]
    need(isinstance(part["response"], str) and len(part["response"]) > 3)
    part["response"] = "done"


@broken("translation/text-lost")
def text_beside_call_dropped(draft: Seen) -> None:
    """What the model says beside a call is not recorded."""
    need(any(part["type"] == "tool_call" for part in draft.answers))
    texts = need([part for part in draft.answers if part["type"] == "text" and len(part["content"]) > 20])
    need(len(texts) == 1)
    draft.drop(texts[0])


@warning("otel/part-type")
def provider_s_own_type(draft: Seen) -> None:
    """A part has the type that the provider gives it."""
    draft.answers.append({"type": "annotations", "annotations": []})


@warning("otel/arguments-object")
def arguments_as_text(draft: Seen) -> None:
    """Arguments are recorded as the text that the provider sends."""
    calls = need(
        [part for part in draft.answers if part["type"] == "tool_call" and isinstance(part["arguments"], dict)]
    )
    for call in calls:
        call["arguments"] = json.dumps(call["arguments"])


@warning("otel/role")
def model_s_own_role(draft: Seen) -> None:
    """The model's message has the role that Gemini gives it."""
    draft.output["output_messages"][0]["role"] = "model"


@warning("otel/finish-reason")
def provider_s_own_reason(draft: Seen) -> None:
    """The finish reason is the word of Chat Completions."""
    message = draft.output["output_messages"][0]
    need(message["finish_reason"] == "tool_call")
    message["finish_reason"] = "tool_calls"


@warning("otel/call-id", target=WITH_IDS)
def ids_made_up(draft: Seen) -> None:
    """A call without results yet has an id of the instrumentation's own."""
    calls = need([part for part in draft.answers if part["type"] == "tool_call" and part.get("id")])
    calls[-1]["id"] = f"{calls[-1]['name']}_0"


@warning("otel/reasoning-lost", target=("anthropic", "openai_responses", "gemini"))
def thoughts_dropped(draft: Seen) -> None:
    """Reasoning is not recorded."""
    for part in draft.parts("reasoning"):
        draft.drop(part)


@warning("otel/server-step-lost", target=STEPS)
def server_steps_dropped(draft: Seen) -> None:
    """What the provider ran itself is not recorded."""
    for part in draft.parts("server_tool_call", "server_tool_call_response"):
        draft.drop(part)


@warning("otel/server-step-linked", target=("anthropic", "openai_responses"))
def server_response_with_its_own_id(draft: Seen) -> None:
    """What came of a server tool has an id of its own."""
    part = draft.parts("server_tool_call_response")[-1]
    need(part.get("id"))
    part["id"] = "result_1"


@warning("otel/server-step-as-client-call", target=("anthropic", "openai_responses"))
def server_call_as_tool_call(draft: Seen) -> None:
    """A server tool's call is recorded as one of the client's, as before the convention had parts for it."""
    part = draft.parts("server_tool_call")[-1]
    need(part.get("id"))
    details = part.pop("server_tool_call")
    part |= {"type": "tool_call", "arguments": details}


@warning("otel/data-address")
def picture_as_data_url(draft: Seen) -> None:
    """A picture is a data URL."""
    parts = [part for message in draft.messages for part in message["parts"] if part["type"] == "blob"]
    need(parts)
    part = parts[-1]
    part["type"], part["uri"] = "uri", f"data:{part.get('mime_type')};base64,{part.pop('content')}"


@warning("otel/instructions-apart", target=("anthropic", "openai_responses", "gemini"))
def instructions_as_a_message(draft: Seen) -> None:
    """The system prompt is the first message, whatever the API."""
    instructions = need(draft.output["system_instructions"])
    draft.output["system_instructions"] = []
    draft.output["input_messages"].insert(0, {"role": "system", "parts": instructions})


@warning("otel/tool-lost")
def last_tool_dropped(draft: Seen) -> None:
    """One of several tools is not among the definitions."""
    need(len(draft.output["tool_definitions"]) > 1)
    draft.output["tool_definitions"].pop()


@warning("otel/tool-invented")
def tool_of_the_sdk_s(draft: Seen) -> None:
    """A tool that the request does not have is among the definitions."""
    need(draft.output["tool_definitions"])
    draft.output["tool_definitions"].append({"type": "function", "name": "final_result"})
