"""any-llm (https://github.com/mozilla-ai/any-llm): it translates, sends and translates back in one call.

Run it with ``pytest --toolcall-translator toolcall_conformance.adapters.any_llm:Translator toolcall::``.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from importlib import metadata
from typing import Any

from any_llm import AnyLLM
from any_llm.exceptions import UnsupportedParameterError

from toolcall_conformance.adapters.frames import frame_events
from toolcall_conformance.basics.contract import Refused, Route, Unsupported

# By our format: any-llm's name of the provider, and what ``api_base`` adds to the upstream's root.
PROVIDERS = {
    "anthropic": ("anthropic", ""),
    "gemini": ("gemini", ""),
    "openai_chat": ("openai", "/v1"),
    "openai_responses": ("openai", "/v1"),
}
# The call that a client of each format makes, and the argument that differs from the body's key.
CALLS = {"anthropic": "amessages", "openai_chat": "acompletion", "openai_responses": "aresponses"}
ARGUMENTS = {"aresponses": {"input": "input_data"}}


class Session:
    """One conversation; any-llm keeps no state between two calls."""

    def __init__(self, route: Route) -> None:
        self._route = route
        self._client: AnyLLM | None = None

    async def exchange(self, body: dict[str, Any], upstream_url: str) -> dict[str, Any] | AsyncIterator[bytes]:
        """Make one call. As any-llm does, it raises errors of the upstream and of a stream that breaks off."""
        if self._client is None:  # the address of a conversation does not change
            provider, base = PROVIDERS[self._route.upstream]
            self._client = AnyLLM.create(
                provider, api_key="no-key", api_base=upstream_url + base, **_no_retries(provider)
            )
        call = CALLS[self._route.client]
        names = ARGUMENTS.get(call, {})
        arguments = {names.get(name, name): value for name, value in body.items() if name != "model"}
        try:
            answer = await getattr(self._client, call)(model=self._route.upstream_model, **arguments)
        except UnsupportedParameterError as error:
            raise Refused(str(error)) from None
        return frame_events(self._route.client, answer, self._event) if hasattr(answer, "__aiter__") else _plain(answer)

    def _event(self, event: Any) -> dict[str, Any]:
        """Return an event as JSON. Chunks of Chat often set a missing key to None."""
        if self._route.client != "openai_chat":
            return _plain(event)
        chunk: dict[str, Any] = event.model_dump(mode="json", by_alias=True, exclude_unset=True, exclude_none=True)
        return chunk


def _plain(answer: Any) -> dict[str, Any]:
    """Return an answer as JSON."""
    plain: dict[str, Any] = answer.model_dump(mode="json", by_alias=True, exclude_unset=True)
    return plain


def _no_retries(provider: str) -> dict[str, int]:
    """Return the option that switches retries off; Google's SDK does not retry by default."""
    return {} if provider == "gemini" else {"max_retries": 0}


class Translator:
    """What ``--toolcall-translator`` names."""

    name = "any-llm"
    version = metadata.version("any-llm-sdk")

    def open(self, route: Route) -> Session:
        """Open a session. Raises Unsupported for a route that any-llm has no call for."""
        if route.client not in CALLS:
            raise Unsupported(f"any-llm has no call in the form of {route.client}")
        if (route.upstream == "openai_responses") != (route.client == "openai_responses"):
            raise Unsupported(f"any-llm asks for Responses exactly when its client does; it has no way for {route}")
        return Session(route)
