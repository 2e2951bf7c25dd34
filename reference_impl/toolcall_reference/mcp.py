"""A bridge to Model Context Protocol servers: their tools as declarations, their results as conversation entries.

    request["tools"] = mcp_tools(await session.list_tools(), "gemini")
    entries = mcp_result(call, await session.call_tool(call["name"], call["arguments"]), "gemini")

Both take the protocol's results as JSON values, of revision 2026-07-28 or an earlier one
(https://modelcontextprotocol.io/specification). Format names are those of :func:`toolcall_reference.formats.names`.
"""

from __future__ import annotations

from typing import Any

from toolcall_reference import formats
from toolcall_reference.adapter import build_tool_results
from toolcall_reference.basics.errors import Refused, Unsupported
from toolcall_reference.basics.jsontext import as_list, as_object, as_text, dump
from toolcall_reference.conversation import media
from toolcall_reference.conversation.intermediate import (
    Body,
    Conversation,
    Media,
    Text,
    Tool,
    Turn,
    UniversalToolCall,
    UniversalToolResult,
)
from toolcall_reference.conversation.target import Target

_PLACEHOLDER_TURN = Turn("user", [Text(".")])


def mcp_tools(listed: Body, format: str, *, model: str | None = None) -> list[Body]:
    """The ``tools`` of a request, from the result of ``tools/list``; empty if the server has none.

    Names that the format does not allow are made legal and stay distinct. A tool without a description is described by
    its title. Annotations, output schemas and icons are left out: no format shows them to the model. Raises Refused if
    ``listed`` is not such a result.
    """
    if format not in formats.names():
        raise Unsupported(f"no such format: {format!r} (known: {', '.join(formats.names())})")
    wire_format = formats.get(format)
    tools = [
        _decode_tool(tool) for tool in as_list(as_object(listed, "the result of tools/list").get("tools"), "tools")
    ]
    target = Target(model or wire_format.provider.default_model)
    bodies: list[Body] = wire_format.encode_request(Conversation(turns=[_PLACEHOLDER_TURN], tools=tools), target).get(
        "tools", []
    )
    return bodies


def mcp_result(call: Body, result: Body, format: str, *, model: str | None = None) -> list[Body]:
    """The conversation entries that answer ``call`` with a CallToolResult: messages, items or contents.

    ``call`` has ``id`` (None if its provider gave none), ``name`` as declared, and ``arguments``. Texts and media are
    passed unchanged. A resource becomes its text or media, a link its name and address. Structured content is used only
    if there is no other content, which otherwise repeats it. Content for the user alone is left out. Raises Refused if
    ``result`` is not a CallToolResult.
    """
    body, name = as_object(call, "a call"), as_text(call.get("name"), "a call's name")
    given_id = as_text(body["id"], "a call's id") if body.get("id") is not None else None
    tool_call = UniversalToolCall(
        given_id or "call_0", name, as_object(body.get("arguments"), "arguments"), given_id=given_id
    )
    return build_tool_results(
        [tool_call], [_decode_result(tool_call, as_object(result, "a CallToolResult"))], format, model=model
    )


def _decode_tool(body: Any) -> Tool:
    definition = as_object(body, "a tool")
    annotated = as_object(definition.get("annotations"), "annotations")
    described = definition.get("description") or definition.get("title") or annotated.get("title")
    return Tool(
        as_text(definition.get("name"), "a tool's name"),
        described,
        as_object(definition.get("inputSchema"), "inputSchema"),
    )


def _decode_result(call: UniversalToolCall, content: Body) -> UniversalToolResult:
    """A tool result from a CallToolResult, without content for the user alone."""
    blocks = [as_object(block, "a block of content") for block in as_list(content.get("content"), "content")]
    parts = [_decode_part(block) for block in blocks if not _is_for_the_user(block)]
    visible_parts = [part for part in parts if not isinstance(part, Text) or part.text.strip()]
    value: object = visible_parts
    structured = content.get("structuredContent")
    if not visible_parts:
        value = structured if isinstance(structured, dict) else "" if structured is None else dump(structured)
    elif len(visible_parts) == 1 and isinstance(visible_parts[0], Text):
        value = visible_parts[0].text
    result = UniversalToolResult.of(value, call)
    result.is_error = content.get("isError") is True
    return result


def _is_for_the_user(block: Body) -> bool:
    return as_object(block.get("annotations"), "annotations").get("audience") == ["user"]


def _decode_part(block: Body) -> Text | Media:
    kind = block.get("type")
    if kind == "text":
        return Text(as_text(block.get("text"), "text"))
    if kind in ("image", "audio"):
        return Media(str(kind), as_text(block.get("mimeType"), "mimeType"), data=as_text(block.get("data"), "data"))
    if kind == "resource_link":
        return Text(_link_text(block))
    if kind == "resource":
        return _decode_resource(as_object(block.get("resource"), "resource"))
    raise Refused(f"the protocol has no content of type {kind!r}")


def _link_text(block: Body) -> str:
    named = block.get("title") or as_text(block.get("name"), "a link's name")
    mime = f" ({block['mimeType']})" if block.get("mimeType") else ""
    more = f"\n{block['description']}" if block.get("description") else ""
    return f"{named}{mime}: {as_text(block.get('uri'), 'uri')}{more}"


def _decode_resource(resource: Body) -> Text | Media:
    if "text" in resource:
        return Text(as_text(resource["text"], "text"))
    mime = resource.get("mimeType")
    return Media(
        media.media_kind(mime), mime, data=as_text(resource.get("blob"), "blob"), name=_file_name(resource.get("uri"))
    )


def _file_name(uri: Any) -> str | None:
    """The file name at the end of a resource's address; None if there is none."""
    name = str(uri or "").rpartition("/")[2]
    return name if "." in name else None
