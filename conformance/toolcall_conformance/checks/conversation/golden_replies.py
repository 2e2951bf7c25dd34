"""Golden replies as the provider sends them: with names and arguments as the translator declared the tools."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from toolcall_conformance import formats
from toolcall_conformance.basics.jsonspans import replace_texts
from toolcall_conformance.basics.jsonvalue import JSONError, deep_copy, parse, resolve, to_json
from toolcall_conformance.basics.reading import Call
from toolcall_conformance.basics.streaming.event_data import rewrite_data
from toolcall_conformance.checks.conversation.converted_arguments import (
    convert_arguments_in_stream,
    converted_arguments,
)
from toolcall_conformance.checks.streams.event_places import nearest, values_at
from toolcall_conformance.judge.context import Requests
from toolcall_conformance.judge.policy.bodies import rename_arguments
from toolcall_conformance.judge.translation.calls.argument_conversion import ArgumentConversion
from toolcall_conformance.judge.translation.tools.tool_names import DeclaredNames
from toolcall_conformance.library import Exchange


def rename_calls(name: str, reply: dict[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """Rename the calls of a reply in the format ``name`` by ``names`` (golden to declared).

    A provider calls tools by their declared names. Where a translator had to rename one, the golden reply would name a
    tool that was not declared. The same holds for the one member of a tool of free text (:class:`DeclaredNames`), and
    for arguments that are spelt by a tool's schema. Returns the same body if nothing changes.
    """
    changed = {golden: declared for golden, declared in names.items() if golden != declared}
    members, parameters, conversions = _members(names), _parameters(names), _conversions(names)
    if not changed and not members and not parameters and not conversions:
        return reply
    renamed: dict[str, Any] = deep_copy(reply)
    for body, call in _calls(name, renamed):
        if call.arguments_pointer is not None and call.name in parameters:
            parent, _, key = call.arguments_pointer.rpartition("/")
            holder = resolve(body, parent)
            holder[key] = rename_arguments(holder[key], parameters[str(call.name)])
        if call.arguments_pointer is not None and call.kind == "function" and call.name in conversions:
            parent, _, key = call.arguments_pointer.rpartition("/")
            holder = resolve(body, parent)
            holder[key] = converted_arguments(conversions[str(call.name)], holder[key])
        if call.arguments_pointer is not None and members:
            parent, _, key = call.arguments_pointer.rpartition("/")
            holder = resolve(body, parent)
            holder[key] = _with_members(holder[key], members)
        # What an API defines itself is called by its type.
        if call.name in changed and call.name_pointer is not None and call.kind != "builtin":
            parent, _, key = call.name_pointer.rpartition("/")
            resolve(body, parent)[key] = changed[call.name]
    return renamed


def requests_before(client_request: Any, sent: Any, upstream: Exchange) -> Requests:
    """The requests before a reply. A translator of replies alone ``sent`` none: the provider had the golden one."""
    return Requests(client_request, upstream.request, seen=False) if sent is None else Requests(client_request, sent)


def _calls(name: str, reply: dict[str, Any]) -> list[tuple[Any, Call]]:
    """The calls of all choices, each with the body that its pointers are of.

    A reader reads the first choice alone; so each later entry of a list is read as if it were the only one, too.
    """
    alone = ({key: [entry]} for key, value in reply.items() if isinstance(value, list) for entry in value[1:])
    pairs = ((body, call) for body in (reply, *alone) for call in formats.read(name, "response", body).calls)
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

    may_call = _naming(changed)

    def renamed(data: str) -> str:
        if not may_call(data):
            return data
        try:
            event = parse(data)
        except JSONError:
            return data
        called = (member for place in places for member in values_at(event, place))
        texts = {pointer: changed[name] for pointer, name in called if isinstance(name, str) and name in changed}
        return replace_texts(data, texts)

    return rewrite_data(stream, renamed)


def _naming(names: Iterable[str]) -> Callable[[str], bool]:
    """Whether JSON text may have one of the names in it; most events have none, and to parse each takes long."""
    plain = all(json.dumps(name, ensure_ascii=False) == f'"{name}"' for name in names)
    pattern = re.compile("|".join([*map(re.escape, names), r"\\[u/]"])) if plain else re.compile("")
    return lambda text: pattern.search(text) is not None


def rename_members_in_stream(stream: bytes, members: Mapping[str, str], places: Sequence[Mapping[str, Any]]) -> bytes:
    """The same for the one member of arguments that begin with it, however they are cut into fragments."""
    open_texts: dict[tuple[str, Any], _Beginning] = {}

    def renamed(data: str) -> str:
        try:
            event = parse(data)
        except JSONError:
            return data
        texts: dict[str, str] = {}
        for place in places:
            for pointer, value in values_at(event, place):
                if isinstance(value, dict) and value.keys() & members:
                    parent, _, key = pointer.rpartition("/")
                    resolve(event, parent)[key] = _with_members(value, members)
                    data = to_json(event)
                elif isinstance(value, str) and place.get("json"):
                    text = _Beginning(members)
                    if "of" in place:
                        text = open_texts.setdefault((str(place["at"]), nearest(event, pointer, place["of"])), text)
                    texts[pointer] = text.change(value)
        return replace_texts(data, texts)

    return rewrite_data(stream, renamed)


def rename_parameters_in_stream(
    stream: bytes, parameters: Mapping[str, Mapping[str, str]], transport: Mapping[str, Any]
) -> bytes:
    """The same for the parameters of each tool, by its name. In fragments a key is held back until it is whole."""
    called: dict[Any, Any] = {}
    open_texts: dict[Any, _Keys] = {}
    tokens = {"id", *(place["of"] for place in transport["arguments"] if "of" in place)}

    def renamed(data: str) -> str:
        try:
            event = parse(data)
        except JSONError:
            return data
        for place in transport["call_names"]:
            for pointer, name in values_at(event, place):
                called.update({nearest(event, pointer, token): name for token in tokens})
        texts: dict[str, str] = {}
        for place in transport["arguments"]:
            for pointer, value in values_at(event, place):
                token = nearest(event, pointer, place["of"]) if "of" in place else None
                name = called.get(token) if token is not None else nearest(event, pointer, "name")
                names = parameters.get(name) if isinstance(name, str) else None
                if names and isinstance(value, dict):
                    parent, _, key = pointer.rpartition("/")
                    resolve(event, parent)[key] = rename_arguments(value, names)
                    data = to_json(event)
                elif names and isinstance(value, str) and place.get("json"):
                    whole = token is None
                    texts[pointer] = (
                        str(rename_arguments(value, names))
                        if whole
                        else open_texts.setdefault(token, _Keys(names)).change(value)
                    )
        return replace_texts(data, texts)

    return rewrite_data(stream, renamed)


class _Keys:
    """The JSON text of an object that comes in fragments, with other names for its own keys."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names
        self._rest = ""
        self._depth = 0
        self._is_key = self._within_text = False

    def change(self, fragment: str) -> str:
        """The fragment as it goes on: without a key that is not whole, and with the one that was not before."""
        output, text = "", self._rest + fragment
        end = 0
        while (token := self._pattern.match(text, end)) is not None:
            output += self._token(token[0])
            end = token.end()
        self._rest = text[end:]
        return output

    @property
    def _pattern(self) -> re.Pattern[str]:
        """What comes next: a piece of a text, a whole key, or one character."""
        return _IN_TEXT if self._within_text else _KEY if self._is_key else _CHARACTER

    def _token(self, token: str) -> str:
        if token == '"':
            self._within_text = not self._within_text
        elif self._within_text:
            return token
        elif token.startswith('"'):
            self._is_key = False
            return self._renamed(token)
        self._depth += {"{": 1, "[": 1, "}": -1, "]": -1}.get(token, 0)
        if token in "{,":
            self._is_key = self._depth == 1
        return token

    def _renamed(self, key: str) -> str:
        try:
            name = self._names.get(parse(key))
        except JSONError:  # a model may write what is no text of JSON
            return key
        return key if name is None else json.dumps(name, ensure_ascii=False)


