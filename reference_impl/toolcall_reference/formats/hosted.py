"""Provider-run tools: each becomes the target's own tool of the same purpose, or is recorded as a loss."""

from __future__ import annotations

import copy
from collections.abc import Collection, Mapping

from toolcall_reference.conversation.intermediate import Body, Tool
from toolcall_reference.conversation.target import Target

_PURPOSE_BY_TYPE = {
    "web_search": "web search", "googleSearch": "web search",
    "web_fetch": "web fetch", "urlContext": "web fetch",
    "code_execution": "code", "code_interpreter": "code", "codeExecution": "code",
}  # fmt: skip


def encode_hosted(
    tools: list[Tool], declaration_by_purpose: Mapping[str, Body], target: Target, used_names: Collection[str] = ()
) -> list[Body]:
    """The declarations of the target's tools for the same purposes.

    ``declaration_by_purpose`` are the target's tools by purpose; a tool whose name is in ``used_names`` is not
    declared.
    """
    bodies: list[Body] = []
    for tool in (tool for tool in tools if tool.kind == "hosted"):
        kind = str(tool.format.get("type", tool.name)) if isinstance(tool.format, dict) else tool.name
        purpose = next((entry for start, entry in _PURPOSE_BY_TYPE.items() if kind.startswith(start)), None)
        declared = declaration_by_purpose.get(purpose or "")
        if declared is None or declared in bodies or declared.get("name") in used_names:
            target.losses.add("tool-hosted", "the target has no such tool of its own; dropped", tool.name)
        else:
            target.losses.add("tool-options", "its options are dropped: the tool is another provider's", tool.name)
            bodies.append(copy.deepcopy(declared))
    return bodies
