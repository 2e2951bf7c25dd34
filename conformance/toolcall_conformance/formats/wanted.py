"""The forms that rules want where no body says the value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any, Final

from toolcall_conformance.basics.findings import MOST_CHOICES, Form, Words

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


ANOTHER_CALL: Final = Words("the id of another call, or no such result")
"""For a second result of a call."""


def first_of(texts: Iterable[str | None]) -> tuple[str, ...]:
    """The first ``MOST_CHOICES`` of the texts that there are: as many as ``another`` names."""
    return tuple(islice((text for text in texts if text is not None), MOST_CHOICES))


def another(own: str, others: Iterable[str]) -> Form:
    """A text in place of ``own``, which another one of its kind has, too; ``others`` are the ``first_of`` all.

    They are found once for all that are told of: thousands may have the same text.
    """
    return Form({"type": "string", "not": {"enum": list(dict.fromkeys((own, *others)))}})


def asking(**members: Form) -> Form:
    """An object that has these members."""
    properties = {key: form.schema for key, form in members.items()}
    return Form({"type": "object", "required": list(members), "properties": properties})


def typed(*kinds: str, **members: Any) -> Form:
    """An object of one of some types, which it says itself, with ``members`` that have these values."""
    type_form = Form({"const": kinds[0]} if len(kinds) == 1 else {"enum": list(kinds)})
    return asking(type=type_form, **holding(members))


def having(**members: Any) -> Form:
    """An object with members that have these values; it may have others."""
    return asking(**holding(members))


def holding(members: Mapping[str, Any]) -> dict[str, Form]:
    """The forms of members: of one that is a form already that, else the one of its value alone."""
    return {key: value if isinstance(value, Form) else Form({"const": value}) for key, value in members.items()}
