"""Tool declarations: none lost or invented, with name, description and schema."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace

from toolcall_conformance.basics.findings import MISSING, Finding, Words, is_json_value
from toolcall_conformance.basics.jsonvalue import equal
from toolcall_conformance.basics.reading import Tool
from toolcall_conformance.judge.translation.pair import Pair, describe_tool
from toolcall_conformance.judge.translation.schemas.schema_branches import is_composed, note_structure
from toolcall_conformance.judge.translation.schemas.schema_lists import find_repeated_members
from toolcall_conformance.judge.translation.schemas.schemas import SchemaDifference, accepted_notations, compare_schemas
from toolcall_conformance.judge.translation.settings.settings import chosen_tool_names
from toolcall_conformance.judge.translation.tools.own_tools import (
    is_run_by_client,
    nameless_functions,
    replaces_own_tool,
    report_hosted_tools,
    report_missing_functions,
)
from toolcall_conformance.judge.translation.tools.tool_kinds import compare_tool_kind
from toolcall_conformance.judge.translation.tools.tool_names import is_legal_name
from toolcall_conformance.judge.translation.tools.tool_pairs import undeclared_tools

_ROOT_LOSS_RULES = ("translation/schema-widened", "translation/schema-branch-description")


def compare_tools(pair: Pair) -> Iterator[Finding]:
    """Report every difference between the declared tools. Tools that a subset choice excludes may be left out."""
    twins, chosen = pair.tool_pairs, chosen_tool_names(pair.source)
    mapped = {id(tool) for tool, _ in twins}
    tools_by_name: dict[str | None, list[Tool]] = {}
    for tool, _ in twins:
        tools_by_name.setdefault(tool.name, []).append(tool)
    repeated = _repeated_declarations(pair.source.tools) if len(mapped) < len(pair.source.tools) else set()
    for tool in pair.source.tools:
        if id(tool) in mapped:
            continue
        if tool.kind == "hosted" and not is_run_by_client(pair.corpus, pair.source, tool):
            continue
        if id(tool) in repeated or any(_is_redeclared(tool, other) for other in tools_by_name.get(tool.name, ())):
            pair.accept("tool-declared-twice", _tools_pointer(pair), tool.pointer, tool.name)
            continue
        if chosen is not None and tool.name not in chosen and pair.demand("choice-subset") != "must":
            pair.accept("subset-choice-as-filtered-tools", _tools_pointer(pair), tool.pointer, tool.name)
            continue
        yield pair.finding(
            "translation/tool-lost",
            _tools_pointer(pair),
            want=Words(tool.name or "a tool"),
            got=MISSING,
            source=tool.pointer,
            subject=describe_tool(tool),
        )
    yield from _report_lost_of_searches(pair, mapped)
    ids = {id(tool) for _, tool in twins}
    for tool in pair.output.tools:
        if id(tool) not in ids and tool.kind != "hosted" and not replaces_own_tool(pair, tool):
            yield _invented_tool(pair, tool)
    for tool, twin in twins:
        if "hosted" not in (tool.kind, twin.kind):
            yield from _compare_tool(pair, tool, twin)
            continue
        yield from _compare_own_tool(pair, tool, twin)
        if (tool.kind, tool.type, tool.name, tool.pointer) != (twin.kind, twin.type, twin.name, twin.pointer):
            named = (tool.type or tool.name, twin.type or twin.name)
            pair.accept("own-tool-as-another", twin.pointer, tool.pointer, *named)
    yield from _report_repeated_members(pair, twins)
    yield from report_hosted_tools(pair)
    yield from report_missing_functions(pair)
    yield from _compare_names(pair, twins)


def _compare_own_tool(pair: Pair, tool: Tool, twin: Tool) -> Iterator[Finding]:
    """Compare what a declaration of the API's own tool adds, mostly nothing: the API knows its own tools."""
    if tool.kind == "hosted" and twin.kind == "function" and (tool.description or tool.schema):
        yield from _compare_tool(pair, replace(tool, kind="function", name=twin.name, strict=twin.strict), twin)


def _report_lost_of_searches(pair: Pair, mapped: set[int]) -> Iterator[Finding]:
    """Report tools that a client's search loaded, and the output neither declares nor has in its history."""
    output_names = {(tool.namespace, tool.name) for tool in (*pair.output.tools, *pair.output.loaded_tools)}
    for tool in undeclared_tools(pair.source):
        if id(tool) not in mapped and (tool.namespace, tool.name) not in output_names:
            yield pair.finding(
                "translation/tool-lost",
                _tools_pointer(pair),
                "a tool that a search brought is not declared",
                want=Words(tool.name or "a tool"),
                got=MISSING,
                source=tool.pointer,
                subject=describe_tool(tool),
            )


