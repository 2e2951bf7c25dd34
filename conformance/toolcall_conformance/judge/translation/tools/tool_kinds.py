"""The kind of tool that each declaration and each call is of: a function, free text, or a tool of the API's own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolcall_conformance.basics.findings import MISSING, Finding, OneOf, Words
from toolcall_conformance.basics.reading import Call, Reading, Tool
from toolcall_conformance.judge.translation.pair import Pair, Sides, describe_call, describe_tool
from toolcall_conformance.judge.translation.schemas.normal_schemas import BRANCH_KEYWORDS, may_be_text
from toolcall_conformance.judge.translation.tools.own_tools import find_own_tool


def compare_tool_kind(pair: Pair, tool: Tool, twin: Tool) -> Iterator[Finding]:
    """Report a free-text tool that lost its kind or grammar, or became a function that cannot take its text."""
    subject = describe_tool(tool)
    if tool.kind != twin.kind and pair.both_express("tool-custom"):
        yield pair.finding(
            "translation/tool-kind",
            twin.pointer,
            want=Words(tool.kind),
            got=Words(twin.kind),
            source=tool.pointer,
            subject=subject,
        )
    elif tool.kind == "custom" and twin.kind == "function":
        yield from _compare_text_parameter(pair, tool, twin)
    elif tool.kind != twin.kind:
        pair.accept("custom-tool-as-function", twin.pointer, tool.pointer, tool.kind, twin.kind)
    elif tool.kind == twin.kind == "custom" and tool.grammar != twin.grammar and pair.both_express("tool-grammar"):
        yield pair.finding(
            "translation/tool-grammar",
            twin.pointer,
            want=MISSING if tool.grammar is None else Words(" ".join(map(str, tool.grammar.values()))),
            got=MISSING if twin.grammar is None else twin.grammar,
            source=tool.pointer,
            subject=subject,
        )


def _compare_text_parameter(pair: Pair, tool: Tool, twin: Tool) -> Iterator[Finding]:
    """Report a function in place of a free-text tool that cannot take its text, or needs an undeclared one."""
    undeclared = _undeclared_parameter(twin.schema)
    if not undeclared and _takes_text(twin.schema):
        pair.accept("custom-tool-as-function", twin.pointer, tool.pointer, tool.kind, twin.kind)
    else:
        yield pair.finding(
            "translation/free-text-parameter",
            twin.schema_pointer or twin.pointer,
            f"a function that represents a free-text tool requires {undeclared}, which it does not declare"
            if undeclared
            else "",
            want=Words("a parameter that takes the text"),
            got=MISSING if twin.schema is None else twin.schema,
            source=tool.pointer,
            subject=describe_tool(tool),
        )


def _undeclared_parameter(schema: object) -> str:
    """Return the first required parameter, in quotes, that a schema with properties does not declare; or blank."""
    members = schema if isinstance(schema, dict) and not _may_declare_elsewhere(schema) else {}
    properties, required = members.get("properties"), members.get("required")
    if not (properties and isinstance(properties, dict) and isinstance(required, list)):
        return ""
    return next((repr(name) for name in required if name not in properties), "")


def _may_declare_elsewhere(schema: dict[str, Any]) -> bool:
    """Whether a schema may declare members elsewhere than in its properties."""
    return any(key in schema for key in (*BRANCH_KEYWORDS, "$ref", "patternProperties"))


def _takes_text(schema: object) -> bool:
    """Whether a schema has a property that may be a text."""
    properties = schema.get("properties") if isinstance(schema, dict) else None
    if not isinstance(properties, dict):
        return False
    return any(may_be_text(entry) for entry in properties.values())


def compare_call_kind(pair: Pair, left: Call, right: Call) -> Iterator[Finding]:
    """Report a reply's call of a tool in another kind or namespace than the client declared it in."""
    tools = [tool for tool in pair.client_tools if right.name is not None and _called_name(pair, tool) == right.name]
    groups = [tool.namespace for tool in tools]
    # The requests show the namespace of the call; without them it may be any with a tool of its name.
    is_group_known = (left.namespace, left.name) in pair.groups
    expected_groups = [pair.groups[left.namespace, left.name]] if is_group_known else groups
    if groups and None not in groups and right.namespace not in expected_groups:
        yield pair.finding(
            # Where only the namespace distinguishes tools of one name, the call is of none of them, or of another one.
            "translation/call-name" if is_group_known and len(set(groups)) > 1 else "translation/call-namespace",
            right.pointer if right.namespace is None else f"{right.pointer}/namespace",
            want=expected_groups[0] if len(expected_groups) == 1 else OneOf(tuple(expected_groups)),
            got=MISSING if right.namespace is None else right.namespace,
            source=left.pointer,
            subject=describe_call(left),
        )
    if len(tools) != 1:
        return
    kind = "builtin" if tools[0].kind == "hosted" else tools[0].kind
    if kind != right.kind:
        yield pair.finding(
            "translation/own-call-kind" if kind == "builtin" else "translation/call-kind",
            right.pointer,
            want=Words(kind),
            got=Words(right.kind),
            source=left.pointer,
            subject=describe_call(left),
        )


def _called_name(pair: Pair, tool: Tool) -> str | None:
    """Return the name by which the output's calls name a tool; None for the API's own whose calls have no kind."""
    if tool.kind != "hosted":
        return tool.name
    own_tool = find_own_tool(pair.corpus, pair.output, tool)
    return own_tool.called if own_tool is not None and own_tool.run_by == "client" else None


def compare_call_form(sides: Sides, request: Reading | None) -> Iterator[Finding]:
    """Report a single call under another key than the declared tools use; ``request`` is the client's request.

    The older of the two keys cannot hold several calls, so these may be under the newer one.
    """
    forms = {tool.form for tool in request.tools} if request is not None else set()
    if len(forms) != 1 or len(sides.output.calls) != 1:
        return
    (expected_form,), (call,) = forms, sides.output.calls
    if call.form != expected_form:
        yield sides.finding(
            "translation/call-form", call.pointer, want=expected_form, got=call.form, subject=call.name or ""
        )
