"""Tools that an API itself defines, and what stands for them in another: a function, or a tool of its own.

Those that the client runs must arrive. Those that the provider runs nobody else can run: they may be lost, and the
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

LOST = "tool-hosted"
"""The element that a translator names if it declares the loss of a tool that the provider runs."""

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")


def own_tool(corpus: Corpus, reading: Reading, tool: Tool) -> OwnTool | None:
    """Which of its API's own tools a declaration is of, None for the user's own and for what nobody knows."""
    return corpus.own_tools(reading.format).find(tool.type, tool.declaration) if tool.kind == "hosted" else None


def run_by_client(corpus: Corpus, reading: Reading, tool: Tool) -> bool:
    """Whether a tool is one of the API's own that the client runs."""
    own = own_tool(corpus, reading, tool)
    return own is not None and own.run_by == "client"


def called(corpus: Corpus, reading: Reading, tool: Tool) -> str | None:
    """The name by which calls name a tool."""
    own = own_tool(corpus, reading, tool)
    return tool.name if own is None or own.called is None else own.called


def stands_for_several(corpus: Corpus, reading: Reading, tool: Tool) -> bool:
    """Whether a declaration stands for several functions: calls name these, never the declaration."""
    own = own_tool(corpus, reading, tool)
    return own is not None and bool(own.functions)


def pair_own(sides: Sides, twins: Sequence[tuple[Tool, Tool]]) -> list[tuple[Tool, Tool]]:
    """The client's own-defined tools with what stands for them, among the tools that ``twins`` leaves over."""
    left = [tool for tool in sides.source.tools if run_by_client(sides.corpus, sides.source, tool)]
    if not left:
        return []
    paired_ids = {id(tool) for twin in twins for tool in twin}
    free = [tool for tool in sides.output.tools if id(tool) not in paired_ids and _may_stand(sides, tool)]
    pairs = []
    for fits in (_same_purpose, _same_name, _name_of_purpose, _anything):
        for tool in list(left):
            # As a last resort: what is left over for what is left over.
            if fits is _anything and len(left) != len([candidate for candidate in free if candidate.kind != "hosted"]):
                break
            twin = next((other for other in free if fits(sides, tool, other)), None)
            if twin is not None:
                pairs.append((tool, twin))
                left.remove(tool)
                free.remove(twin)
    return pairs


def _may_stand(sides: Sides, tool: Tool) -> bool:
    return tool.kind != "hosted" or run_by_client(sides.corpus, sides.output, tool)


def _same_purpose(sides: Sides, tool: Tool, other: Tool) -> bool:
    own, other_own = own_tool(sides.corpus, sides.source, tool), own_tool(sides.corpus, sides.output, other)
    return own is not None and other_own is not None and own.purpose == other_own.purpose


def _same_name(sides: Sides, tool: Tool, other: Tool) -> bool:
    own = own_tool(sides.corpus, sides.source, tool)
    functions = () if own is None else own.functions
    names = (tool.name, tool.type, called(sides.corpus, sides.source, tool), *functions)
    return other.kind != "hosted" and other.name in names


def _name_of_purpose(sides: Sides, tool: Tool, other: Tool) -> bool:
    own = own_tool(sides.corpus, sides.source, tool)
    return own is not None and other.kind != "hosted" and is_named_for(sides.corpus, other.name, own.purpose)


def _anything(sides: Sides, tool: Tool, other: Tool) -> bool:
    del sides, tool
    return other.kind != "hosted"


def is_named_for(corpus: Corpus, name: str | None, purpose: str) -> bool:
    """Whether the name of a tool has a word of a purpose in it."""
    words = {word.lower() for word in _WORD.findall(name or "")}
    return not words.isdisjoint(corpus.equivalence("own-tool-as-another").parameters["names"].get(purpose, ()))


def stands_for_one(pair: Pair, tool: Tool) -> bool:
    """Whether a function is there in place of one of the source's own tools: some stand for several functions."""
    return any(
        is_named_for(pair.corpus, tool.name, own.purpose)
        or tool.name in (source_tool.name, source_tool.type, *own.functions)
        for source_tool, own in pair.view(_own_of_source)
    )


def _own_of_source(pair: Pair) -> list[tuple[Tool, OwnTool]]:
    candidates = ((tool, own_tool(pair.corpus, pair.source, tool)) for tool in pair.source.tools)
    return [(tool, own) for tool, own in candidates if own is not None]


