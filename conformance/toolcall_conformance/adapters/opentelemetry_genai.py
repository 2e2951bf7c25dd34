"""OpenTelemetry's own instrumentations of the official SDKs, judged in process by the check ``otel``.

Each request is made with the SDK, whose HTTP client is given the reply; the finished span has the messages.
https://github.com/open-telemetry/opentelemetry-python-genai

Run it with ``pytest --toolcall-translator toolcall_conformance.adapters.opentelemetry_genai:Translator toolcall::``.
"""

from __future__ import annotations

import inspect
import json
import os
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

# Read when the instrumentations are imported: the messages go into the span's attributes.
os.environ["OTEL_SEMCONV_STABILITY_OPT_IN"] = "gen_ai_latest_experimental"
os.environ["OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"] = "SPAN_ONLY"

import anthropic
import httpx
import httpx2
import openai
from google import genai
from google.genai import types
from opentelemetry.instrumentation.genai.anthropic import AnthropicInstrumentor
from opentelemetry.instrumentation.genai.openai import OpenAIInstrumentor
from opentelemetry.instrumentation.google_genai import GoogleGenAiSdkInstrumentor
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from toolcall_conformance.basics.contract import Body, Refused, Route, Unsupported

ATTRIBUTES = {
    "input_messages": "gen_ai.input.messages",
    "output_messages": "gen_ai.output.messages",
    "system_instructions": "gen_ai.system_instructions",
    "tool_definitions": "gen_ai.tool.definitions",
}
_SPANS = InMemorySpanExporter()
_PROVIDER = TracerProvider()
_PROVIDER.add_span_processor(SimpleSpanProcessor(_SPANS))
for _instrumentor in (AnthropicInstrumentor(), GoogleGenAiSdkInstrumentor(), OpenAIInstrumentor()):
    _instrumentor.instrument(tracer_provider=_PROVIDER)


def _answering(reply: Body) -> Any:
    """The HTTP client of the SDKs of OpenAI and Anthropic, which gets this reply to everything."""
    return httpx2.Client(transport=httpx2.MockTransport(lambda _: httpx2.Response(200, json=reply)))


def _create(create: Callable[..., Any], request: Body) -> None:
    """Call an SDK's ``create``; its users send what the signature does not have as extra members."""
    parameters = inspect.signature(inspect.unwrap(create)).parameters
    arguments = {key: value for key, value in request.items() if key != "stream"}
    beside = {key: arguments.pop(key) for key in [*arguments] if key not in parameters}
    create(**arguments, extra_body=beside or None)


def _chat(request: Body, reply: Body) -> None:
    client = openai.OpenAI(api_key="none", http_client=_answering(reply), max_retries=0)
    _create(client.chat.completions.create, request)


def _responses(request: Body, reply: Body) -> None:
    client = openai.OpenAI(api_key="none", http_client=_answering(reply), max_retries=0)
    _create(client.responses.create, request)


def _messages(request: Body, reply: Body) -> None:
    client = anthropic.Anthropic(api_key="none", http_client=_answering(reply), max_retries=0, timeout=60)
    _create(client.messages.create, request)


def _generate(request: Body, reply: Body) -> None:
    """Google's SDK has the settings of a request in one ``config``, under their own names."""
    transport = httpx.MockTransport(lambda _: httpx.Response(200, json=reply))
    options = types.HttpOptions(client_args={"transport": transport})
    client = genai.Client(api_key="none", http_options=options)
    config = {key: value for key, value in request.items() if key not in ("contents", "model")}
    for key in ("generationConfig", "generation_config"):
        config |= config.pop(key, None) or {}
    try:
        contents = [types.Content.model_validate(content) for content in request["contents"]]
        settings = types.GenerateContentConfig.model_validate(config)
    except ValueError as error:
        raise Refused(f"Google's SDK does not take the request: {error}") from None
    client.models.generate_content(model=request.get("model") or "gemini-2.5-flash", contents=contents, config=settings)


CALLS = {"anthropic": _messages, "gemini": _generate, "openai_chat": _chat, "openai_responses": _responses}


class Session:
    """One conversation in one format."""

    def __init__(self, format_name: str) -> None:
        self._call = CALLS[format_name]

    def otel(self, request: Body, reply: Body) -> Body:
        """The messages in the span of this request."""
        _SPANS.clear()
        self._call(request, reply)
        (span,) = _SPANS.get_finished_spans()
        attributes = span.attributes or {}
        return {name: json.loads(str(attributes.get(key) or "[]")) for name, key in ATTRIBUTES.items()}


class Translator:
    """What ``--toolcall-translator`` names: something with an ``open``."""

    name = "opentelemetry-genai"
    version = version("opentelemetry-util-genai")

    def open(self, route: Route) -> Session:
        if route.client != route.upstream:
            raise Unsupported("an instrumentation translates nothing")
        return Session(route.client)
