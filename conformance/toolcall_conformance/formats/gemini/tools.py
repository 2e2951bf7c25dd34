"""Reads the tools of a request: https://ai.google.dev/api/caching#Tool."""

from __future__ import annotations

from toolcall_conformance.basics.reading import Node, Reading, Tool
from toolcall_conformance.formats.gemini.proto_json import entries, to_json_schema

#: Tools that Google runs.
BUILT_IN = (
    *("googleSearch", "googleSearchRetrieval", "googleMaps", "codeExecution", "urlContext", "fileSearch"),
    *("computerUse", "retrieval", "enterpriseWebSearch", "mcpServers", "parallelAiSearch", "exaAiSearch"),
)


def read_tools(node: Node, reading: Reading) -> None:
    """Read function declarations and built-in tools, in their order."""
    for tool in entries(node):
        for declaration in entries(tool.child("functionDeclarations")):
            reading.tools.append(read_declaration(declaration, reading))
        for key in BUILT_IN:
            built_in = tool.child(key)
            if built_in.value is not None:
                place, value = built_in.pointer, built_in.value
                reading.tools.append(Tool(key, None, None, place, kind="hosted", type=key, declaration=value))
        tool.close(reading.residue)


def read_declaration(node: Node, reading: Reading) -> Tool:
    """Return a function declaration; a schema in ``parameters`` is rewritten in the spelling of JSON Schema."""
    name, description = node.child("name"), node.child("description")
    parameters, described = node.child("parameters"), node.child("parametersJsonSchema")
    schema = parameters if parameters.value is not None else described
    node.ignore("response", "responseJsonSchema", "behavior")
    node.close(reading.residue)
    return Tool(
        name=name.value if isinstance(name.value, str) else None,
        description=description.value if isinstance(description.value, str) else None,
        schema=to_json_schema(schema.value) if schema is parameters else schema.value,
        pointer=node.pointer,
        name_pointer=name.pointer if "name" in node else None,
        description_pointer=description.pointer if "description" in node else None,
        schema_pointer=schema.pointer if schema.value is not None else None,
    )
