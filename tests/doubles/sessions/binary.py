"""Pictures in a conversation whose ids a translator makes itself: captions name ids, and ids change on the way."""

from __future__ import annotations

import re
from typing import Any

from doubles.draft import Draft
from doubles.loop import ANTHROPIC, CHAT, RESPONSES, broken, harmless, warning
from doubles.sessions.ids import OwnIds
from doubles.wire import Call

TWO = "binary/two-pictures"
RENAMED = ("translation/ids-kept", "translation/ids-returned")


class Numbered(OwnIds):
    """Calls are numbered for the client; ids that are not known pass through."""

    def own(self, call: Call) -> str:
        del call
        return f"call_{len(self.known):024d}"


class HomeBringing(Numbered):
    """Puts the pictures that Chat's clients send behind the results back into the results that their captions name."""

    def provider_id(self, named: str) -> str:
        """The id in the provider's request for the id in a caption."""
        raise NotImplementedError

    def after_request(self, body: dict[str, Any]) -> dict[str, Any]:
        output = super().after_request(body)
        draft = Draft(output, self.route.upstream)
        results = {result.id: result for result in draft.results}
        for message in draft.messages:
            rows = message["content"] if isinstance(message["content"], list) else []
            for caption in [block for block in rows if str(block.get("text")).startswith("From the result")]:
                at = rows.index(caption)
                match = re.search(r"\(([^)]+)\)", caption["text"])
                result = results.get(self.provider_id(match[1])) if match else None
                if result is not None:
                    texts = [] if str(result.text).startswith("[") else [{"type": "text", "text": result.text}]
                    result.content = [*texts, rows[at + 1]]
                del rows[at : at + 2]
        return output


@broken(rule="translation/media-lost", case=TWO, client=CHAT, upstream=ANTHROPIC)
class PicturesSoughtByTheProvidersId(HomeBringing):
    """Looks for the call that a caption names among the provider's ids, and drops the pictures it finds no call for."""

    def provider_id(self, named: str) -> str:
        return named


@harmless(TWO, CHAT, ANTHROPIC, warns=RENAMED, beside="translation/media-moved")
class PicturesBackInTheirResults(HomeBringing):
    """Puts pictures back into the results that their captions name, and leaves the captions out."""

    def provider_id(self, named: str) -> str:
        return str(self.given(named))


@harmless(TWO, CHAT, RESPONSES, warns=RENAMED, beside="translation/results-linked")
class CaptionsUnderTheProvidersIds(Numbered):
    """Puts the provider's ids into captions, too."""

    def after_request(self, body: dict[str, Any]) -> dict[str, Any]:
        output = super().after_request(body)
        for item in Draft(output, self.route.upstream).messages:
            for part in item["content"] if isinstance(item.get("content"), list) else []:
                if "text" in part:
                    part["text"] = re.sub(r"call_\d{24}", lambda match: str(self.given(match[0])), part["text"])
        return output


@warning(rule="translation/media-owner-unclear", case=TWO, client=ANTHROPIC, upstream=CHAT)
class CaptionsUnderTheClientsIds(Numbered):
    """Gives calls and results their ids back, but not the captions, which name calls that the provider never made."""
