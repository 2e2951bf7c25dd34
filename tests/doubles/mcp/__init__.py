"""Doubles of bridges to MCP servers."""