def report_hosted(pair: Pair) -> Iterator[Finding]:
    """What became of the tools that the provider runs: the target's own, nothing that is said to be lost, or worse."""
    nameless = {id(tool) for tool in pair.view(nameless_functions).values()}
    for tool, twin in pair.view(_run_by_provider):
        if twin is not None:
            yield pair.finding(
                "translation/hosted-tool-as-function",
                twin.pointer,
                want=MISSING,
                got=twin.name,
                source=tool.pointer,
                subject=describe_tool(tool),
            )
        elif LOST not in pair.declared and id(tool) not in nameless:
            yield pair.finding(
                "translation/hosted-tool-lost",
                "/tools" if pair.value_at("/tools") is not MISSING else "",
                want=Words(tool.name or tool.type),
                got=MISSING,
                source=tool.pointer,
                subject=describe_tool(tool),
            )


def nameless_functions(pair: Pair) -> dict[int, Tool]:
    """The functions without a name, by ``id``, each with the tool that the provider runs and that became it."""
    functions = (tool for tool in _spare_functions(pair) if not tool.name)
    left = (tool for tool, twin in pair.view(_run_by_provider) if twin is None)
    return {id(function): tool for function, tool in zip(functions, left, strict=False)}


def _run_by_provider(pair: Pair) -> list[tuple[Tool, Tool | None]]:
    """The tools that the provider runs and that the target has none for, each with the function named for it."""
    ours, functions = list(_purposes(pair.corpus, pair.output)), _spare_functions(pair)
    pairs = []
    for tool, own in pair.view(_own_of_source):
        if own.run_by == "provider" and own.purpose not in ours:
            named = (
                function
                for function in functions
                if function.name in (tool.name, tool.type) or is_named_for(pair.corpus, function.name, own.purpose)
            )
            pairs.append((tool, next(named, None)))
    return pairs


def _spare_functions(pair: Pair) -> list[Tool]:
    """The functions of the output that stand for no tool of the source."""
    paired_ids = {id(twin) for _, twin in pair.tool_pairs}
    return [tool for tool in pair.output.tools if tool.kind != "hosted" and id(tool) not in paired_ids]


def report_functions(pair: Pair) -> Iterator[Finding]:
    """What is missing of the functions that one of the source's own tools stands for, where some of them are there."""
    there = {tool.name for tool in pair.output.tools if tool.kind != "hosted"}
    for tool, own in pair.view(_own_of_source):
        expected = own.functions_of(tool.declaration)
        missing = expected - there
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


def _purposes(corpus: Corpus, reading: Reading) -> Iterator[str]:
    """The purposes of the API's own tools that a request declares, or asks for by a setting."""
    for tool in reading.tools:
        own = own_tool(corpus, reading, tool)
        if own is not None:
            yield own.purpose
    for name in reading.settings:
        own = corpus.own_tools(reading.format).find(name.removeprefix("private:"), None)
        if own is not None:
            yield own.purpose


def says_the_same(left: Call, right: Call) -> bool:
    """Whether a call of an API's own tool says in other keys what the other says: all of its texts are there."""
    own, other = (left, right) if left.kind == "builtin" else (right, left)
    if equal(own.arguments, other.arguments):
        return True
    if not _same_members(left, right):
        return False
    other_text = "\n".join(_texts(other.arguments))
    return all(text in other_text for text in _texts(own.arguments))


def _same_members(left: Call, right: Call) -> bool:
    """Whether nothing is lost or changed between an API's own tool and a function with the keys of that tool.

    Functions with other keys, and own tools of two APIs, say it in words of their own.
    """
    if left.kind == right.kind:
        return True
    own, function = (left, right) if left.kind == "builtin" else (right, left)
    if own is right and list(_texts(left.arguments)) and not list(_texts(right.arguments)):
        return False  # the tool is called with nothing
    if not isinstance(left.arguments, dict) or not isinstance(right.arguments, dict):
        return True
    if not own.arguments.keys() - {"type"} <= function.arguments.keys():
        return True
    there = [key for key in left.arguments if key in right.arguments]
    lost = [key for key, entry in left.arguments.items() if key not in right.arguments and key != "type" and entry]
    return not lost and all(equal(left.arguments[key], right.arguments[key]) for key in there)


def _texts(value: object) -> Iterable[str]:
    """The texts in arguments, but for the word that says of which kind they are."""
    if isinstance(value, str):
        return [value] if value.strip() else []
    if isinstance(value, dict):
        return [text for key, entry in value.items() if key != "type" for text in _texts(entry)]
    return [text for entry in value for text in _texts(entry)] if isinstance(value, list) else []
