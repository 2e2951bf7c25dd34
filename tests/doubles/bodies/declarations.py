"""Declarations of tools that are many, bare or long."""

from __future__ import annotations

from doubles.body import GEMINI, need, warning
from doubles.draft import Draft


@warning("gemini/functions-in-one-tool", target=GEMINI, cases=("parallel/recorded-shape",))
def one_entry_for_each_function(draft: Draft) -> None:
    """Every function stands in an entry of tools of its own."""
    need(len(draft.tools) > 1)
    draft.body["tools"] = [{"functionDeclarations": [tool.inner]} for tool in draft.tools]
