"""Limits and sampling settings that are lost or at the wrong place."""

from __future__ import annotations

from typing import Any

from doubles.catalogue import ANTHROPIC, CHAT, GEMINI, RESPONSES, broken, need
from doubles.draft import Draft

LIMITS = {
    ANTHROPIC: "max_tokens",
    CHAT: "max_completion_tokens",
    RESPONSES: "max_output_tokens",
    GEMINI: "maxOutputTokens",
}


def settings(draft: Draft) -> dict[str, Any]:
    """Where the sampling settings stand."""
    return draft.body.setdefault("generationConfig", {}) if draft.format == GEMINI else draft.body


@broken("limit-lost", rule="translation/setting-lost", check="request", target=(CHAT, RESPONSES, GEMINI))
def limit_lost(draft: Draft) -> None:
    """The limit of output tokens is gone."""
    need(settings(draft).pop(LIMITS[draft.format], None))


@broken("max-tokens-missing", rule="anthropic/max-tokens", check="request", target=ANTHROPIC)
def max_tokens_missing(draft: Draft) -> None:
    """The limit of output tokens is gone where the API demands one."""
    del draft.body["max_tokens"]


@broken("temperature-lost", rule="translation/setting-lost", check="request")
def temperature_lost(draft: Draft) -> None:
    """The temperature is gone; zero is one, too."""
    need("temperature" in settings(draft) and settings(draft)["temperature"] != 1)
    del settings(draft)["temperature"]


@broken("stop-lost", rule="translation/setting-lost", check="request", target=(ANTHROPIC, CHAT, GEMINI))
def stop_lost(draft: Draft) -> None:
    """The stop sequences are gone."""
    need(settings(draft).pop({ANTHROPIC: "stop_sequences", CHAT: "stop", GEMINI: "stopSequences"}[draft.format], None))


@broken("top-p-lost", rule="translation/setting-lost", check="request")
def top_p_lost(draft: Draft) -> None:
    """The setting top_p is gone."""
    need(settings(draft).pop("topP" if draft.format == GEMINI else "top_p", None))


@broken("seed-lost", rule="translation/setting-lost", check="request", target=(CHAT, GEMINI))
def seed_lost(draft: Draft) -> None:
    """The seed is gone."""
    need(settings(draft).pop("seed", None))


@broken(
    "settings-at-the-top", rule=("gemini/generation-config-place", "gemini/unknown-key"), check="request", target=GEMINI
)
def settings_at_the_top(draft: Draft) -> None:
    """Sampling settings stand at the top instead of in generationConfig."""
    draft.body |= need(draft.body.pop("generationConfig", None))


@broken("settings-in-config", rule="gemini/no-config", check="request", target=GEMINI)
def settings_in_config(draft: Draft) -> None:
    """Tools and settings stand under config, which only the SDK knows."""
    kept = {key: draft.body.pop(key) for key in list(draft.body) if key != "contents"}
    draft.body["config"] = need(kept)
