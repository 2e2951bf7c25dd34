"""The page's words and signs, from ``words.json``. A colour alone tells some readers nothing: so each has a sign."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

WORDS: dict[str, Any] = json.loads((files(__package__) / "words.json").read_text(encoding="utf-8"))
