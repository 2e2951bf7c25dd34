"""Searches for tools that the client runs, as calls of a function: which must be there, and what they say.

Declarations answer such a search, and they hold for the rest of the conversation
(https://developers.openai.com/api/docs/guides/tools-tool-search). Where these are with the other tools, the result
need only name them. All completed searches may be left out of the history: what they loaded is declared. That is a
loss of steps, and of the search itself if it is not offered again.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from toolcall_conformance.basics.jsonvalue import equal
from toolcall_conformance.basics.reading import Call, Hosted, Opaque, Reading, Result, Text, Waiver
from toolcall_conformance.basics.reading.model import Item, Value
from toolcall_conformance.judge.translation.pair import Sides

SEARCH: Final = "tool_search"
_EQUIVALENCE: Final = "own-tool-as-another"


def normalize_client_searches(sides: Sides) -> Sides:
    """Return the sides with searches as hosted steps if the output has none, else with results that it only names."""
    if sides.source.format == sides.output.format or not sides.is_request:
        return sides
    names = _offered_names(sides)
    done = [call for call in sides.source.calls if call.kind == "builtin" and call.name == SEARCH]
    if done and not any(_is_same_search(call, other, names) for call in done for other in sides.output.calls):
        return replace(sides, source=_turn_into_steps(sides.source, done, offered=bool(names)))
    answers = {result.call: result for result in sides.output.results}
    results_by_call: dict[int, Result] = {}
    for call, loaded in _loading_searches(sides.source):
        twin = next(
            (
                other
                for other in sides.output.calls
                if other.ordinal not in results_by_call and _is_same_search(call, other, names)
            ),
            None,
        )
        answer = None if twin is None else answers.get(twin.ordinal)
        if twin is not None and answer is not None and _answer_names_all(answer, loaded):
            results_by_call[twin.ordinal] = replace(answer, parts=loaded.parts)
            if sides.accepted is not None:
                sides.accept(_EQUIVALENCE, answer.content_pointer or answer.pointer, loaded.pointer)
    return replace(sides, output=_replace_results(sides.output, results_by_call)) if results_by_call else sides


def _offered_names(sides: Sides) -> frozenset[str]:
    """Return the names of the output's functions that are the source's search, by its name or description."""
    searches = [tool for tool in sides.source.tools if tool.type == SEARCH]
    descriptions = {tool.description for tool in searches} - {None, ""}
    return frozenset(
        tool.name
        for tool in sides.output.tools
        if tool.kind != "hosted" and tool.name and (tool.name == SEARCH or tool.description in descriptions)
    )


def _turn_into_steps(reading: Reading, searches: list[Call], *, offered: bool) -> Reading:
    """Return the reading with these calls and their results as steps of the API's own; other calls are renumbered."""
    search_ordinals = {call.ordinal for call in searches}
    left = [call for call in reading.calls if call.ordinal not in search_ordinals]
    batches = {batch: place for place, batch in enumerate(dict.fromkeys(call.batch for call in left))}
    ordinals = {call.ordinal: place for place, call in enumerate(left)}
    turns = [
        replace(turn, items=[_turn_into_step(item, ordinals, batches) for item in turn.items]) for turn in reading.turns
    ]
    # Without the mark that the client runs it, it is a tool that no target needs to offer.
    bare = {"type": SEARCH}
    tools = [tool if offered or tool.type != SEARCH else replace(tool, declaration=bare) for tool in reading.tools]
    return replace(reading, turns=turns, tools=tools)


def _turn_into_step(item: Item, ordinals: Mapping[int, int], batches: Mapping[int, int]) -> Item:
    """Return a search or its result as a hosted step; any other item with its calls renumbered."""
    if isinstance(item, Call):
        if item.ordinal in ordinals:
            return replace(item, ordinal=ordinals[item.ordinal], batch=batches[item.batch])
        return Hosted(f"{SEARCH}_call", SEARCH, item.id, item.arguments, item.pointer)
    if isinstance(item, (Result, Opaque, Waiver)) and item.call is not None:
        if item.call in ordinals:
            return replace(item, call=ordinals[item.call])
        if isinstance(item, Result):
            return Hosted(f"{SEARCH}_output", SEARCH, item.id, None, item.pointer)
        return replace(item, call=None) if isinstance(item, Opaque) else item
    return item


def _loading_searches(reading: Reading) -> Iterator[tuple[Call, Result]]:
    """Yield the searches that the client ran, each with the result that loads tools."""
    for result in reading.results:
        call = None if result.call is None else reading.calls[result.call]
        if call is not None and call.kind == "builtin" and call.name == SEARCH and any(_loaded_names(result)):
            yield call, result


def _is_same_search(call: Call, other: Call, names: Collection[str]) -> bool:
    """Whether a call of the output is a search: by its id, or by its arguments if its function is in ``names``."""
    return other.id == call.id or (other.name in names and equal(other.arguments, call.arguments))


def _loaded_names(result: Result) -> Iterator[str]:
    """Yield the names of the tools that a result loads, those of a namespace too."""
    for part in result.parts:
        yield from _declared_names(part.value) if isinstance(part, Value) else ()


def _declared_names(declared: Any) -> Iterator[str]:
    """Yield the names of tools in a list of declarations."""
    for entry in declared if isinstance(declared, list) else ():
        if isinstance(entry, dict) and entry.get("type") == "namespace":
            yield from _declared_names(entry.get("tools"))
        elif isinstance(entry, dict) and isinstance(entry.get("name"), str):
            yield entry["name"]


def _answer_names_all(answer: Result, loaded: Result) -> bool:
    """Whether an answer is no failure and names each loaded tool, perhaps with its namespace."""
    texts = [part.text for part in answer.parts if isinstance(part, Text)]
    texts += [json.dumps(part.value, ensure_ascii=False) for part in answer.parts if isinstance(part, Value)]
    text = "\n".join(texts)
    return not answer.error and all(name in text for name in _loaded_names(loaded))


def _replace_results(reading: Reading, results_by_call: dict[int, Result]) -> Reading:
    """Return the reading with other results, given by the ordinals of the calls that they answer."""
    turns = [
        replace(
            turn,
            items=[
                results_by_call.get(item.call, item) if isinstance(item, Result) and item.call is not None else item
                for item in turn.items
            ],
        )
        for turn in reading.turns
    ]
    return replace(reading, turns=turns)
