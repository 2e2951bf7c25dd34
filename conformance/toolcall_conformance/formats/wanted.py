"""The forms that rules want where no body says the value."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Final

from toolcall_conformance.findings import MOST_CHOICES, Form

TEXT: Final = Form({"type": "string", "minLength": 1})
INDEX: Final = Form({"type": "integer", "minimum": 0})
NUMBER: Final = Form({"type": "number"})
TRUTH: Final = Form({"type": "boolean"})
LIST: Final = Form({"type": "array"})
OBJECT: Final = Form({"type": "object"})
OBJECT_TEXT: Final = Form(
    {"type": "string", "contentMediaType": "application/json", "contentSchema": {"type": "object"}}
)
"""The JSON text of an object."""


def first_of(texts: Iterable[str | None]) -> tuple[str, ...]:
    """The first ``MOST_CHOICES`` of the texts that there are: as many as ``another`` names."""
    return tuple(islice((text for text in texts if text is not None), MOST_CHOICES))


def another(own: str, taken: Iterable[str]) -> Form:
    """A text in place of ``own``, which another one of its kind has, too; ``taken`` are the ``first_of`` all.

    They are found once for all that are told of: thousands may have the same text.
    """
    return Form({"type": "string", "not": {"enum": list(dict.fromkeys((own, *taken)))}})


def asking(**members: Form) -> Form:
    """An object that has these members."""
    properties = {key: form.schema for key, form in members.items()}
    return Form({"type": "object", "required": list(members), "properties": properties})


def typed(kind: str) -> Form:
    """An object of a type that it says itself."""
    return asking(type=Form({"const": kind}))
