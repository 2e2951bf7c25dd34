"""Tool declarations: lost, renamed, or in another format's shape."""

from __future__ import annotations

import copy
import json

from doubles.catalogue import ANTHROPIC, CHAT, GEMINI, RESPONSES, broken, need
from doubles.draft import Draft
from doubles.wire import Tool, walk


def _not_chosen(draft: Draft) -> list[Tool]:
    """Tools that no tool choice names."""
    choice = json.dumps([draft.body.get("tool_choice"), draft.body.get("toolConfig")])
    return [tool for tool in draft.tools if f'"{tool.inner["name"]}"' not in choice]


@broken("tool-lost", rule="translation/tool-lost", check="request")
def tool_lost(draft: Draft) -> None:
    """The last of several tools is not declared."""
    need(len(draft.tools) > 1)
    # Anthropic cannot name a subset: there the tools that a choice leaves out may go.
    need(draft.format != ANTHROPIC or (draft.body.get("tool_choice") or {}).get("type") != "tool")
    need(_not_chosen(draft))[-1].remove()


@broken("tools-all-lost", rule="translation/tool-lost", check="request")
def tools_all_lost(draft: Draft) -> None:
    """No tool is declared any more."""
    need(draft.tools)
    for key in ("tools", "tool_choice", "toolConfig", "parallel_tool_calls"):
        draft.body.pop(key, None)


@broken("tool-invented", rule="translation/tool-invented", check="request")
def tool_invented(draft: Draft) -> None:
    """A tool is declared that the client does not have."""
    tool = need(draft.tools)[-1]
    tool.holder.append(copy.deepcopy(tool.entry))
    extra = draft.tools[-1].inner
    extra["name"], extra["description"] = "final_answer", "Give the final answer."


@broken("tool-description-lost", rule="translation/tool-description", check="request")
def tool_description_lost(draft: Draft) -> None:
    """Tools lost their description."""
    for tool in need([tool for tool in draft.tools if tool.inner.get("description")]):
        del tool.inner["description"]


@broken("tool-descriptions-exchanged", rule="translation/tool-description", check="request")
def tool_descriptions_exchanged(draft: Draft) -> None:
    """Two tools have each other's description."""
    need(len(draft.tools) > 1)
    one, two = draft.tools[0].inner, draft.tools[1].inner
    one["description"], two["description"] = two["description"], one["description"]


@broken("tool-description-cut", rule="translation/tool-description", check="request")
def tool_description_cut(draft: Draft) -> None:
    """A tool's description breaks off."""
    tool = need(draft.tools)[0]
    tool.inner["description"] = tool.inner["description"][:20]


@broken(
    "types-in-upper-case",
    rule={
        ANTHROPIC: ("anthropic/tool-schema-object", "anthropic/tool-schema-valid"),
        CHAT: ("openai_chat/tool-schema-root", "openai_chat/tool-schema-valid"),
        RESPONSES: ("openai_responses/tool-schema-root",),
    },
    check="request",
    target=(ANTHROPIC, CHAT, RESPONSES),
)
def types_in_upper_case(draft: Draft) -> None:
    """Gemini's upper-case type names leak into JSON Schema."""
    for tool in need(draft.tools):
        for schema in walk(tool.schema):
            if isinstance(schema.get("type"), str):
                schema["type"] = schema["type"].upper()


@broken("schema-as-text", rule={
    ANTHROPIC: ("anthropic/tool-has-schema", "anthropic/tool-schema-object"),
    CHAT: "openai_chat/tool-parameters",
    RESPONSES: ("openai_responses/tool-schema-root", "openai_responses/tool-flat", "openai_responses/shape"),
    GEMINI: ("gemini/json-schema-object", "gemini/schema-root-object", "gemini/shape"),
}, check="request")  # fmt: skip
def schema_as_text(draft: Draft) -> None:
    """Schemas are JSON text where the object belongs."""
    for tool in need(draft.tools):
        tool.schema = json.dumps(tool.schema)


@broken("schema-under-foreign-key", rule={
    ANTHROPIC: "anthropic/tool-has-schema",
    CHAT: ("openai_chat/foreign-key", "openai_chat/unknown-key", "translation/foreign-key"),
    RESPONSES: "openai_responses/tool-flat",
    GEMINI: "gemini/unknown-key",
}, check="request")  # fmt: skip
def schema_under_foreign_key(draft: Draft) -> None:
    """The schema stands under another format's key."""
    for tool in need(draft.tools):
        key = "parameters" if draft.format == ANTHROPIC else "input_schema"
        tool.inner[key] = tool.inner.pop(tool.schema_key)


