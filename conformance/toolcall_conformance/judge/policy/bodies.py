"""Bodies as a policy makes them: the client's request as it must go upstream, and the provider's reply on its way back.

They are the source that a translator's output is compared with. So whatever the policy says is demanded, and nothing
else may go. Bodies are changed at the pointers of their readings, in the form of their own format.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Collection, Mapping
from typing import Any, TypeVar

from toolcall_conformance import formats
from toolcall_conformance.basics.jsonvalue import JSONError, deep_copy, parse, resolve, to_json, unescape
from toolcall_conformance.basics.reading import Call, Reading, Text, Tool
from toolcall_conformance.judge.policy.file import Policy, Words


def as_sent(policy: Policy, name: str, body: Any) -> Any:
    """A request of the format ``name`` as the policy lets it go upstream; what is no request stays as it is."""
    reading = formats.read(name, "request", body)
    if not isinstance(body, dict):
        return body
    request: dict[str, Any] = deep_copy(body)
    gone = [tool for tool in reading.tools if _is_own(tool) and tool.name in policy.filtered]
    _clean(policy, reading, request)
    for tool in reading.tools:
        _rename_tool(policy, tool, request)
    for call in reading.calls:
        _rename_call(call, request, policy.rename, policy.parameters)
    for result in reading.results:
        _change(request, result.name_pointer, lambda old_name: _other(old_name, policy.rename))
    _choose(policy, name, reading, request, left=len(reading.tools) - len(gone))
    for tool in reversed(gone):
        _remove(request, tool.pointer)
    declared = {tool.name for tool in gone}
    for filtered, words in policy.guidance.items():
        if filtered in declared and words:
            formats.get(name).client.add_instruction(request, words)
    return request


def came_from(policy: Policy, name: str, reply: Any, declared: Collection[str] | None = None) -> Any:
    """A provider's reply, of the format ``name``, with the client's names of tools and parameters.

    ``declared`` are the names of the client's tools, None where nobody knows them. A tool that the client does not
    declare has no other name, and another may have the one that the policy would give it.
    """
    if not isinstance(reply, dict):
        return reply
    rename, mapped = _of_tools(policy.rename, declared), _of_tools(policy.parameters, declared)
    if not rename and not mapped:
        return reply
    output: dict[str, Any] = deep_copy(reply)
    names = {new: old for old, new in rename.items()}
    parameters = {rename.get(tool, tool): {new: old for old, new in words.items()} for tool, words in mapped.items()}
    for call in formats.read(name, "response", output).calls:
        _rename_call(call, output, names, parameters)
    return output


_Entry = TypeVar("_Entry")


def _of_tools(table: Mapping[str, _Entry], declared: Collection[str] | None) -> dict[str, _Entry]:
    """The entries of a table for the tools that are declared; all, where nobody knows which are."""
    return {tool: entry for tool, entry in table.items() if declared is None or tool in declared}


def declared_tools(name: str, request: Any) -> frozenset[str]:
    """The names of the tools that a client declares itself, in a request of the format ``name``."""
    tools = formats.read(name, "request", request).tools
    return frozenset(tool.name for tool in tools if tool.name is not None and _is_own(tool))


def renamed_arguments(value: Any, names: Words) -> Any:
    """Arguments, an object or its JSON text, with other names for its own keys."""
    if isinstance(value, dict):
        return {names.get(key, key): entry for key, entry in value.items()}
    if not isinstance(value, str):
        return value
    try:
        arguments = parse(value)
    except JSONError:
        return value
    renamed = renamed_arguments(arguments, names) if isinstance(arguments, dict) else arguments
    return value if renamed == arguments else to_json(renamed)


def _is_own(tool: Tool) -> bool:
    """Whether the client declares the tool itself, and no API does."""
    return tool.kind in ("function", "custom")


def _clean(policy: Policy, reading: Reading, body: dict[str, Any]) -> None:
    system_texts = [
        item for turn in reading.turns if turn.side == "system" for item in turn.items if isinstance(item, Text)
    ]
    for text in (*reading.system, *system_texts):
        for name, words in policy.clean_system.items():
            mention = re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])")
            # A backslash in the words is a backslash.
            literal = words.replace("\\", r"\\")
            _change(body, text.pointer, functools.partial(mention.sub, literal))


def _rename_tool(policy: Policy, tool: Tool, body: dict[str, Any]) -> None:
    if not _is_own(tool) or tool.name is None:
        return
    names = policy.parameters.get(tool.name)
    if names and tool.schema_pointer is not None:
        _change_schema(resolve(body, tool.schema_pointer), names)
    _change(body, tool.name_pointer, lambda old_name: _other(old_name, policy.rename))


def _change_schema(schema: Any, names: Words) -> None:
    """Give the parameters of a schema other names, in place and in their order."""
    if not isinstance(schema, dict):
        return
    properties = schema.get("properties")
    if isinstance(properties, dict):
        schema["properties"] = {names.get(key, key): entry for key, entry in properties.items()}
    for key in ("required", "propertyOrdering"):
        listed = schema.get(key)
        if isinstance(listed, list):
            schema[key] = [_other(entry, names) for entry in listed]


def _rename_call(call: Call, body: dict[str, Any], names: Words, parameters: Mapping[str, Words]) -> None:
    if call.kind == "builtin" or call.name is None:
        return
    if call.kind == "function" and call.name in parameters:
        _change(
            body, call.arguments_pointer, lambda arguments: renamed_arguments(arguments, parameters[str(call.name)])
        )
    _change(body, call.name_pointer, lambda old_name: _other(old_name, names))


def _choose(policy: Policy, name: str, reading: Reading, body: dict[str, Any], *, left: int) -> None:
    """Loosen a choice of tools that are gone, and give the others their names."""
    choice = reading.settings.get("tool_choice")
    if choice is None or not isinstance(choice.value, dict):
        return
    chosen = choice.value.get("names") or []
    still = [tool_name for tool_name in chosen if tool_name not in policy.filtered]
    if not left:
        _remove(body, choice.pointer)
    elif chosen and not still:
        formats.get(name).client.set_tool_choice_auto(body)
    elif chosen:
        _change(body, choice.pointer, lambda value: _chosen(value, policy))


def _chosen(value: Any, policy: Policy) -> Any:
    """What stands for a choice of tools, without those that are gone, with new names for the others."""
    if isinstance(value, dict):
        # Other texts are the API's words, such as the type.
        return {
            key: _other(entry, policy.rename) if key == "name" else _chosen(entry, policy)
            for key, entry in value.items()
        }
    if isinstance(value, list):
        left = [entry for entry in value if not _names_one_of(entry, policy.filtered)]
        return [_other(entry, policy.rename) if isinstance(entry, str) else _chosen(entry, policy) for entry in left]
    return value


def _names_one_of(entry: Any, names: Collection[str]) -> bool:
    """Whether an entry of a choice names one of these tools: itself, by its name, or in the object of its kind."""
    if isinstance(entry, dict):
        inner = (value for value in entry.values() if isinstance(value, dict))
        return entry.get("name") in names or any(_names_one_of(value, names) for value in inner)
    return isinstance(entry, str) and entry in names


def _change(body: dict[str, Any], pointer: str | None, change: Callable[[Any], Any]) -> None:
    """Change what stands at a pointer, in place."""
    if not pointer:
        return
    holder, key = _place(body, pointer)
    holder[key] = change(holder[key])


def _place(body: dict[str, Any], pointer: str) -> tuple[Any, Any]:
    """What holds the value at a pointer, and its key or index there."""
    parent, _, last = pointer.rpartition("/")
    holder = resolve(body, parent)
    return holder, int(last) if isinstance(holder, list) else unescape(last)


def _other(name: Any, names: Words) -> Any:
    return names.get(name, name) if isinstance(name, str) else name


def _remove(body: dict[str, Any], pointer: str) -> None:
    """Remove what stands at a pointer, and what holds nothing any more."""
    holder, key = _place(body, pointer)
    del holder[key]
    parent = pointer.rpartition("/")[0]
    if parent and not holder:
        _remove(body, parent)
