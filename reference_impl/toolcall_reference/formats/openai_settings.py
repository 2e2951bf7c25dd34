"""Settings that only OpenAI's two formats share."""

from __future__ import annotations

from collections.abc import Collection

from toolcall_reference.conversation.intermediate import Settings
from toolcall_reference.conversation.losses import Losses

_ELEMENTS = {
    "safety_identifier": "user-id",
    "service_tier": "service-tier",
    "store": "store",
    "verbosity": "verbosity",
    "prompt_cache_key": "cache-key",
}


def lose_openai(settings: Settings, losses: Losses, supported: Collection[str] = ()) -> None:
    """Note each of them that another format does not take over."""
    for key in settings.openai:
        if key not in supported:
            losses.add(_ELEMENTS.get(key, "setting"), "OpenAI's own; dropped", key)
