"""Tools are paired as by asking each about each, and in a time that grows as their number does."""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import takewhile
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolcall_conformance import load_corpus
from toolcall_conformance.basics.reading import Reading, Tool
from toolcall_conformance.judge.translation.pair import Sides
from toolcall_conformance.judge.translation.schemas.schemas import compare_schemas
from toolcall_conformance.judge.translation.tools import similar_names
from toolcall_conformance.judge.translation.tools.own_tools import pair_own_tools
from toolcall_conformance.judge.translation.tools.tool_names import is_legal_name
from toolcall_conformance.judge.translation.tools.tool_pairs import pair_tools

CORPUS = load_corpus()
ENOUGH = CORPUS.alignment.parameters["name_beginning"]
Same = Callable[[Tool, Tool], bool]

# Names that are equal, in one another, of one beginning, the same but for what does not count, illegal, and none.
NAMES = st.one_of(
    st.none(),
    st.text(alphabet="ab_.", max_size=4),
    st.builds(lambda end: "A_long_beginning"[: ENOUGH + end] + "xy"[:end], st.integers(-1, 2)),
    st.builds("long_Beginning{}".format, st.text(alphabet="abÄß", max_size=2)),
)
SCHEMAS: list[Any] = [
    None,
    {},
    {"type": "object", "properties": {"a": {"type": "integer"}}},
    {"type": "OBJECT", "properties": {"a": {"type": "INTEGER"}}},
    {"type": "object", "properties": {"b": {"type": "string"}}, "required": ["b"]},
]
DRAWN = st.lists(
    st.tuples(
        NAMES,
        st.sampled_from([None, "", " ", "one", "one ", "two"]),
        st.sampled_from(SCHEMAS),
        st.sampled_from(["function", "function", "function", "custom", "hosted"]),
    ),
    max_size=9,
)


def _sides(left: list[Any], right: list[Any], search_tools: list[Any]) -> Sides:
    source, output = Reading("gemini", "request"), Reading("openai_chat", "request")
    for reading, tools in ((source, left), (output, right)):
        reading.tools = [_tool(f"/tools/{at}", *fields) for at, fields in enumerate(tools)]
    source.loaded_tools = [_tool(f"/found/{at}", *fields) for at, fields in enumerate(search_tools)]
    return Sides(CORPUS, source, output)


def _tool(pointer: str, name: str | None, description: str | None, schema: Any, kind: str) -> Tool:
    return Tool(name, description, schema, pointer, kind)


def _letters(name: str) -> str:
    return "".join(char for char in name if char.isalnum()).lower()


def _similar(left: Tool, right: Tool) -> bool:
    return _similar_names(left.name or "", right.name or "")


def _similar_names(left: str, right: str) -> bool:
    left_letters, right_letters = _letters(left), _letters(right)
    alike = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(left_letters, right_letters, strict=False)))
    return (
        bool(left_letters)
        and bool(right_letters)
        and (left_letters in right_letters or right_letters in left_letters or alike >= ENOUGH)
    )


def _name(left: Tool, right: Tool) -> bool:
    return left.name is not None and left.name == right.name


def _description(left: Tool, right: Tool) -> bool:
    text, other = ((tool.description or "").strip() for tool in (left, right))
    return bool(text) and text == other


def _schema(left: Tool, right: Tool) -> bool:
    return bool(left.schema) and not compare_schemas(CORPUS, left.schema, right.schema, closing_allowed=True)


def _match_by_asking_each(source: list[Tool], output: list[Tool], *ways: Same) -> list[tuple[Tool, Tool]]:
    """The first that is the same, by asking each, and each once; takes nothing from the lists."""
    left, right, pairs = [*source], [*output], []
    for same in ways:
        for tool in [*left]:
            twin = next((other for other in right if same(tool, other)), None)
            if twin is not None:
                pairs.append((tool, twin))
                left.remove(tool)
                right.remove(twin)
    return pairs


def _rest(tools: list[Tool], twins: list[tuple[Tool, Tool]], side: int) -> list[Tool]:
    return [tool for tool in tools if all(tool is not twin[side] for twin in twins)]


