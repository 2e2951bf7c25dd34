"""The JSON Schema of the settings in ``pyproject.toml``: its properties are the options that a file may name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

_PATH = Path(__file__).with_name("settings.schema.json")


def table() -> dict[str, Any]:
    """The schema of the table ``[tool.toolcall]``."""
    document: dict[str, Any] = json.loads(_PATH.read_text(encoding="utf-8"))
    return document


def pyproject() -> dict[str, Any]:
    """The schema of a whole ``pyproject.toml`` with the table in it, for editors."""
    inner = table()
    definitions = inner.pop("$defs")
    dialect = inner.pop("$schema")
    tools = {"type": "object", "properties": {"toolcall": inner}}
    title = "pyproject.toml with [tool.toolcall]"
    return {"$schema": dialect, "title": title, "type": "object", "properties": {"tool": tools}, "$defs": definitions}
