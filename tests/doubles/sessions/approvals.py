"""What a translator makes of a provider that asks before it calls a server's tool itself."""

from __future__ import annotations

from typing import Any

from doubles.loop import ANTHROPIC, RESPONSES, DoubledSession, broken
from toolcall_reference import Refused


@broken(
    rule="translation/empty-success",
    case="errors/approval-asked",
    client=ANTHROPIC,
    upstream=RESPONSES,
    check="response",
)
class QuestionUnheard(DoubledSession):
    """Passes over the question, and so gives the client a reply that is empty and ended well."""

    def response(self, body: dict[str, Any], /) -> dict[str, Any]:
        try:
            return super().response(body)
        except Refused:
            return super().response(body | {"output": []})