def _pair_by_asking_each(sides: Sides) -> list[tuple[Tool, Tool]]:
    """What ``pair_tools`` says it does, by asking each about each."""

    def words(left: Tool, right: Tool) -> bool:
        return _similar(left, right) and _description(left, right)

    all_source = [tool for tool in sides.source.tools if tool.kind != "hosted"]
    all_output = [tool for tool in sides.output.tools if tool.kind != "hosted"]
    certain = _match_by_asking_each(
        all_source, all_output, lambda left, right: _name(left, right) and _description(left, right)
    )
    source, output = _rest(all_source, certain, 0), _rest(all_output, certain, 1)
    ways = [
        _match_by_asking_each(source, output, *tried)
        for tried in ((_name, words, _description), (words, _description, _name))
    ]
    alike = [sum(same(*pair) for pair in way for same in (_name, _description, _schema)) for way in ways]
    pairs = certain + ways[alike[0] < alike[1]]
    source, output = _rest(source, pairs, 0), _rest(output, pairs, 1)
    names = [tool.name for tool in sides.source.tools]
    twice = {name for name in names if names.count(name) > 1}
    forced = [tool for tool in source if tool.name is None or tool.name in twice or not is_legal_name(sides, tool.name)]
    pairs += _match_by_asking_each(forced, output, lambda left, right: _similar(left, right) or _schema(left, right))
    forced, output = _rest(forced, pairs, 0), _rest(output, pairs, 1)
    if len(forced) == len(output):
        pairs += zip(forced, output, strict=True)
    declared = {tool.name for tool in sides.source.tools}
    brought = [tool for tool in sides.source.loaded_tools if tool.kind != "hosted" and tool.name not in declared]
    later = {tool.name or at: tool for at, tool in enumerate(brought)}
    pairs += _match_by_asking_each([*later.values()], _rest(all_output, pairs, 1), _name, words, _description)
    return pairs + pair_own_tools(sides, pairs)


@pytest.mark.daily  # nothing else that is cheap runs the lines on similar names
@pytest.mark.parametrize("few", [0, 2, 8])
def test_twins_are_those_of_asking_each(monkeypatch: pytest.MonkeyPatch, few: int) -> None:
    monkeypatch.setattr(similar_names, "_FEW", few)  # drawn inputs are small

    @settings(max_examples=150, deadline=None)
    @given(DRAWN, DRAWN, DRAWN)
    def same(left: list[Any], right: list[Any], search_tools: list[Any]) -> None:
        sides = _sides(left, right, search_tools)
        assert _places(pair_tools(sides)) == _places(_pair_by_asking_each(sides))

    same()


@pytest.mark.parametrize("few", [0, 2, 8])
def test_the_first_similar_name_is_taken(monkeypatch: pytest.MonkeyPatch, few: int) -> None:
    monkeypatch.setattr(similar_names, "_FEW", few)

    @settings(max_examples=300, deadline=None)
    @given(st.lists(NAMES, max_size=12), st.lists(NAMES, max_size=12))
    def same(names: list[str | None], queries: list[str | None]) -> None:
        table, left = similar_names.SimilarNames(names, ENOUGH), dict(enumerate(names))
        for name in queries:
            place = next((at for at, other in left.items() if _similar_names(name or "", other or "")), None)
            assert table.take(name) == place
            left.pop(-1 if place is None else place, None)
            for other in names:
                assert similar_names.are_similar(name, other, ENOUGH) == _similar_names(name or "", other or "")

    same()


def _places(twins: list[tuple[Tool, Tool]]) -> list[tuple[str, str]]:
    return [(tool.pointer, twin.pointer) for tool, twin in twins]


@pytest.mark.parametrize("renamed", ["other{}", "mcp_t{}", "{}_t", "t{}_of_a_server_with_a_long_name"])
@pytest.mark.parametrize("name", ["t{}", "a_very_long_beginning_{}", "{}a"])
def test_renamed_tools_take_as_much_longer_as_they_are_more(name: str, renamed: str) -> None:
    """Counted are calls of functions, which another process does not disturb."""
    counts = []
    for size in (100, 800):
        left, right = ([(form.format(at), "same", None, "function") for at in range(size)] for form in (name, renamed))
        sides = _sides(left, right, [])
        counts.append(_calls(sides))
    assert counts[1] <= 12 * counts[0], f"{counts[1] / counts[0]:.1f} times"


def _calls(sides: Sides) -> int:
    count = 0

    def called(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(called)
    try:
        pair_tools(sides)
    finally:
        sys.setprofile(before)
    return count
