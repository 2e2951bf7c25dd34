"""How much a model is to think: a word in OpenAI's formats, a number of tokens in Anthropic's, either in Gemini's.

No provider says how its measure relates to another's, but for Google, whose endpoint for OpenAI's format turns words
into tokens; its table is used both ways (https://ai.google.dev/gemini-api/docs/openai#thinking).
"""

from __future__ import annotations

from dataclasses import dataclass

from toolcall_reference.basics.jsontext import as_text

BUDGETS = {"minimal": 1024, "low": 1024, "medium": 8192, "high": 24576, "xhigh": 24576}
LEAST = 1024
"""The smallest budget that every format takes."""


@dataclass(slots=True)
class Reasoning:
    """What a request asks for; None where nothing was said.

    ``effort`` is OpenAI's word. ``budget`` counts tokens; 0 means no thinking, and -1 as much as the model likes.
    ``summaries`` says whether the client wants to read something of the thoughts.
    """

    effort: str | None = None
    budget: int | None = None
    summaries: bool | None = None

    @property
    def off(self) -> bool:
        """Whether the model is told not to think."""
        return self.effort == "none" or self.budget == 0

    def word(self) -> str | None:
        """The effort; that of the next budget in the table where only a budget is given."""
        if self.effort is not None or self.budget is None or self.budget <= 0:
            return self.effort
        return next((word for word in ("low", "medium") if self.budget <= BUDGETS[word]), "high")

    def tokens(self) -> int | None:
        """The budget; that of the table where only an effort is given."""
        if self.budget is not None or self.effort is None:
            return self.budget
        return 0 if self.off else BUDGETS.get(as_text(self.effort, "the effort of reasoning"))
