"""A place where a rule is broken, before the corpus says how bad that is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from toolcall_conformance.basics.findings import NOT_KNOWN


@dataclass(frozen=True, slots=True)
class Breach:
    """A place where a rule is broken; the rule's level and sentence are in the corpus.

    ``part``, in a stream, is the pointer to the event that opened the call, item or block concerned; empty if there are
    several.
    """

    pointer: str
    message: str = ""
    want: Any = NOT_KNOWN
    got: Any = NOT_KNOWN
    element: str = ""
    subject: str = ""
    part: str = ""
