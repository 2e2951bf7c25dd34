"""Which declared tool of one body is which of another."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Hashable
from dataclasses import dataclass

from toolcall_conformance.basics.reading import Reading, Tool
from toolcall_conformance.judge.translation.pair import Sides
from toolcall_conformance.judge.translation.schemas.schemas import compare_schemas
from toolcall_conformance.judge.translation.tools.own_tools import called, pair_own, stands_for_several
from toolcall_conformance.judge.translation.tools.similar_names import SimilarNames, are_similar
from toolcall_conformance.judge.translation.tools.tool_names import legal_name
from toolcall_conformance.library import Corpus

Twins = list[tuple[Tool, Tool]]

_Take = Callable[[Tool], Tool | None]
"""Takes the first tool that is the same as one, if there is any left; each can be taken once."""
_Way = Callable[[list[Tool]], _Take]
"""How tools may be the same: given those of the output, what takes them."""


def map_tools(sides: Sides) -> Twins:
    """Pair the declared tools by what is alike.

    Names decide in most cases. Where a tool was renamed its description decides, and its old name may stand for another
    tool. Of the two pairings, names first and descriptions first, the one counts by which more is alike. A tool left
    over that could not keep its name, which is illegal in the target or another's as well, was renamed: it is paired by
    schema, by similar names, or as the only one.
    """
    source = [tool for tool in sides.source.tools if tool.kind != "hosted"]
    output = [tool for tool in sides.output.tools if tool.kind != "hosted"]
    alike = _Likeness(sides.corpus)
    name, description, by_words = _by_key(_named), _by_key(_described), _by_words(alike.enough)
    certain = _matched(source, output, [_by_key(_named_and_described)])
    source, output = _without(source, certain, 0), _without(output, certain, 1)
    by_name = _matched(source, output, [name, by_words, description])
    by_description = _matched(source, output, [by_words, description, name])
    same = _ends(by_name) == _ends(by_description)
    pairs = certain + (by_name if same or alike.count(by_name) >= alike.count(by_description) else by_description)
    source, output = _without(source, pairs, 0), _without(output, pairs, 1)
    shared = Counter(tool.name for tool in sides.source.tools)
    forced = [tool for tool in source if tool.name is None or shared[tool.name] > 1 or not legal_name(sides, tool.name)]
    rest = _matched(forced, output, [_by_likeness(alike.similar_name_or_schema)])
    forced, output = _without(forced, rest, 0), _without(output, rest, 1)
    if len(forced) == len(output):
        rest += zip(forced, output, strict=True)
    rest += _with_found(sides, pairs + rest, [name, by_words, description])
    return pairs + rest + pair_own(sides, pairs + rest)


def _with_found(sides: Sides, twins: Twins, ways: list[_Way]) -> Twins:
    """What one side declares and a search brought into the other's history: there it need not be declared."""
    left, right = ([tool for tool in side.tools if tool.kind != "hosted"] for side in (sides.source, sides.output))
    left, right = _without(left, twins, 0), _without(right, twins, 1)
    return [
        *_matched(undeclared(sides.source), right, ways),
        *_matched(left, undeclared(sides.output), ways),
    ]


def undeclared(reading: Reading) -> list[Tool]:
    """The tools that a search brought and that the body does not declare itself; of one brought twice the later."""
    declared = {tool.name for tool in reading.tools}
    functions = [tool for tool in reading.loaded_tools if tool.kind != "hosted"]
    brought = {(tool.namespace, tool.name or id(tool)): tool for tool in functions}
    return [tool for tool in brought.values() if tool.name not in declared]


def names_of(sides: Sides, twins: Twins) -> dict[str, str]:
    """The output's names of tools by the source's, as calls name them. Tools of two namespaces may share one name."""
    return dict(name_pairs(sides, twins))


