"""Tool declarations: none lost or invented, with name, description and schema."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile

from toolcall_conformance.findings import MISSING, Finding
from toolcall_conformance.library import Corpus
from toolcall_conformance.reading import Reading, Tool
from toolcall_conformance.translation.kinds import compare_kind
from toolcall_conformance.translation.listed_twice import find_listed_twice
from toolcall_conformance.translation.names import legal_name
from toolcall_conformance.translation.own_tools import (
    called,
    pair_own,
    report_functions,
    report_hosted,
    run_by_client,
    stands_for_one,
    stands_for_several,
)
from toolcall_conformance.translation.pair import Pair, Sides, tool_words
from toolcall_conformance.translation.schema_branches import is_composed
from toolcall_conformance.translation.schemas import SchemaDifference, compare_schemas
from toolcall_conformance.translation.settings import chosen_names

Twins = list[tuple[Tool, Tool]]
ROOT_WIDER = ("translation/schema-widened", "translation/schema-branch-description")


def map_tools(sides: Sides) -> Twins:
    """Pair the declared tools by what is alike.

    Names decide in most cases. Where a tool was renamed its description decides, and its old name may stand for another
    tool. Of the two pairings, names first and descriptions first, the one counts by which more is alike. A tool left
    over whose name is illegal in the target was renamed: it is paired by schema, by similar names, or as the only one.
    """
    source = [tool for tool in sides.source.tools if tool.kind != "hosted"]
    output = [tool for tool in sides.output.tools if tool.kind != "hosted"]
    alike = _Likeness(sides.corpus)
    by_words = _Way(alike.described, alike.similar_name_and_description)
    name, description = _Way(alike.named, alike.name), _Way(alike.described, alike.description)
    certain = _matched(source, output, [_Way(alike.described, alike.name_and_description)])
    source, output = _without(source, certain, 0), _without(output, certain, 1)
    by_name = _matched(source, output, [name, by_words, description])
    by_description = _matched(source, output, [by_words, description, name])
    same = _ends(by_name) == _ends(by_description)
    found = certain + (by_name if same or alike.count(by_name) >= alike.count(by_description) else by_description)
    source, output = _without(source, found, 0), _without(output, found, 1)
    forced = [tool for tool in source if tool.name is None or not legal_name(sides, tool.name)]
    rest = _matched(forced, output, [_Way(lambda _: "", alike.similar_name_or_schema)])
    forced, output = _without(forced, rest, 0), _without(output, rest, 1)
    if len(forced) == len(output):
        rest += zip(forced, output, strict=True)
    rest += _with_found(sides, found + rest, [name, by_words, description])
    return found + rest + pair_own(sides, found + rest)


def _with_found(sides: Sides, known: Twins, ways: list[_Way]) -> Twins:
    """What one side declares and a search brought into the other's history: there it need not be declared."""
    left, right = ([tool for tool in side.tools if tool.kind != "hosted"] for side in (sides.source, sides.output))
    left, right = _without(left, known, 0), _without(right, known, 1)
    return [
        *_matched(_undeclared(sides.source), right, ways),
        *_matched(left, _undeclared(sides.output), ways),
    ]


def _undeclared(reading: Reading) -> list[Tool]:
    """The tools that a search brought and that the body does not declare itself."""
    declared = {tool.name for tool in reading.tools}
    return [tool for tool in reading.found_tools if tool.kind != "hosted" and tool.name not in declared]


def names_of(sides: Sides, twins: Twins) -> dict[str, str]:
    """The output's names of tools by the source's, as calls name them."""
    names = (
        (called(sides.corpus, sides.source, tool), called(sides.corpus, sides.output, twin))
        for tool, twin in twins
        if not stands_for_several(sides.corpus, sides.source, tool)
        and not stands_for_several(sides.corpus, sides.output, twin)
    )
    return {old: new for old, new in names if old is not None and new is not None}


@dataclass(frozen=True, slots=True)
class _Way:
    """How tools may be the same; those that are have one key. A tool without a key is like no other in this way."""

    key: Callable[[Tool], str | None]
    same: Callable[[Tool, Tool], bool]


