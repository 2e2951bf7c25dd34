"""Applies a policy to bodies: to the client's request on its way upstream, and back to the provider's reply.

The results are the source that a translator's output is compared with. So everything in the policy is demanded, and
nothing else may be lost. Bodies are changed at the pointers of their readings, in their own format.
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


def apply_policy(policy: Policy, format_name: str, body: Any) -> Any:
    """A copy of a request with the policy applied; what is no object is returned as it is."""
    reading = formats.read(format_name, "request", body)
    if not isinstance(body, dict):
        return body
    request: dict[str, Any] = deep_copy(body)
    gone = [tool for tool in reading.tools if _is_own(tool) and tool.name in policy.filtered]
    _clean_system(policy, reading, request)
    for tool in reading.tools:
        _rename_tool(policy, tool, request)
    for call in reading.calls:
        _rename_call(call, request, policy.rename, policy.parameters)
    for result in reading.results:
        _change(request, result.name_pointer, lambda old_name: _rename(old_name, policy.rename))
    _adapt_tool_choice(policy, format_name, reading, request, left=len(reading.tools) - len(gone))
    for tool in reversed(gone):
        _remove(request, tool.pointer)
    declared = {tool.name for tool in gone}
    for filtered, words in policy.guidance.items():
        if filtered in declared and words:
            formats.get(format_name).client.add_instruction(request, words)
    return request


def undo_policy(policy: Policy, format_name: str, reply: Any, declared: Collection[str] | None = None) -> Any:
    """A copy of a provider's reply with the client's names of tools and parameters.

    ``declared`` are the names of the client's tools, None if unknown. A tool that the client does not declare is not
    renamed: another tool may have the name that the policy would give it.
    """
    if not isinstance(reply, dict):
        return reply
    rename, mapped = _declared_entries(policy.rename, declared), _declared_entries(policy.parameters, declared)
    if not rename and not mapped:
        return reply
    output: dict[str, Any] = deep_copy(reply)
    names = {new: old for old, new in rename.items()}
    parameters = {rename.get(tool, tool): {new: old for old, new in words.items()} for tool, words in mapped.items()}
    for call in formats.read(format_name, "response", output).calls:
        _rename_call(call, output, names, parameters)
    return output


_Entry = TypeVar("_Entry")


def _declared_entries(table: Mapping[str, _Entry], declared: Collection[str] | None) -> dict[str, _Entry]:
    """The entries of a table for the declared tools; all if ``declared`` is None."""
    return {tool: entry for tool, entry in table.items() if declared is None or tool in declared}


def declared_tools(format_name: str, request: Any) -> frozenset[str]:
    """The names of the tools that a client's request declares itself, without the API's own."""
    tools = formats.read(format_name, "request", request).tools
    return frozenset(tool.name for tool in tools if tool.name is not None and _is_own(tool))


def rename_arguments(value: Any, names: Words) -> Any:
    """Arguments, an object or its JSON text, with its top keys renamed."""
    if isinstance(value, dict):
        return {names.get(key, key): entry for key, entry in value.items()}
    if not isinstance(value, str):
        return value
    try:
        arguments = parse(value)
    except JSONError:
        return value
    renamed = rename_arguments(arguments, names) if isinstance(arguments, dict) else arguments
    return value if renamed == arguments else to_json(renamed)


def _is_own(tool: Tool) -> bool:
    """Whether the client defines the tool, not the API."""
    return tool.kind in ("function", "custom")


def _clean_system(policy: Policy, reading: Reading, body: dict[str, Any]) -> None:
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
        _rename_schema_keys(resolve(body, tool.schema_pointer), names)
    _change(body, tool.name_pointer, lambda old_name: _rename(old_name, policy.rename))


def _rename_schema_keys(schema: Any, names: Words) -> None:
    """Rename the parameters of a schema, in place and in their order."""
    if not isinstance(schema, dict):
        return
    properties = schema.get("properties")
    if isinstance(properties, dict):
        schema["properties"] = {names.get(key, key): entry for key, entry in properties.items()}
    for key in ("required", "propertyOrdering"):
        listed = schema.get(key)
        if isinstance(listed, list):
            schema[key] = [_rename(entry, names) for entry in listed]


def _rename_call(call: Call, body: dict[str, Any], names: Words, parameters: Mapping[str, Words]) -> None:
    if call.kind == "builtin" or call.name is None:
        return
    if call.kind == "function" and call.name in parameters:
        _change(body, call.arguments_pointer, lambda arguments: rename_arguments(arguments, parameters[str(call.name)]))
    _change(body, call.name_pointer, lambda old_name: _rename(old_name, names))


def _adapt_tool_choice(policy: Policy, format_name: str, reading: Reading, body: dict[str, Any], *, left: int) -> None:
    """Loosen a choice of removed tools, and rename the others in it."""
    choice = reading.settings.get("tool_choice")
    if choice is None or not isinstance(choice.value, dict):
        return
    chosen = choice.value.get("names") or []
    still = [tool_name for tool_name in chosen if tool_name not in policy.filtered]
    if not left:
        _remove(body, choice.pointer)
    elif chosen and not still:
        formats.get(format_name).client.set_tool_choice_auto(body)
    elif chosen:
        _change(body, choice.pointer, lambda value: _adapt_choice_value(value, policy))


def _adapt_choice_value(value: Any, policy: Policy) -> Any:
    """The value of a tool choice, without the removed tools, and with the others renamed."""
    if isinstance(value, dict):
        # Other texts are the API's words, such as the type.
        return {
            key: _rename(entry, policy.rename) if key == "name" else _adapt_choice_value(entry, policy)
            for key, entry in value.items()
        }
    if isinstance(value, list):
        left = [entry for entry in value if not _names_any(entry, policy.filtered)]
        return [
            _rename(entry, policy.rename) if isinstance(entry, str) else _adapt_choice_value(entry, policy)
            for entry in left
        ]
    return value


def _names_any(entry: Any, names: Collection[str]) -> bool:
    """Whether an entry of a choice names one of these tools: as a text, by its ``name``, or in an object inside."""
    if isinstance(entry, dict):
        inner = (value for value in entry.values() if isinstance(value, dict))
        return entry.get("name") in names or any(_names_any(value, names) for value in inner)
    return isinstance(entry, str) and entry in names


def _change(body: dict[str, Any], pointer: str | None, change: Callable[[Any], Any]) -> None:
    """Change the value at a pointer, in place."""
    if not pointer:
        return
    holder, key = _holder_and_key(body, pointer)
    holder[key] = change(holder[key])


def _holder_and_key(body: dict[str, Any], pointer: str) -> tuple[Any, Any]:
    """The object or list that holds the value at a pointer, and its key or index there."""
    parent, _, last = pointer.rpartition("/")
    holder = resolve(body, parent)
    return holder, int(last) if isinstance(holder, list) else unescape(last)


def _rename(name: Any, names: Words) -> Any:
    return names.get(name, name) if isinstance(name, str) else name


def _remove(body: dict[str, Any], pointer: str) -> None:
    """Remove the value at a pointer, and the holders that are empty then."""
    holder, key = _holder_and_key(body, pointer)
    del holder[key]
    parent = pointer.rpartition("/")[0]
    if parent and not holder:
        _remove(body, parent)
