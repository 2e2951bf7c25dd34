"""Tools that take free text: declared, called and answered in another kind, or with text that is no longer the text."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from doubles import wire
from doubles.body import ANTHROPIC, CHAT, GEMINI, RESPONSES, broken, harmless, need
from doubles.draft import Draft, copied

OPENAI = (CHAT, RESPONSES)
OTHERS = (ANTHROPIC, GEMINI)
JSON = ("free_form/json-input",)


def free_names(draft: Draft, *, from_request: bool = False) -> set[str]:
    """The free-text tools of the client's request."""
    declared = (draft.asked if from_request else draft.source).get("tools") or []
    return {tool.get("custom", tool)["name"] for tool in declared if tool.get("type") == "custom"}


def custom_tools(draft: Draft) -> list[dict[str, Any]]:
    """The declarations of free-text tools in a request of OpenAI's formats: what has name and format."""
    return [tool.get("custom", tool) for tool in draft.body.get("tools") or [] if tool.get("type") == "custom"]


def custom_calls(draft: Draft) -> Iterator[dict[str, Any]]:
    """The calls of free-text tools in a body of OpenAI's formats: the item, or the entry of tool_calls."""
    for message in draft.messages:
        if message.get("type") == "custom_tool_call":
            yield message
        yield from (call for call in message.get("tool_calls") or [] if call.get("type") == "custom")


def standing(draft: Draft) -> list[wire.Tool]:
    """The functions that stand for the source's free-text tools."""
    free = free_names(draft)
    return [tool for tool in wire.tools(draft.format, draft.body) if tool.inner["name"] in free]


@broken("translation/tool-lost", target=OTHERS, sources=OPENAI, fault="free-text-tool-dropped")
def tool_dropped(draft: Draft) -> None:
    """Free-text tools are not declared."""
    tools = need(standing(draft))
    for tool in tools:
        tool.remove()
    draft.body.pop("tool_choice", None)
    draft.body.pop("toolConfig", None)


@broken("translation/free-text-parameter", target=OTHERS, sources=OPENAI)
def free_text_without_parameter(draft: Draft) -> None:
    """The function that stands for a free-text tool has no parameters."""
    for tool in need(standing(draft)):
        tool.schema = {"type": "object", "properties": {}}


@broken("translation/free-text-parameter", target=OTHERS, sources=OPENAI)
def free_text_requires_another(draft: Draft) -> None:
    """The function that stands for a free-text tool requires a parameter that it does not declare."""
    for tool in need(standing(draft)):
        tool.schema = {"type": "object", "properties": {"input": {"type": "string"}}, "required": ["command"]}


@harmless(
    target=OTHERS,
    sources=OPENAI,
    beside=("translation/free-text-parameter", "translation/tool-kind", "translation/arguments"),
)
def free_text_under_another_key(draft: Draft) -> None:
    """The text of a free-text tool stands under content."""
    names = {tool.inner["name"] for tool in need(standing(draft))}
    for tool in standing(draft):
        tool.schema = {"type": "object", "properties": {"content": {"type": "string"}}, "required": ["content"]}
    for call in draft.calls:
        if call.name in names:
            call.arguments = {"content": call.arguments["input"]}


@harmless(target=OTHERS, sources=OPENAI, beside="translation/free-text-parameter")
def free_text_not_required(draft: Draft) -> None:
    """The function that stands for a free-text tool requires none of its parameters."""
    for tool in need(standing(draft)):
        tool.schema = {"type": "object", "properties": {"input": {"type": "string"}}, "required": []}


@harmless(target=GEMINI, sources=OPENAI, beside="translation/free-text-parameter")
def free_text_in_gemini_types(draft: Draft) -> None:
    """A function that stands for a free-text tool is declared under parameters, with types in capitals."""
    for tool in need(standing(draft)):
        tool.inner.pop("parametersJsonSchema", None)
        properties = {"input": {"type": "STRING"}}
        tool.inner["parameters"] = {"type": "OBJECT", "properties": properties, "required": ["input"]}


@harmless(target=OTHERS, sources=OPENAI, beside="translation/tool-grammar")
def grammar_in_words(draft: Draft) -> None:
    """The description of a function that stands for a free-text tool tells of the grammar."""
    for tool in need(standing(draft)):
        tool.inner["description"] += " The input must fit the grammar that you know."


@broken("translation/tool-grammar", target=OPENAI, sources=OPENAI)
def grammar_dropped(draft: Draft) -> None:
    """A free-text tool takes any text."""
    for tool in need([tool for tool in custom_tools(draft) if tool.get("format", {}).get("type") == "grammar"]):
        del tool["format"]


@broken("translation/tool-grammar", target=OPENAI, sources=OPENAI)
def grammar_of_another_syntax(draft: Draft) -> None:
    """A regular expression is said to be a Lark grammar, and the other way round."""
    for tool in need([tool for tool in custom_tools(draft) if tool.get("format", {}).get("type") == "grammar"]):
        holder = tool["format"].get("grammar", tool["format"])
        holder["syntax"] = {"lark": "regex", "regex": "lark"}[holder["syntax"]]


@broken(
    {CHAT: "openai_chat/custom-tool", RESPONSES: "openai_responses/custom-tool-format"},
    sources=OPENAI,
)
def grammar_in_the_other_shape(draft: Draft) -> None:
    """The grammar of a free-text tool stands where the other format of OpenAI's has it."""
    for tool in need([tool for tool in custom_tools(draft) if tool.get("format", {}).get("type") == "grammar"]):
        inner = tool["format"].get("grammar")
        rest = {key: tool["format"][key] for key in ("syntax", "definition") if key in tool["format"]}
        tool["format"] = {"type": "grammar", **inner} if inner else {"type": "grammar", "grammar": rest}


