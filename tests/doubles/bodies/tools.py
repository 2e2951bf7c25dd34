"""Tool declarations: lost, renamed, in another shape of theirs, and in other words that say the same."""

from __future__ import annotations

import copy
import json
from typing import Any

from doubles.body import ANTHROPIC, CHAT, GEMINI, RESPONSES, broken, harmless, need, warning
from doubles.draft import Draft
from doubles.wire import Tool, walk


def _not_chosen(draft: Draft) -> list[Tool]:
    """Tools that no tool choice names."""
    choice = json.dumps([draft.body.get("tool_choice"), draft.body.get("toolConfig")])
    return [tool for tool in draft.tools if f'"{tool.inner["name"]}"' not in choice]


@broken("translation/tool-lost")
def tool_lost(draft: Draft) -> None:
    """The last of several tools is not declared."""
    need(len(draft.tools) > 1)
    # Anthropic cannot name a subset: there the tools that a choice leaves out may go.
    need(draft.format != ANTHROPIC or (draft.body.get("tool_choice") or {}).get("type") != "tool")
    need(_not_chosen(draft))[-1].remove()


@broken("translation/tool-lost")
def tools_all_lost(draft: Draft) -> None:
    """No tool is declared any more."""
    need(draft.tools)
    for key in ("tools", "tool_choice", "toolConfig", "parallel_tool_calls"):
        draft.body.pop(key, None)


@broken("translation/tool-invented")
def tool_invented(draft: Draft) -> None:
    """A tool is declared that the client does not have."""
    tool = need(draft.tools)[-1]
    tool.holder.append(copy.deepcopy(tool.entry))
    extra = draft.tools[-1].inner
    extra["name"], extra["description"] = "final_answer", "Give the final answer."


@broken("translation/tool-description")
def tool_description_lost(draft: Draft) -> None:
    """Tools lost their description."""
    for tool in need([tool for tool in draft.tools if tool.inner.get("description")]):
        del tool.inner["description"]


@broken("translation/tool-description")
def tool_descriptions_exchanged(draft: Draft) -> None:
    """Two tools have each other's description."""
    described = [tool.inner for tool in draft.tools if tool.inner.get("description")]
    need(len(described) > 1)
    first, second = described[:2]
    first["description"], second["description"] = second["description"], first["description"]


@broken("translation/tool-description")
def tool_description_cut(draft: Draft) -> None:
    """A tool's description breaks off."""
    tool = need([tool.inner for tool in draft.tools if tool.inner.get("description")])[0]
    tool["description"] = tool["description"][:20]


@broken(
    {
        ANTHROPIC: ("anthropic/tool-schema-object", "anthropic/tool-schema-valid"),
        CHAT: ("openai_chat/tool-schema-root", "openai_chat/tool-schema-valid"),
        RESPONSES: ("openai_responses/tool-schema-root",),
    }
)
def types_in_upper_case(draft: Draft) -> None:
    """Gemini's upper-case type names leak into JSON Schema."""
    for tool in need(draft.tools):
        for schema in walk(tool.schema):
            if isinstance(schema.get("type"), str):
                schema["type"] = schema["type"].upper()


@broken(
    {
        ANTHROPIC: ("anthropic/tool-has-schema", "anthropic/tool-schema-object"),
        CHAT: "openai_chat/tool-parameters",
        RESPONSES: ("openai_responses/tool-schema-root", "openai_responses/tool-flat", "openai_responses/shape"),
        GEMINI: ("gemini/json-schema-object", "gemini/schema-root-object", "gemini/shape"),
    }
)
def schema_as_text(draft: Draft) -> None:
    """Schemas are JSON text where the object belongs."""
    for tool in need(draft.tools):
        tool.schema = json.dumps(tool.schema)


@broken(
    {
        ANTHROPIC: "anthropic/tool-has-schema",
        CHAT: ("openai_chat/foreign-key", "openai_chat/unknown-key", "translation/foreign-key"),
        RESPONSES: "openai_responses/tool-flat",
        GEMINI: "gemini/unknown-key",
    }
)
def schema_under_foreign_key(draft: Draft) -> None:
    """The schema stands under another format's key."""
    for tool in need(draft.tools):
        key = "parameters" if draft.format == ANTHROPIC else "input_schema"
        tool.inner[key] = need(tool.inner.pop(tool.schema_key, None))


