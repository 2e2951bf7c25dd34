"""What the official SDKs' own accumulators make of a stream: the final reply, as JSON."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from toolcall_conformance.trust.witnesses.google_sdk import join_chunks
from witnesses.wire import sdk


def anthropic(stream: bytes) -> Any:
    """``messages.stream`` and ``get_final_message`` of the anthropic SDK; the steps of a connector are the beta's."""
    return _witness_of_stream("anthropic", stream).stream().reply.to_dict(mode="json")


def openai_chat(stream: bytes) -> Any:
    """``chat.completions.stream`` and ``get_final_completion`` of the openai SDK."""
    messages: list[Any] = [{"role": "user", "content": "Hello"}]
    with _witness_of_stream("openai_chat", stream).client.chat.completions.stream(
        model="gpt", messages=messages
    ) as events:
        return events.get_final_completion().to_dict(mode="json")


def openai_responses(stream: bytes) -> Any:
    """``responses.stream`` and ``get_final_response`` of the openai SDK.

    That gives the reply as the last event says it; texts and arguments are here as the SDK has gathered them from the
    deltas (``snapshot``), where there were any.
    """
    gathered: dict[tuple[int, int | None], str] = {}
    with _witness_of_stream("openai_responses", stream).client.responses.stream(model="gpt", input="Hello") as events:
        for event in events:
            if event.type == "response.output_text.delta":
                gathered[event.output_index, event.content_index] = event.snapshot
            elif event.type == "response.function_call_arguments.delta":
                gathered[event.output_index, None] = event.snapshot
        reply = events.get_final_response().to_dict(mode="json")
    for place, text in gathered.items():
        _put(reply["output"], *place, text)
    return reply


def gemini(stream: bytes) -> Any:
    """``generate_content_stream`` of google-genai; the SDK leaves it to its user to put the chunks together."""
    models = _witness_of_stream("gemini", stream).client.models
    chunks = list(models.generate_content_stream(model="gemini", contents="Hello"))
    return join_chunks([chunk.model_dump(mode="json", by_alias=True, exclude_none=True) for chunk in chunks])


def _put(output: list[Any], item: int, part: int | None, text: str) -> None:
    """Fragments in their place; after everything where the last event's reply has no such place."""
    try:
        holder = output[item] if part is None else output[item]["content"][part]
    except LookupError:
        output.append(holder := {"type": "output_text"})
    holder["arguments" if part is None else "text"] = text


def _witness_of_stream(name: str, stream: bytes) -> Any:
    witness = sdk(name)
    witness.wire.lay(stream)
    return witness


ACCUMULATORS: dict[str, Callable[[bytes], Any]] = {
    "anthropic": anthropic,
    "gemini": gemini,
    "openai_chat": openai_chat,
    "openai_responses": openai_responses,
}
