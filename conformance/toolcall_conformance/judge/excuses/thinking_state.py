"""State of a model's thinking: a provider gives it only if its model thinks, and some models think only if asked."""

from __future__ import annotations

import re
from typing import Any, Final

from toolcall_conformance import formats
from toolcall_conformance.basics.reading import Opaque
from toolcall_conformance.library import Corpus

THINKING_NOT_ASKED: Final = "thinking-not-asked"
"""The circumstance of state that the provider would not have given for this request."""


def may_think(corpus: Corpus, format_name: str, request: Any) -> bool:
    """Whether the model that a ``request`` of the format ``format_name`` goes to may think in its reply.

    True for all of which the format's provider does not say otherwise, and where nothing is known of the request.
    """
    condition = corpus.format(format_name).get("thinks_if_asked") if format_name in formats.names() else None
    model = request.get("model") if isinstance(request, dict) else None
    if condition is None or not isinstance(model, str) or re.search(condition["models"], model) is None:
        return True
    return formats.read(format_name, "request", request).thinks is not None


def ungiven_state(corpus: Corpus, format_name: str, request: Any, reply: Any) -> frozenset[str]:
    """The values of state in a provider's ``reply`` that it would not have given for the ``request``."""
    if may_think(corpus, format_name, request):
        return frozenset()
    turns = formats.read(format_name, "response", reply).turns
    return frozenset(item.value for turn in turns for item in turn.items if isinstance(item, Opaque))
