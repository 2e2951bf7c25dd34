"""An API's own tools, and what replaces them in another API: a function, or a tool of its own.

Those that the client runs must arrive. Those that the provider runs, no one else can run: they may be lost, and the
client must learn of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from toolcall_conformance.basics.findings import MISSING, Finding, Words
from toolcall_conformance.basics.jsonvalue import equal
from toolcall_conformance.basics.reading import Call, Reading, Tool
from toolcall_conformance.judge.translation.pair import Pair, Sides, describe_tool
from toolcall_conformance.library import Corpus
from toolcall_conformance.library.own_tools import OwnTool

HOSTED_TOOL = "tool-hosted"
"""The element that a translator names if it declares the loss of a tool that the provider runs."""

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")


def find_own_tool(corpus: Corpus, reading: Reading, tool: Tool) -> OwnTool | None:
    """Return which of its API's own tools a declaration is of; None for the user's own, and for unknown ones."""
    return corpus.own_tools(reading.format).find(tool.type, tool.declaration) if tool.kind == "hosted" else None


def is_run_by_client(corpus: Corpus, reading: Reading, tool: Tool) -> bool:
    """Whether a tool is one of the API's own that the client runs."""
    own_tool = find_own_tool(corpus, reading, tool)
    return own_tool is not None and own_tool.run_by == "client"


def called_name(corpus: Corpus, reading: Reading, tool: Tool) -> str | None:
    """Return the name by which calls name a tool."""
    own_tool = find_own_tool(corpus, reading, tool)
    return tool.name if own_tool is None or own_tool.called is None else own_tool.called


def declares_several(corpus: Corpus, reading: Reading, tool: Tool) -> bool:
    """Whether a declaration is for several functions: calls name these, never the declaration."""
    own_tool = find_own_tool(corpus, reading, tool)
    return own_tool is not None and bool(own_tool.functions)


def pair_own_tools(sides: Sides, twins: Sequence[tuple[Tool, Tool]]) -> list[tuple[Tool, Tool]]:
    """Pair the API's own tools that the client runs with their replacements among the tools not in ``twins``."""
    left = [tool for tool in sides.source.tools if is_run_by_client(sides.corpus, sides.source, tool)]
    if not left:
        return []
    paired_ids = {id(tool) for twin in twins for tool in twin}
    free = [tool for tool in sides.output.tools if id(tool) not in paired_ids and _can_replace_own_tool(sides, tool)]
    pairs = []
    for fits in (_has_same_purpose, _has_same_name, _is_named_for_purpose, _may_be_for_purpose):
        for tool in list(left):
            # As a last resort: what is left over for what is left over.
            if fits is _may_be_for_purpose and len(left) != len(
                [candidate for candidate in free if candidate.kind != "hosted"]
            ):
                break
            twin = next((other for other in free if fits(sides, tool, other)), None)
            if twin is not None:
                pairs.append((tool, twin))
                left.remove(tool)
                free.remove(twin)
    return pairs


def _can_replace_own_tool(sides: Sides, tool: Tool) -> bool:
    return tool.kind != "hosted" or is_run_by_client(sides.corpus, sides.output, tool)


def _has_same_purpose(sides: Sides, tool: Tool, other: Tool) -> bool:
    own_tool, other_own_tool = (
        find_own_tool(sides.corpus, sides.source, tool),
        find_own_tool(sides.corpus, sides.output, other),
    )
    return own_tool is not None and other_own_tool is not None and own_tool.purpose == other_own_tool.purpose


def _has_same_name(sides: Sides, tool: Tool, other: Tool) -> bool:
    own_tool = find_own_tool(sides.corpus, sides.source, tool)
    functions = () if own_tool is None else own_tool.functions
    names = (tool.name, tool.type, called_name(sides.corpus, sides.source, tool), *functions)
    return other.kind != "hosted" and other.name in names


def _is_named_for_purpose(sides: Sides, tool: Tool, other: Tool) -> bool:
    own_tool = find_own_tool(sides.corpus, sides.source, tool)
    return own_tool is not None and other.kind != "hosted" and is_named_for(sides.corpus, other.name, own_tool.purpose)


def _may_be_for_purpose(sides: Sides, tool: Tool, other: Tool) -> bool:
    """Whether a function of any name may stand for a tool: it does not say that it is for something else."""
    own_tool = find_own_tool(sides.corpus, sides.source, tool)
    if own_tool is None or other.kind == "hosted":
        return False
    if not other.description or other.description == tool.description:
        return True
    properties = other.schema.get("properties") if isinstance(other.schema, dict) else None
    words = " ".join([other.description, *(properties if isinstance(properties, dict) else ())])
    return _mentions_purpose(sides.corpus, words, own_tool.purpose)


def _mentions_purpose(corpus: Corpus, text: str, purpose: str) -> bool:
    """Whether a word of a text begins as one for the purpose does: ``commands``, ``executing``."""
    beginnings = corpus.equivalence("own-tool-as-another").parameters["descriptions"].get(purpose)
    return beginnings is None or any(word.lower().startswith(tuple(beginnings)) for word in _WORD.findall(text))


def is_named_for(corpus: Corpus, name: str | None, purpose: str) -> bool:
    """Whether the name of a tool contains a word for a purpose."""
    words = {word.lower() for word in _WORD.findall(name or "")}
    return not words.isdisjoint(corpus.equivalence("own-tool-as-another").parameters["names"].get(purpose, ()))


def replaces_own_tool(pair: Pair, tool: Tool) -> bool:
    """Whether a function replaces one of the source's own tools, of which some are for several functions."""
    return any(
        is_named_for(pair.corpus, tool.name, own_tool.purpose)
        or tool.name in (source_tool.name, source_tool.type, *own_tool.functions)
        for source_tool, own_tool in pair.view(_own_tools_of_source)
    )


