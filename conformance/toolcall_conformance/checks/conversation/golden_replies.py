"""Adapts golden replies to the tools that the translator declared: their names, parameters and arguments."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from toolcall_conformance import formats
from toolcall_conformance.basics.jsonspans import replace_texts
from toolcall_conformance.basics.jsonvalue import JSONError, deep_copy, parse, resolve
from toolcall_conformance.basics.reading import Call
from toolcall_conformance.basics.streaming.event_data import rewrite_data
from toolcall_conformance.checks.conversation.converted_arguments import (
    convert_arguments,
    convert_arguments_in_stream,
)
from toolcall_conformance.checks.streams.event_places import change_values, nearest_member, values_at
from toolcall_conformance.judge.context import Requests
from toolcall_conformance.judge.policy.bodies import rename_arguments
from toolcall_conformance.judge.translation.calls.argument_conversion import ArgumentConversion
from toolcall_conformance.judge.translation.tools.tool_names import DeclaredNames
from toolcall_conformance.library import Exchange


def rename_calls(format_name: str, reply: dict[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """Rename the calls of a reply in the format ``format_name`` by ``names`` (golden to declared).

    A provider calls tools by their declared names. If a translator had to rename one, the golden reply would name a
    tool that was not declared. The same holds for the one member of a tool of free text (:class:`DeclaredNames`), and
    for arguments whose form depends on the tool's schema. Returns the same body if nothing changes.
    """
    changed = {golden: declared for golden, declared in names.items() if golden != declared}
    members, parameters, conversions = _members(names), _parameters(names), _conversions(names)
    if not changed and not members and not parameters and not conversions:
        return reply
    renamed: dict[str, Any] = deep_copy(reply)
    for body, call in _calls_in_all_choices(format_name, renamed):
        if call.arguments_pointer is not None and call.name in parameters:
            parent, _, key = call.arguments_pointer.rpartition("/")
            holder = resolve(body, parent)
            holder[key] = rename_arguments(holder[key], parameters[str(call.name)])
        if call.arguments_pointer is not None and call.kind == "function" and call.name in conversions:
            parent, _, key = call.arguments_pointer.rpartition("/")
            holder = resolve(body, parent)
            holder[key] = convert_arguments(conversions[str(call.name)], holder[key])
        if call.arguments_pointer is not None and members:
            parent, _, key = call.arguments_pointer.rpartition("/")
            holder = resolve(body, parent)
            holder[key] = _rename_member(holder[key], members)
        # What an API defines itself is called by its type.
        if call.name in changed and call.name_pointer is not None and call.kind != "builtin":
            parent, _, key = call.name_pointer.rpartition("/")
            resolve(body, parent)[key] = changed[call.name]
    return renamed


def requests_before(client_request: Any, upstream_request: Any, upstream: Exchange) -> Requests:
    """The requests before a reply; the golden one if ``upstream_request`` is None, of a translator of replies alone."""
    return (
        Requests(client_request, upstream.request, seen=False)
        if upstream_request is None
        else Requests(client_request, upstream_request)
    )


def _calls_in_all_choices(format_name: str, reply: dict[str, Any]) -> list[tuple[Any, Call]]:
    """The calls of all choices, each with the body that its pointers go into.

    A reader reads only the first choice, so each later entry of a list is also read as if it were the only one.
    """
    alone = ({key: [entry]} for key, value in reply.items() if isinstance(value, list) for entry in value[1:])
    pairs = ((body, call) for body in (reply, *alone) for call in formats.read(format_name, "response", body).calls)
    return list({id(resolve(body, call.pointer)): (body, call) for body, call in pairs}.values())


def rename_calls_in_stream(stream: bytes, names: Mapping[str, str], transport: Mapping[str, Any]) -> bytes:
    """Rename the calls in the bytes of a stream; everything else stays as it is.

    ``transport`` says where an event has the name of a call and its arguments (``stream`` of ``transport.json``).
    """
    places = transport["call_names"]
    members, parameters = _members(names), _parameters(names)
    if parameters:
        stream = rename_parameters_in_stream(stream, parameters, transport)
    if conversions := _conversions(names):
        stream = convert_arguments_in_stream(stream, conversions, transport)
    if members:
        stream = rename_members_in_stream(stream, members, transport["arguments"])
    changed = {golden: declared for golden, declared in names.items() if golden != declared}
    if not changed:
        return stream

    may_call = _name_test(changed)

    def rewrite(data: str) -> str:
        if not may_call(data):
            return data
        try:
            event = parse(data)
        except JSONError:
            return data
        calls = (member for place in places for member in values_at(event, place))
        return replace_texts(
            data, {pointer: changed[name] for pointer, name in calls if isinstance(name, str) and name in changed}
        )

    return rewrite_data(stream, rewrite)


def _name_test(names: Iterable[str]) -> Callable[[str], bool]:
    """A fast test whether JSON text may have one of the names: most events have none, and parsing each takes long."""
    plain = all(json.dumps(name, ensure_ascii=False) == f'"{name}"' for name in names)
    pattern = re.compile("|".join([*map(re.escape, names), r"\\[u/]"])) if plain else re.compile("")
    return lambda text: pattern.search(text) is not None


def rename_members_in_stream(stream: bytes, members: Mapping[str, str], places: Sequence[Mapping[str, Any]]) -> bytes:
    """Rename the one member of arguments in the bytes of a stream, in whatever fragments they come."""
    open_texts: dict[tuple[str, Any], _FirstKeyRenamer] = {}

    def new_values(event: Any) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for place in places:
            for pointer, value in values_at(event, place):
                if isinstance(value, dict) and value.keys() & members:
                    values[pointer] = _rename_member(value, members)
                elif isinstance(value, str) and place.get("json"):
                    text = _FirstKeyRenamer(members)
                    if "of" in place:
                        text = open_texts.setdefault(
                            (str(place["at"]), nearest_member(event, pointer, place["of"])), text
                        )
                    values[pointer] = text.change(value)
        return values

    return change_values(stream, new_values)


def rename_parameters_in_stream(
    stream: bytes, parameters: Mapping[str, Mapping[str, str]], transport: Mapping[str, Any]
) -> bytes:
    """Rename parameters in the bytes of a stream, by the tool's name. In fragments a key is held until it is whole."""
    called_names: dict[Any, Any] = {}
    open_texts: dict[Any, _KeyRenamer] = {}
    tokens = {"id", *(place["of"] for place in transport["arguments"] if "of" in place)}

    def new_values(event: Any) -> dict[str, Any]:
        for place in transport["call_names"]:
            for pointer, name in values_at(event, place):
                called_names.update({nearest_member(event, pointer, token): name for token in tokens})
        values: dict[str, Any] = {}
        for place in transport["arguments"]:
            for pointer, value in values_at(event, place):
                token = nearest_member(event, pointer, place["of"]) if "of" in place else None
                name = called_names.get(token) if token is not None else nearest_member(event, pointer, "name")
                names = parameters.get(name) if isinstance(name, str) else None
                if names and isinstance(value, dict):
                    values[pointer] = rename_arguments(value, names)
                elif names and isinstance(value, str) and place.get("json"):
                    values[pointer] = (
                        str(rename_arguments(value, names))
                        if token is None
                        else open_texts.setdefault(token, _KeyRenamer(names)).change(value)
                    )
        return values

    return change_values(stream, new_values)