@broken("tools-in-chat-shape", rule={
    ANTHROPIC: "anthropic/tool-shape",
    RESPONSES: "openai_responses/tool-flat",
    GEMINI: ("gemini/tool-in-declarations", "gemini/unknown-key"),
}, check="request", target=(ANTHROPIC, RESPONSES, GEMINI), sources=(ANTHROPIC, RESPONSES, GEMINI))  # fmt: skip
def tools_in_chat_shape(draft: Draft) -> None:
    """Tools are declared as Chat Completions does it, inside the key function."""
    draft.body["tools"] = [
        {"type": "function", "function": {
            "name": tool.inner["name"], "description": tool.inner["description"], "parameters": tool.schema,
        }}
        for tool in need(draft.tools)
    ]  # fmt: skip


@broken("tools-flat", rule="openai_chat/tool-nested", check="request", target=CHAT)
def tools_flat(draft: Draft) -> None:
    """Tools are declared as Responses does it, without the key function."""
    draft.body["tools"] = [{"type": "function", **tool.inner} for tool in need(draft.tools)]


@broken("tools-in-anthropic-shape", rule={
    CHAT: ("openai_chat/tool-nested", "openai_chat/tool-type"),
    RESPONSES: ("openai_responses/tool-flat", "openai_responses/tool-type"),
}, check="request", target=(CHAT, RESPONSES))  # fmt: skip
def tools_in_anthropic_shape(draft: Draft) -> None:
    """Tools are declared as Anthropic does it, with input_schema."""
    draft.body["tools"] = [
        {"name": tool.inner["name"], "description": tool.inner["description"], "input_schema": tool.schema}
        for tool in need(draft.tools)
    ]


@broken(
    "tools-without-container",
    rule=("gemini/tool-in-declarations", "gemini/unknown-key"),
    check="request",
    target=GEMINI,
)
def tools_without_container(draft: Draft) -> None:
    """Declarations stand in tools directly, without functionDeclarations."""
    draft.body["tools"] = [tool.inner for tool in need(draft.tools)]


@broken("tool-choice-in-declaration", rule="openai_responses/tool-flat", check="request", target=RESPONSES)
def tool_without_type(draft: Draft) -> None:
    """The name of a tool stands inside the key function, the rest beside it."""
    for tool in need(draft.tools):
        tool.entry["function"] = {"name": tool.entry.pop("name")}


@broken("free-text-tool-as-function", rule="translation/tool-kind", check="request", target=RESPONSES, sources=(CHAT,))
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


@broken(
    "json-schema-as-parameters", rule=("gemini/schema-keyword", "gemini/schema-type"), check="request", target=GEMINI
)
def json_schema_as_parameters(draft: Draft) -> None:
    """A JSON Schema stands under parameters, which takes only a part of it."""
    for tool in need(draft.tools):
        schema = tool.inner.pop(tool.schema_key, {"type": "object"})
        tool.inner["parameters"] = {"$schema": "http://json-schema.org/draft-07/schema#", **schema}
        for entry in walk(tool.inner["parameters"]):
            if "type" in entry:
                entry["type"] = [str(entry["type"]).lower(), "null"]


@broken("both-schemas", rule="gemini/declaration-one-schema", check="request", target=GEMINI)
def both_schemas(draft: Draft) -> None:
    """A declaration has both parameters and parametersJsonSchema."""
    for tool in need(draft.tools):
        schema = tool.schema
        tool.inner["parameters"] = tool.inner["parametersJsonSchema"] = schema


@broken("tool-name-illegal", rule={
    ANTHROPIC: "anthropic/tool-name",
    CHAT: "openai_chat/tool-name",
    RESPONSES: "openai_responses/tool-name",
    GEMINI: ("gemini/name-charset", "gemini/declaration-name"),
}, check="request")  # fmt: skip
def tool_name_illegal(draft: Draft) -> None:
    """Names of tools have characters that the provider does not take."""
    for tool in need(draft.tools):
        tool.inner["name"] = "fs/" + tool.inner["name"]
