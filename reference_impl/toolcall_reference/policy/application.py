"""A policy applied to one request, and what it means for the replies to it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from toolcall_reference.basics.errors import Refused
from toolcall_reference.basics.jsontext import copied
from toolcall_reference.conversation.intermediate import Conversation, Text, Tool, ToolChoice, UniversalToolCall
from toolcall_reference.policy.key_renamer import KeyRenamer
from toolcall_reference.policy.policy import Policy, Words


class ReplyPolicy(Protocol):
    """What happens to the calls of replies."""

    @property
    def changes_calls(self) -> bool:
        """Whether a call may be other than the provider made it."""

    def restore_call(self, call: UniversalToolCall) -> None: ...

    def client_name(self, name: str) -> str: ...

    def argument_renamer(self, name: str) -> KeyRenamer | None: ...


class NoPolicy:
    """No policy: calls are the provider's."""

    changes_calls = False

    def restore_call(self, call: UniversalToolCall) -> None:
        """Leave the call as it is."""

    def client_name(self, name: str) -> str:
        """The name itself."""
        return name

    def argument_renamer(self, name: str) -> KeyRenamer | None:
        """Nobody renames anything."""
        del name
        return None


@dataclass(frozen=True, slots=True)
class AppliedPolicy:
    """What a policy did to one request. ``back`` has the client's names of tools by the provider's."""

    policy: Policy
    client_names: Words = field(default_factory=dict)
    tools: Mapping[str, Tool] = field(default_factory=dict)

    @property
    def changes_calls(self) -> bool:
        return bool(self.client_names) or self.policy.validate

    def restore_call(self, call: UniversalToolCall) -> None:
        """Give a call, which has the client's name already, the client's parameters. Raises Refused."""
        _rename_arguments(call, _swapped(self.policy.parameters.get(call.name, {})))
        if self.policy.validate and call.kind == "function":
            _verify(call, self.tools.get(call.name))

    def client_name(self, name: str) -> str:
        """The client's name of a tool."""
        return self.client_names.get(name, name)

    def argument_renamer(self, name: str) -> KeyRenamer | None:
        """What renames the argument text of a call of the client's tool ``name``, if it has to be."""
        parameters = self.policy.parameters.get(name)
        return None if parameters is None else KeyRenamer(_swapped(parameters))


def apply(policy: Policy, conversation: Conversation) -> AppliedPolicy:
    """Change a client's conversation as ``policy`` says, in place. Raises Refused where two tools get one name."""
    declared = {tool.name: copied_tool(tool) for tool in conversation.tools if tool.kind != "hosted"}
    gone = {name for name in declared if name in policy.filter}
    conversation.tools = [tool for tool in conversation.tools if policy.is_compatible(tool)]
    _clean(policy, conversation)
    conversation.system += [Text(text) for name, text in policy.guidance.items() if name in gone and text]
    _choose(policy, conversation)
    return AppliedPolicy(policy, _rename(policy, conversation), declared)


def copied_tool(tool: Tool) -> Tool:
    """A tool as the client declared it, whatever happens to the one that goes on."""
    return Tool(tool.name, tool.description, copied(tool.schema), tool.kind)


def _clean(policy: Policy, conversation: Conversation) -> None:
    """Say in the client's own instructions something else for each name of a filtered tool."""
    items = [item for turn in conversation.turns if turn.side == "system" for item in turn.items]
    for name, words in policy.clean_system.items():
        mention = re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])")
        for text in (*conversation.system, *items):
            if isinstance(text, Text):
                # A backslash in the words is a backslash.
                text.text = mention.sub(words.replace("\\", r"\\"), text.text)


def _choose(policy: Policy, conversation: Conversation) -> None:
    """Loosen the choice of tools that are gone."""
    choice = conversation.settings.tool_choice
    if choice is None or choice.names is None:
        return
    left = [name for name in choice.names if name not in policy.filter]
    if left != choice.names:
        conversation.settings.tool_choice = ToolChoice(choice.mode, left) if left else ToolChoice("auto")


def _rename(policy: Policy, conversation: Conversation) -> dict[str, str]:
    """Give tools, calls, results and the choice the provider's names; the way back."""
    back: dict[str, str] = {}
    names = [tool.name for tool in conversation.tools if tool.kind != "hosted"]
    for name in dict.fromkeys([*names, *(call.name for call in conversation.calls)]):
        new = policy.rename.get(name, name)
        if new in back:
            raise Refused(f"the policy gives {name!r} the name {new!r}, which {back[new]!r} has, too")
        back[new] = name
    for tool in conversation.tools:
        if tool.kind != "hosted":
            tool.schema = _renamed_schema(tool.schema, policy.parameters.get(tool.name, {}))
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


def _renamed_schema(schema: dict[str, Any] | None, names: Words) -> dict[str, Any] | None:
    """A schema of parameters under other names."""
    if schema is None or not names:
        return schema
    schema_copy: dict[str, Any] = copied(schema)
    properties, required = schema_copy.get("properties"), schema_copy.get("required")
    if isinstance(properties, dict):
        schema_copy["properties"] = {names.get(name, name): value for name, value in properties.items()}
    if isinstance(required, list):
        schema_copy["required"] = [names.get(name, name) if isinstance(name, str) else name for name in required]
    return schema_copy


def _rename_arguments(call: UniversalToolCall, names: Words) -> None:
    """Give the arguments of a call other names, also in the text that they were spelt in."""
    if not names or call.kind != "function" or not call.readable:
        return
    call.arguments = {names.get(name, name): value for name, value in call.arguments.items()}
    if call.text is not None:
        call.text = KeyRenamer(names).feed(call.text)


def _swapped(names: Words) -> dict[str, str]:
    return {new: name for name, new in names.items()}


def _verify(call: UniversalToolCall, tool: Tool | None) -> None:
    """Refuse a call whose arguments are not what its tool declares."""
    if tool is None or tool.schema is None:
        return
    # Imported here: few policies ask for it.
    import jsonschema

    try:
        error = jsonschema.exceptions.best_match(
            jsonschema.Draft202012Validator(tool.schema).iter_errors(call.arguments)
        )
    except Exception:  # a schema that is none says nothing of any arguments
        return
    if error is not None:
        at = "".join(f"/{key}" for key in error.absolute_path)
        raise Refused(
            f"the call {call.id} of {call.name} does not fit its declared parameters{at and f' at {at}'}: "
            f"{error.message}"
        )
