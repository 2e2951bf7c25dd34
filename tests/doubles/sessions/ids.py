"""Ids in a conversation: given, mapped and lost; and every habit with them that does no harm."""

from __future__ import annotations

import uuid
from hashlib import sha1
from typing import Any

from doubles.draft import Draft
from doubles.loop import ANTHROPIC, CHAT, GEMINI, RESPONSES, DoubledSession, broken, harmless, warning
from doubles.wire import Call
from toolcall_conformance.basics.contract import Route

EQUAL = "ids/equal-calls"
REUSED = "ids/reused-every-turn"
MOVED = "ids/moved-provider"
SHORT = "ids/short-and-case"
CUT = "ids/cut-alike"
EMPTY = "ids/empty-and-absent"
TWICE = "mcp/names-cleaned-alike"
"""A tool is called in the first turn among others, and again in the second."""

UNLINKED = {
    ANTHROPIC: ("anthropic/result-of-known-call", "anthropic/calls-answered"),
    CHAT: ("openai_chat/result-answers-call", "openai_chat/calls-answered"),
    RESPONSES: ("openai_responses/result-has-call", "openai_responses/call-answered"),
}


class OwnIds(DoubledSession):
    """Gives the client ids of its own, which ``own`` makes, and the provider's back, which ``given`` finds.

    ``known`` has the provider's id by its own.
    """

    def __init__(self, route: Route, shared: dict[str, Any]) -> None:
        super().__init__(route, shared)
        self.known: dict[str, Any] = {}

    def own(self, call: Call) -> str:
        """The client's id for a call of a reply."""
        raise NotImplementedError

    def given(self, own: str) -> Any:
        """The provider's id for the client's."""
        return self.known.get(own, own)

    def after_response(self, body: dict[str, Any]) -> dict[str, Any]:
        for call in Draft(body, self.route.client).calls:
            own = self.own(call)
            self.known[own] = call.id
            call.id = own
        return body

    def after_request(self, body: dict[str, Any]) -> dict[str, Any]:
        # The reference may have rewritten our ids: the order of the calls says which is which.
        draft = Draft(body, self.route.upstream)
        ids = [call.id for call in Draft(self.asked, self.route.client).calls]
        sent = [call.id for call in draft.calls]
        ours = dict(zip(sent, ids, strict=True))
        for call, own in zip(draft.calls, ids, strict=True):
            self.name_call(call, own)
        for result in draft.results:
            result.id = self.given_on_result(ours[result.id])
        return body

    def name_call(self, call: Call, own: str) -> None:
        """Put the provider's id on a call of the history."""
        call.id = self.given(own)

    def given_on_result(self, own: str) -> Any:
        """The provider's id for a result."""
        return self.given(own)


class Counting(OwnIds):
    """Numbers all calls of the conversation."""

    def own(self, call: Call) -> str:
        del call
        return f"call_{len(self.known):024d}"


@broken(rule=UNLINKED[ANTHROPIC], case=EQUAL, client=CHAT, upstream=ANTHROPIC)
class MapForResultsAlone(Counting):
    """Gives fresh ids, and has a map back for results, not for the calls of the history."""

    def name_call(self, call: Call, own: str) -> None:
        call.id = own


@broken(rule=UNLINKED[RESPONSES], case=EQUAL, client=ANTHROPIC, upstream=RESPONSES)
class MapUsedUp(Counting):
    """Forgets how to map a result's id once it was used: the next request has the same result again."""

    def given_on_result(self, own: str) -> Any:
        counts = self.shared.setdefault("asked", {})
        counts[own] = counts.get(own, 0) + 1
        return own if counts[own] > 1 else self.given(own)


@broken(rule="anthropic/call-ids-unique", case=EQUAL, client=CHAT, upstream=ANTHROPIC)
class CounterRestarted(OwnIds):
    """Numbers the calls of each reply from nought, and maps a number back to the last call that had it."""

    def own(self, call: Call) -> str:
        return f"call_{call.place}"


@broken(rule="anthropic/call-ids-unique", case=TWICE, client=CHAT, upstream=ANTHROPIC)
class IdsFromToolNames(OwnIds):
    """Makes ids of the tools' names, and maps one back to the last call of that tool."""

    def own(self, call: Call) -> str:
        return f"call_{call.name}"


@broken(rule="anthropic/call-ids-unique", case=EQUAL, client=RESPONSES, upstream=ANTHROPIC)
class IdsFromArguments(OwnIds):
    """Makes ids of a call's name and arguments: equal calls have one id."""

    def own(self, call: Call) -> str:
        return "call_" + sha1(f"{call.name}{call.raw}".encode()).hexdigest()[:24]


@broken(rule="anthropic/call-ids-unique", case=SHORT, client=CHAT, upstream=ANTHROPIC)
class IdsLowerCased(OwnIds):
    """Writes ids in lower case, and maps them back to the last that had these letters."""

    def own(self, call: Call) -> str:
        return str(call.id).lower()


