"""A picture that had to leave its result is named by the id that the client knows the call by."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from doubles.harness import HARNESS
from toolcall_conformance import formats
from toolcall_conformance.basics.contract import Route
from toolcall_conformance.basics.findings import Verdict
from toolcall_conformance.checks import CHECKS, ItemResult
from toolcall_conformance.checks.conversation.captions import rename_captions
from toolcall_conformance.drivers.python.driver import PythonDriver
from toolcall_conformance.library import load_corpus
from toolcall_reference import ReferenceTranslator

CASE = "binary/failing-with-picture"
CHAT = "openai_chat"


class Renaming:
    """The reference, with ids of its own for the client and the provider's for the provider."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []

    def open(self, route: Route, /) -> Renaming:
        self.inner = ReferenceTranslator().open(route)
        self.known: dict[str, str] = {}
        return self

    def request(self, body: dict[str, Any], /) -> Any:
        self.asked.append(copy.deepcopy(body))
        for message in body["messages"]:
            for call in message.get("tool_calls") or []:
                call["id"] = self.known.get(call["id"], call["id"])
            if "tool_call_id" in message:
                message["tool_call_id"] = self.known.get(message["tool_call_id"], message["tool_call_id"])
        return self.inner.request(body)

    def response(self, body: dict[str, Any], /) -> Any:
        output = self.inner.response(body)
        for call in output["choices"][0]["message"].get("tool_calls") or []:
            own = f"call_{len(self.known):024d}"
            self.known[own], call["id"] = call["id"], own
        return output


def play(translator: Any, upstream: str) -> ItemResult:
    case = load_corpus().cases[CASE]
    route = Route(CHAT, upstream, case.model(CHAT), case.model(upstream))
    return CHECKS["agent_loop"](case, route, PythonDriver(translator, "renaming").open, HARNESS, "", None)


def captions(body: dict[str, Any]) -> list[str]:
    contents = [message["content"] for message in body["messages"] if isinstance(message.get("content"), list)]
    return [part["text"] for parts in contents for part in parts if part["type"] == "text"]


@pytest.mark.parametrize("upstream", ["anthropic", "openai_responses", "gemini"])
def test_the_caption_names_the_call_as_the_reply_did(upstream: str) -> None:
    translator = Renaming()
    result = play(translator, upstream)
    assert captions(translator.asked[-1]) == [f"From the result of click_element (call_{0:024d}):"]
    assert result.verdict in (Verdict.PASS, Verdict.WARN), result.findings


def test_what_is_no_caption_stays() -> None:
    case = load_corpus().cases[CASE]
    body = copy.deepcopy(case.exchanges(CHAT)[1].request)
    call_id = case.scenario["ids"][CHAT]["pay"]
    body["messages"].append({"role": "user", "content": [{"type": "text", "text": f"What does {call_id} mean?"}]})
    reading = formats.read(CHAT, "request", body)
    renamed_body = rename_captions(body, reading, {0: "call_other"})
    assert captions(renamed_body) == ["From the result of click_element (call_other):", f"What does {call_id} mean?"]
    assert captions(body)[0] == f"From the result of click_element ({call_id}):"
    assert rename_captions(body, reading, {0: None}) is body