@broken(
    {
        ANTHROPIC: "anthropic/tool-shape",
        RESPONSES: "openai_responses/tool-flat",
        GEMINI: ("gemini/tool-in-declarations", "gemini/unknown-key"),
    },
    sources=(ANTHROPIC, RESPONSES, GEMINI),
)
def tools_in_chat_shape(draft: Draft) -> None:
    """Tools are declared as Chat Completions does it, inside the key function."""
    draft.body["tools"] = [
        {"type": "function", "function": {
            "name": tool.inner["name"], "description": tool.inner.get("description"), "parameters": tool.schema,
        }}
        for tool in need(draft.tools)
    ]  # fmt: skip


@broken("openai_chat/tool-nested")
def tools_flat(draft: Draft) -> None:
    """Tools are declared as Responses does it, without the key function."""
    draft.body["tools"] = [{"type": "function", **tool.inner} for tool in need(draft.tools)]


@broken(
    {
        CHAT: ("openai_chat/tool-nested", "openai_chat/tool-type"),
        RESPONSES: ("openai_responses/tool-flat", "openai_responses/tool-type"),
    }
)
def tools_in_anthropic_shape(draft: Draft) -> None:
    """Tools are declared as Anthropic does it, with input_schema."""
    draft.body["tools"] = [
        {"name": tool.inner["name"], "description": tool.inner.get("description"), "input_schema": tool.schema}
        for tool in need(draft.tools)
    ]


@broken(("gemini/tool-in-declarations", "gemini/unknown-key"))
def tools_without_container(draft: Draft) -> None:
    """Declarations stand in tools directly, without functionDeclarations."""
    draft.body["tools"] = [tool.inner for tool in need(draft.tools)]


@broken("openai_responses/tool-flat")
def tool_choice_in_declaration(draft: Draft) -> None:
    """The name of a tool stands inside the key function, the rest beside it."""
    for tool in need(draft.tools):
        tool.entry["function"] = {"name": tool.entry.pop("name")}


@broken("translation/tool-kind", target=RESPONSES, sources=(CHAT,))
def free_text_tool_as_function(draft: Draft) -> None:
    """A free-text tool became a function though the target has free-text tools."""
    hit = False
    for index, tool in enumerate(draft.body.get("tools") or []):
        if tool["type"] == "custom":
            inner = tool.get("custom", tool)
            function = {
                "name": inner["name"],
                "description": inner.get("description", ""),
                "parameters": {"type": "object", "properties": {"input": {"type": "string"}}, "required": ["input"]},
            }
            flat = {"type": "function", "strict": False, **function}
            draft.body["tools"][index] = {"type": "function", "function": function} if draft.format == CHAT else flat
            hit = True
    need(hit)


@broken(("gemini/schema-keyword", "gemini/schema-type"))
def json_schema_as_parameters(draft: Draft) -> None:
    """A JSON Schema stands under parameters, which takes only a part of it."""
    for tool in need(draft.tools):
        schema = tool.inner.pop(tool.schema_key, {"type": "object"})
        tool.inner["parameters"] = {"$schema": "http://json-schema.org/draft-07/schema#", **schema}
        for entry in walk(tool.inner["parameters"]):
            if "type" in entry:
                entry["type"] = [str(entry["type"]).lower(), "null"]


@broken("gemini/declaration-one-schema")
def both_schemas(draft: Draft) -> None:
    """A declaration has both parameters and parametersJsonSchema."""
    for tool in need(draft.tools):
        schema = tool.schema
        tool.inner["parameters"] = tool.inner["parametersJsonSchema"] = schema


@broken(
    {
        ANTHROPIC: "anthropic/tool-name",
        CHAT: "openai_chat/tool-name",
        RESPONSES: "openai_responses/tool-name",
        GEMINI: ("gemini/name-charset", "gemini/declaration-name"),
    }
)
def tool_name_illegal(draft: Draft) -> None:
    """Names of tools have characters that the provider does not take."""
    for tool in need(draft.tools):
        tool.inner["name"] = "fs/" + tool.inner["name"]


@harmless(target=ANTHROPIC, beside="anthropic/tool-shape")
def type_custom(draft: Draft) -> None:
    """Tools say the type custom, which is the default."""
    for tool in need(draft.tools):
        tool.entry["type"] = "custom"


@harmless(target=(ANTHROPIC, CHAT))
def strict_false(draft: Draft) -> None:
    """Tools say that they are not strict, which is the default."""
    for tool in need([tool for tool in draft.tools if "strict" not in tool.inner]):
        tool.inner["strict"] = False


@harmless(
    target=GEMINI,
    beside=("gemini/tool-in-declarations", "translation/tool-lost"),
    warns="gemini/functions-in-one-tool",
)
def declarations_in_several_containers(draft: Draft) -> None:
    """Each declaration has a container of its own."""
    need(len(draft.tools) > 1)
    draft.body["tools"] = [{"functionDeclarations": [tool.inner]} for tool in draft.tools]