@broken(rule="anthropic/call-ids-unique", case=CUT, client=RESPONSES, upstream=ANTHROPIC)
class IdsCut(OwnIds):
    """Cuts ids to 40 characters, and maps them back to the last that began so."""

    def own(self, call: Call) -> str:
        return str(call.id)[:40]


@broken("interleaved", rule=UNLINKED[ANTHROPIC], case=SHORT, client=CHAT, upstream=ANTHROPIC)
class OneMapForAll(OwnIds):
    """Numbers the calls of each conversation, and has one map of results for all of them."""

    def own(self, call: Call) -> str:
        own = f"call_{len(self.known)}"
        self.shared[own] = call.id
        return own

    def given_on_result(self, own: str) -> Any:
        return self.shared.get(own, own)


@broken("swapped", rule="translation/results-linked", case=SHORT, client=CHAT, upstream=RESPONSES)
class EmptyIdForAll(DoubledSession):
    """Gives the client empty ids, so that only their order tells results apart."""

    def after_response(self, body: dict[str, Any]) -> dict[str, Any]:
        for call in Draft(body, CHAT).calls:
            call.id = ""
        return body


@broken(rule=UNLINKED[CHAT], case=EQUAL, client=RESPONSES, upstream=CHAT)
class ItemIdOnCalls(DoubledSession):
    """Takes an item's own id for the call's where there is one; the outputs have the call_id."""

    def after_request(self, body: dict[str, Any]) -> dict[str, Any]:
        for call, client_call in zip(Draft(body, CHAT).calls, Draft(self.asked, RESPONSES).calls, strict=True):
            call.id = client_call.entry.get("id", call.id)
        return body


@broken(rule=UNLINKED[RESPONSES], case=EQUAL, client=CHAT, upstream=RESPONSES)
class ItemIdOnOutputs(DoubledSession):
    """Remembers a call by its item's id, and answers that instead of the call_id."""

    def before_response(self, body: dict[str, Any]) -> dict[str, Any]:
        self.shared.update({call.id: call.entry["id"] for call in Draft(body, RESPONSES).calls})
        return body

    def after_request(self, body: dict[str, Any]) -> dict[str, Any]:
        for result in Draft(body, RESPONSES).results:
            result.id = self.shared.get(result.id, result.id)
        return body


@broken(rule="gemini/result-names-call", case=REUSED, client=CHAT, upstream=GEMINI)
class NamesByFirstUse(DoubledSession):
    """Looks up a result's name by the first call that had its id."""

    def after_request(self, body: dict[str, Any]) -> dict[str, Any]:
        names: dict[str, str] = {}
        for call in Draft(self.asked, CHAT).calls:
            names.setdefault(call.id, call.name)
        for result, client_result in zip(Draft(body, GEMINI).results, Draft(self.asked, CHAT).results, strict=True):
            result.inner["name"] = names[client_result.id]
        return body


@broken(rule="translation/call-lost", case=REUSED, client=RESPONSES, upstream=CHAT)
class ReusedIdsTakenForOne(DoubledSession):
    """Takes a call with an id that was there before for the same call, and drops it with its result."""

    def before_request(self, body: dict[str, Any]) -> dict[str, Any]:
        keys: set[tuple[str, str]] = set()
        items = []
        for item in body["input"]:
            key = (item.get("type", ""), item.get("call_id", ""))
            if key[1] and key in keys:
                continue
            keys.add(key)
            items.append(item)
        body["input"] = items
        return body


@broken(rule="translation/results-linked", case=REUSED, client=CHAT, upstream=RESPONSES)
class ResultsAtTheFirstUse(DoubledSession):
    """Tells reused ids apart on calls, and leaves a later result with the first call that had its id."""

    def after_request(self, body: dict[str, Any]) -> dict[str, Any]:
        draft = Draft(body, RESPONSES)
        for place, call in enumerate(draft.calls):
            call.id = f"{call.id}_{place}"
        first: dict[str, list[str]] = {}
        for call in draft.calls:
            first.setdefault(call.id.rpartition("_")[0], []).append(call.id)
        for result in draft.results:
            uses = first[result.id]
            result.id = uses.pop() if len(uses) > 1 else uses[0]
        return body


@warning(rule="gemini/result-id-both-or-neither", case=EQUAL, client=ANTHROPIC, upstream=GEMINI)
class IdsOnResultsAlone(DoubledSession):
    """Gives a provider without ids its own ones on the results, which answer calls that have none."""

    def after_request(self, body: dict[str, Any]) -> dict[str, Any]:
        for call in Draft(body, GEMINI).calls:
            call.drop_id()
        return body


@warning(rule="openai_chat/call-id", case="grep/dialect-gemini-endpoint", client=ANTHROPIC, upstream=CHAT)
class BlankIdsSentBack(DoubledSession):
    """Sends a vendor the blank ids back that its own calls have."""

    def after_request(self, body: dict[str, Any]) -> dict[str, Any]:
        for message in body["messages"]:
            for call in message.get("tool_calls", ()):
                call["id"] = ""
            if message["role"] == "tool":
                message["tool_call_id"] = ""
        return body


