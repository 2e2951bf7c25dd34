"""Reads reasoning: the official API has none, so these are the vendors' keys."""

from __future__ import annotations

from collections.abc import Iterator

from toolcall_conformance.basics.reading import Node, Opaque, Reasoning, Residue

#: The provider of an opaque part, by the beginning of ``reasoning_details[].format`` (OpenRouter).
#: https://openrouter.ai/docs/use-cases/reasoning-tokens
_PROVIDERS = {"anthropic": "anthropic", "openai": "openai_responses", "google": "gemini"}

_TEXT_KEYS = ("reasoning_content", "reasoning")
THOUGHT_KEYS = (*_TEXT_KEYS, "reasoning_details")
"""The members of a message that hold reasoning."""


def read_thoughts(message: Node, residue: list[Residue]) -> Iterator[Reasoning | Opaque]:
    """Yield the thinking text and opaque state of an assistant message, without that of its calls."""
    has_text = False
    # The same text may be under several keys; it is one item.
    for key in _TEXT_KEYS:
        text = message.child(key)
        if isinstance(text.value, str) and text.value.strip() and not has_text:
            has_text = True
            yield Reasoning(text.value, text.pointer)
    for detail in message.child("reasoning_details").each():
        yield from _read_detail(detail, has_text, residue)
    yield from read_signature(message, None, residue)


def _read_detail(detail: Node, has_text: bool, residue: list[Residue]) -> Iterator[Reasoning | Opaque]:
    """Yield the text and the opaque state of an entry of ``reasoning_details``."""
    detail.ignore("type", "id", "index")
    origin = _PROVIDERS.get((detail.text("format") or "").split("-")[0], "")
    for key in ("text", "summary"):
        text = detail.child(key)
        if isinstance(text.value, str) and text.value.strip() and not has_text:
            yield Reasoning(text.value, text.pointer)
    for key in ("signature", "data"):
        state = detail.child(key)
        if isinstance(state.value, str) and state.value:
            yield Opaque(state.value, state.pointer, origin)
    detail.close(residue)


def read_signature(owner: Node, call: int | None, residue: list[Residue]) -> Iterator[Opaque]:
    """Yield Gemini's signature, which its OpenAI endpoint sends in ``extra_content`` of a call or message.

    https://ai.google.dev/gemini-api/docs/thought-signatures
    """
    if "extra_content" not in owner:
        return
    extra = owner.child("extra_content")
    google = extra.child("google")
    signature = google.child("thought_signature")
    if isinstance(signature.value, str) and signature.value:
        yield Opaque(signature.value, signature.pointer, "gemini", call)
    google.ignore("thought")
    google.close(residue)
    extra.close(residue)
