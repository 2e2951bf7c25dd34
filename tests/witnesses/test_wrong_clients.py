"""Ideal clients with one fault each: the official SDKs must betray every one of them."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from toolcall_conformance import formats
from witnesses.agreement import disagreements
from witnesses.conversation import USERS, client_bodies, play_conversation
from witnesses.full_replies import CONVERSATIONS, VENDOR_KEY


@dataclass(frozen=True)
class Wrong:
    """A fault in what is remembered of a reply: ``spoil`` changes the entries in place."""

    fault: str
    name: str
    spoil: Callable[[list[Any]], None]


def _drop_key(entries: list[Any], key: str) -> None:
    for entry in entries:
        if isinstance(entry, dict):
            entry.pop(key, None)


def _change_key(entries: list[Any], key: str) -> None:
    for entry in entries:
        if isinstance(entry, dict) and isinstance(entry.get(key), str):
            entry[key] = entry[key][:-1] + "X"


def _reverse(entries: list[Any]) -> None:
    entries.reverse()


def _move_text(entries: list[Any]) -> None:
    text = entries[0].get("content")
    if text and entries[0].get("tool_calls"):
        entries[0]["content"] = None
        entries.append({"role": "assistant", "content": text})


def _drop_text(entries: list[Any]) -> None:
    del entries[1]


WRONG = [
    Wrong("signature-dropped", "anthropic", lambda entries: _drop_key(entries[0]["content"], "signature")),
    Wrong("signature-dropped", "gemini", lambda entries: _drop_key(entries[0]["parts"], "thoughtSignature")),
    Wrong("encrypted-reasoning-dropped", "openai_responses", lambda entries: _drop_key(entries, "encrypted_content")),
    Wrong("id-changed", "anthropic", lambda entries: _change_key(entries[0]["content"], "id")),
    Wrong("id-changed", "openai_chat", lambda entries: _change_key(entries[0].get("tool_calls") or [], "id")),
    Wrong("id-changed", "openai_responses", lambda entries: _change_key(entries, "call_id")),
    Wrong("item-id-dropped", "openai_responses", lambda entries: _drop_key(entries, "id")),
    Wrong(
        "id-dropped",
        "gemini",
        lambda entries: _drop_key([part.get("functionCall") for part in entries[0]["parts"]], "id"),
    ),
    Wrong("text-moved", "anthropic", lambda entries: _reverse(entries[0]["content"])),
    Wrong("text-moved", "openai_chat", _move_text),
    Wrong("text-moved", "openai_responses", _reverse),
    Wrong("text-moved", "gemini", lambda entries: _reverse(entries[0]["parts"])),
    Wrong("text-lost", "openai_responses", _drop_text),
    Wrong("nulls-dropped", "openai_chat", lambda entries: _drop_key(entries, "refusal")),
    Wrong("role-changed", "gemini", lambda entries: entries[0].update(role="assistant")),
]


def spoilt(wrong: Wrong) -> Callable[..., list[Any]]:
    """``as_history`` of the format's client, with the fault."""
    right = formats.get(wrong.name).client.as_history

    def as_history(reply: dict[str, Any], *, echo: bool) -> list[Any]:
        entries = copy.deepcopy(right(reply, echo=echo))
        wrong.spoil(entries)
        return entries

    return as_history


def strips(wrong: str) -> Callable[..., list[Any]]:
    """``as_history`` of a client that keeps only what it knows, whatever it receives."""
    right = formats.get(wrong).client.as_history

    def as_history(reply: dict[str, Any], *, echo: bool) -> list[Any]:
        del echo
        return right(reply, echo=False)

    return as_history


def client_disagreements(name: str) -> list[str]:
    exchanges = CONVERSATIONS[name]
    return disagreements(name, client_bodies(name, exchanges), play_conversation(name, exchanges, "model"))


@pytest.mark.parametrize("name", USERS)
def test_the_right_client_agrees(name: str) -> None:
    assert client_disagreements(name) == []


@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: f"{wrong.name}-{wrong.fault}")
def test_a_wrong_memory_is_caught(wrong: Wrong, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(formats.get(wrong.name).client, "as_history", spoilt(wrong))
    assert client_disagreements(wrong.name) != []


@pytest.mark.parametrize("name", [name for name, user in USERS.items() if user.echoes])
def test_a_lost_key_of_a_vendor_is_caught(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(formats.get(name).client, "as_history", strips(name))
    assert any(VENDOR_KEY in words for words in client_disagreements(name))


@pytest.mark.parametrize("name", USERS)
def test_results_at_the_wrong_calls_are_caught(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    client = formats.get(name).client
    right = client.relink

    def relink(result: dict[str, Any], call: dict[str, Any]) -> bool:
        return right(result, {key: f"{value}X" if key in ("id", "call_id") else value for key, value in call.items()})

    monkeypatch.setattr(client, "relink", relink)
    assert client_disagreements(name) != []
