"""Streams of calls that the provider makes itself, of tools of an MCP server."""

from __future__ import annotations

from collections.abc import Iterator

from doubles.stream import ANTHROPIC, CHAT, RESPONSES, Event, broken
from doubles.streams.handles import kind


@broken("translation/server-call-as-client-call", client=CHAT, upstream=ANTHROPIC, case="mcp/connector", layer="source")
def server_call_taken_for_a_call(events: Iterator[Event]) -> Iterator[Event]:
    """A block of a server's call is taken for one of the client's."""
    for event in events:
        if kind(event) == "content_block_start" and event["data"]["content_block"]["type"] == "mcp_tool_use":
            event["data"]["content_block"]["type"] = "tool_use"
        yield event


@broken("openai_responses/stream-fragments", client=RESPONSES, upstream=RESPONSES, case="mcp/connector", layer="each")
def server_arguments_doubled(event: Event) -> None:
    """A fragment of the arguments of a server's call comes doubled."""
    if kind(event) == "response.mcp_call_arguments.delta":
        event["data"]["delta"] *= 2