@warning(rule="translation/ids-returned", case=EQUAL, client=CHAT, upstream=ANTHROPIC)
class NeverMappedBack(Counting):
    """Gives the client fresh ids, and the provider these in place of its own."""

    def given(self, own: str) -> Any:
        return own


@warning(rule="translation/ids-returned", case=EQUAL, client=ANTHROPIC, upstream=RESPONSES)
class ItemIdsForCallIds(OwnIds):
    """Knows calls by their items' ids, on both sides."""

    def before_response(self, body: dict[str, Any]) -> dict[str, Any]:
        for call in Draft(body, RESPONSES).calls:
            call.id = call.entry["id"]
        return body

    def own(self, call: Call) -> str:
        return str(call.id)


@warning(rule="translation/ids-returned", case=SHORT, client=ANTHROPIC, upstream=CHAT)
class FreshIdsForEveryRequest(OwnIds):
    """Numbers the calls of a history anew for each request, alike on calls and results."""

    def after_response(self, body: dict[str, Any]) -> dict[str, Any]:
        return body

    def given(self, own: str) -> Any:
        return f"call_{list(self.asked_ids()).index(own)}"

    def asked_ids(self) -> dict[str, None]:
        return dict.fromkeys(call.id for call in Draft(self.asked, self.route.client).calls)


@harmless(
    EQUAL,
    RESPONSES,
    GEMINI,
    warns="translation/ids-injective-across-turns",
    beside=("translation/results-linked", "translation/ids-injective"),
)
class NumbersAllCalls(Counting):
    """Numbers the calls of a conversation, and maps them back; another replica begins from nought again."""


@harmless(SHORT, CHAT, ANTHROPIC, warns="translation/ids-kept", beside="translation/ids-injective")
class SwapsTheCaseOfIds(OwnIds):
    """Turns upper case to lower and lower to upper, and back: no two ids become one."""

    def own(self, call: Call) -> str:
        return str(call.id).swapcase()

    def given(self, own: str) -> str:
        return own.swapcase()


@harmless(MOVED, RESPONSES, ANTHROPIC, warns="translation/ids-kept")
class PrefixesIds(OwnIds):
    """Puts a prefix before every id, and takes it off again."""

    def own(self, call: Call) -> str:
        return f"gw-{call.id}"

    def given(self, own: str) -> str:
        return own.removeprefix("gw-")


@harmless(
    MOVED,
    CHAT,
    RESPONSES,
    warns=("translation/ids-kept", "translation/ids-returned"),
    beside="translation/results-linked",
)
class HashesIds(OwnIds):
    """Gives the client a hash of every id, always the same, and keeps no map."""

    def own(self, call: Call) -> str:
        return "call_" + sha1(str(call.id).encode()).hexdigest()[:24]

    def given(self, own: str) -> str:
        return own


@harmless(EMPTY, ANTHROPIC, GEMINI)
class UuidsWhereThereAreNone(OwnIds):
    """Gives the client uuids for calls without an id, and the provider none, as it gave none."""

    def own(self, call: Call) -> str:
        del call
        return str(uuid.uuid5(uuid.NAMESPACE_URL, f"{len(self.known)}"))

    def after_request(self, body: dict[str, Any]) -> dict[str, Any]:
        draft = Draft(body, GEMINI)
        for handle in [*draft.calls, *draft.results]:
            handle.drop_id()
        return body


@harmless(
    EQUAL,
    GEMINI,
    CHAT,
    warns="translation/ids-returned",
    beside=("openai_chat/result-answers-call", "translation/results-linked"),
)
class NoIdsForGemini(OwnIds):
    """Gives a Gemini client no ids, as older models do, and finds the provider's by the place of the call."""

    def __init__(self, route: Route, shared: dict[str, Any]) -> None:
        super().__init__(route, shared)
        self.order: list[str] = []

    def after_response(self, body: dict[str, Any]) -> dict[str, Any]:
        for call in Draft(body, GEMINI).calls:
            self.order.append(call.id)
            call.drop_id()
        return body

    def after_request(self, body: dict[str, Any]) -> dict[str, Any]:
        draft = Draft(body, self.route.upstream)
        places = {call.id: place for place, call in enumerate(draft.calls)}
        for handle in [*draft.calls, *draft.results]:
            if places[handle.id] < len(self.order):
                handle.id = self.order[places[handle.id]]
        return body


@harmless(EQUAL, RESPONSES, CHAT, beside="openai_chat/result-answers-call")
class ItemIdsOfItsOwn(DoubledSession):
    """Gives items ids of its own, with the prefix of their type."""

    def after_response(self, body: dict[str, Any]) -> dict[str, Any]:
        for place, call in enumerate(Draft(body, RESPONSES).calls):
            call.entry["id"] = "fc_" + sha1(f"{body['id']}{place}".encode()).hexdigest()
        return body