def _matched(source: list[Tool], output: list[Tool], ways: list[_Way]) -> Twins:
    """Tools that are the same in one of the ways, tried one after the other, each tool once and in order."""
    found: Twins = []
    for way in ways:
        left, right = _without(source, found, 0), _without(output, found, 1)
        if not left or not right:
            break
        free: dict[str | None, list[Tool]] = {}
        for tool in right:
            free.setdefault(way.key(tool), []).append(tool)
        for tool in left:
            key = way.key(tool)
            alike = free.get(key, []) if key is not None else []
            twin = next((other for other in alike if way.same(tool, other)), None)
            if twin is not None:
                found.append((tool, twin))
                alike.remove(twin)
    return found


def _without(tools: list[Tool], twins: Twins, side: int) -> list[Tool]:
    if not tools or not twins:
        return tools
    taken = {id(pair[side]) for pair in twins}
    return [tool for tool in tools if id(tool) not in taken]


def _ends(twins: Twins) -> set[tuple[int, int]]:
    return {(id(tool), id(twin)) for tool, twin in twins}


@dataclass(frozen=True, slots=True)
class _Likeness:
    """In which ways two tools may be alike."""

    corpus: Corpus

    def named(self, tool: Tool) -> str | None:
        return tool.name

    def described(self, tool: Tool) -> str | None:
        return (tool.description or "").strip() or None

    def name(self, left: Tool, right: Tool) -> bool:
        return left.name is not None and left.name == right.name

    def similar_name(self, left: Tool, right: Tool) -> bool:
        """One name is spelt in the other: a prefix, a suffix, an exchanged character, a cut and a hash."""
        if not left.name or not right.name:
            return False
        one, two = _letters(left.name), _letters(right.name)
        alike = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, two, strict=False)))
        enough = self.corpus.alignment.parameters["name_beginning"]
        return bool(one) and bool(two) and (one in two or two in one or alike >= enough)

    def name_and_description(self, left: Tool, right: Tool) -> bool:
        return self.name(left, right) and self.description(left, right)

    def similar_name_and_description(self, left: Tool, right: Tool) -> bool:
        return self.similar_name(left, right) and self.description(left, right)

    def description(self, left: Tool, right: Tool) -> bool:
        said = self.described(left)
        return said is not None and said == self.described(right)

    def schema(self, left: Tool, right: Tool) -> bool:
        return bool(left.schema) and not compare_schemas(self.corpus, left.schema, right.schema, closing_allowed=True)

    def similar_name_or_schema(self, left: Tool, right: Tool) -> bool:
        return self.similar_name(left, right) or self.schema(left, right)

    def count(self, twins: Twins) -> int:
        """How much is alike in pairs of tools: names, descriptions, schemas."""
        ways = (self.name, self.description, self.schema)
        return sum(same(tool, twin) for tool, twin in twins for same in ways)


@lru_cache(4096)
def _letters(name: str) -> str:
    return "".join(char for char in name if char.isalnum()).lower()


def compare_tools(pair: Pair) -> Iterator[Finding]:
    """Report what differs. Where the choice allows a subset alone, the other tools may be left out."""
    twins, chosen = pair.twins, chosen_names(pair.source)
    mapped = {id(tool) for tool, _ in twins}
    for tool in pair.source.tools:
        if id(tool) in mapped:
            continue
        if tool.kind == "hosted" and not run_by_client(pair.corpus, pair.source, tool):
            continue
        if chosen is not None and tool.name not in chosen and pair.demand("choice-subset") != "must":
            continue
        yield pair.finding(
            "translation/tool-lost",
            _tools_pointer(pair),
            want=tool.name,
            got=MISSING,
            source=tool.pointer,
            subject=tool_words(tool),
        )
    taken = {id(tool) for _, tool in twins}
    for tool in pair.output.tools:
        if id(tool) not in taken and tool.kind != "hosted" and not stands_for_one(pair, tool):
            yield pair.finding(
                "translation/tool-invented", tool.pointer, want=MISSING, got=tool.name, subject=tool_words(tool)
            )
    for tool, twin in twins:
        if "hosted" not in (tool.kind, twin.kind):  # the API knows what its own tools are for
            yield from _compare_one(pair, tool, twin)
    yield from _find_unsound(pair, twins)
    yield from report_hosted(pair)
    yield from report_functions(pair)
    yield from _compare_names(pair, twins)


