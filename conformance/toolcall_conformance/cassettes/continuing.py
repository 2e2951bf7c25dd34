"""How a recorded conversation goes on: the next request after a real model's reply.

A model that makes the calls of the golden reply is answered as the agent loop's ideal client does (``checks.client``).
One that calls other tools, in another order or number, gets for each call the scenario's result of that tool: for the
n-th call of a tool in the conversation the n-th result that the scenario has of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from toolcall_conformance import formats
from toolcall_conformance.checks.client import Habit, UncontinuableError, continue_from_reply
from toolcall_conformance.jsonvalue import copied, resolve
from toolcall_conformance.library import Exchange
from toolcall_conformance.reading import Media, Reading, Result


class NoWayOnError(Exception):
    """The scenario has nothing to say to this reply; the message says why."""


def next_request(
    name: str, before: dict[str, Any], reply: dict[str, Any], exchanges: Sequence[Exchange], number: int
) -> dict[str, Any]:
    """The request behind exchange ``number`` (from 1), whose request was ``before``. Raises NoWayOnError.

    ``exchanges`` are those of the case in the format ``name``.
    """
    following = exchanges[number]
    golden = formats.read(name, "request", following.request)
    client = formats.get(name).client
    history = copied(client.entries(before)) + client.as_history(reply, echo=True)
    asked = formats.read(name, "request", {**before, client.CONTAINER: history})
    if [call.name for call in asked.calls] == [call.name for call in golden.calls]:
        try:
            body = continue_from_reply(name, before, reply, following, Habit())
        except UncontinuableError as error:
            raise NoWayOnError(str(error)) from None
    else:
        told = len(formats.read(name, "request", before).calls)
        body = _otherwise(name, history, asked, told, exchanges, number)
    if "model" in before:
        body["model"] = before["model"]
    return body


@dataclass(frozen=True, slots=True)
class _Result:
    """A result of the scenario: ``element`` is the entry of the conversation itself, or stands in its list ``key``.

    ``inside`` is the pointer from the element to what names the call.
    """

    ordinal: int
    entry: Any
    key: str | None
    element: Any
    inside: str


def _otherwise(
    name: str, history: list[Any], asked: Reading, told: int, exchanges: Sequence[Exchange], number: int
) -> dict[str, Any]:
    """The next request with the scenario's results by the names of the tools; ``told`` calls were answered before."""
    client = formats.get(name).client
    following = exchanges[number].request
    body: dict[str, Any] = {**copied(following), client.CONTAINER: history}
    bank = _results(name, exchanges[-1].request)
    given = []
    called = Counter(call.name for call in asked.calls[:told])
    for call in asked.calls[told:]:
        results = bank.get(call.name or "", [])
        place = called[call.name]
        called[call.name] += 1
        if place >= len(results):
            again = f" for the {place + 1}th time" if results else ""
            raise NoWayOnError(f"the model calls {call.name!r}{again}, for which the scenario has no result")
        result = replace(results[place], element=copied(results[place].element))
        client.relink(resolve(result.element, result.inside), resolve(body, call.pointer))
        given.append(result)
    body[client.CONTAINER] = history + _with_rest(given, _rest(name, following))
    return body


def _results(name: str, request: dict[str, Any]) -> dict[str, list[_Result]]:
    """The scenario's results by the name of their tool, in the order of the calls."""
    entries = formats.get(name).client.entries(request)
    reading = formats.read(name, "request", request)
    if any(isinstance(item, Media) for turn in reading.turns[1:] if turn.side == "user" for item in turn.items):
        raise NoWayOnError(
            "the model does not make the calls that the scenario answers, and in this case pictures or files stand "
            "beside the results, so that no other calls can be answered"
        )
    found: dict[str, list[_Result]] = {}
    for result in reading.results:
        if result.call is None:
            continue
        call = reading.calls[result.call]
        index, key, place, inside = _way(result)
        entry = entries[index]
        element = entry if key is None else entry[key][place]
        found.setdefault(call.name or "", []).append(_Result(call.ordinal, entry, key, element, inside))
    return {tool: sorted(results, key=lambda one: one.ordinal) for tool, results in found.items()}


def _rest(name: str, request: dict[str, Any]) -> list[Any]:
    """What the user added last in a golden request beside results."""
    entries = formats.get(name).client.entries(request)
    reading = formats.read(name, "request", request)
    said = [
        int(item.pointer.split("/")[2]) for turn in reading.turns if turn.side == "assistant" for item in turn.items
    ]
    ways = {_way(result)[:3] for result in reading.results}
    rest = []
    for index in range(max(said, default=-1) + 1, len(entries)):
        entry = copied(entries[index])
        if (index, None, 0) in ways:
            continue
        for key in {key for at, key, _ in ways if at == index and key is not None}:
            entry[key] = [one for place, one in enumerate(entry[key]) if (index, key, place) not in ways]
            if not entry[key]:
                break
        else:
            rest.append(entry)
    return rest


def _with_rest(given: list[_Result], rest: list[Any]) -> list[Any]:
    """Results as entries of the conversation, and what the user says behind them."""
    if not given or given[0].key is None:
        return [result.element for result in given] + rest
    key, elements = given[0].key, [result.element for result in given]
    if rest and isinstance(rest[0].get(key), list) and rest[0].get("role") == given[0].entry.get("role"):
        return [{**rest[0], key: elements + rest[0][key]}, *rest[1:]]
    return [{**given[0].entry, key: elements}, *rest]


def _way(result: Result) -> tuple[int, str | None, int, str]:
    """The way to a result: the entry's number, the key of the list in it and the place there, and what is below."""
    _, _, index, *inside = result.pointer.split("/")
    if len(inside) < 2:
        return int(index), None, 0, "".join(f"/{key}" for key in inside)
    key, place, *below = inside
    return int(index), key, int(place), "".join(f"/{step}" for step in below)
