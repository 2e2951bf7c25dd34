"""The forms that rules want where no body says the value."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Final

from toolcall_conformance.findings import MOST_CHOICES, Form

TEXT: Final = Form({"type": "string", "minLength": 1})
INDEX: Final = Form({"type": "integer", "minimum": 0})
OBJECT: Final = Form({"type": "object"})
OBJECT_TEXT: Final = Form(
    {"type": "string", "contentMediaType": "application/json", "contentSchema": {"type": "object"}}
)
"""The JSON text of an object."""


def another(own: str, taken: Iterable[str | None]) -> Form:
    """A text in place of ``own``, which another one of its kind has, too; ``taken`` are those of all.

    Of many, the form names the first ``MOST_CHOICES``.
    """
    others = dict.fromkeys((own, *islice((text for text in taken if text is not None), MOST_CHOICES)))
    return Form({"type": "string", "not": {"enum": list(others)}})


def asking(**members: Form) -> Form:
    """An object that has these members."""
    properties = {key: form.schema for key, form in members.items()}
    return Form({"type": "object", "required": list(members), "properties": properties})


def typed(kind: str) -> Form:
    """An object of a type that it says itself."""
    return asking(type=Form({"const": kind}))