def _invented_tool(pair: Pair, tool: Tool) -> Finding:
    """Return the finding for a function that the client does not have; a hosted tool may have become it."""
    source = pair.view(nameless_functions).get(id(tool))
    return pair.finding(
        "translation/tool-invented",
        tool.pointer,
        "" if source is None else f"{source.name}, which the provider runs, became a function without a name",
        want=MISSING,
        got=pair.value_at(tool.pointer) if source is not None else tool.name,
        source=None if source is None else source.pointer,
        subject=describe_tool(tool if source is None else source),
    )


def _repeated_declarations(tools: Sequence[Tool]) -> set[int]:
    """Return, by ``id``, tools that repeat what an earlier one of the same body declares: both are one tool.

    So are two of one name if an item of the conversation declares one of them.
    """
    first: dict[str | None, list[Tool]] = {}
    ids = set()
    for tool in tools:
        others = first.setdefault(tool.name, [])
        if any(_declare_the_same(tool, other) or _is_redeclared(tool, other) for other in others):
            ids.add(id(tool))
        else:
            others.append(tool)
    return ids


def _declare_the_same(tool: Tool, other: Tool) -> bool:
    left, right = (
        [each.kind, each.strict, each.description, each.namespace, each.schema, each.grammar, each.declaration]
        for each in (tool, other)
    )
    return equal(left, right)


def _is_redeclared(tool: Tool, other: Tool) -> bool:
    """Whether an item of the conversation declares one of two tools of one name, so that the two are one."""
    same = (tool.name, tool.kind, tool.namespace) == (other.name, other.kind, other.namespace)
    return same and (tool.in_history or other.in_history)


def _report_repeated_members(pair: Pair, twins: Sequence[tuple[Tool, Tool]]) -> Iterator[Finding]:
    """Report repeated members in schemas that the translator made up: for free text, or for an API's own tool."""
    compared = {id(twin) for tool, twin in twins if tool.kind == twin.kind == "function"}
    for tool in pair.output.tools:
        if id(tool) not in compared:
            for difference in find_repeated_members(None, tool.schema):
                place = (tool.schema_pointer or "") + difference.pointer
                subject = describe_tool(tool)
                yield pair.finding(difference.rule, place, want=difference.want, got=difference.got, subject=subject)


def _compare_names(pair: Pair, twins: Sequence[tuple[Tool, Tool]]) -> Iterator[Finding]:
    """Report tools that share a name but had names of their own: a call names its tool, and nothing else of it."""
    owners: dict[str, Tool] = {}
    for tool, twin in twins:
        if twin.name is None:
            continue
        owner = owners.setdefault(twin.name, tool)
        if (owner.namespace, owner.name) != (tool.namespace, tool.name):
            yield pair.finding(
                "translation/tool-names-injective",
                twin.name_pointer or twin.pointer,
                want=Words(f"a name that {owner.name} does not have"),
                got=twin.name,
                source=tool.name_pointer or tool.pointer,
                subject=describe_tool(tool),
            )


def _tools_pointer(pair: Pair) -> str:
    return pair.output.tools[0].pointer.rsplit("/", 1)[0] if pair.output.tools else ""


def _trimmed_description(tool: Tool) -> str:
    return (tool.description or "").strip()


def _extends_description(tool: Tool, twin: Tool) -> bool:
    """Whether a function in place of a free-text tool describes what its schema cannot, such as a grammar."""
    return tool.kind == "custom" and twin.kind == "function" and (tool.description or "") in (twin.description or "")


