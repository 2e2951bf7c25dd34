"""llm-rosetta (https://pypi.org/project/llm-rosetta/), judged in process. Copy this file to adapt your own translator.

Run it with ``pytest --toolcall-translator toolcall_conformance.adapters.llm_rosetta:Translator toolcall::``.
"""

from __future__ import annotations

from typing import Any

import llm_rosetta
from llm_rosetta import ConversionPipeline

from toolcall_conformance.contract import Route, Unsupported

# Our names for the formats, and theirs.
THEIR_NAMES = {
    "anthropic": "anthropic",
    "gemini": "google",
    "openai_chat": "openai_chat",
    "openai_responses": "openai_responses",
}


class Session:
    """One conversation. The pipeline wants each exchange's request before its reply, as the contract promises."""

    def __init__(self, route: Route) -> None:
        self._route = route
        self._pipeline = ConversionPipeline(
            THEIR_NAMES[route.client],
            THEIR_NAMES[route.upstream],
            upstream_model=route.upstream_model,
            force_conversion=False,  # as their `convert` does: a body between two ends of one format passes through
            metadata_mode="strip",  # as their gateway does before it sends a body: no notes to itself on the wire
            google_output_format="rest",
        )

    def request(self, body: dict[str, Any]) -> dict[str, Any]:
        """Their callers put the model into the body before they convert it."""
        if "model" in body:
            body = {**body, "model": self._route.upstream_model}
        produced: dict[str, Any] = self._pipeline.convert_request(body)
        if self._route.upstream != "gemini" and "model" not in produced:
            produced = {"model": self._route.upstream_model, **produced}
        return produced

    def response(self, body: dict[str, Any]) -> dict[str, Any]:
        produced: dict[str, Any] = self._pipeline.convert_response(body)
        return produced


class Translator:
    """What ``--toolcall-translator`` names: something with an ``open``."""

    name = "llm-rosetta"
    version = llm_rosetta.__version__

    def open(self, route: Route) -> Session:
        if not {route.client, route.upstream} <= THEIR_NAMES.keys():
            raise Unsupported(f"llm-rosetta has no converter for {route}")
        return Session(route)
