"""The kind of tool that each declaration and each call is of: a function, free text, or a tool of the API's own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolcall_conformance.basics.findings import MISSING, Finding, OneOf, Words
from toolcall_conformance.basics.reading import Call, Reading, Tool
from toolcall_conformance.judge.translation.pair import Pair, Sides, describe_call, describe_tool
from toolcall_conformance.judge.translation.schemas.normal_schemas import BRANCH_KEYWORDS, may_be_text
from toolcall_conformance.judge.translation.tools.own_tools import own_tool


def compare_kind(pair: Pair, tool: Tool, twin: Tool) -> Iterator[Finding]:
    """Whether a free-text tool stayed one, with its grammar, or became a function that takes its text."""
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
        yield from _compare_parameters(pair, tool, twin)
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


def _compare_parameters(pair: Pair, tool: Tool, twin: Tool) -> Iterator[Finding]:
    """Whether a function that stands for a free-text tool takes its text, and needs nothing that is not declared."""
    undeclared = _undeclared(twin.schema)
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


def _undeclared(schema: object) -> str:
    """The first required parameter, in quotes, that a schema with properties does not declare; or empty."""
    members = schema if isinstance(schema, dict) and not _says_more(schema) else {}
    properties, required = members.get("properties"), members.get("required")
    if not (properties and isinstance(properties, dict) and isinstance(required, list)):
        return ""
    return next((repr(name) for name in required if name not in properties), "")


def _says_more(schema: dict[str, Any]) -> bool:
    """Whether a schema may declare members elsewhere than in its properties."""
    return any(key in schema for key in (*BRANCH_KEYWORDS, "$ref", "patternProperties"))


def _takes_text(schema: object) -> bool:
    """Whether a schema has a property that may be a text."""
    properties = schema.get("properties") if isinstance(schema, dict) else None
    if not isinstance(properties, dict):
        return False
    return any(may_be_text(entry) for entry in properties.values())


def compare_call_kind(pair: Pair, left: Call, right: Call) -> Iterator[Finding]:
    """Whether a reply calls a tool in the kind and the group in which the client declared it."""
    tools = [tool for tool in pair.client_tools if right.name is not None and _name(pair, tool) == right.name]
    groups = [tool.namespace for tool in tools]
    # By the requests the call is one of this group's; without them it may be one of any that has its name.
    known = (left.namespace, left.name) in pair.groups
    wanted = [pair.groups[left.namespace, left.name]] if known else groups
    if groups and None not in groups and right.namespace not in wanted:
        yield pair.finding(
            # Where only the namespace tells tools of one name apart, the call is none of them, or another one's.
            "translation/call-name" if known and len(set(groups)) > 1 else "translation/call-namespace",
            right.pointer if right.namespace is None else f"{right.pointer}/namespace",
            want=wanted[0] if len(wanted) == 1 else OneOf(tuple(wanted)),
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


def _name(pair: Pair, tool: Tool) -> str | None:
    """The name by which calls in the output name a tool; None for those of the API's whose calls have no kind."""
    if tool.kind != "hosted":
        return tool.name
    own = own_tool(pair.corpus, pair.output, tool)
    return own.called if own is not None and own.run_by == "client" else None


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
