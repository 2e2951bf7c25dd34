"""The tool that Google defines and the client runs (computer use), as the functions that its calls name.

https://ai.google.dev/gemini-api/docs/computer-use
"""

from __future__ import annotations

from toolcall_reference.basics.jsontext import as_list, as_object
from toolcall_reference.conversation.intermediate import Body, Tool

_TEXT: Body = {"type": "string"}
_NUMBER: Body = {"type": "integer"}
_FLAG: Body = {"type": "boolean"}
_PLACE: Body = {"x": _NUMBER, "y": _NUMBER}
_DIRECTION: Body = {"direction": {"type": "string", "enum": ["up", "down", "left", "right"]}}
_GRID = "Places count from 0 to 999 across the page and down it."

#: By name: what it does, its parameters, and those that are required.
_FUNCTIONS: dict[str, tuple[str, Body, tuple[str, ...]]] = {
    "open_web_browser": ("Open the web browser.", {}, ()),
    "wait_5_seconds": ("Wait five seconds.", {}, ()),
    "go_back": ("Go back to the page before.", {}, ()),
    "go_forward": ("Go forward to the page after.", {}, ()),
    "search": ("Open the start page of a search engine.", {}, ()),
    "navigate": ("Open an address.", {"url": _TEXT}, ("url",)),
    "click_at": (f"Click at a place. {_GRID}", _PLACE, ("x", "y")),
    "hover_at": (f"Put the mouse over a place. {_GRID}", _PLACE, ("x", "y")),
    "type_text_at": (
        f"Type text at a place. {_GRID}",
        {**_PLACE, "text": _TEXT, "press_enter": _FLAG, "clear_before_typing": _FLAG},
        ("x", "y", "text"),
    ),
    "key_combination": ("Press keys together, such as control+a.", {"keys": _TEXT}, ("keys",)),
    "scroll_document": ("Scroll the page.", _DIRECTION, ("direction",)),
    "scroll_at": (
        f"Scroll what is at a place. {_GRID}",
        {**_PLACE, **_DIRECTION, "magnitude": _NUMBER},
        ("x", "y", "direction"),
    ),
    "drag_and_drop": (
        f"Drag what is at a place to another. {_GRID}",
        {**_PLACE, "destination_x": _NUMBER, "destination_y": _NUMBER},
        ("x", "y", "destination_x", "destination_y"),
    ),
}


def as_functions(declared: object) -> list[Tool]:
    """The functions of a ``computerUse`` declaration, without those that it excludes."""
    exclusions = as_list(as_object(declared, "computerUse").get("excludedPredefinedFunctions"), "excluded functions")
    return [
        Tool(
            name,
            description,
            {"type": "object", "properties": properties, "required": list(required)},
            own_declaration={"computerUse": declared},
        )
        for name, (description, properties, required) in _FUNCTIONS.items()
        if name not in exclusions
    ]
