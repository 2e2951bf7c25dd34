"""A policy applied to one request, and its effect on the replies."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from toolcall_reference.basics.errors import Refused
from toolcall_reference.basics.jsontext import copy_json
from toolcall_reference.conversation.intermediate import Conversation, Text, Tool, ToolChoice, UniversalToolCall
from toolcall_reference.policy.key_renamer import KeyRenamer
from toolcall_reference.policy.policy import Policy, Words


class ReplyPolicy(Protocol):
    """Changes the calls of replies back to the client's names and parameters."""

    @property
    def changes_calls(self) -> bool:
        """Whether calls may be changed or refused."""

    def restore_call(self, call: UniversalToolCall) -> None: ...

    def client_name(self, upstream_name: str) -> str: ...

    def argument_renamer(self, tool_name: str) -> KeyRenamer | None: ...


class NoPolicy:
    """The absent policy: calls are not changed."""

    changes_calls = False

    def restore_call(self, call: UniversalToolCall) -> None:
        """Do nothing."""

    def client_name(self, upstream_name: str) -> str:
        """``upstream_name`` itself."""
        return upstream_name

    def argument_renamer(self, tool_name: str) -> KeyRenamer | None:
        """Always None."""
        del tool_name
        return None


@dataclass(frozen=True, slots=True)
class AppliedPolicy:
    """A policy applied to one request. ``client_names`` are the client's tool names by the provider's."""

    policy: Policy
    client_names: Words = field(default_factory=dict)
    tools: Mapping[str, Tool] = field(default_factory=dict)

    @property
    def changes_calls(self) -> bool:
        return bool(self.client_names) or self.policy.validate

    def restore_call(self, call: UniversalToolCall) -> None:
        """Restore the client's parameters in a call that has its client name. Raises Refused if validation fails."""
        _rename_arguments(call, _swap_names(self.policy.parameters.get(call.name, {})))
        if self.policy.validate and call.kind == "function":
            _check_arguments(call, self.tools.get(call.name))

    def client_name(self, upstream_name: str) -> str:
        """The client's name of the provider's tool ``upstream_name``."""
        return self.client_names.get(upstream_name, upstream_name)

    def argument_renamer(self, tool_name: str) -> KeyRenamer | None:
        """The renamer for argument text of the client's tool ``tool_name``; None if it is not mapped."""
        parameters = self.policy.parameters.get(tool_name)
        return None if parameters is None else KeyRenamer(_swap_names(parameters))


def apply(policy: Policy, conversation: Conversation) -> AppliedPolicy:
    """Apply ``policy`` to a client's conversation in place. Raises Refused if two tools get one name."""
    declared = {tool.name: copy_tool(tool) for tool in conversation.tools if tool.kind != "hosted"}
    gone = {name for name in declared if name in policy.filter}
    conversation.tools = [tool for tool in conversation.tools if policy.is_compatible(tool)]
    _clean_instructions(policy, conversation)
    conversation.system += [Text(text) for name, text in policy.guidance.items() if name in gone and text]
    _loosen_choice(policy, conversation)
    return AppliedPolicy(policy, _rename_tools(policy, conversation), declared)


def copy_tool(tool: Tool) -> Tool:
    """A copy of a tool as the client declared it."""
    return Tool(tool.name, tool.description, copy_json(tool.schema), tool.kind)


def _clean_instructions(policy: Policy, conversation: Conversation) -> None:
    """Replace the names of filtered tools in the client's system texts."""
    items = [item for turn in conversation.turns if turn.side == "system" for item in turn.items]
    for name, words in policy.clean_system.items():
        mention = re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])")
        for text in (*conversation.system, *items):
            if isinstance(text, Text):
                # A backslash in the words is a backslash.
                text.text = mention.sub(words.replace("\\", r"\\"), text.text)


def _loosen_choice(policy: Policy, conversation: Conversation) -> None:
    """Remove filtered tools from the tool choice; without any left it becomes auto."""
    choice = conversation.settings.tool_choice
    if choice is None or choice.names is None:
        return
    left = [name for name in choice.names if name not in policy.filter]
    if left != choice.names:
        conversation.settings.tool_choice = ToolChoice(choice.mode, left) if left else ToolChoice("auto")


def _rename_tools(policy: Policy, conversation: Conversation) -> dict[str, str]:
    """Rename tools, calls, results and the choice for the provider. Returns the client's names by the provider's."""
    back: dict[str, str] = {}
    names = [tool.name for tool in conversation.tools if tool.kind != "hosted"]
    for name in dict.fromkeys([*names, *(call.name for call in conversation.calls)]):
        new = policy.rename.get(name, name)
        if new in back:
            raise Refused(f"the policy gives {name!r} the name {new!r}, which {back[new]!r} has, too")
        back[new] = name
    for tool in conversation.tools:
        if tool.kind != "hosted":
            tool.schema = _rename_properties(tool.schema, policy.parameters.get(tool.name, {}))
            tool.name = policy.rename.get(tool.name, tool.name)
    for turn in conversation.turns:
        for call in turn.calls:
            _rename_arguments(call, policy.parameters.get(call.name, {}))
            call.name = policy.rename.get(call.name, call.name)
        for result in turn.results:
            result.name = policy.rename.get(result.name, result.name)
    choice = conversation.settings.tool_choice
    if choice is not None and choice.names is not None:
        conversation.settings.tool_choice = ToolChoice(
            choice.mode, [policy.rename.get(name, name) for name in choice.names]
        )
    mapped = {policy.rename.get(name, name) for name in (*policy.rename, *policy.parameters)}
    return {new: name for new, name in back.items() if new in mapped}


def _rename_properties(schema: dict[str, Any] | None, names: Words) -> dict[str, Any] | None:
    """A schema with renamed properties."""
    if schema is None or not names:
        return schema
    schema_copy: dict[str, Any] = copy_json(schema)
    properties, required = schema_copy.get("properties"), schema_copy.get("required")
    if isinstance(properties, dict):
        schema_copy["properties"] = {names.get(name, name): value for name, value in properties.items()}
    if isinstance(required, list):
        schema_copy["required"] = [names.get(name, name) if isinstance(name, str) else name for name in required]
    return schema_copy


def _rename_arguments(call: UniversalToolCall, names: Words) -> None:
    """Rename the arguments of a call, in its raw text, too."""
    if not names or call.kind != "function" or not call.readable:
        return
    call.arguments = {names.get(name, name): value for name, value in call.arguments.items()}
    if call.text is not None:
        call.text = KeyRenamer(names).feed(call.text)


def _swap_names(names: Words) -> dict[str, str]:
    return {new: name for name, new in names.items()}


def _check_arguments(call: UniversalToolCall, tool: Tool | None) -> None:
    """Raise Refused if a call's arguments do not match its tool's schema."""
    if tool is None or tool.schema is None:
        return
    # Imported on demand: few policies validate.
    import jsonschema

    try:
        error = jsonschema.exceptions.best_match(
            jsonschema.Draft202012Validator(tool.schema).iter_errors(call.arguments)
        )
    except Exception:  # an invalid schema cannot validate anything
        return
    if error is not None:
        at = "".join(f"/{key}" for key in error.absolute_path)
        raise Refused(
            f"the call {call.id} of {call.name} does not fit its declared parameters{at and f' at {at}'}: "
            f"{error.message}"
        )
