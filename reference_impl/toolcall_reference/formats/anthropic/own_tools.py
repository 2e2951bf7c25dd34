"""Tools that Anthropic defines and the client runs, as functions with parameters for other providers.

https://platform.claude.com/docs/en/agents-and-tools/tool-use/tool-reference
"""

from __future__ import annotations

from typing import Any

from toolcall_reference.conversation.intermediate import Body, Tool


def _object_schema(properties: Body, *required: str) -> Body:
    return {"type": "object", "properties": properties, "required": list(required)}


_TEXT: Body = {"type": "string"}
_NUMBER: Body = {"type": "integer"}
_POINT: Body = {"type": "array", "items": {"type": "integer"}}

_FUNCTION_BY_TYPE_PREFIX: dict[str, tuple[str, Body]] = {
    "bash_": (
        "Run a command in a bash session that stays open between calls, or restart the session.",
        _object_schema({"command": _TEXT, "restart": {"type": "boolean"}}),
    ),
    "text_editor_": (
        "View, create and edit text files. Commands: view, create, str_replace, insert.",
        _object_schema(
            {
                **dict.fromkeys(("command", "path", "file_text", "old_str", "new_str", "insert_text"), _TEXT),
                "insert_line": _NUMBER,
                "view_range": {"type": "array", "items": _NUMBER},
            },
            "command",
            "path",
        ),
    ),
    "memory_": (
        (
            "Read and change the files of the memory directory /memories. Commands: view, create, str_replace, insert, "
            "delete, rename."
        ),
        _object_schema(
            {
                **dict.fromkeys(("command", "path", "file_text", "old_str", "new_str", "insert_text"), _TEXT),
                **dict.fromkeys(("old_path", "new_path"), _TEXT),
                "insert_line": _NUMBER,
                "view_range": {"type": "array", "items": _NUMBER},
            },
            "command",
        ),
    ),
    "computer_2": (
        (
            "Use a computer by its screen, mouse and keyboard. Actions: screenshot, left_click, right_click, "
            "middle_click, double_click, triple_click, left_click_drag, left_mouse_down, left_mouse_up, mouse_move, "
            "scroll, type, key, hold_key, wait, cursor_position, zoom."
        ),
        _object_schema(
            {
                **dict.fromkeys(("action", "text", "scroll_direction"), _TEXT),
                **dict.fromkeys(("coordinate", "start_coordinate", "region"), _POINT),
                "scroll_amount": _NUMBER,
                "duration": {"type": "number"},
            },
            "action",
        ),
    ),
}


def as_function(tool: Body) -> Tool | None:
    """The function for a declaration of such a tool; None for a provider-run tool."""
    kind: Any = tool.get("type")
    entry = next((entry for start, entry in _FUNCTION_BY_TYPE_PREFIX.items() if str(kind).startswith(start)), None)
    if entry is None:
        return None
    description, schema = entry
    screen = [f"{key} {tool[key]}" for key in ("display_width_px", "display_height_px") if key in tool]
    if screen:
        description = f"{description} The screen: {', '.join(screen)}."
    return Tool(str(tool.get("name")), description, schema, own_declaration=tool)