def _compare_tool(pair: Pair, tool: Tool, twin: Tool) -> Iterator[Finding]:
    """Compare two paired declarations of functions or free-text tools."""
    subject = describe_tool(tool)
    grouped = tool.namespace is not None and (tool.name or "") in (twin.name or "")  # the group is in its new name
    if tool.name is not None and twin.name != tool.name and is_legal_name(pair, tool.name) and not grouped:
        yield pair.finding(
            "translation/tool-name-kept",
            twin.name_pointer or twin.pointer,
            want=tool.name,
            got=twin.name,
            source=tool.name_pointer,
            subject=subject,
        )
    elif twin.name != tool.name:
        where, names = twin.name_pointer or twin.pointer, (tool.name, twin.name)
        pair.accept("tool-renamed", where, tool.name_pointer, *names, only_translated=True)
    if tool.description != twin.description and _trimmed_description(tool) == _trimmed_description(twin):
        both = bool(tool.description and twin.description)
        name = "description-trimmed" if both else "blank-text-absent"
        where, source = twin.description_pointer or twin.pointer, tool.description_pointer or tool.pointer
        pair.accept(name, where, source, tool.description, twin.description, only_translated=not both)
    if (
        _trimmed_description(tool) != _trimmed_description(twin)
        and tool.description
        and tool.description.strip()
        and not _extends_description(tool, twin)
    ):
        yield pair.finding(
            "translation/tool-description",
            twin.description_pointer or twin.pointer,
            want=tool.description,
            got=pair.value_at(twin.description_pointer) if twin.description is None else twin.description,
            source=tool.description_pointer,
            subject=subject,
        )
    yield from compare_tool_kind(pair, tool, twin)
    if tool.kind == twin.kind == "function":
        options = {"closing_allowed": bool(twin.strict), "texts_only": pair.lists_texts_only(twin.schema_pointer)}
        for difference in compare_schemas(pair.corpus, tool.schema, twin.schema, **options):
            if not _is_root_loss(pair, tool, difference):
                yield from _report_difference(pair, tool, twin, difference, subject)
        if pair.accepted is not None:
            for acceptance in accepted_notations(pair.corpus, tool.schema, twin.schema, **options):
                where, source = _schema_places(tool, twin, acceptance.pointer, acceptance.source_pointer)
                pair.accept(acceptance.name, where, source, only_translated=acceptance.only_translated)
        yield from _compare_strict(pair, tool, twin, subject)  # free-text tools have no schema to be strict about


def _is_root_loss(pair: Pair, tool: Tool, difference: SchemaDifference) -> bool:
    """Whether a schema got wider at its root because the target has no unions there: a loss, and no fault."""
    wider = difference.pointer == "" and difference.rule in _ROOT_LOSS_RULES
    return wider and is_composed(tool.schema) and pair.demand("tool-schema-root") == "cannot"


def _compare_strict(pair: Pair, tool: Tool, twin: Tool, subject: str) -> Iterator[Finding]:
    """Compare strictness. Its default differs by format, so an omitted flag means the format's default."""
    want = tool.strict if tool.strict is not None else pair.origin["tool_strict_default"]
    got = twin.strict if twin.strict is not None else pair.target["tool_strict_default"]
    if {tool.strict, twin.strict} == {False, None} and want == got:
        pair.accept("strict-false-absent", twin.pointer, tool.pointer, tool.strict, twin.strict)
    if want == got or want is None or (want is True and pair.demand("tool-strict") == "cannot"):
        return
    message = (
        ""
        if got is not None
        else "the tool does not declare whether it is strict, so this provider decides it by the schema"
    )
    yield pair.finding(
        "translation/tool-strict",
        twin.pointer,
        message,
        want=want,
        got=MISSING if twin.strict is None else twin.strict,
        source=tool.pointer,
        subject=subject,
    )


def _schema_places(tool: Tool, twin: Tool, pointer: str, source: str) -> tuple[str, str]:
    """Return two places inside the schemas of two tools as pointers in their bodies."""
    return (
        twin.pointer if twin.schema_pointer is None else twin.schema_pointer + pointer,
        tool.pointer if tool.schema_pointer is None else tool.schema_pointer + source,
    )


def _report_difference(
    pair: Pair, tool: Tool, twin: Tool, difference: SchemaDifference, subject: str
) -> Iterator[Finding]:
    """Report a difference of two schemas at its place in the bodies."""
    pointer, source = _schema_places(tool, twin, difference.pointer, difference.source_pointer)
    got, want = pair.value_at(pointer), difference.want
    if isinstance(got, dict) and "$ref" in json.dumps(got) and is_json_value(want) and difference.got is MISSING:
        want = Words(json.dumps(want, ensure_ascii=False))  # it can be mended only where the reference leads
    yield pair.finding(
        difference.rule,
        pointer,
        (difference.message or pair.corpus.rule(difference.rule).breach)
        + note_structure(tool.schema, twin.schema, difference),
        want=want,
        got=difference.got,
        source=source,
        subject=subject,
        under=difference.under,
    )
