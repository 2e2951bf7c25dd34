"""What instrumentations may do: the convention leaves it to them."""

from __future__ import annotations

from typing import Any

from doubles.observation import Seen, harmless, need


@harmless(beside="otel/shape")
def no_finish_reason(draft: Seen) -> None:
    """Output messages do not say why they ended: the span does."""
    for message in draft.output["output_messages"]:
        del message["finish_reason"]


@harmless(beside="otel/shape")
def names_of_participants_null(draft: Seen) -> None:
    """Messages have a name of null."""
    for message in draft.messages:
        message["name"] = None


@harmless(beside="otel/part-shape")
def members_of_its_own(draft: Seen) -> None:
    """Calls have a member of the instrumentation's own."""
    for part in draft.parts("tool_call"):
        part["index"] = 0


@harmless(beside="otel/part-shape")
def definitions_by_name_alone(draft: Seen) -> None:
    """Tool definitions have what they must have, and no description or parameters."""
    definitions = need(draft.output["tool_definitions"])
    draft.output["tool_definitions"] = [
        {"type": definition["type"], "name": definition["name"]} for definition in definitions
    ]


@harmless(target="openai_responses", beside="translation/call-name")
def names_with_their_namespace(draft: Seen) -> None:
    """Calls have the namespace of their tool in their name, as two servers have a tool of one name."""
    for part in need([part for part in draft.parts("tool_call") if part["name"] == "find_berth"]):
        part["name"] = "north_quay__find_berth"


@harmless(beside="otel/part-shape")
def no_tool_definitions(draft: Seen) -> None:
    """Tool definitions are not recorded: they are opt-in."""
    need(draft.output["tool_definitions"])
    draft.output["tool_definitions"] = []


@harmless(target="gemini", beside="otel/message-per-choice")
def texts_joined(draft: Seen) -> None:
    """Neighbouring texts of the reply are one part."""
    joined: list[dict[str, Any]] = []
    for part in draft.answers:
        if joined and part.keys() == joined[-1].keys() == {"type", "content"} and joined[-1]["type"] == part["type"]:
            joined[-1] = {**part, "content": joined[-1]["content"] + part["content"]}
        else:
            joined.append(part)
    need(len(joined) < len(draft.answers))
    draft.output["output_messages"][0]["parts"] = joined


@harmless(target=("anthropic", "gemini"), beside="translation/results-linked")
def results_of_the_tool(draft: Seen) -> None:
    """Messages that hold results alone have the role tool, where the API has them in the user's."""
    for message in draft.output["input_messages"]:
        if message["parts"] and all(part["type"] == "tool_call_response" for part in message["parts"]):
            message["role"] = "tool"


@harmless(beside="translation/result-content")
def response_in_an_object(draft: Seen) -> None:
    """What a tool returned stands in an object, under content."""
    part = draft.parts("tool_call_response")[-1]
    need(isinstance(part["response"], str) and part["response"].strip())
    part["response"] = {"content": part["response"]}


@harmless(target="gemini", beside="translation/results-linked")
def ids_for_calls_without(draft: Seen) -> None:
    """Calls and results without ids get some that agree."""
    calls = draft.parts("tool_call")
    answers = [part for message in draft.messages for part in message["parts"] if part["type"] == "tool_call_response"]
    need(not any("id" in part for part in [*calls, *answers]))
    need(len(calls) == len(answers) or not answers)
    for number, part in enumerate(calls):
        part["id"] = f"call_{number}"
    for number, part in enumerate(answers):
        part["id"] = f"call_{number}"