@harmless(
    target=OPENAI,
    sources=OPENAI,
    beside={
        CHAT: ("openai_chat/custom-tool", "translation/tool-grammar", "translation/tool-kind"),
        RESPONSES: ("openai_responses/custom-tool-format", "translation/tool-grammar", "translation/tool-kind"),
    },
)
def format_text_said(draft: Draft) -> None:
    """A free-text tool without a grammar says so, or does not say it."""
    for tool in need([tool for tool in custom_tools(draft) if tool.get("format", {}).get("type") != "grammar"]):
        if "format" in tool:
            del tool["format"]
        else:
            tool["format"] = {"type": "text"}


@broken(
    {CHAT: "openai_chat/custom-call", RESPONSES: "openai_responses/custom-call-input"},
    sources=OPENAI,
)
def input_as_arguments(draft: Draft) -> None:
    """The text of a free-text call stands under arguments."""
    for call in need(list(custom_calls(draft))):
        inner = call.get("custom", call)
        inner["arguments"] = inner.pop("input")


@broken({CHAT: "openai_chat/custom-call"}, sources=OPENAI)
def custom_call_in_function(draft: Draft) -> None:
    """A call of type custom has its name and text under function."""
    for call in need(list(custom_calls(draft))):
        inner = call.pop("custom")
        call["function"] = {"name": inner["name"], "arguments": inner["input"]}


@harmless(target=RESPONSES, sources=OPENAI, beside="openai_responses/custom-call-input")
def custom_call_with_status(draft: Draft) -> None:
    """A free-text call in the history has an id of its own and a status."""
    for place, call in enumerate(need(list(custom_calls(draft)))):
        call["id"], call["status"] = f"ctc_6a3f{place:044d}", "completed"


@harmless(target=CHAT, sources=OPENAI, beside="openai_chat/custom-call")
def custom_call_with_content(draft: Draft) -> None:
    """A message with a free-text call says null as its content, or nothing."""
    free = list(custom_calls(draft))
    for message in need(
        [message for message in draft.messages if any(call in free for call in message.get("tool_calls", ()))]
    ):
        if message.get("content"):
            continue
        if "content" in message:
            del message["content"]
        else:
            message["content"] = None


@broken(
    "translation/call-kind",
    check="response",
    target=OPENAI,
    sources=OTHERS,
)
def custom_call_as_function(draft: Draft) -> None:
    """The call of a free-text tool is given to the client as that of a function."""
    for call in need(list(custom_calls(draft))):
        as_function(call)


def as_function(call: dict[str, Any]) -> None:
    """Make a call of a function of one that takes free text."""
    inner = call.pop("custom", call)
    arguments = json.dumps({"input": inner.pop("input")}, ensure_ascii=False)
    if "call_id" in call:
        call["type"], call["id"] = "function_call", "fc" + str(call["id"]).removeprefix("ctc")
        call["arguments"] = arguments
    else:
        call["type"], call["function"] = "function", {"name": inner["name"], "arguments": arguments}


@broken("translation/call-kind", check="response", target=OPENAI)
def function_call_as_custom(draft: Draft) -> None:
    """The call of a function is given to the client as one of free text, its arguments as they are."""
    free = free_names(draft, from_request=True)
    own = {tool.get("type") for tool in draft.asked.get("tools") or []} - {"function", "custom"}
    need(not own)
    for call in need([call for call in draft.calls if call.name not in free and isinstance(call.raw, str)]):
        if draft.format == CHAT:
            call.entry["type"], inner = "custom", call.entry.pop("function")
            call.entry["custom"] = {"name": inner["name"], "input": inner["arguments"]}
        else:
            call.entry["type"] = "custom_tool_call"
            call.entry["id"] = "ctc" + str(call.entry["id"]).removeprefix("fc")
            call.entry["input"] = call.entry.pop("arguments")


@harmless(check="response", target=RESPONSES, sources=OTHERS, beside="translation/call-kind")
def custom_call_without_status(draft: Draft) -> None:
    """The call of a free-text tool says nothing of its status."""
    for call in need(list(custom_calls(draft))):
        del call["status"]


@broken("translation/arguments", check="response", target=OPENAI, sources=OTHERS, cases=JSON)
def input_unwrapped_twice(draft: Draft) -> None:
    """A text that is an object with the key input is unwrapped as well."""
    for call in custom_calls(draft):
        inner = call.get("custom", call)
        arguments = json.loads(inner["input"])
        need(isinstance(arguments, dict))
        inner["input"] = arguments["input"]


@broken("translation/arguments", target=OTHERS, sources=OPENAI, cases=JSON)
def input_as_value(draft: Draft) -> None:
    """A free text that is JSON is passed on as the value that it says."""
    for call in need(draft.calls):
        call.arguments = {"input": json.loads(call.arguments["input"])}


@broken("translation/arguments", check="response", target=OPENAI, cases=("free_form/text", "free_form/beside-function"))
def input_trimmed(draft: Draft) -> None:
    """The line end behind the last line of a free text is cut off."""
    before = copied(draft.body)
    for call in custom_calls(draft):
        inner = call.get("custom", call)
        inner["input"] = inner["input"].rstrip()
    need(before != draft.body)
