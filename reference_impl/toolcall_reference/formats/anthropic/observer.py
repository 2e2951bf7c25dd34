"""Anthropic's server tools, as calls and results, both ways.

https://platform.claude.com/docs/en/agents-and-tools/tool-use/server-tools
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from toolcall_reference.conversation.intermediate import Body, Conversation, Hosted, Opaque
from toolcall_reference.conversation.losses import Losses
from toolcall_reference.formats.anthropic.decode import system_texts
from toolcall_reference.formats.observer import Block, Observer, ServerCall, ServerResult, Step, opaque_block

_RESULT = "_tool_result"
#: How the types of its server tools end.
_DATED = re.compile(r"_20\d{6}$")


def _steps(item: Hosted) -> list[Step]:
    rest = {key: value for key, value in item.value.items() if key not in ("type", "id", "name", "tool_use_id")}
    if item.type == "server_tool_use":
        name = str(item.value.get("name"))
        return [ServerCall(name, {"type": name, **rest}, item.value.get("id"))]
    if item.type == "mcp_tool_use":
        return [ServerCall(str(item.value.get("name")), {"type": "mcp", **rest}, item.value.get("id"))]
    if item.type.endswith(_RESULT):
        return [ServerResult({"type": item.type.removesuffix(_RESULT), **rest}, item.value.get("tool_use_id"))]
    return [opaque_block(item)]


def _hosted(steps: Sequence[Step]) -> Iterator[tuple[Step, Body]]:
    for step in steps:
        if isinstance(step, Block):
            yield step, {"type": step.type, **step.members}
            continue
        rest = {key: value for key, value in step.details.items() if key != "type"}
        kind = step.details["type"]
        if isinstance(step, ServerResult):
            yield step, {"type": f"{kind}{_RESULT}", "tool_use_id": step.id, **rest}
        else:
            used = "mcp_tool_use" if kind == "mcp" else "server_tool_use"
            yield step, {"type": used, "id": step.id, "name": step.name, **rest}


def _thoughts(item: Opaque) -> list[str]:
    text = item.value.get("thinking")
    return [text] if isinstance(text, str) and text else []


def _separate(body: Body, conversation: Conversation) -> int:
    """A system message at the beginning of the messages is one of theirs."""
    del conversation
    return len(system_texts(body.get("system"), Losses()))


def _declaration(definition: Body) -> Body | None:
    kind = definition.get("type")
    if not _DATED.search(str(kind)) and kind != "mcp_toolset":
        return None
    return {key: value for key, value in definition.items() if (key, value) != ("name", kind)}


OBSERVED = Observer(
    count_system_texts=_separate,
    decode_steps=_steps,
    encode_steps=_hosted,
    encode_declaration=_declaration,
    reasoning_texts=_thoughts,
)
