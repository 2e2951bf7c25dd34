"""Which declared tool of one body is which of another."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Hashable
from dataclasses import dataclass

from toolcall_conformance.basics.reading import Reading, Tool
from toolcall_conformance.judge.translation.pair import Sides
from toolcall_conformance.judge.translation.schemas.schemas import compare_schemas
from toolcall_conformance.judge.translation.tools.own_tools import called_name, declares_several, pair_own_tools
from toolcall_conformance.judge.translation.tools.similar_names import SimilarNames, are_similar
from toolcall_conformance.judge.translation.tools.tool_names import is_legal_name
from toolcall_conformance.library import Corpus

ToolPairs = list[tuple[Tool, Tool]]

_Take = Callable[[Tool], Tool | None]
"""Takes the first remaining tool that is the same as a given one, or None; each can be taken once."""
_Matcher = Callable[[list[Tool]], _Take]
"""Given the output's tools, returns a function that takes those that are the same as the source's."""


def pair_tools(sides: Sides) -> ToolPairs:
    """Pair the declared tools by what they have in common.

    Names decide in most cases. Where a tool was renamed its description decides, and its old name may be another
    tool's. Of the two pairings, names first and descriptions first, the one with more in common counts. A remaining
    tool that could not keep its name, which is illegal in the target or another's as well, was renamed: it is paired by
    schema, by similar names, or as the only one.
    """
    source = [tool for tool in sides.source.tools if tool.kind != "hosted"]
    output = [tool for tool in sides.output.tools if tool.kind != "hosted"]
    likeness = _Likeness(sides.corpus)
    name, description, by_words = (
        _match_by_key(_name_of),
        _match_by_key(_description_of),
        _match_by_words(likeness.enough),
    )
    certain = _match_tools(source, output, [_match_by_key(_name_and_description_of)])
    source, output = _without_paired(source, certain, 0), _without_paired(output, certain, 1)
    by_name = _match_tools(source, output, [name, by_words, description])
    by_description = _match_tools(source, output, [by_words, description, name])
    same = _pair_ids(by_name) == _pair_ids(by_description)
    pairs = certain + (by_name if same or likeness.count(by_name) >= likeness.count(by_description) else by_description)
    source, output = _without_paired(source, pairs, 0), _without_paired(output, pairs, 1)
    shared = Counter(tool.name for tool in sides.source.tools)
    forced = [
        tool for tool in source if tool.name is None or shared[tool.name] > 1 or not is_legal_name(sides, tool.name)
    ]
    rest = _match_tools(forced, output, [_match_by_likeness(likeness.has_similar_name_or_schema)])
    forced, output = _without_paired(forced, rest, 0), _without_paired(output, rest, 1)
    if len(forced) == len(output):
        rest += zip(forced, output, strict=True)
    rest += _pair_found_tools(sides, pairs + rest, [name, by_words, description])
    return pairs + rest + pair_own_tools(sides, pairs + rest)


def _pair_found_tools(sides: Sides, twins: ToolPairs, matchers: list[_Matcher]) -> ToolPairs:
    """Pair tools that one side declares and the other only has in its history, where a search loaded them."""
    left, right = ([tool for tool in side.tools if tool.kind != "hosted"] for side in (sides.source, sides.output))
    left, right = _without_paired(left, twins, 0), _without_paired(right, twins, 1)
    return [
        *_match_tools(undeclared_tools(sides.source), right, matchers),
        *_match_tools(left, undeclared_tools(sides.output), matchers),
    ]


def undeclared_tools(reading: Reading) -> list[Tool]:
    """Return the tools that a search loaded and the body does not declare itself; of one loaded twice the later."""
    declared = {tool.name for tool in reading.tools}
    functions = [tool for tool in reading.loaded_tools if tool.kind != "hosted"]
    brought = {(tool.namespace, tool.name or id(tool)): tool for tool in functions}
    return [tool for tool in brought.values() if tool.name not in declared]


def map_tool_names(sides: Sides, twins: ToolPairs) -> dict[str, str]:
    """Return the output's names of tools by the source's, as calls name them. Two namespaces may share a name."""
    return dict(pair_tool_names(sides, twins))


def pair_tool_names(sides: Sides, twins: ToolPairs) -> list[tuple[str, str]]:
    """Return the source's and the output's name of each tool, as calls name it."""
    names = (
        (called_name(sides.corpus, sides.source, tool), called_name(sides.corpus, sides.output, twin))
        for tool, twin in twins
        if not declares_several(sides.corpus, sides.source, tool)
        and not declares_several(sides.corpus, sides.output, twin)
    )
    return [(old, new) for old, new in names if old is not None and new is not None]


def _match_by_key(key: Callable[[Tool], Hashable | None]) -> _Matcher:
    """Return a matcher of tools with the same key. A tool without a key matches none."""

    def matcher(output: list[Tool]) -> _Take:
        free: dict[Hashable, deque[Tool]] = {}
        for tool in output:
            free.setdefault(key(tool), deque()).append(tool)
        free.pop(None, None)

        def take(tool: Tool) -> Tool | None:
            candidates = free.get(key(tool))
            return candidates.popleft() if candidates else None

        return take

    return matcher


def _match_by_words(enough: int) -> _Matcher:
    """Return a matcher of tools with the same description and similar names."""

    def matcher(output: list[Tool]) -> _Take:
        groups: dict[str, list[Tool]] = {}
        for tool in output:
            if (words := _description_of(tool)) is not None:
                groups.setdefault(words, []).append(tool)
        names: dict[str, SimilarNames] = {}

        def take(tool: Tool) -> Tool | None:
            words = _description_of(tool)
            if words is None or words not in groups:
                return None
            if words not in names:
                names[words] = SimilarNames([tool.name for tool in groups[words]], enough)
            place = names[words].take(tool.name)
            return None if place is None else groups[words][place]

        return take

    return matcher


def _match_by_likeness(same: Callable[[Tool, Tool], bool]) -> _Matcher:
    """Return a matcher of tools for which ``same`` holds, which compares each pair."""

    def matcher(output: list[Tool]) -> _Take:
        free = [*output]

        def take(tool: Tool) -> Tool | None:
            place = next((at for at, other in enumerate(free) if same(tool, other)), None)
            return None if place is None else free.pop(place)

        return take

    return matcher


def _match_tools(source: list[Tool], output: list[Tool], matchers: list[_Matcher]) -> ToolPairs:
    """Return the tools that one of the matchers pairs, tried one after the other, each tool once and in order."""
    twins: ToolPairs = []
    for matcher in matchers:
        left, right = _without_paired(source, twins, 0), _without_paired(output, twins, 1)
        if not left or not right:
            break
        take = matcher(right)
        twins += [(tool, twin) for tool in left if (twin := take(tool)) is not None]
    return twins


def _without_paired(tools: list[Tool], twins: ToolPairs, side: int) -> list[Tool]:
    if not tools or not twins:
        return tools
    ids = {id(pair[side]) for pair in twins}
    return [tool for tool in tools if id(tool) not in ids]


def _pair_ids(twins: ToolPairs) -> set[tuple[int, int]]:
    return {(id(tool), id(twin)) for tool, twin in twins}


def _name_of(tool: Tool) -> str | None:
    return tool.name


def _description_of(tool: Tool) -> str | None:
    return (tool.description or "").strip() or None


def _name_and_description_of(tool: Tool) -> tuple[str, str] | None:
    description = _description_of(tool)
    return None if tool.name is None or description is None else (tool.name, description)


@dataclass(frozen=True, slots=True)
class _Likeness:
    """What two tools may have in common."""

    corpus: Corpus

    @property
    def enough(self) -> int:
        """How many equal letters and digits at their beginning make two names similar."""
        return int(self.corpus.alignment.parameters["name_beginning"])

    def has_same_name(self, left: Tool, right: Tool) -> bool:
        return left.name is not None and left.name == right.name

    def has_same_description(self, left: Tool, right: Tool) -> bool:
        description = _description_of(left)
        return description is not None and description == _description_of(right)

    def has_same_schema(self, left: Tool, right: Tool) -> bool:
        return bool(left.schema) and not compare_schemas(self.corpus, left.schema, right.schema, closing_allowed=True)

    def has_similar_name_or_schema(self, left: Tool, right: Tool) -> bool:
        return are_similar(left.name, right.name, self.enough) or self.has_same_schema(left, right)

    def count(self, twins: ToolPairs) -> int:
        """Count what pairs of tools have in common: names, descriptions, schemas."""
        matchers = (self.has_same_name, self.has_same_description, self.has_same_schema)
        return sum(same(tool, twin) for tool, twin in twins for same in matchers)
