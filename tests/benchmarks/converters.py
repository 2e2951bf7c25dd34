"""Converters of published packages, called as their proxies call them: a body in, a body out, nothing is sent.

Each package is imported when its translator is made, so that it may live in an environment of its own. The adapters of
the suite drive the same packages whole where they send by themselves; here the work of translating is all that counts.
"""

from __future__ import annotations

import copy
import os
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from toolcall_conformance.basics.contract import Body, Route, Unsupported

Convert = Callable[[Body], Body]
Directions = dict[tuple[str, str], tuple[Convert, Convert | None]]
"""By client and upstream: what translates a request, and its reply."""


class _Session:
    def __init__(self, request: Convert, response: Convert | None) -> None:
        self.request = request
        if response is not None:
            self.response = response


class Converters:
    """A translator made of converters."""

    version = ""

    def __init__(self, directions: Directions) -> None:
        self._directions = directions

    def open(self, route: Route) -> _Session:
        """Raises Unsupported for a route that the package has no converter for."""
        try:
            return _Session(*self._directions[route.client, route.upstream])
        except KeyError:
            raise Unsupported(f"no converter for {route}") from None


def ant2oai() -> Converters:
    """https://github.com/WqyJh/a2o"""
    from a2o.converters.parser import parse_anthropic_request  # type: ignore[import-not-found]
    from a2o.converters.request import convert_anthropic_to_openai  # type: ignore[import-not-found]
    from a2o.converters.response import convert_openai_to_anthropic  # type: ignore[import-not-found]

    def request(body: Body) -> Body:
        request_body: Body = convert_anthropic_to_openai(parse_anthropic_request(body))
        return request_body

    return Converters({("anthropic", "openai_chat"): (request, convert_openai_to_anthropic)})


def vandamme() -> Converters:
    """https://github.com/elifarley/vandamme-proxy, its models validated as its endpoint does."""
    from src.conversion.request_converter import convert_claude_to_openai  # type: ignore[import-not-found]
    from src.core import dependencies  # type: ignore[import-not-found]
    from src.models.claude import ClaudeMessagesRequest  # type: ignore[import-not-found]

    def unknown(name: str) -> None:
        raise ValueError(name)

    dependencies._config = SimpleNamespace(  # without its server nobody sets it
        provider_manager=SimpleNamespace(get_provider_config=unknown), log_request_metrics=False
    )
    models = SimpleNamespace(resolve_model=lambda model: ("openai", model))

    def request(body: Body) -> Body:
        request_body: Body = convert_claude_to_openai(ClaudeMessagesRequest(**body), models)
        return request_body

    return Converters({("anthropic", "openai_chat"): (request, None)})


def litellm() -> Converters:
    """https://github.com/BerriAI/litellm"""
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    from litellm.llms.anthropic.chat.transformation import AnthropicConfig
    from litellm.llms.anthropic.pass_through.adapters.transformation import (
        LiteLLMAnthropicMessagesAdapter,
    )

    settings = ("tools", "tool_choice", "max_completion_tokens", "max_tokens", "temperature", "stop")

    def to_anthropic(body: Body) -> Body:
        config, model = AnthropicConfig(), body["model"]
        settings_body = {key: body[key] for key in settings if key in body}
        options = config.map_openai_params(settings_body, {}, model, drop_params=False)
        # It changes the messages that it is given; its own caller copies them, too.
        messages = copy.deepcopy(body["messages"])
        output: Body = config.transform_request(model, messages, options, {}, {})
        return output

    def to_chat(body: Body) -> Body:
        output: Any = LiteLLMAnthropicMessagesAdapter().translate_anthropic_to_openai(copy.deepcopy(body))
        return dict(output[0] if isinstance(output, tuple) else output)

    return Converters(
        {("openai_chat", "anthropic"): (to_anthropic, None), ("anthropic", "openai_chat"): (to_chat, None)}
    )
