"""Declarations of tools that are many, bare, long or gone."""

from __future__ import annotations

from typing import Any

from doubles.body import ANTHROPIC, CHAT, GEMINI, RESPONSES, broken, harmless, need, warning
from doubles.draft import Draft
from doubles.wire import Tool

LIMIT = 1024
NULL = ("declarations/null-parameters",)


def _take_out(draft: Draft, tools: list[Tool]) -> None:
    need(not draft.body.keys() & {"tool_choice", "toolConfig"})  # a choice may name one of them
    for tool in need(tools):
        tool.remove()


@warning(
    "gemini/functions-in-one-tool", target=GEMINI, cases=("parallel/recorded-shape", "declarations/fourteen-tools")
)
def one_entry_for_each_function(draft: Draft) -> None:
    """Every function stands in an entry of tools of its own."""
    need(len(draft.tools) > 1)
    draft.body["tools"] = [{"functionDeclarations": [tool.inner]} for tool in draft.tools]


@broken("translation/tool-lost", cases=("declarations/fourteen-tools",))
def tools_behind_the_tenth_dropped(draft: Draft) -> None:
    """Only the first ten tools are declared."""
    _take_out(draft, draft.tools[10:])


@broken(
    "translation/tool-lost",
    sources=(ANTHROPIC,),
    target=(CHAT, RESPONSES, GEMINI),
    cases=("declarations/fourteen-tools",),
)
def tools_without_a_type_dropped(draft: Draft) -> None:
    """Tools that do not say that they are custom ones are not declared."""
    untyped = [tool.get("name") for tool in draft.source.get("tools", []) if "type" not in tool]
    _take_out(draft, [tool for tool in draft.tools if tool.inner["name"] in untyped])


@broken("translation/tool-lost", cases=("declarations/fourteen-tools",))
def tools_gone_behind_results(draft: Draft) -> None:
    """A request that gives results declares no tools any more."""
    need(draft.results)
    for key in ("tools", "tool_choice", "toolConfig", "parallel_tool_calls"):
        draft.body.pop(key, None)


@broken(
    "translation/tool-lost",
    sources=(GEMINI,),
    target=(ANTHROPIC, CHAT, RESPONSES),
    cases=("declarations/an-entry-for-each",),
)
def entries_behind_the_first_dropped(draft: Draft) -> None:
    """Only the functions of the first entry of tools are declared."""
    entries = [entry.get("functionDeclarations", []) for entry in draft.source.get("tools", [])]
    groups: list[list[dict[str, Any]]] = [functions for functions in entries if functions]
    later = [function["name"] for functions in groups[1:] for function in functions]
    _take_out(draft, [tool for tool in draft.tools if tool.inner["name"] in later])


@broken("translation/tool-lost", cases=("declarations/bare",))
def bare_tools_dropped(draft: Draft) -> None:
    """Tools without a description or without parameters are not declared."""
    _take_out(
        draft,
        [tool for tool in draft.tools if not tool.schema.get("properties") or not tool.inner.get("description")],
    )


@broken("translation/tool-lost", sources=(CHAT,), target=(ANTHROPIC, RESPONSES, GEMINI), cases=NULL)
def tools_with_null_parameters_dropped(draft: Draft) -> None:
    """A tool whose parameters are null is none."""
    functions = [tool["function"] for tool in draft.source["tools"]]
    null = [function["name"] for function in functions if function.get("parameters", {}) is None]
    _take_out(draft, [tool for tool in draft.tools if tool.inner["name"] in null])


@broken("anthropic/tool-has-schema", sources=(CHAT,), target=(ANTHROPIC,), cases=NULL)
def null_parameters_passed_on(draft: Draft) -> None:
    """Parameters that are null, which Chat takes, are the schema of a tool for an API that needs one."""
    functions = {tool["function"]["name"]: tool["function"] for tool in draft.source["tools"]}
    for tool in draft.tools:
        if functions[tool.inner["name"]].get("parameters", {}) is None:
            tool.inner["input_schema"] = None


@broken("translation/tool-description", cases=("declarations/long-description",))
def description_cut_at_a_limit(draft: Draft) -> None:
    """A description was cut behind 1,024 characters."""
    for tool in need([tool for tool in draft.tools if len(tool.inner.get("description", "")) > LIMIT]):
        tool.inner["description"] = tool.inner["description"][:LIMIT]


@broken("translation/call-lost", cases=("declarations/calls-without-tools",))
def undeclared_calls_dropped(draft: Draft) -> None:
    """Calls of tools that are not declared, and their results, were taken out of the history."""
    for handle in need([*draft.results, *draft.calls]):
        handle.remove()
    draft.tidy()


@broken("translation/tool-invented", cases=("declarations/calls-without-tools",))
def stand_in_tool_declared(draft: Draft) -> None:
    """A tool that the client does not have was declared, for none was."""
    need(not draft.body.get("tools"))
    schema = {"type": "object", "properties": {}}
    draft.body["tools"] = [_declared(draft.format, schema)]


def _declared(format_name: str, schema: dict[str, Any]) -> dict[str, Any]:
    declaration = {"name": "dummy_tool", "description": "Does nothing."}
    if format_name == ANTHROPIC:
        return {**declaration, "input_schema": schema}
    if format_name == CHAT:
        return {"type": "function", "function": {**declaration, "parameters": schema}}
    if format_name == RESPONSES:
        return {"type": "function", **declaration, "parameters": schema, "strict": False}
    return {"functionDeclarations": [declaration]}


@harmless(target=(ANTHROPIC, GEMINI), cases=("declarations/calls-without-tools",), beside="translation/tool-invented")
def no_tools_said_aloud(draft: Draft) -> None:
    """That there are no tools is said by an empty list."""
    need("tools" not in draft.body)
    draft.body["tools"] = []


@harmless(cases=("declarations/bare",), beside=("translation/tool-description", "translation/tool-lost"))
def blank_description_added(draft: Draft) -> None:
    """A tool without a description has an empty one."""
    for tool in need([tool for tool in draft.tools if not tool.inner.get("description")]):
        tool.inner["description"] = ""


@harmless(
    target=(ANTHROPIC, CHAT, GEMINI), cases=("declarations/bare", *NULL), beside="translation/schema-property-lost"
)
def no_parameters_in_other_words(draft: Draft) -> None:
    """A tool without parameters has a schema without any."""
    hit = False
    for tool in draft.tools:
        if not tool.schema.get("properties"):
            key = "parametersJsonSchema" if draft.format == GEMINI else tool.schema_key
            tool.inner[key], hit = {"type": "object", "properties": {}, "required": []}, True
    need(hit)


@broken("translation/tool-lost", cases=("declarations/blank",))
def blank_tools_dropped(draft: Draft) -> None:
    """A tool whose description is an empty text is taken for none, and is not declared."""
    _take_out(draft, [tool for tool in draft.tools if not tool.inner.get("description")][:1])


@broken("anthropic/tool-schema-object", sources=(RESPONSES,), cases=("declarations/blank",))
def empty_parameters_copied(draft: Draft) -> None:
    """An empty object in the place of the parameters is copied as it is."""
    for tool, declaration in zip(draft.tools, draft.source["tools"], strict=True):
        tool.inner["input_schema"] = declaration["parameters"]


@harmless(cases=("declarations/blank",), beside="translation/tool-description")
def blank_descriptions_repeated(draft: Draft) -> None:
    """A description that is an empty text is written as one."""
    for tool in need([tool for tool in draft.tools if not tool.inner.get("description")]):
        tool.inner["description"] = ""