class _KeyRenamer:
    """Renames the top keys in the JSON text of an object that comes in fragments."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names
        self._rest = ""
        self._depth = 0
        self._is_key = self._within_text = False

    def change(self, fragment: str) -> str:
        """The changed fragment: without a key that is still incomplete, and with the one held back before."""
        output, text = "", self._rest + fragment
        end = 0
        while (token := self._pattern.match(text, end)) is not None:
            output += self._change_token(token[0])
            end = token.end()
        self._rest = text[end:]
        return output

    @property
    def _pattern(self) -> re.Pattern[str]:
        """The pattern of the next token: a piece of a text, a whole key, or one character."""
        return _TEXT_PIECE if self._within_text else _WHOLE_KEY if self._is_key else _ANY_CHARACTER

    def _change_token(self, token: str) -> str:
        if token == '"':
            self._within_text = not self._within_text
        elif self._within_text:
            return token
        elif token.startswith('"'):
            self._is_key = False
            return self._rename_key(token)
        self._depth += {"{": 1, "[": 1, "}": -1, "]": -1}.get(token, 0)
        if token in "{,":
            self._is_key = self._depth == 1
        return token

    def _rename_key(self, key: str) -> str:
        try:
            name = self._names.get(parse(key))
        except JSONError:  # a model may write invalid JSON
            return key
        return key if name is None else json.dumps(name, ensure_ascii=False)


_TEXT_PIECE = re.compile(r'\\.|"|[^"\\]+', re.DOTALL)
_WHOLE_KEY = re.compile(r'"(?:[^"\\]|\\.)*"|[^"]', re.DOTALL)
_ANY_CHARACTER = re.compile(".", re.DOTALL)


def _parameters(names: Mapping[str, str]) -> Mapping[str, Mapping[str, str]]:
    return names.parameters if isinstance(names, DeclaredNames) else {}


def _conversions(names: Mapping[str, str]) -> Mapping[str, ArgumentConversion]:
    return names.conversions if isinstance(names, DeclaredNames) else {}


def _members(names: Mapping[str, str]) -> Mapping[str, str]:
    return names.members if isinstance(names, DeclaredNames) else {}


def _rename_member(value: Any, members: Mapping[str, str]) -> Any:
    if isinstance(value, dict) and len(value) == 1:
        return {members.get(key, key): entry for key, entry in value.items()}
    return _FirstKeyRenamer(members).change(value) if isinstance(value, str) else value


class _FirstKeyRenamer:
    """Renames the first key in the text of an object that comes in fragments; it is held until it is whole."""

    def __init__(self, members: Mapping[str, str]) -> None:
        self._members = members
        self._held = ""
        self._over = False

    def change(self, fragment: str) -> str:
        """The changed fragment, with the text held before; empty while the first key is incomplete."""
        if self._over:
            return fragment
        self._held += fragment
        text = "".join(self._held.split())
        for old, new in self._members.items():
            key = "{" + json.dumps(old)
            if text.startswith(key):
                self._over = True
                return self._held.replace(json.dumps(old), json.dumps(new), 1)
            if key.startswith(text):
                return ""
        self._over = True
        return self._held
