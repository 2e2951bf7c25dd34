"""What a translator says of the steps that it leaves out of a history."""

from __future__ import annotations

from typing import Any

from doubles.loop import ANTHROPIC, CHAT, GEMINI, RESPONSES, DoubledSession, broken, warning


class _Silent(DoubledSession):
    """Drops what the other provider cannot take, and does not say so: it has no ``losses``."""


@warning(
    rule="translation/hosted-step-lost",
    case="server_tools/code-execution",
    client=ANTHROPIC,
    upstream=CHAT,
    check="request",
)
class StepsDroppedInSilence(_Silent):
    """The code that a provider ran, and what it printed, is gone from the history."""


@warning(
    rule="translation/hosted-step-lost",
    case="server_tools/web-search",
    client=RESPONSES,
    upstream=GEMINI,
    check="request",
)
class SearchesDroppedInSilence(_Silent):
    """The searches of the history are gone."""


@broken(
    rule="translation/crashed",
    case="server_tools/tool-reference-in-result",
    client=ANTHROPIC,
    upstream=RESPONSES,
    check="request",
)
class RaisesForReferences(DoubledSession):
    """A reference to a tool in a result is an unknown block, and the error comes again with every turn."""

    def before_request(self, body: dict[str, Any]) -> dict[str, Any]:
        if "tool_reference" in str(body):
            raise ValueError("type 'tool_reference' is not supported")
        return body
