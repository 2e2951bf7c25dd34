"""Conversations that the client wants kept: cut in half, said twice, mixed with foreign keys; and rightly refused."""

from __future__ import annotations

from typing import Any

from doubles.loop import ANTHROPIC, CHAT, GEMINI, RESPONSES, DoubledSession, broken, harmless
from toolcall_conformance.basics.contract import Route

PARALLEL = "state/parallel-calls"
ROUNDS = "state/recorded-shape"
DEVELOPER = "state/developer-item"
FOLLOW = "state/follow-up"
THINKING = "state/with-reasoning"
SEED = "state/seed"
REFERENCES = "history/item-reference"
HALF = "translation/stored-history"


class Refused(Exception):  # noqa: N818 - recognised by this very name
    """This input is not taken."""


class OnStored(DoubledSession):
    """A session whose fault concerns requests that go on from an earlier reply, and no others."""

    def after_request(self, body: dict[str, Any]) -> dict[str, Any]:
        return self.changed(body) if "previous_response_id" in self.asked else body

    def changed(self, body: dict[str, Any]) -> dict[str, Any]:
        """The upstream request with the whole conversation in it, as the fault leaves it."""
        raise NotImplementedError


def new_part(entries: list[Any]) -> int:
    """Where the part begins that the client sent: behind the last entry of the assistant."""
    return 1 + max(place for place, entry in enumerate(entries) if entry["role"] in ("assistant", "model"))


@broken("stored", rule=HALF, case=PARALLEL, client=RESPONSES, upstream=ANTHROPIC)
class SendsOnlyWhatIsNew(OnStored):
    """Drops previous_response_id and sends the results alone."""

    def changed(self, body: dict[str, Any]) -> dict[str, Any]:
        body["messages"] = body["messages"][new_part(body["messages"]) :]
        return body


@broken("stored", rule=HALF, case=FOLLOW, client=RESPONSES, upstream=CHAT)
class AnswersOutOfTheBlue(OnStored):
    """Drops previous_response_id where there are no results either: all that is sent is a legal request."""

    def changed(self, body: dict[str, Any]) -> dict[str, Any]:
        if body["messages"][-1]["role"] == "user":
            body["messages"] = body["messages"][-1:]
        return body


@broken("stored", rule=HALF, case=ROUNDS, client=RESPONSES, upstream=GEMINI)
class LooksBackOneReply(OnStored):
    """Looks up the reply that is named, and not the one before it."""

    def changed(self, body: dict[str, Any]) -> dict[str, Any]:
        body["contents"] = [body["contents"][0], *body["contents"][-2:]]
        return body


@broken("stored", rule="translation/text-lost", case=ROUNDS, client=RESPONSES, upstream=CHAT)
class KeepsRepliesAlone(OnStored):
    """Keeps what it replied, and not what it was asked."""

    def changed(self, body: dict[str, Any]) -> dict[str, Any]:
        body["messages"] = [message for message in body["messages"] if message["role"] != "user"]
        return body


@broken("stored", rule="translation/system-prompt", case=DEVELOPER, client=RESPONSES, upstream=ANTHROPIC)
class ForgetsStoredInstructions(OnStored):
    """Keeps the conversation without the developer's message at its head."""

    def changed(self, body: dict[str, Any]) -> dict[str, Any]:
        body.pop("system", None)
        return body


@broken(
    "stored",
    rule=("openai_chat/unknown-key", "openai_chat/foreign-key"),
    case=SEED,
    client=RESPONSES,
    upstream=CHAT,
)
class SendsTheIdToChat(OnStored):
    """Sends previous_response_id along to a provider that does not know it."""

    def changed(self, body: dict[str, Any]) -> dict[str, Any]:
        return body | {"previous_response_id": self.asked["previous_response_id"]}


@broken("stored", rule="anthropic/unknown-key", case=SEED, client=RESPONSES, upstream=ANTHROPIC)
class SendsTheIdToAnthropic(SendsTheIdToChat):
    """Sends previous_response_id along to Anthropic."""


@broken("stored", rule="gemini/unknown-key", case=SEED, client=RESPONSES, upstream=GEMINI)
class SendsTheIdToGemini(SendsTheIdToChat):
    """Sends previous_response_id along to Gemini."""


@broken("stored", rule="translation/call-duplicated", case=ROUNDS, client=RESPONSES, upstream=ANTHROPIC)
class SaysTheHistoryTwice(OnStored):
    """Puts the kept conversation before the request once for the reply, and once more for its chain."""

    def changed(self, body: dict[str, Any]) -> dict[str, Any]:
        start = new_part(body["messages"])
        if start > 2:  # behind the first reply there is a question alone
            body["messages"] = [*body["messages"][: start - 1], *body["messages"]]
        return body


@broken("stored", rule="translation/state-returned", case=THINKING, client=RESPONSES, upstream=GEMINI)
class KeepsConversationsWithoutState(OnStored):
    """Keeps what was said and not the signatures that came with it."""

    def changed(self, body: dict[str, Any]) -> dict[str, Any]:
        for content in body["contents"]:
            for part in content["parts"]:
                part.pop("thoughtSignature", None)
        return body


