"""An encoder's context: model, losses, names, ids and notations."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from toolcall_reference.basics.numbers import nearest
from toolcall_reference.conversation import ids, schemas
from toolcall_reference.conversation.ids import IdAssigner, IdRule
from toolcall_reference.conversation.intermediate import ResponseFormat, Text, Tool, ToolChoice, UniversalToolCall
from toolcall_reference.conversation.losses import Losses
from toolcall_reference.conversation.names import NameMap, NameRule


@dataclass(slots=True)
class Target:
    """The context of one encoding.

    ``model`` is the model to name; ``stream`` asks for a streamed reply. For a reply, ``client_request`` is the
    client's request, whose settings some formats echo, ``used_ids`` are its call ids, and ``brought_declarations`` the
    tools that its conversation declares in addition. ``is_reply``: a client reads the body, not a provider. ``exact``
    keeps ids and names, legal or not, to render documents. ``native``: the provider of the calls reads them, so its
    ids, names and call forms are kept. ``notations`` selects legal notations that an encoder does not choose by
    default; each encoder lists its words in ``NOTATIONS``. ``own_tools`` are the names of tools that the API defines
    and its client declared, ``namespaces`` the namespace and name of tools by universal name. Encoding sets
    ``call_ids`` to the written ids, and ``call_forms`` to the forms of calls that are not plain.
    """

    model: str
    losses: Losses = field(default_factory=Losses)
    stream: bool = False
    names: NameMap = field(default_factory=lambda: NameMap(None))
    client_request: dict[str, Any] = field(default_factory=dict)
    used_ids: frozenset[str] = frozenset()
    exact: bool = False
    is_reply: bool = False
    native: bool = False
    notations: frozenset[str] = frozenset()
    own_tools: frozenset[str] = frozenset()
    namespaces: dict[str, tuple[str, str]] = field(default_factory=dict)
    brought_declarations: list[dict[str, Any]] = field(default_factory=list)
    call_ids: dict[str, str] = field(default_factory=dict)
    call_forms: dict[str, str] = field(default_factory=dict)
    _assigner: IdAssigner | None = None

    def use_names(self, rule: NameRule, tools: Iterable[Tool], calls: Iterable[UniversalToolCall]) -> None:
        """Set the tool names of this encoding: declared tools first, then the tools of calls."""
        # A reply's names are already the client's, or undeclared: they are not rewritten.
        self.names.rule = None if self.exact or self.is_reply or self.native else rule
        self.names.declare([*[tool.name for tool in tools if tool.kind != "hosted"], *[call.name for call in calls]])

    def assign_ids(self, calls: list[UniversalToolCall], rule: IdRule) -> dict[str, str]:
        """Assign the target's ids. Returns them by universal id; see :func:`ids.assign_ids`."""
        if self.exact:
            self.call_ids = {call.id: call.given_id for call in calls if call.given_id is not None}
        elif self.native:
            needed = [call for call in calls if call.given_id is not None or not rule.optional]
            self.call_ids = {call.id: call.id if call.given_id is None else call.given_id for call in needed}
            self.call_forms = {call.id: call.form for call in calls if call.form is not None}
        else:
            self.call_ids = ids.assign_ids(calls, rule, self.used_ids)
        return self.call_ids

    def assign_next_id(self, call: UniversalToolCall, rule: IdRule) -> str | None:
        """Assign the target's id to the next call of a streamed reply; see :class:`ids.IdAssigner`."""
        if self._assigner is None:
            self._assigner = IdAssigner(rule, self.used_ids)
        wire_id = self._assigner.assign_next(call)
        if wire_id is not None:
            self.call_ids[call.id] = wire_id
        return wire_id

    def clamp(self, element: str, value: Any, least: float | None = None, most: float | None = None) -> Any:
        """Limit a number to the accepted range and record the loss; any other value is returned unchanged."""
        nearest_value = value if self.exact else nearest(value, least, most)
        if nearest_value is not value:
            self.losses.add(element, f"beyond what is taken; {nearest_value} is the nearest", value)
        return nearest_value

    def lose_state(self, item: Text | UniversalToolCall) -> None:
        """Record the loss of the opaque state of ``item``."""
        for origin in item.raw_context:
            self.losses.add("signature", f"state of {origin}; dropped", getattr(item, "name", ""))

    def strict_flag(self, tool: Tool) -> bool | None:
        """The ``strict`` flag for OpenAI: False with a loss if the schema breaks its strict rules; None if unset."""
        if tool.strict and not self.exact and not schemas.is_strict(tool.schema or schemas.NO_PARAMETERS):
            if tool.schema is not None:
                self.losses.add(
                    "tool-strict", "the schema is not one that OpenAI takes as strict; not strict", tool.name
                )
            return False
        return tool.strict

    def strict_answer_flag(self, response_format: ResponseFormat) -> bool | None:
        """A response format's ``strict`` flag for OpenAI: False with a loss if the schema breaks its strict rules."""
        if response_format.strict and not self.exact and not schemas.is_strict(response_format.schema):
            self.losses.add("response-format", "the schema is not one that OpenAI takes as strict; not strict")
            return False
        return response_format.strict

    def allowed_choice(self, choice: ToolChoice | None, tools: list[Tool]) -> ToolChoice | None:
        """The tool choice limited to ``tools``; a choice of tools that are not declared is loosened to auto."""
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