def _find_unsound(pair: Pair, twins: Sequence[tuple[Tool, Tool]]) -> Iterator[Finding]:
    """Lists with a member twice in schemas that the translator made up: for free text, or for an API's own tool."""
    compared = {id(twin) for tool, twin in twins if tool.kind == twin.kind == "function"}
    for tool in pair.output.tools:
        if id(tool) not in compared:
            for difference in find_listed_twice(None, tool.schema):
                place = (tool.schema_pointer or "") + difference.pointer
                subject = tool_words(tool)
                yield pair.finding(difference.rule, place, want=difference.want, got=difference.got, subject=subject)


def _compare_names(pair: Pair, twins: Sequence[tuple[Tool, Tool]]) -> Iterator[Finding]:
    """Tools that had names of their own must not share one: a call names its tool, and nothing else of it."""
    owners: dict[str, Tool] = {}
    for tool, twin in twins:
        if twin.name is None:
            continue
        owner = owners.setdefault(twin.name, tool)
        if (owner.namespace, owner.name) != (tool.namespace, tool.name):
            yield pair.finding(
                "translation/tool-names-injective",
                twin.name_pointer or twin.pointer,
                want=f"a name that {owner.name} does not have",
                got=twin.name,
                source=tool.name_pointer or tool.pointer,
                subject=tool_words(tool),
            )


def _tools_pointer(pair: Pair) -> str:
    return pair.output.tools[0].pointer.rsplit("/", 1)[0] if pair.output.tools else ""


def _tells_more(tool: Tool, twin: Tool) -> bool:
    """Whether a function that stands for a free-text tool says in words what its schema cannot, such as a grammar."""
    return tool.kind == "custom" and twin.kind == "function" and (tool.description or "") in (twin.description or "")


def _compare_one(pair: Pair, tool: Tool, twin: Tool) -> Iterator[Finding]:
    subject = tool_words(tool)
    grouped = tool.namespace is not None and (tool.name or "") in (twin.name or "")  # the group is in its new name
    if tool.name is not None and twin.name != tool.name and legal_name(pair, tool.name) and not grouped:
        yield pair.finding(
            "translation/tool-name-kept",
            twin.name_pointer or twin.pointer,
            want=tool.name,
            got=twin.name,
            source=tool.name_pointer,
            subject=subject,
        )
    if (
        (tool.description or "").strip() != (twin.description or "").strip()
        and tool.description
        and tool.description.strip()
        and not _tells_more(tool, twin)
    ):
        yield pair.finding(
            "translation/tool-description",
            twin.description_pointer or twin.pointer,
            want=tool.description,
            got=pair.stands(twin.description_pointer) if twin.description is None else twin.description,
            source=tool.description_pointer,
            subject=subject,
        )
    yield from compare_kind(pair, tool, twin)
    if tool.kind == twin.kind == "function":
        closing_allowed = bool(twin.strict)
        for difference in compare_schemas(pair.corpus, tool.schema, twin.schema, closing_allowed=closing_allowed):
            if not _is_root_unsaid(pair, tool, difference):
                yield from _report_difference(pair, tool, twin, difference, subject)
        yield from _compare_strict(pair, tool, twin, subject)  # free-text tools have no schema to be strict about


def _is_root_unsaid(pair: Pair, tool: Tool, difference: SchemaDifference) -> bool:
    """Whether a schema got wider at its root because the target has no unions there: a loss, and no fault."""
    wider = difference.pointer == "" and difference.rule in ROOT_WIDER
    return wider and is_composed(tool.schema) and pair.demand("tool-schema-root") == "cannot"


def _compare_strict(pair: Pair, tool: Tool, twin: Tool, subject: str) -> Iterator[Finding]:
    """Strictness has another default in every format, so what is left unsaid is read as its format means it."""
    want = tool.strict if tool.strict is not None else pair.origin["tool_strict_default"]
    got = twin.strict if twin.strict is not None else pair.target["tool_strict_default"]
    if want == got or want is None or (want is True and pair.demand("tool-strict") == "cannot"):
        return
    message = (
        ""
        if got is not None
        else "the tool does not say whether it is strict, so this provider decides it by the schema"
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


def _report_difference(
    pair: Pair, tool: Tool, twin: Tool, difference: SchemaDifference, subject: str
) -> Iterator[Finding]:
    base = twin.schema_pointer
    pointer = base + difference.pointer if base is not None else twin.pointer
    source = tool.schema_pointer + difference.source_pointer if tool.schema_pointer is not None else tool.pointer
    yield pair.finding(
        difference.rule,
        pointer,
        difference.message,
        want=difference.want,
        got=difference.got,
        source=source,
        subject=subject,
        under=difference.under,
    )
