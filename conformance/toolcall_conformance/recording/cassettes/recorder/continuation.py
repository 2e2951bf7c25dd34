"""How a recorded conversation continues: the next request after a real model's reply.

If the model makes the calls of the golden reply, the request is that of the agent loop's ideal client
(``checks.conversation.client``). If it calls other tools, in another order or number, the n-th call of a tool in the
conversation gets the n-th result that the scenario has for that tool.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from toolcall_conformance import formats
from toolcall_conformance.basics.jsonvalue import deep_copy, resolve
from toolcall_conformance.basics.reading import Media, Reading, Result
from toolcall_conformance.checks.conversation.client import ClientHabit, UncontinuableError, continue_from_reply
from toolcall_conformance.library import Exchange


class CannotContinueError(Exception):
    """The scenario has no answer to this reply; the message says why."""


def next_request(
    name: str, before: dict[str, Any], reply: dict[str, Any], exchanges: Sequence[Exchange], number: int
) -> dict[str, Any]:
    """Make the request after exchange ``number`` (from 1), whose request was ``before``. Raises CannotContinueError.

    ``exchanges`` are those of the case in the format ``name``, each request whole: an entry that it names by reference
    stands in it (``whole_exchanges``).
    """
    following = exchanges[number]
    golden = formats.read(name, "request", following.request)
    client = formats.get(name).client
    history = deep_copy(client.entries(before)) + client.as_history(reply, echo=True)
    reading = formats.read(name, "request", {**before, client.CONTAINER: history})
    if [call.name for call in reading.calls] == [call.name for call in golden.calls]:
        try:
            body = continue_from_reply(name, before, reply, following, ClientHabit())
        except UncontinuableError as error:
            raise CannotContinueError(str(error)) from None
    else:
        answered = len(formats.read(name, "request", before).calls)
        body = _answer_calls(name, history, reading, answered, exchanges, number)
    if "model" in before:
        body["model"] = before["model"]
    return body


@dataclass(frozen=True, slots=True)
class _Result:
    """A result of the scenario: ``element`` is the entry of the conversation itself, or is in its list ``key``.

    ``call_pointer`` leads from the element to the place that names the call.
    """

    ordinal: int
    entry: Any
    key: str | None
    element: Any
    call_pointer: str


def _answer_calls(
    name: str, history: list[Any], reading: Reading, answered: int, exchanges: Sequence[Exchange], number: int
) -> dict[str, Any]:
    """The next request, with results by tool name; ``answered`` calls have theirs already."""
    client = formats.get(name).client
    following = exchanges[number].request
    body: dict[str, Any] = {**deep_copy(following), client.CONTAINER: history}
    results_by_tool = _results(name, exchanges[-1].request)
    answers = []
    called = Counter(call.name for call in reading.calls[:answered])
    for call in reading.calls[answered:]:
        results = results_by_tool.get(call.name or "", [])
        place = called[call.name]
        called[call.name] += 1
        if place >= len(results):
            again = f" for the {place + 1}th time" if results else ""
            raise CannotContinueError(f"the model calls {call.name!r}{again}, for which the scenario has no result")
        result = replace(results[place], element=deep_copy(results[place].element))
        if not client.relink(resolve(result.element, result.call_pointer), resolve(body, call.pointer)):
            raise CannotContinueError(f"the model calls {call.name!r} in a form for which the scenario has no result")
        answers.append(result)
    body[client.CONTAINER] = history + _result_entries(answers, _user_additions(name, following))
    return body


def _results(name: str, request: dict[str, Any]) -> dict[str, list[_Result]]:
    """The scenario's results by the name of their tool, in the order of the calls."""
    entries = formats.get(name).client.entries(request)
    reading = formats.read(name, "request", request)
    if any(isinstance(item, Media) for turn in reading.turns[1:] if turn.side == "user" for item in turn.items):
        raise CannotContinueError(
            "the model makes other calls than the scenario answers; this case has pictures or files next to the "
            "results, so other calls cannot be answered"
        )
    results_by_tool: dict[str, list[_Result]] = {}
    for result in reading.results:
        if result.call is None:
            continue
        call = reading.calls[result.call]
        index, key, place, inside = _location(result)
        entry = entries[index]
        element = entry if key is None else entry[key][place]
        results_by_tool.setdefault(call.name or "", []).append(_Result(call.ordinal, entry, key, element, inside))
    return {tool: sorted(results, key=lambda result: result.ordinal) for tool, results in results_by_tool.items()}


def _user_additions(name: str, request: dict[str, Any]) -> list[Any]:
    """What the user added to the results in the last turn of a golden request."""
    entries = formats.get(name).client.entries(request)
    reading = formats.read(name, "request", request)
    places = [
        int(item.pointer.split("/")[2]) for turn in reading.turns if turn.side == "assistant" for item in turn.items
    ]
    ways = {_location(result)[:3] for result in reading.results}
    rest = []
    for index in range(max(places, default=-1) + 1, len(entries)):
        entry = deep_copy(entries[index])
        if (index, None, 0) in ways:
            continue
        for key in {key for at, key, _ in ways if at == index and key is not None}:
            entry[key] = [part for place, part in enumerate(entry[key]) if (index, key, place) not in ways]
            if not entry[key]:
                break
        else:
            rest.append(entry)
    return rest


def _result_entries(results: list[_Result], later_entries: list[Any]) -> list[Any]:
    """Results as entries of the conversation, followed by the rest of the user's turn."""
    if not results or results[0].key is None:
        return [result.element for result in results] + later_entries
    key, elements = results[0].key, [result.element for result in results]
    if (
        later_entries
        and isinstance(later_entries[0].get(key), list)
        and later_entries[0].get("role") == results[0].entry.get("role")
    ):
        return [{**later_entries[0], key: elements + later_entries[0][key]}, *later_entries[1:]]
    return [{**results[0].entry, key: elements}, *later_entries]


def _location(result: Result) -> tuple[int, str | None, int, str]:
    """Where a result is: the entry's number, the key of its list, the index there, and the pointer below."""
    _, _, index, *inside = result.pointer.split("/")
    if len(inside) < 2:
        return int(index), None, 0, "".join(f"/{key}" for key in inside)
    key, place, *below = inside
    return int(index), key, int(place), "".join(f"/{step}" for step in below)
