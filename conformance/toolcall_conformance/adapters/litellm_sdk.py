"""litellm (https://github.com/BerriAI/litellm) as a library: it translates, sends and translates back in one call.

Run it with ``pytest --toolcall-translator toolcall_conformance.adapters.litellm_sdk:Translator toolcall::``.
"""

from __future__ import annotations

import logging
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from importlib import metadata
from typing import Any

# Read at import: takes prices from the package, so that it calls nothing but the upstream.
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
os.environ["LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS"] = "True"

import litellm

from toolcall_conformance.adapters.frames import frame_events
from toolcall_conformance.basics.contract import Refused, Route

litellm.telemetry = False
litellm.suppress_debug_info = True
# litellm logs messages after an exchange, such as unknown prices.
logging.getLogger("LiteLLM").setLevel(logging.CRITICAL)

# The call that a client of each format makes; Google's API has another one for streams.
CALLS: dict[str, Callable[..., Awaitable[Any]]] = {
    "openai_chat": litellm.acompletion,
    "openai_responses": litellm.aresponses,
    "anthropic": litellm.anthropic.messages.acreate,
    "gemini": litellm.google_genai.agenerate_content,
}
STREAMS = {**CALLS, "gemini": litellm.google_genai.agenerate_content_stream}
# The prefix of each provider's models, and what ``api_base`` adds to the upstream's root
# (https://docs.litellm.ai/docs/providers).
MODELS = {
    "openai_chat": "openai/",
    "openai_responses": "openai/responses/",
    "anthropic": "anthropic/",
    "gemini": "gemini/",
}
BASES = {"openai_chat": "/v1", "openai_responses": "/v1", "anthropic": "", "gemini": "/v1beta"}


class Session:
    """One conversation; litellm keeps no state between two calls."""

    def __init__(self, route: Route) -> None:
        self._route = route

    async def exchange(self, body: dict[str, Any], upstream_url: str) -> dict[str, Any] | AsyncIterator[bytes]:
        """Make one call. As litellm does, it raises errors of the upstream and of a stream that breaks off."""
        route = self._route
        options: dict[str, Any] = {}
        if route.upstream == "openai_chat":
            # Without this, litellm sends requests of Responses and Messages clients to the Responses API. For Messages
            # it is a setting of the whole process; sessions that are open together are on one route.
            if route.client == "openai_responses":
                options["use_chat_completions_api"] = True
            litellm.use_chat_completions_url_for_anthropic_messages = True
        else:
            litellm.use_chat_completions_url_for_anthropic_messages = False
        try:
            answer = await (STREAMS if route.stream else CALLS)[route.client](
                **{name: value for name, value in body.items() if name != "model"},
                **options,
                model=MODELS[route.upstream] + route.upstream_model,
                api_base=upstream_url + BASES[route.upstream],
                api_key="no-key",
                max_retries=0,
            )
        except litellm.exceptions.UnsupportedParamsError as error:  # litellm itself refuses the input
            raise Refused(str(error)) from None
        if not route.stream or isinstance(answer, dict):
            return _plain(answer)
        return frame_events(route.client, answer, _event)


def _plain(answer: Any) -> dict[str, Any]:
    """Return an answer as JSON, as litellm's proxy writes it (``model_dump_with_preserved_fields``)."""
    if isinstance(answer, dict):
        return dict(answer)
    if not isinstance(answer, litellm.ModelResponse):
        body: dict[str, Any] = answer.model_dump(mode="json", by_alias=True, exclude_unset=True)
        return body
    body = answer.model_dump(mode="json", exclude_none=True, exclude_unset=True)
    for choice, choice_body in zip(answer.choices, body.get("choices", ()), strict=False):
        choice_body["message"].setdefault("content", choice.message.content)
        choice_body["message"].setdefault("role", choice.message.role)
    return body


def _event(event: Any) -> dict[str, Any]:
    """Return an event as JSON, as litellm's proxy writes it (``_serialize_streaming_chunk``)."""
    if isinstance(event, dict):
        return event
    body: dict[str, Any] = event.model_dump(mode="json", by_alias=True, exclude_none=True, exclude_unset=True)
    return body


class Translator:
    """What ``--toolcall-translator`` names. All sixteen routes."""

    name = "litellm"
    version = metadata.version("litellm")

    def open(self, route: Route) -> Session:
        return Session(route)