@broken("stored", rule="translation/stored-reply-known", case=SEED, client=RESPONSES, upstream=RESPONSES)
class NamesRepliesAnew(DoubledSession):
    """Gives the client ids of its own for replies, and sends these upstream."""

    def after_response(self, body: dict[str, Any]) -> dict[str, Any]:
        return body | {"id": "resp_" + body["id"][-8:] * 6}


@harmless(PARALLEL, RESPONSES, ANTHROPIC, beside="translation/stored-history")
class KeepsConversations(DoubledSession):
    """The reference as it is: it puts what was said before the request."""


@harmless(ROUNDS, RESPONSES, CHAT, beside=("translation/stored-history", "translation/stored-reply-known"))
class RefusesToRemember(DoubledSession):
    """Refuses every request that goes on from an earlier reply."""

    def before_request(self, body: dict[str, Any]) -> dict[str, Any]:
        if "previous_response_id" in body:
            raise Refused("previous_response_id is not supported; send the whole input")
        return body


@harmless(DEVELOPER, RESPONSES, RESPONSES, beside="translation/stored-reply-known")
class LeavesItToTheProvider(DoubledSession):
    """Passes the id of the reply on to the provider that gave it."""


@harmless(
    FOLLOW,
    RESPONSES,
    RESPONSES,
    beside=("translation/stored-history", "translation/text-duplicated", "translation/call-duplicated"),
)
class LooksUpForTheProvider(DoubledSession):
    """Sends the whole conversation although the provider would remember it."""

    def __init__(self, route: Route, shared: dict[str, Any]) -> None:
        super().__init__(route, shared)
        self.kept: list[Any] = []

    def before_request(self, body: dict[str, Any]) -> dict[str, Any]:
        if body.pop("previous_response_id", None) is not None:
            body["input"] = [*self.kept, *body["input"]]
        self.kept = list(body["input"])
        return body

    def after_response(self, body: dict[str, Any]) -> dict[str, Any]:
        self.kept += body["output"]
        return body


class OnReferences(OnStored):
    """A session whose fault concerns requests that name single items of earlier replies, and no others."""

    def after_request(self, body: dict[str, Any]) -> dict[str, Any]:
        return self.changed(body) if any(map(is_reference, self.asked["input"])) else body


def is_reference(item: dict[str, Any]) -> bool:
    return item.get("type") == "item_reference"


@broken("referring", rule=HALF, case=REFERENCES, client=RESPONSES, upstream=ANTHROPIC)
class ReferencesDropped(OnReferences):
    """Leaves out what it only has the id of: the results stand there without their calls."""

    def changed(self, body: dict[str, Any]) -> dict[str, Any]:
        body["messages"] = [message for message in body["messages"] if message["role"] != "assistant"]
        return body


@broken("referring", rule=HALF, case=REFERENCES, client=RESPONSES, upstream=CHAT)
class ReferencedStepsDropped(OnReferences):
    """Leaves out the calls that are only named, and their results with them: what is sent is a legal request."""

    def changed(self, body: dict[str, Any]) -> dict[str, Any]:
        body["messages"] = [message for message in body["messages"] if message["role"] not in ("assistant", "tool")]
        return body


@broken("referring", rule="translation/text-lost", case=REFERENCES, client=RESPONSES, upstream=GEMINI)
class ReferencedTextDropped(OnReferences):
    """Looks up the calls that are named, and not the messages."""

    def changed(self, body: dict[str, Any]) -> dict[str, Any]:
        for content in body["contents"]:
            if content["role"] == "model":
                content["parts"] = [part for part in content["parts"] if "text" not in part]
        return body


@broken("referring", rule="translation/stored-reply-known", case=REFERENCES, client=RESPONSES, upstream=RESPONSES)
class NamesItemsAnew(DoubledSession):
    """Gives the client ids of its own for items, and sends these upstream."""

    def after_response(self, body: dict[str, Any]) -> dict[str, Any]:
        for item in body["output"]:
            item["id"] = item["id"].split("_")[0] + "_" + item["id"][-8:] * 6
        return body


@harmless(REFERENCES, RESPONSES, ANTHROPIC, beside="translation/stored-history")
class LooksReferencesUp(DoubledSession):
    """The reference as it is: it puts the items themselves where they are named."""


@harmless(REFERENCES, RESPONSES, CHAT, beside=("translation/stored-history", "translation/refused"))
class RefusesReferences(DoubledSession):
    """Refuses every request that names an item in place of holding it."""

    def before_request(self, body: dict[str, Any]) -> dict[str, Any]:
        if any(map(is_reference, body["input"])):
            raise Refused("item_reference is not supported; send the items themselves")
        return body


@harmless(REFERENCES, RESPONSES, RESPONSES, beside="translation/stored-reply-known")
class LooksReferencesUpForTheProvider(DoubledSession):
    """Sends the items themselves although the provider would remember them."""

    def before_request(self, body: dict[str, Any]) -> dict[str, Any]:
        items_by_id: dict[str, Any] = self.shared
        body["input"] = [items_by_id.get(item["id"], item) if is_reference(item) else item for item in body["input"]]
        return body

    def after_response(self, body: dict[str, Any]) -> dict[str, Any]:
        self.shared |= {item["id"]: item for item in body["output"]}
        return body