def name_pairs(sides: Sides, twins: Twins) -> list[tuple[str, str]]:
    """The source's and the output's name of each tool, as calls name it."""
    names = (
        (called(sides.corpus, sides.source, tool), called(sides.corpus, sides.output, twin))
        for tool, twin in twins
        if not stands_for_several(sides.corpus, sides.source, tool)
        and not stands_for_several(sides.corpus, sides.output, twin)
    )
    return [(old, new) for old, new in names if old is not None and new is not None]


def _by_key(key: Callable[[Tool], Hashable | None]) -> _Way:
    """Tools are the same that have the same key. One without a key is like no other."""

    def way(output: list[Tool]) -> _Take:
        free: dict[Hashable, deque[Tool]] = {}
        for tool in output:
            free.setdefault(key(tool), deque()).append(tool)
        free.pop(None, None)

        def take(tool: Tool) -> Tool | None:
            alike = free.get(key(tool))
            return alike.popleft() if alike else None

        return take

    return way


def _by_words(enough: int) -> _Way:
    """Tools are the same that have the same description and similar names."""

    def way(output: list[Tool]) -> _Take:
        groups: dict[str, list[Tool]] = {}
        for tool in output:
            if (words := _described(tool)) is not None:
                groups.setdefault(words, []).append(tool)
        names: dict[str, SimilarNames] = {}

        def take(tool: Tool) -> Tool | None:
            words = _described(tool)
            if words is None or words not in groups:
                return None
            if words not in names:
                names[words] = SimilarNames([tool.name for tool in groups[words]], enough)
            place = names[words].take(tool.name)
            return None if place is None else groups[words][place]

        return take

    return way


def _by_likeness(same: Callable[[Tool, Tool], bool]) -> _Way:
    """Tools are the same that are said to be: asked of each pair."""

    def way(output: list[Tool]) -> _Take:
        free = [*output]

        def take(tool: Tool) -> Tool | None:
            place = next((at for at, other in enumerate(free) if same(tool, other)), None)
            return None if place is None else free.pop(place)

        return take

    return way


def _matched(source: list[Tool], output: list[Tool], ways: list[_Way]) -> Twins:
    """Tools that are the same in one of the ways, tried one after the other, each tool once and in order."""
    twins: Twins = []
    for way in ways:
        left, right = _without(source, twins, 0), _without(output, twins, 1)
        if not left or not right:
            break
        take = way(right)
        twins += [(tool, twin) for tool in left if (twin := take(tool)) is not None]
    return twins


def _without(tools: list[Tool], twins: Twins, side: int) -> list[Tool]:
    if not tools or not twins:
        return tools
    ids = {id(pair[side]) for pair in twins}
    return [tool for tool in tools if id(tool) not in ids]


def _ends(twins: Twins) -> set[tuple[int, int]]:
    return {(id(tool), id(twin)) for tool, twin in twins}


def _named(tool: Tool) -> str | None:
    return tool.name


def _described(tool: Tool) -> str | None:
    return (tool.description or "").strip() or None


def _named_and_described(tool: Tool) -> tuple[str, str] | None:
    description = _described(tool)
    return None if tool.name is None or description is None else (tool.name, description)


@dataclass(frozen=True, slots=True)
class _Likeness:
    """In which ways two tools may be alike."""

    corpus: Corpus

    @property
    def enough(self) -> int:
        """So many letters and digits at the beginning of two names make them similar."""
        return int(self.corpus.alignment.parameters["name_beginning"])

    def name(self, left: Tool, right: Tool) -> bool:
        return left.name is not None and left.name == right.name

    def description(self, left: Tool, right: Tool) -> bool:
        description = _described(left)
        return description is not None and description == _described(right)

    def schema(self, left: Tool, right: Tool) -> bool:
        return bool(left.schema) and not compare_schemas(self.corpus, left.schema, right.schema, closing_allowed=True)

    def similar_name_or_schema(self, left: Tool, right: Tool) -> bool:
        return are_similar(left.name, right.name, self.enough) or self.schema(left, right)

    def count(self, twins: Twins) -> int:
        """How much is alike in pairs of tools: names, descriptions, schemas."""
        ways = (self.name, self.description, self.schema)
        return sum(same(tool, twin) for tool, twin in twins for same in ways)
