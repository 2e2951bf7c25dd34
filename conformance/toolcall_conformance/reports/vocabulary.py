"""The words and signs of all reports, from ``words.json``: terminal, Markdown, HTML and the text of a failing item.

``fields`` are the names of the fields of a finding, an item or a cause. Some readers do not see colours: so each level
and verdict has a sign.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

WORDS: dict[str, Any] = json.loads((files(__package__) / "words.json").read_text(encoding="utf-8"))
FIELDS: Mapping[str, str] = WORDS["fields"]