@harmless(beside="translation/tool-lost")
def tools_in_other_order(draft: Draft) -> None:
    """Tools are declared in another order."""
    need(len(draft.tools) > 1)
    holder = draft.tools[0].holder
    holder.reverse()


@harmless(target=GEMINI, beside="gemini/unknown-key")
def snake_case(draft: Draft) -> None:
    """Keys are spelt in snake_case, which proto-JSON takes."""
    draft.body = _snake(draft.body)


def _snake(value: Any) -> Any:
    if isinstance(value, list):
        return [_snake(entry) for entry in value]
    if not isinstance(value, dict):
        return value
    free = ("args", "response", "parametersJsonSchema", "properties")  # their keys are the user's own
    return {SNAKE.get(key, key): entry if key in free else _snake(entry) for key, entry in value.items()}


SNAKE = {
    "systemInstruction": "system_instruction",
    "generationConfig": "generation_config",
    "maxOutputTokens": "max_output_tokens",
    "stopSequences": "stop_sequences",
    "topP": "top_p",
    "topK": "top_k",
    "frequencyPenalty": "frequency_penalty",
    "presencePenalty": "presence_penalty",
    "toolConfig": "tool_config",
    "functionCallingConfig": "function_calling_config",
    "allowedFunctionNames": "allowed_function_names",
    "functionDeclarations": "function_declarations",
    "parametersJsonSchema": "parameters_json_schema",
    "functionCall": "function_call",
    "functionResponse": "function_response",
    "inlineData": "inline_data",
    "mimeType": "mime_type",
    "thoughtSignature": "thought_signature",
}


@warning("translation/tool-name-kept")
def tool_renamed(draft: Draft) -> None:
    """Tools have another name, the same in declaration and history."""
    need(not draft.body.get("toolConfig") and draft.body.get("tool_choice") in (None, "auto", {"type": "auto"}))
    names = {tool.inner["name"]: tool.inner["name"] + "_x" for tool in need(draft.tools)}
    need(all(call.name in names for call in draft.calls))
    for handle in [*draft.tools, *draft.calls]:
        handle.inner["name"] = names[handle.inner["name"]]
    if draft.format == GEMINI:
        for result in draft.results:
            result.inner["name"] = names[result.inner["name"]]


@warning("translation/tool-strict", target=(ANTHROPIC, CHAT, RESPONSES))
def tool_strict_lost(draft: Draft) -> None:
    """Strict tools are not strict any more."""
    for tool in need([tool for tool in draft.tools if tool.inner.get("strict")]):
        if draft.format == RESPONSES:
            tool.inner["strict"] = False
        else:
            del tool.inner["strict"]


OWN = ("translation/hosted-tool-as-function", "translation/hosted-tool-lost")


def _own(draft: Draft, kind: str) -> dict[str, Any]:
    """The declaration of a type, beside which others stand."""
    tools = draft.body["tools"]
    return need(next((tool for tool in tools if tool["type"] == kind), None))


@broken("translation/tool-lost", target=RESPONSES, sources=(ANTHROPIC,), cases=OWN)
def shell_dropped(draft: Draft) -> None:
    """A shell that its API defines and the client runs is not declared any more."""
    draft.body["tools"].remove(_own(draft, "function"))


@harmless(
    target=RESPONSES, sources=(ANTHROPIC,), cases=OWN, beside=("translation/tool-invented", "translation/tool-lost")
)
def shell_as_own_shell(draft: Draft) -> None:
    """A shell that its API defines is the target's own."""
    draft.body["tools"].remove(_own(draft, "function"))
    draft.body["tools"].append({"type": "shell", "environment": {"type": "local"}})


@harmless(target=RESPONSES, sources=(ANTHROPIC,), cases=OWN, beside="translation/tool-invented")
def shell_under_another_name(draft: Draft) -> None:
    """A shell that its API defines is a function of another name."""
    _own(draft, "function")["name"] = "run_command"


@warning("translation/hosted-tool-lost", target=RESPONSES, sources=(ANTHROPIC,), cases=OWN)
def search_dropped(draft: Draft) -> None:
    """A search that the provider runs is silently gone."""
    draft.body["tools"].remove(_own(draft, "web_search"))


@warning("translation/hosted-tool-as-function", target=RESPONSES, sources=(ANTHROPIC,), cases=OWN)
def search_as_function(draft: Draft) -> None:
    """A search that the provider runs is a function, which the client does not have."""
    search = _own(draft, "web_search")
    schema = {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}
    search.update({"type": "function", "name": "web_search", "parameters": schema, "strict": False})