def _own_tools_of_source(pair: Pair) -> list[tuple[Tool, OwnTool]]:
    candidates = ((tool, find_own_tool(pair.corpus, pair.source, tool)) for tool in pair.source.tools)
    return [(tool, own_tool) for tool, own_tool in candidates if own_tool is not None]


def report_hosted_tools(pair: Pair) -> Iterator[Finding]:
    """Report tools that the provider runs and that became functions, or were lost without a declaration."""
    nameless = {id(tool) for tool in pair.view(nameless_functions).values()}
    for tool, twin in pair.view(_unmatched_hosted_tools):
        if twin is not None:
            yield pair.finding(
                "translation/hosted-tool-as-function",
                twin.pointer,
                want=MISSING,
                got=twin.name,
                source=tool.pointer,
                subject=describe_tool(tool),
            )
        elif HOSTED_TOOL not in pair.declared and id(tool) not in nameless:
            yield pair.finding(
                "translation/hosted-tool-lost",
                "/tools" if pair.value_at("/tools") is not MISSING else "",
                want=Words(tool.name or tool.type),
                got=MISSING,
                source=tool.pointer,
                subject=describe_tool(tool),
            )


def nameless_functions(pair: Pair) -> dict[int, Tool]:
    """Return functions without a name, by ``id``, each with the provider's tool that became it."""
    functions = (tool for tool in _unpaired_functions(pair) if not tool.name)
    left = (tool for tool, twin in pair.view(_unmatched_hosted_tools) if twin is None)
    return {id(function): tool for function, tool in zip(functions, left, strict=False)}


def _unmatched_hosted_tools(pair: Pair) -> list[tuple[Tool, Tool | None]]:
    """Return tools that the provider runs and the target lacks, each with the function named for it, if any."""
    ours, functions = list(_declared_purposes(pair.corpus, pair.output)), _unpaired_functions(pair)
    pairs = []
    for tool, own_tool in pair.view(_own_tools_of_source):
        if own_tool.run_by == "provider" and own_tool.purpose not in ours:
            named = (
                function
                for function in functions
                if function.name in (tool.name, tool.type) or is_named_for(pair.corpus, function.name, own_tool.purpose)
            )
            pairs.append((tool, next(named, None)))
    return pairs


def _unpaired_functions(pair: Pair) -> list[Tool]:
    """Return the functions of the output that are paired with no tool of the source."""
    paired_ids = {id(twin) for _, twin in pair.tool_pairs}
    return [tool for tool in pair.output.tools if tool.kind != "hosted" and id(tool) not in paired_ids]


def report_missing_functions(pair: Pair) -> Iterator[Finding]:
    """Report functions that are missing of one of the source's own tools, if others of it are there."""
    output_names = {tool.name for tool in pair.output.tools if tool.kind != "hosted"}
    for tool, own_tool in pair.view(_own_tools_of_source):
        expected = own_tool.functions_of(tool.declaration)
        missing = expected - output_names
        if missing and missing != expected:
            are = "is" if len(missing) == 1 else "are"
            yield pair.finding(
                "translation/own-tool-functions",
                "/tools",
                f"{len(missing)} of {len(expected)} functions {are} not declared: {', '.join(sorted(missing))}",
                want=sorted(expected),
                got=sorted(expected - missing),
                source=tool.pointer,
                subject=describe_tool(tool),
            )


def _declared_purposes(corpus: Corpus, reading: Reading) -> Iterator[str]:
    """Yield the purposes of the API's own tools that a request declares, or requests by a setting."""
    for tool in reading.tools:
        own_tool = find_own_tool(corpus, reading, tool)
        if own_tool is not None:
            yield own_tool.purpose
    for name in reading.settings:
        own_tool = corpus.own_tools(reading.format).find(name.removeprefix("private:"), None)
        if own_tool is not None:
            yield own_tool.purpose


def is_same_own_call(left: Call, right: Call) -> bool:
    """Whether a call of an API's own tool and another call say the same in different keys: all texts are there."""
    own_call, other_call = (left, right) if left.kind == "builtin" else (right, left)
    if equal(own_call.arguments, other_call.arguments):
        return True
    if not _keeps_members(left, right):
        return False
    other_text = "\n".join(_argument_texts(other_call.arguments))
    return all(text in other_text for text in _argument_texts(own_call.arguments))


def _keeps_members(left: Call, right: Call) -> bool:
    """Whether nothing is lost or changed between an API's own tool and a function with the keys of that tool.

    Functions with other keys, and own tools of two APIs, are not compared by members.
    """
    if left.kind == right.kind:
        return True
    own_call, function_call = (left, right) if left.kind == "builtin" else (right, left)
    if own_call is right and list(_argument_texts(left.arguments)) and not list(_argument_texts(right.arguments)):
        return False  # the tool is called with nothing
    if not isinstance(left.arguments, dict) or not isinstance(right.arguments, dict):
        return True
    if not own_call.arguments.keys() - {"type"} <= function_call.arguments.keys():
        return True
    common_keys = [key for key in left.arguments if key in right.arguments]
    lost = [key for key, entry in left.arguments.items() if key not in right.arguments and key != "type" and entry]
    return not lost and all(equal(left.arguments[key], right.arguments[key]) for key in common_keys)


def _argument_texts(value: object) -> Iterable[str]:
    """Return the texts in arguments, except the word that says of which kind they are."""
    if isinstance(value, str):
        return [value] if value.strip() else []
    if isinstance(value, dict):
        return [text for key, entry in value.items() if key != "type" for text in _argument_texts(entry)]
    return [text for entry in value for text in _argument_texts(entry)] if isinstance(value, list) else []
