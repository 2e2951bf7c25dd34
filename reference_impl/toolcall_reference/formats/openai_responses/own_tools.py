"""Tools that OpenAI defines and the client runs, as functions: their declarations, their calls and what comes back.

https://platform.openai.com/docs/api-reference/responses/create
"""

from __future__ import annotations

from typing import Any

from toolcall_reference.intermediate import Body, Tool
from toolcall_reference.jsontext import as_object, dump

_TEXT: Body = {"type": "string"}
_TEXTS: Body = {"type": "array", "items": _TEXT}
_NUMBER: Body = {"type": "integer"}


def _schema(properties: Body, *required: str) -> Body:
    return {"type": "object", "properties": properties, "required": list(required)}


#: By the name of the function: what it does, its parameters, and the key of a call's item that they are.
_KNOWN: dict[str, tuple[str, Body, str]] = {
    "local_shell": (
        "Run a command on the user's computer and return its output.",
        _schema(
            {
                "command": _TEXTS,
                "env": {"type": "object", "additionalProperties": _TEXT},
                "timeout_ms": _NUMBER,
                "user": _TEXT,
                "working_directory": _TEXT,
            },
            "command",
        ),
        "action",
    ),
    "shell": (
        "Run commands in a shell of the user's and return what each prints and how it ends.",
        _schema({"commands": _TEXTS, "timeout_ms": _NUMBER, "max_output_length": _NUMBER}, "commands"),
        "action",
    ),
    "apply_patch": (
        "Create, update or delete a file by a diff in the V4A format. Types: create_file, update_file, delete_file.",
        _schema({"type": _TEXT, "path": _TEXT, "diff": _TEXT}, "type", "path"),
        "operation",
    ),
    "computer": (
        (
            "Use a computer by its screen, mouse and keyboard. Types: click, double_click, drag, keypress, move, "
            "screenshot, scroll, type, wait."
        ),
        _schema(
            {
                **dict.fromkeys(("type", "button", "text"), _TEXT),
                **dict.fromkeys(("x", "y", "scroll_x", "scroll_y"), _NUMBER),
                "keys": _TEXTS,
                "path": {"type": "array", "items": {"type": "object"}},
            },
            "type",
        ),
        "action",
    ),
}
_DECLARED = {**{name: name for name in _KNOWN}, "computer_use_preview": "computer"}
CALLS = frozenset(f"{name}_call" for name in _KNOWN)
OUTPUTS = frozenset(f"{call}_output" for call in CALLS)


def is_hosted(holder: Body) -> bool:
    """Whether the environment of a shell is a container of OpenAI's: then OpenAI runs the commands."""
    place = holder.get("environment")
    return isinstance(place, dict) and str(place.get("type")).startswith("container")


def as_function(tool: Body) -> Tool | None:
    """The function that stands for a declaration of such a tool; None for those that OpenAI runs."""
    name = _DECLARED.get(str(tool.get("type")))
    if name is None or is_hosted(tool):
        return None
    description, schema, _ = _KNOWN[name]
    return Tool(name, description, schema)


def name_of(item: Body) -> str:
    """The name of the function that a call's item calls."""
    return str(item["type"]).removesuffix("_call")


def arguments_of(item: Body) -> str:
    """What a call's item says, as the arguments of that function."""
    found: Any = item.get(_KNOWN[name_of(item)][2])
    if name_of(item) == "computer" and "actions" in item:
        found = {"actions": item["actions"]}
    return dump(as_object(found, "an action"))


def output_of(item: Body) -> Any:
    """What the client returned, as the output of a function: text or parts."""
    output = item.get("output")
    if isinstance(output, dict) and output.get("type") == "computer_screenshot":
        return [{**output, "type": "input_image"}]
    return output if isinstance(output, str) or output is None else dump(output)
