"""Servers whose tools the provider itself calls: their steps given to the client, their declaration made a function."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from doubles.body import ANTHROPIC, CHAT, GEMINI, RESPONSES, SAME, broken, harmless, need, warning
from doubles.draft import Draft

CONNECTOR = ("mcp/connector",)
APPROVAL = ("mcp/approval",)
GROUPED = ("mcp/namespaces",)


def steps(draft: Draft) -> Iterator[tuple[str, str, Any]]:
    """Id, name and arguments of the calls that the provider made itself, in its reply."""
    for block in draft.source.get("content") or []:
        if block["type"] == "mcp_tool_use":
            yield block["id"], block["name"], block["input"]
    for item in draft.source.get("output") or []:
        if item["type"] == "mcp_call":
            yield item["id"], item["name"], json.loads(item["arguments"])


def own_steps(draft: Draft, kind: str) -> list[dict[str, Any]]:
    """The blocks or items of a type in a body of Anthropic or Responses."""
    blocks = [block for message in draft.messages for block in _blocks(message)]
    return [block for block in blocks if block.get("type") == kind]


def _blocks(message: dict[str, Any]) -> list[dict[str, Any]]:
    content = message.get("content")
    return [message, *(content if isinstance(content, list) else [])]


@broken(
    "translation/server-call-as-client-call",
    check="response",
    target=CHAT,
    sources=(ANTHROPIC, RESPONSES),
    cases=CONNECTOR,
)
def server_call_to_client(draft: Draft) -> None:
    """A call that the provider made of a server's tool is given to the client, too."""
    message = draft.messages[0]
    for call_id, name, arguments in need(list(steps(draft))):
        inner = {"name": name, "arguments": json.dumps(arguments)}
        message.setdefault("tool_calls", []).insert(0, {"id": call_id, "type": "function", "function": inner})
    draft.body["choices"][0]["finish_reason"] = "tool_calls"


@harmless(
    check="response",
    target=CHAT,
    sources=(ANTHROPIC,),
    cases=CONNECTOR,
    beside="translation/server-call-as-client-call",
)
def server_call_untold(draft: Draft) -> None:
    """The text before a provider's own call stands alone, as a list of one part."""
    message = draft.messages[0]
    need(message.get("tool_calls") and message.get("content"))
    message["refusal"] = None
    message.pop("annotations", None)
    message["annotations"] = []


@warning("translation/hosted-tool-as-function", target=CHAT, sources=(ANTHROPIC, RESPONSES), cases=CONNECTOR)
def server_as_function(draft: Draft) -> None:
    """The server whose tools the provider calls is declared as a function that the client has to run."""
    schema = {"type": "object", "properties": {}}
    name = "mcp" if "input" in draft.source else "mcp_toolset"
    draft.body["tools"].append({"type": "function", "function": {"name": name, "parameters": schema}})


@broken("anthropic/mcp-call-shape", sources=SAME, target=ANTHROPIC, cases=CONNECTOR)
def server_call_without_server(draft: Draft) -> None:
    """A call of a server's tool in the history does not name the server."""
    for block in need(own_steps(draft, "mcp_tool_use")):
        del block["server_name"]


@harmless(
    sources=SAME,
    target=ANTHROPIC,
    cases=CONNECTOR,
    beside=("anthropic/mcp-call-shape", "anthropic/hosted-result-shape"),
    warns=("translation/identity", "translation/identity-spelling"),
)
def server_result_as_text(draft: Draft) -> None:
    """What a server's tool returned is one text instead of a list with one."""
    for block in need(own_steps(draft, "mcp_tool_result")):
        block["content"] = block["content"][0]["text"]


@broken("openai_responses/hosted-item", sources=SAME, target=RESPONSES, cases=APPROVAL)
def approval_of_nothing(draft: Draft) -> None:
    """The client's approval does not say which call it allows."""
    for item in need(own_steps(draft, "mcp_approval_response")):
        del item["approval_request_id"]


@broken("openai_responses/hosted-item", sources=SAME, target=RESPONSES, cases=CONNECTOR)
def server_call_with_object(draft: Draft) -> None:
    """The arguments of a server's call in the history are an object, not its text."""
    for item in need(own_steps(draft, "mcp_call")):
        item["arguments"] = json.loads(item["arguments"])


@broken("translation/text-lost", target=(ANTHROPIC, CHAT, GEMINI), sources=(RESPONSES,), cases=APPROVAL)
def approval_takes_the_text(draft: Draft) -> None:
    """What the user says beside an approval goes with the approval that no other format has."""
    for text in need([text for text in draft.texts_of("user") if text.text.startswith("Yes")]):
        text.remove()


def groups(declared: Any) -> dict[str, str]:
    """The namespace of each tool that stands in one, by the tool's name."""
    return {
        tool["name"]: entry["name"]
        for entry in declared or []
        if entry.get("type") == "namespace"
        for tool in entry["tools"]
    }


@broken("translation/tool-lost", target=(ANTHROPIC, CHAT, GEMINI), sources=(RESPONSES,), cases=GROUPED)
def grouped_tools_dropped(draft: Draft) -> None:
    """Tools in a namespace are not declared."""
    inside = groups(draft.source.get("tools"))
    for tool in need([tool for tool in draft.tools if tool.inner["name"] in inside]):
        tool.remove()


@broken("translation/tool-grammar", target=CHAT, sources=(RESPONSES,), cases=GROUPED)
def grouped_grammar_dropped(draft: Draft) -> None:
    """The grammar of a free-text tool in a namespace is gone."""
    for tool in need([tool for tool in draft.body["tools"] if tool["type"] == "custom"]):
        del tool["custom"]["format"]


@harmless(
    target=(ANTHROPIC, CHAT, GEMINI),
    sources=(RESPONSES,),
    cases=GROUPED,
    beside=("translation/call-name", "translation/tool-lost"),
)
def group_in_the_name(draft: Draft) -> None:
    """A tool in a namespace has the namespace in its name."""
    inside = groups(draft.source.get("tools"))
    for handle in need([handle for handle in [*draft.tools, *draft.calls] if handle.inner["name"] in inside]):
        handle.inner["name"] = f"{inside[handle.inner['name']]}__{handle.inner['name']}"
    for result in draft.results if draft.format == GEMINI else ():
        name = result.inner["name"]
        result.inner["name"] = f"{inside[name]}__{name}" if name in inside else name


@warning(
    "translation/call-namespace", check="response", target=RESPONSES, sources=(ANTHROPIC, GEMINI, CHAT), cases=GROUPED
)
def group_forgotten(draft: Draft) -> None:
    """The calls of a reply do not name the namespaces of their tools."""
    for item in need([item for item in draft.messages if item.get("namespace")]):
        del item["namespace"]
