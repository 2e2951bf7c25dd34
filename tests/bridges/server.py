"""A server of the official ``mcp`` package, over stdio: one tool for each kind of content that a server can return.

It runs in an environment of its own, with version 1 or 2 of the package: ``python server.py``.
"""

from __future__ import annotations

import base64
from enum import Enum
from typing import Annotated, Any

try:
    from mcp.server.mcpserver import Image, MCPServer
except ImportError:  # version 1
    from mcp.server.fastmcp import FastMCP as MCPServer
    from mcp.server.fastmcp import Image

from mcp.types import (
    AudioContent,
    BlobResourceContents,
    CallToolResult,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextContent,
    TextResourceContents,
    ToolAnnotations,
)
from pydantic import BaseModel, Field

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
SOUND = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA="


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Place(BaseModel):
    """A place on the map."""

    name: str = Field(description="What it is called")
    around: list[Place] = Field(default_factory=list, description="Places near it", title="Neighbours")


class Weather(BaseModel):
    degrees: float
    words: str | None = None


def text(words: str) -> str:
    """Returns the words."""
    return words


def weather(place: Place, colour: Colour = Colour.RED, days: Annotated[int, Field(ge=1, le=7)] = 1) -> Weather:
    """Says the weather of a place."""
    return Weather(degrees=20.5, words=f"{place.name} {colour.value} {days}")


def numbers(limit: int | None = None) -> list[int]:
    """Returns a list, which structured content wraps."""
    return list(range(limit or 3))


def nothing() -> None:
    """Returns nothing at all."""


def picture() -> Image:
    """Returns a picture made of bytes."""
    return Image(data=base64.b64decode(PIXEL), format="png")


def fails() -> str:
    """Raises."""
    raise ValueError("the disk is full")


def _tool_result(*content: Any, **more: Any) -> CallToolResult:
    return CallToolResult(content=list(content), **more)


def audio() -> CallToolResult:
    """Returns a sound with a text before it."""
    sound = AudioContent.model_validate({"type": "audio", "data": SOUND, "mimeType": "audio/wav"})
    return _tool_result(TextContent(type="text", text="listen"), sound)


def link() -> CallToolResult:
    """Returns the address of a resource."""
    fields = {"type": "resource_link", "uri": "file:///project/main.rs", "name": "main.rs", "mimeType": "text/x-rust"}
    return _tool_result(ResourceLink.model_validate({**fields, "description": "the start"}))


def resources() -> CallToolResult:
    """Returns a text and bytes as resources."""
    text_contents = TextResourceContents.model_validate(
        {"uri": "file:///a.txt", "mimeType": "text/plain", "text": "hello"}
    )
    blob_contents = BlobResourceContents.model_validate(
        {"uri": "file:///a.png", "mimeType": "image/png", "blob": PIXEL}
    )
    return _tool_result(
        EmbeddedResource(type="resource", resource=text_contents),
        EmbeddedResource(type="resource", resource=blob_contents),
    )


def failing_picture() -> CallToolResult:
    """Fails, and shows why."""
    image = ImageContent.model_validate({"type": "image", "data": PIXEL, "mimeType": "image/png"})
    return _tool_result(TextContent(type="text", text="no such page"), image, isError=True)


def for_the_user() -> CallToolResult:
    """Returns a text for the model and one for the user alone."""
    hidden = {"type": "text", "text": "for your eyes", "annotations": {"audience": ["user"], "priority": 0.5}}
    return _tool_result(TextContent(type="text", text="done"), TextContent.model_validate(hidden), _meta={"took": 12})


server = MCPServer("witness")
for tool in (text, numbers, picture, fails, audio, link, resources, failing_picture, for_the_user):
    server.add_tool(tool)
server.add_tool(nothing, structured_output=False)
server.add_tool(
    weather,
    title="The weather",
    annotations=ToolAnnotations(title="Weather", readOnlyHint=True, openWorldHint=False),
)

if __name__ == "__main__":
    server.run()
