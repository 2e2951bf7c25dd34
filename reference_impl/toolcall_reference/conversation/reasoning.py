"""Reasoning effort: a word in OpenAI's formats, a number of tokens in Anthropic's, either in Gemini's.

Only Google documents how words relate to tokens, for its endpoint in OpenAI's format; its table is used both ways
(https://ai.google.dev/gemini-api/docs/openai#thinking).
"""

from __future__ import annotations

from dataclasses import dataclass

from toolcall_reference.basics.jsontext import as_text

BUDGET_BY_EFFORT = {"minimal": 1024, "low": 1024, "medium": 8192, "high": 24576, "xhigh": 24576}
LEAST_BUDGET = 1024
"""The smallest budget that every format accepts."""


@dataclass(slots=True)
class Reasoning:
    """The reasoning that a request asks for; None means unset.

    ``effort`` is OpenAI's word. ``budget`` counts tokens: 0 turns thinking off, -1 leaves it to the model.
    ``summaries`` asks for readable summaries of the thoughts.
    """

    effort: str | None = None
    budget: int | None = None
    summaries: bool | None = None

    @property
    def is_off(self) -> bool:
        """Whether thinking is turned off."""
        return self.effort == "none" or self.budget == 0

    def effort_word(self) -> str | None:
        """The effort, else the table's word for a positive budget; None if there is neither."""
        if self.effort is not None or self.budget is None or self.budget <= 0:
            return self.effort
        return next((word for word in ("low", "medium") if self.budget <= BUDGET_BY_EFFORT[word]), "high")

    def token_budget(self) -> int | None:
        """The budget, else that of the effort in the table."""
        if self.budget is not None or self.effort is None:
            return self.budget
        return 0 if self.is_off else BUDGET_BY_EFFORT.get(as_text(self.effort, "the effort of reasoning"))
