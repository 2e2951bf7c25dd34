"""State in a conversation: lost, moved, changed, repeated and mixed up; and the ways in which others bring it home."""

from __future__ import annotations

import copy
from typing import Any

from doubles.loop import ANTHROPIC, CHAT, GEMINI, RESPONSES, DoubledSession, broken, harmless, warning
from toolcall_conformance.basics.contract import Route
from toolcall_reference import ReferenceTranslator

SEED = "reasoning/seed"
RECORDED = "reasoning/recorded-shape"
REDACTED = "reasoning/redacted-thinking"
PARALLEL = "reasoning/parallel-calls"
ROUNDS = "reasoning/two-rounds"
ONCE = "reasoning/thinks-once"
AGAIN = "reasoning/same-call-again"
FOLLOW = "reasoning/follow-up"
HIDDEN = "reasoning/thinking-not-shown"

SENTINEL = "skip_thought_signature_validator"
RETURNED = "translation/state-returned"
EARLIER = "translation/earlier-state-returned"
STAND_IN = "translation/state-stand-in"
CHANGED = "translation/state-changed"
MOVED = "translation/state-moved"


def parts(body: dict[str, Any]) -> list[dict[str, Any]]:
    """All parts of a Gemini request."""
    return [part for content in body["contents"] for part in content["parts"]]


def calls(body: dict[str, Any]) -> list[dict[str, Any]]:
    """The parts of a Gemini request that are calls."""
    return [part for part in parts(body) if "functionCall" in part]


def signed(body: dict[str, Any]) -> list[dict[str, Any]]:
    """The parts of a Gemini request that carry a signature."""
    return [part for part in parts(body) if "thoughtSignature" in part]


def turns(body: dict[str, Any]) -> list[list[dict[str, Any]]]:
    """The blocks of each of the assistant's messages in an Anthropic request."""
    return [message["content"] for message in body["messages"] if message["role"] == "assistant"]


def is_thought(block: dict[str, Any]) -> bool:
    """Whether a block of Anthropic is thinking, readable or not."""
    return block["type"] in ("thinking", "redacted_thinking")


@broken("", "stripping", rule="gemini/signature-demanded", case=RECORDED, client=ANTHROPIC, upstream=GEMINI)
class LosesSignatures(DoubledSession):
    """Sends Gemini 3 its calls back without their signatures."""

    def after_request(self, body: dict[str, Any]) -> dict[str, Any]:
        for part in signed(body):
            del part["thoughtSignature"]
        return body


@warning(rule=RETURNED, case=AGAIN, client=RESPONSES, upstream=GEMINI)
class LosesSignaturesThatNobodyDemands(DoubledSession):
    """Sends Gemini 2.5 its calls back without their signatures, which it bears, and thinks anew."""

    def after_request(self, body: dict[str, Any]) -> dict[str, Any]:
        for part in signed(body):
            del part["thoughtSignature"]
        return body


@broken(rule="gemini/signature-demanded", case=ROUNDS, client=CHAT, upstream=GEMINI)
class KeepsTheLastSignatureAlone(DoubledSession):
    """Remembers the state of the last reply and forgets that of the step before, which is of the same turn."""

    def after_request(self, body: dict[str, Any]) -> dict[str, Any]:
        for part in signed(body)[:-1]:
            del part["thoughtSignature"]
        return body


@broken(rule=MOVED, case=PARALLEL, client=CHAT, upstream=GEMINI)
class SignatureAtTheLastCall(DoubledSession):
    """Puts the signature of a turn to its last call, and not to the first, which had it."""

    def after_request(self, body: dict[str, Any]) -> dict[str, Any]:
        if signed(body):
            calls(body)[-1]["thoughtSignature"] = signed(body)[0].pop("thoughtSignature")
        return body


@warning(rule="translation/signature-repeated", case=PARALLEL, client=ANTHROPIC, upstream=GEMINI)
class SignatureAtEveryCall(DoubledSession):
    """Copies the signature of the first call to all calls of the turn."""

    def after_request(self, body: dict[str, Any]) -> dict[str, Any]:
        for part in calls(body):
            part["thoughtSignature"] = signed(body)[0]["thoughtSignature"]
        return body


