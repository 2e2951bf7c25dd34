"""Anthropic's server tools as server calls and results, both ways.

https://platform.claude.com/docs/en/agents-and-tools/tool-use/server-tools
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from toolcall_reference.conversation.intermediate import Body, Conversation, Hosted, Opaque
from toolcall_reference.conversation.losses import Losses
from toolcall_reference.formats.anthropic.decode import decode_system
from toolcall_reference.formats.observer import Block, Observer, ServerCall, ServerResult, Step, opaque_block

_RESULT_SUFFIX = "_tool_result"
#: The dated end of the types of server tools.
_DATED_TYPE = re.compile(r"_20\d{6}$")


def _decode_steps(item: Hosted) -> list[Step]:
    rest = {key: value for key, value in item.value.items() if key not in ("type", "id", "name", "tool_use_id")}
    if item.type == "server_tool_use":
        name = str(item.value.get("name"))
        return [ServerCall(name, {"type": name, **rest}, item.value.get("id"))]
    if item.type == "mcp_tool_use":
        return [ServerCall(str(item.value.get("name")), {"type": "mcp", **rest}, item.value.get("id"))]
    if item.type.endswith(_RESULT_SUFFIX):
        return [ServerResult({"type": item.type.removesuffix(_RESULT_SUFFIX), **rest}, item.value.get("tool_use_id"))]
    return [opaque_block(item)]


def _encode_steps(steps: Sequence[Step]) -> Iterator[tuple[Step, Body]]:
    for step in steps:
        if isinstance(step, Block):
            yield step, {"type": step.type, **step.members}
            continue
        rest = {key: value for key, value in step.details.items() if key != "type"}
        kind = step.details["type"]
        if isinstance(step, ServerResult):
            yield step, {"type": f"{kind}{_RESULT_SUFFIX}", "tool_use_id": step.id, **rest}
        else:
            used = "mcp_tool_use" if kind == "mcp" else "server_tool_use"
            yield step, {"type": used, "id": step.id, "name": step.name, **rest}


def _reasoning_texts(item: Opaque) -> list[str]:
    text = item.value.get("thinking")
    return [text] if isinstance(text, str) and text else []


def _count_system_texts(body: Body, conversation: Conversation) -> int:
    """Count the texts of ``system``; a system message at the beginning of the messages is one of these."""
    del conversation
    return len(decode_system(body.get("system"), Losses()))


def _encode_declaration(definition: Body) -> Body | None:
    kind = definition.get("type")
    if not _DATED_TYPE.search(str(kind)) and kind != "mcp_toolset":
        return None
    return {key: value for key, value in definition.items() if (key, value) != ("name", kind)}


OBSERVER = Observer(
    count_system_texts=_count_system_texts,
    decode_steps=_decode_steps,
    encode_steps=_encode_steps,
    encode_declaration=_encode_declaration,
    reasoning_texts=_reasoning_texts,
)
