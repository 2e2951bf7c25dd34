"""Reads messages of servers of the Model Context Protocol, the source by which bridges are judged."""

from toolcall_conformance.judge.mcp.reading import ToolResult, read_result, read_tools
from toolcall_conformance.judge.mcp.result_forms import expected_parts

__all__ = ["ToolResult", "expected_parts", "read_result", "read_tools"]