@broken(rule="translation/state-invented", case=PARALLEL, client=RESPONSES, upstream=GEMINI)
class MakesUpASignature(DoubledSession):
    """Gives a call that never had a signature one of its own making."""

    def after_request(self, body: dict[str, Any]) -> dict[str, Any]:
        for part in calls(body)[1:]:
            part["thoughtSignature"] = "bm8gc2lnbmF0dXJlIGhhcyBiZWVuIGdpdmVuIGZvciB0aGlzIGNhbGw="
        return body


@broken(rule=RETURNED, case=AGAIN, client=RESPONSES, upstream=ANTHROPIC)
class ThinkingByWhatWasCalled(DoubledSession):
    """Keeps thinking by the arguments of the call behind it, which come again in the next round."""

    def after_request(self, body: dict[str, Any]) -> dict[str, Any]:
        latest = {str(blocks[-1].get("input")): blocks for blocks in turns(body) if isinstance(blocks, list)}
        for blocks in turns(body):
            other = latest.get(str(blocks[-1].get("input")), [])
            blocks[:] = [*filter(is_thought, other), *(block for block in blocks if not is_thought(block))]
        return body


@warning(rule=RETURNED, case=AGAIN, client=ANTHROPIC, upstream=GEMINI)
class StateByWhatWasCalled(DoubledSession):
    """Keeps signatures of Gemini 2.5 by name and arguments of the call, which come again in the next round."""

    def after_request(self, body: dict[str, Any]) -> dict[str, Any]:
        latest = {str(part["functionCall"]["args"]): part.get("thoughtSignature") for part in calls(body)}
        for part in calls(body):
            part["thoughtSignature"] = latest[str(part["functionCall"]["args"])]
        return body


@broken(rule=("anthropic/thinking-first", RETURNED), case=SEED, client=CHAT, upstream=ANTHROPIC)
class LosesThinkingBeforeTheCall(DoubledSession):
    """Sends Anthropic the call without the thinking before it, with thinking still turned on."""

    def after_request(self, body: dict[str, Any]) -> dict[str, Any]:
        for blocks in turns(body):
            blocks[:] = [block for block in blocks if not is_thought(block)]
        return body


@harmless(SEED, CHAT, ANTHROPIC, beside=RETURNED)
class NeverAsksForThinking(DoubledSession):
    """Passes no wish to think on to a model that thinks only if asked, and knows no thoughts to bring back."""

    in_no_body = True  # what was asked before stands in the request before

    def after_request(self, body: dict[str, Any]) -> dict[str, Any]:
        body.pop("thinking", None)
        for blocks in turns(body):
            blocks[:] = [block for block in blocks if not is_thought(block)]
        return body


@broken(rule=RETURNED, case=HIDDEN, client=CHAT, upstream=ANTHROPIC)
class LosesThinkingThatIsNotShown(DoubledSession):
    """Takes thinking without a text for empty, and leaves it and its signature out of the history."""

    def after_request(self, body: dict[str, Any]) -> dict[str, Any]:
        for blocks in turns(body):
            blocks[:] = [block for block in blocks if block.get("thinking") != ""]
        return body


@harmless(HIDDEN, CHAT, ANTHROPIC, warns=RETURNED, beside="translation/state-returned")
class TellsThatNothingWasShown(DoubledSession):
    """Gives out thinking without a text as reasoning_content of no letters, as a gateway that knows the word does."""

    def after_response(self, body: dict[str, Any]) -> dict[str, Any]:
        body["choices"][0]["message"]["reasoning_content"] = ""
        return body


@broken(rule=RETURNED, case=REDACTED, client=RESPONSES, upstream=ANTHROPIC)
class LosesRedactedThinking(DoubledSession):
    """Brings back the thinking that can be read, and not what stood beside it encrypted."""

    def after_request(self, body: dict[str, Any]) -> dict[str, Any]:
        for blocks in turns(body):
            blocks[:] = [block for block in blocks if block["type"] != "redacted_thinking"]
        return body


@broken(rule=MOVED, case=REDACTED, client=GEMINI, upstream=ANTHROPIC)
class RedactedThinkingFirst(DoubledSession):
    """Brings back first what is encrypted, then what can be read."""

    def after_request(self, body: dict[str, Any]) -> dict[str, Any]:
        for blocks in turns(body):
            blocks.sort(
                key=lambda block: ("redacted_thinking", "thinking").index(block["type"]) if is_thought(block) else 2
            )
        return body


