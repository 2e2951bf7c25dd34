"""What a server of the Model Context Protocol sends, as a source that bridges are judged by."""

from toolcall_conformance.judge.mcp.reading import ToolResult, read_result, read_tools
from toolcall_conformance.judge.mcp.telling import parts_told

__all__ = ["ToolResult", "parts_told", "read_result", "read_tools"]
