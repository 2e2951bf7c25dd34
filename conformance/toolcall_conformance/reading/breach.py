"""A place where a rule is broken, before the corpus says how bad that is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from toolcall_conformance.findings import MISSING


@dataclass(frozen=True, slots=True)
class Breach:
    """A place where a rule is broken; the rule's level and sentence are in the corpus."""

    pointer: str
    message: str = ""
    want: Any = MISSING
    got: Any = MISSING
    element: str = ""
    subject: str = ""