@broken(rule=MOVED, case=ROUNDS, client=RESPONSES, upstream=ANTHROPIC)
class AllThinkingInFront(DoubledSession):
    """Gathers the thinking of all steps before the first call."""

    def after_request(self, body: dict[str, Any]) -> dict[str, Any]:
        every = turns(body)
        thoughts = [block for blocks in every for block in blocks if is_thought(block)]
        for blocks in every:
            blocks[:] = [block for block in blocks if not is_thought(block)]
        if every:
            every[0][:0] = thoughts
        return body


@broken(rule="translation/state-repeated", case=ONCE, client=CHAT, upstream=ANTHROPIC)
class ThinkingBeforeEveryStep(DoubledSession):
    """Puts the thinking of a turn before each of its steps, also where the model did not think again."""

    def after_request(self, body: dict[str, Any]) -> dict[str, Any]:
        thoughts = [block for blocks in turns(body) for block in blocks if is_thought(block)]
        for blocks in turns(body):
            blocks[:] = [*copy.deepcopy(thoughts[:1]), *(block for block in blocks if not is_thought(block))]
        return body


@broken(rule=CHANGED, case=SEED, client=GEMINI, upstream=ANTHROPIC)
class RespellsSignatures(DoubledSession):
    """Takes a signature of Anthropic for bytes and writes them in the other alphabet of base64."""

    def after_request(self, body: dict[str, Any]) -> dict[str, Any]:
        for blocks in turns(body):
            for block in blocks:
                if "signature" in block:
                    block["signature"] = block["signature"].translate(str.maketrans("+/", "-_")).rstrip("=")
        return body


@broken(rule=CHANGED, case=ROUNDS, client=CHAT, upstream=RESPONSES)
class CutsEncryptedContent(DoubledSession):
    """Keeps only as much of encrypted reasoning as fits into a field of its database."""

    def after_request(self, body: dict[str, Any]) -> dict[str, Any]:
        for item in body["input"]:
            if "encrypted_content" in item:
                item["encrypted_content"] = item["encrypted_content"][:128]
        return body


@broken(rule="translation/state-id", case=ROUNDS, client=ANTHROPIC, upstream=RESPONSES)
class NewIdsForReasoning(DoubledSession):
    """Keeps encrypted reasoning as the client's signature, and makes up the id of its item anew."""

    def after_request(self, body: dict[str, Any]) -> dict[str, Any]:
        for number, item in enumerate(body["input"]):
            if "encrypted_content" in item:
                item["id"] = f"rs_{number:048x}"
        return body


@harmless(
    ROUNDS,
    ANTHROPIC,
    RESPONSES,
    warns=("openai_responses/reasoning-id", RETURNED),
    beside=("translation/state-id", "translation/state-changed"),
)
class NoIdsForReasoning(DoubledSession):
    """Keeps encrypted reasoning as the client's signature, which has no place for the id of its item."""

    def after_request(self, body: dict[str, Any]) -> dict[str, Any]:
        for item in body["input"]:
            if "encrypted_content" in item:
                del item["id"]
        return body


@broken(rule=RETURNED, case=FOLLOW, client=ANTHROPIC, upstream=RESPONSES)
class LosesReasoningItems(DoubledSession):
    """Leaves reasoning items out of the history."""

    def after_request(self, body: dict[str, Any]) -> dict[str, Any]:
        body["input"] = [item for item in body["input"] if item.get("type") != "reasoning"]
        return body


@broken("interleaved", rule=(CHANGED, "translation/state-invented"), case=PARALLEL, client=CHAT, upstream=GEMINI)
class StateOfWhoeverSpokeLast(DoubledSession):
    """Keeps the last signature for everybody, and gives it to whoever asks next."""

    def after_response(self, body: dict[str, Any]) -> dict[str, Any]:
        answered = self.answered["candidates"][0]["content"]["parts"]
        self.shared["last"] = next((part["thoughtSignature"] for part in answered if "thoughtSignature" in part), None)
        return body

    def after_request(self, body: dict[str, Any]) -> dict[str, Any]:
        if signed(body) and self.shared.get("last"):
            signed(body)[-1]["thoughtSignature"] = self.shared["last"]
        return body


@warning(rule="translation/reasoning-as-text", case=ROUNDS, client=CHAT, upstream=ANTHROPIC)
class ThinksAloud(DoubledSession):
    """Shows the user the thinking as the answer; it comes back as the assistant's words."""

    def after_response(self, body: dict[str, Any]) -> dict[str, Any]:
        thoughts = [block["thinking"] for block in self.answered["content"] if block["type"] == "thinking"]
        message = body["choices"][0]["message"]
        if thoughts and not message["content"]:
            message["content"] = "\n\n".join(thoughts)
        return body


