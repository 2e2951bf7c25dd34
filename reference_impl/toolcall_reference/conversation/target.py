"""What an encoder is told besides the conversation."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from toolcall_reference.basics.numbers import nearest
from toolcall_reference.conversation import ids, schemas
from toolcall_reference.conversation.ids import Assigner, IdRule
from toolcall_reference.conversation.intermediate import ResponseFormat, Text, Tool, ToolChoice, UniversalToolCall
from toolcall_reference.conversation.losses import Losses
from toolcall_reference.conversation.names import NameMap, NameRule


@dataclass(slots=True)
class Target:
    """One encoding.

    ``model`` is the model to name. ``asked`` is the client's own request where a reply is encoded (its settings are
    echoed by some formats) and ``taken`` the call ids it used. ``exact`` leaves ids and names as they are, legal or
    not: for rendering documents. ``native``: the provider of the calls itself reads them, so that its
    ids, names and forms stay. ``is_reply`` says that a client will read it, not a provider. ``spelling`` asks for
    some of the legal spellings that an encoder would not choose by itself; each encoder lists its words in
    ``SPELLINGS``. ``own`` names the tools that the API itself defines and its client declared so, ``groups`` those of
    tools that stand in a namespace, and it. ``brought`` are the declarations that the client's conversation brought,
    besides those of ``asked``. ``call_ids`` tells, afterwards, the ids that were
    written, and ``forms`` the calls that have a form of their own.
    """

    model: str
    losses: Losses = field(default_factory=Losses)
    stream: bool = False
    names: NameMap = field(default_factory=lambda: NameMap(None))
    asked: dict[str, Any] = field(default_factory=dict)
    taken: frozenset[str] = frozenset()
    exact: bool = False
    is_reply: bool = False
    native: bool = False
    spelling: frozenset[str] = frozenset()
    own: frozenset[str] = frozenset()
    groups: dict[str, tuple[str, str]] = field(default_factory=dict)
    brought: list[dict[str, Any]] = field(default_factory=list)
    call_ids: dict[str, str] = field(default_factory=dict)
    forms: dict[str, str] = field(default_factory=dict)
    _assigner: Assigner | None = None

    def use_names(self, rule: NameRule, tools: Iterable[Tool], calls: Iterable[UniversalToolCall]) -> None:
        """Fix the names of this encoding: declared tools first, then the tools of calls."""
        # A reply's names are what the client declared, or nobody's: they are left alone.
        self.names.rule = None if self.exact or self.is_reply or self.native else rule
        self.names.declare([*[tool.name for tool in tools if tool.kind != "hosted"], *[call.name for call in calls]])

    def ids(self, calls: list[UniversalToolCall], rule: IdRule) -> dict[str, str]:
        """The target's ids by universal id; see :func:`ids.assign`."""
        if self.exact:
            self.call_ids = {call.id: call.given_id for call in calls if call.given_id is not None}
        elif self.native:
            needed = [call for call in calls if call.given_id is not None or not rule.optional]
            self.call_ids = {call.id: call.id if call.given_id is None else call.given_id for call in needed}
            self.forms = {call.id: call.form for call in calls if call.form is not None}
        else:
            self.call_ids = ids.assign(calls, rule, self.taken)
        return self.call_ids

    def next_id(self, call: UniversalToolCall, rule: IdRule) -> str | None:
        """The target's id of the next call of a reply that comes piece by piece; see :class:`ids.Assigner`."""
        if self._assigner is None:
            self._assigner = Assigner(rule, self.taken)
        wire_id = self._assigner.next(call)
        if wire_id is not None:
            self.call_ids[call.id] = wire_id
        return wire_id

    def within(self, element: str, value: Any, least: float | None = None, most: float | None = None) -> Any:
        """The nearest of a number that the target takes; that it is another is noted. What is no number stays."""
        nearest_value = value if self.exact else nearest(value, least, most)
        if nearest_value is not value:
            self.losses.add(element, f"beyond what is taken; {nearest_value} is the nearest", value)
        return nearest_value

    def lose_state(self, item: Text | UniversalToolCall) -> None:
        """Note that opaque state attached to ``item`` is not carried."""
        for origin in item.raw_context:
            self.losses.add("signature", f"state of {origin}; dropped", getattr(item, "name", ""))

    def strict(self, tool: Tool) -> bool | None:
        """Whether OpenAI may be told that ``tool`` is strict: its rules for such schemas are narrower than others'."""
        if tool.strict and not self.exact and not schemas.is_strict(tool.schema or schemas.NO_PARAMETERS):
            if tool.schema is not None:
                self.losses.add(
                    "tool-strict", "the schema is not one that OpenAI takes as strict; not strict", tool.name
                )
            return False
        return tool.strict

    def strict_answer(self, response_format: ResponseFormat) -> bool | None:
        """Whether OpenAI may be told that the answer's schema is strict."""
        if response_format.strict and not self.exact and not schemas.is_strict(response_format.schema):
            self.losses.add("response-format", "the schema is not one that OpenAI takes as strict; not strict")
            return False
        return response_format.strict

    def choice(self, choice: ToolChoice | None, tools: list[Tool]) -> ToolChoice | None:
        """The tool choice as far as ``tools`` allow it: a choice of tools that are gone is loosened, never dangling."""
        if choice is None or not tools:
            if choice is not None and choice.mode == "required":
                self.losses.add("tool-choice", "no tool is left that could be required")
            return None
        if choice.names is None:
            return choice
        declared = {tool.name for tool in tools}
        left = [name for name in choice.names if name in declared]
        if left:
            return ToolChoice(choice.mode, left)
        self.losses.add("tool-choice", "none of the named tools is declared; loosened to auto", ", ".join(choice.names))
        return ToolChoice("auto")