_IN_TEXT = re.compile(r'\\.|"|[^"\\]+', re.DOTALL)
_KEY = re.compile(r'"(?:[^"\\]|\\.)*"|[^"]', re.DOTALL)
_CHARACTER = re.compile(".", re.DOTALL)


def _parameters(names: Mapping[str, str]) -> Mapping[str, Mapping[str, str]]:
    return names.parameters if isinstance(names, DeclaredNames) else {}


def _conversions(names: Mapping[str, str]) -> Mapping[str, ArgumentConversion]:
    return names.conversions if isinstance(names, DeclaredNames) else {}


def _members(names: Mapping[str, str]) -> Mapping[str, str]:
    return names.members if isinstance(names, DeclaredNames) else {}


def _with_members(value: Any, members: Mapping[str, str]) -> Any:
    if isinstance(value, dict) and len(value) == 1:
        return {members.get(key, key): entry for key, entry in value.items()}
    return _Beginning(members).change(value) if isinstance(value, str) else value


class _Beginning:
    """The text of an object that comes in fragments: what may be its first key is held until it is whole."""

    def __init__(self, members: Mapping[str, str]) -> None:
        self._members = members
        self._held = ""
        self._over = False

    def change(self, fragment: str) -> str:
        """The fragment as it goes on, perhaps with what was held before, or empty."""
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