@harmless(
    SEED,
    ANTHROPIC,
    GEMINI,
    warns=(RETURNED, STAND_IN),
    beside=("gemini/signature-demanded", "translation/state-invented"),
)
class StandsInForSignatures(DoubledSession):
    """Sends Gemini 3 the documented value that stands for a call without a signature."""

    def after_request(self, body: dict[str, Any]) -> dict[str, Any]:
        for part in signed(body):
            if "functionCall" in part:
                part["thoughtSignature"] = SENTINEL
        return body


@harmless(ROUNDS, RESPONSES, ANTHROPIC, warns=RETURNED, beside="translation/state-returned")
class StateInTheSession(DoubledSession):
    """The reference as it is: state is put back by the session, and another replica does not have it."""


@harmless(
    ROUNDS, CHAT, GEMINI, warns=(RETURNED, STAND_IN), beside=("translation/state-returned", "translation/state-moved")
)
class StateInExtraContent(DoubledSession):
    """Remembers nothing: signatures travel in extra_content, where Google's own endpoint has them."""

    def before_request(self, body: dict[str, Any]) -> dict[str, Any]:
        self.inner = ReferenceTranslator().open(self.route)
        return body


@harmless(
    RECORDED, ANTHROPIC, GEMINI, warns=RETURNED, beside=("translation/state-to-stranger", "translation/state-moved")
)
class StateInASignatureOfTheClients(DoubledSession):
    """Lends Gemini's signature the place of Anthropic's: an empty thinking block before the call, behind a prefix."""

    PREFIX = "gemini-next:"

    def __init__(self, route: Route, shared: dict[str, Any]) -> None:
        super().__init__(route, shared)
        self.lent: list[str | None] = []

    def before_request(self, body: dict[str, Any]) -> dict[str, Any]:
        self.inner = ReferenceTranslator().open(self.route)
        self.lent = []
        for blocks in turns(body):
            for block in blocks if isinstance(blocks, list) else ():
                if block.get("type") == "thinking" and block["signature"].startswith(self.PREFIX):
                    self.lent.append(block["signature"].removeprefix(self.PREFIX))
            if isinstance(blocks, list):
                blocks[:] = [block for block in blocks if not str(block.get("signature")).startswith(self.PREFIX)]
        return body

    def after_request(self, body: dict[str, Any]) -> dict[str, Any]:
        for part, signature in zip(calls(body), self.lent, strict=False):
            part["thoughtSignature"] = signature
        return body

    def after_response(self, body: dict[str, Any]) -> dict[str, Any]:
        answered = self.answered["candidates"][0]["content"]["parts"]
        signature = next((part.get("thoughtSignature") for part in answered if "functionCall" in part), None)
        place = next((at for at, block in enumerate(body["content"]) if block["type"] == "tool_use"), None)
        if signature is not None and place is not None:
            thinking = {"type": "thinking", "thinking": "", "signature": self.PREFIX + signature}
            body["content"].insert(place, thinking)
        return body


@harmless(FOLLOW, CHAT, GEMINI, warns=(RETURNED, EARLIER))
class DropsSummariesOfThoughts(DoubledSession):
    """Leaves out of replies what the model says of its thoughts, and keeps their signatures."""

    def before_response(self, body: dict[str, Any]) -> dict[str, Any]:
        content = body["candidates"][0]["content"]
        content["parts"] = [part for part in content["parts"] if not part.get("thought")]
        return body


@harmless(PARALLEL, CHAT, RESPONSES, warns=RETURNED)
class CountsNoThinking(DoubledSession):
    """Does not tell how many tokens were thinking; they are in the sum all the same."""

    def after_response(self, body: dict[str, Any]) -> dict[str, Any]:
        body["usage"].pop("completion_tokens_details", None)
        return body


@harmless(
    ROUNDS,
    RESPONSES,
    GEMINI,
    warns=(RETURNED, STAND_IN),
    beside=("gemini/signature-base64", "translation/state-changed"),
)
class SpellsBytesForTheWeb(DoubledSession):
    """Writes signatures in the URL-safe alphabet of base64, as Google's own SDK does."""

    def after_request(self, body: dict[str, Any]) -> dict[str, Any]:
        for part in signed(body):
            part["thoughtSignature"] = part["thoughtSignature"].translate(str.maketrans("+/", "-_"))
        return body
