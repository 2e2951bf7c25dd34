"""The google-genai SDK as a witness of Gemini's generateContent.

Its user walks through the parts of the first candidate: https://ai.google.dev/gemini-api/docs/function-calling
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from toolcall_conformance.trust.witnesses.model import (
    ClientCall,
    ClientView,
    MistypedError,
    Sdk,
    StreamedReply,
    text_at,
)
from toolcall_conformance.trust.witnesses.sdk_types import by_model
from toolcall_conformance.trust.witnesses.wire import Wire, sdk_module


class GoogleSdk:
    """``models.generate_content`` and ``generate_content_stream``, whose chunks its user puts together."""

    name = "google-genai"

    def __init__(self, wire: Wire) -> None:
        self.wire = wire
        self._genai = sdk_module("google.genai")
        self._types = sdk_module("google.genai.types")
        self.client, self._insisting = self._generate(1), self._generate(2)

    def _generate(self, attempts: int) -> Any:
        # It does not try again unless an option says so.
        again = self._types.HttpRetryOptions(attempts=attempts, initial_delay=0.0, max_delay=0.0, jitter=0.0)
        options = self._types.HttpOptions(httpx_client=self.wire.client, retry_options=again)
        return self._genai.Client(api_key="key", vertexai=False, http_options=options)

    def reply(self) -> Any:
        return self.client.models.generate_content(model="gemini", contents="Hello")

    def insist(self) -> Any:
        return self._insisting.models.generate_content(model="gemini", contents="Hello")

    def stream(self) -> StreamedReply:
        chunks = list(self.client.models.generate_content_stream(model="gemini", contents="Hello"))
        reply = join_chunks([chunk.model_dump(mode="json", by_alias=True, exclude_none=True) for chunk in chunks])
        return StreamedReply(self._types.GenerateContentResponse.model_validate(reply))

    def see(self, reply: Any) -> ClientView:
        tokens = None if reply.usage_metadata is None else reply.usage_metadata.total_token_count
        if not reply.candidates:
            blocked = getattr(reply.prompt_feedback, "block_reason", None)
            return ClientView((), "", None if blocked is None else blocked.value, tokens)
        candidate = reply.candidates[0]
        parts = (candidate.content.parts if candidate.content is not None else None) or ()
        calls = [
            ClientCall(
                text_at(part.function_call.name, f"parts[{place}].function_call.name"),
                part.function_call.args or {},
                part.function_call.id,
            )
            for place, part in enumerate(parts)
            if part.function_call is not None
        ]
        text = "".join(part.text for part in parts if part.text is not None and not part.thought)
        finish = None if candidate.finish_reason is None else candidate.finish_reason.value
        return ClientView(tuple(calls), text, finish, tokens)

    def error_message(self, error: Exception) -> Any:
        return getattr(error, "message", None)

    def reply_type(self) -> Any:
        return self._types.GenerateContentResponse

    def request_problems(self, body: Any) -> list[tuple[str, str]]:
        """Of the settings its user writes each beside the tools, not under ``generationConfig``."""
        if not isinstance(body, dict):
            return [("", "is no object")]
        apart = {"contents", "generationConfig", "generation_config"}
        config = {key: value for key, value in body.items() if key not in apart}
        content, settings = self._types.Content, self._types.GenerateContentConfig
        problems = by_model(settings, config, "")
        for key in ("generationConfig", "generation_config"):
            problems += by_model(settings, body.get(key) or {}, f"/{key}")
        contents = body.get("contents")
        for place, entry in enumerate(contents if isinstance(contents, list) else ()):
            problems += by_model(content, entry, f"/contents/{place}")
        return problems


def join_chunks(chunks: list[Any]) -> Any:
    """Chunks as one reply: the parts in order, neighbouring texts of one kind joined; all else as in the last chunk.

    Raises MistypedError for a piece of arguments that has no place.
    """
    reply: dict[str, Any] = {}
    candidate: dict[str, Any] = {}
    parts: list[Any] = []
    under_way: dict[str, Any] | None = None
    for chunk in chunks:
        reply |= {key: value for key, value in chunk.items() if key not in ("candidates", "sdkHttpResponse")}
        for other in chunk.get("candidates", ()):
            if other.get("index", 0) != candidate.get("index", other.get("index", 0)):
                continue  # another reply to the same request
            candidate |= other
            for part in other.get("content", {}).get("parts") or ():
                if part.get("functionCall", {}).get("willContinue") or under_way is not None:
                    under_way = _partial_call(part, under_way, parts)
                elif parts and _continues(parts[-1], part):
                    parts[-1] = {**parts[-1], **part, "text": parts[-1]["text"] + part["text"]}
                else:
                    parts.append(part)
    remaining_parts = [part for part in parts if part != {"text": ""}]
    if "content" in candidate:
        candidate["content"] = {**candidate["content"], "parts": remaining_parts}
    return reply | ({"candidates": [candidate]} if candidate else {})


def _partial_call(part: Any, under_way: dict[str, Any] | None, parts: list[Any]) -> dict[str, Any] | None:
    """Put a piece of a call's arguments where its path says; the call, while it goes on.

    https://docs.cloud.google.com/vertex-ai/generative-ai/docs/multimodal/function-calling
    """
    call = part.get("functionCall", {})
    if under_way is None:
        fields = {key: value for key, value in call.items() if key not in ("partialArgs", "willContinue")}
        under_way = {"args": {}, **fields}
        parts.append({**part, "functionCall": under_way})
    for piece in call.get("partialArgs", ()):
        _add_piece(under_way["args"], piece)
    return under_way if call.get("willContinue") else None


def _add_piece(arguments: dict[str, Any], piece: dict[str, Any]) -> None:
    root, *keys = str(piece.get("jsonPath")).split(".")
    values = [piece[kind] for kind in ("stringValue", "numberValue", "boolValue", "nullValue") if kind in piece]
    if root != "$" or not keys or len(values) > 1:
        raise MistypedError(f"a piece of arguments has no place: {piece.get('jsonPath')}")
    for value in values:
        *above, last = keys
        holder = arguments
        for key in above:
            holder = holder.setdefault(key, {})
        before = holder.get(last)
        holder[last] = before + value if isinstance(before, str) and isinstance(value, str) else value


def _continues(before: Any, part: Any) -> bool:
    """Whether a text continues the previous one; after a signature another begins, which may have its own."""
    if not (_is_text(before) and _is_text(part)) or _thought(before) != _thought(part):
        return False
    return "thoughtSignature" not in before


def _is_text(part: Any) -> bool:
    return "text" in part and bool(part.keys() <= {"text", "thought", "thoughtSignature"})


def _thought(part: Any) -> bool:
    return bool(part.get("thought"))


WITNESSES: dict[str, Callable[[Wire], Sdk]] = {"gemini": GoogleSdk}
