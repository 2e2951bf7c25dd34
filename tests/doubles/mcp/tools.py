"""What bridges get wrong in declarations."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from doubles.bridge import Seen, broken, need, warning

OPENAI = ("openai_chat", "openai_responses")


def declarations(draft: Seen) -> Iterator[dict[str, Any]]:
    """The declarations of functions among the tools that a bridge makes."""
    for tool in draft.body:
        yield from tool.get("functionDeclarations", [tool.get("function", tool)])


@broken("translation/tool-lost", "listed")
def last_tool_dropped(draft: Seen) -> None:
    """Of several tools the last is not declared."""
    need(len(draft.body["tools"]) > 1)
    draft.body["tools"].pop()


@broken("translation/tool-lost", "listed")
def tools_without_parameters_dropped(draft: Seen) -> None:
    """A tool whose schema has no properties is taken for one that is not well formed."""
    tools = [tool for tool in draft.body["tools"] if tool["inputSchema"].get("properties")]
    need(tools and len(tools) < len(draft.body["tools"]))
    draft.body["tools"] = tools


@broken("anthropic/tool-name", "tools", "anthropic")
def names_passed_on(draft: Seen) -> None:
    """Names go as the server has them."""
    for declaration, own in zip(declarations(draft), draft.given["tools"], strict=True):
        declaration["name"] = own["name"]


@warning("translation/tool-name-kept", "tools")
def names_run_into_the_server_s(draft: Seen) -> None:
    """Each name begins with the server's, and nothing tells where that ends."""
    for declaration in declarations(draft):
        need(len(declaration["name"]) < 50)
        declaration["name"] = f"harbour{declaration['name']}"


@broken("translation/tool-names-injective", "tools", follows=("anthropic/tool-name-unique", "gemini/names-unique"))
def names_cleaned_alike(draft: Seen) -> None:
    """What a name must not have becomes a line, be there another tool of that name or not."""
    for declaration, own in zip(declarations(draft), draft.given["tools"], strict=True):
        declaration["name"] = re.sub(r"[^a-zA-Z0-9_-]", "_", own["name"])[:64]


@broken(("translation/schema-changed", "translation/schema-property-lost"), "listed")
def definitions_dropped(draft: Seen) -> None:
    """Of a schema only properties and required are kept, so that references lead nowhere."""
    for tool in draft.body["tools"]:
        tool["inputSchema"].pop("$defs", None)


@broken("translation/schema-required", "listed")
def required_dropped(draft: Seen) -> None:
    """Which parameters a tool needs is not told."""
    for tool in draft.body["tools"]:
        tool["inputSchema"].pop("required", None)


@broken("translation/tool-description", "listed")
def titles_for_descriptions(draft: Seen) -> None:
    """A tool is described by its title."""
    for tool in draft.body["tools"]:
        tool["description"] = tool.get("title", tool.get("description"))


@warning("translation/tool-strict", "tools", "openai_responses")
def strict_left_out(draft: Seen) -> None:
    """Whether a tool is strict is left to the API, which decides otherwise than the server."""
    for tool in draft.body:
        tool.pop("strict")
