"""The openai SDK as a witness of Chat Completions and of Responses.

Its user walks through the message's ``tool_calls`` or the response's ``output``, and parses the arguments with
``json.loads``: https://platform.openai.com/docs/guides/function-calling
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from toolcall_conformance.trust.witnesses.model import (
    ClientCall,
    ClientView,
    NotParsed,
    Sdk,
    StreamedReply,
    UnraisedError,
    UnreadKindError,
    number_at,
    text_at,
)
from toolcall_conformance.trust.witnesses.sdk_types import problems
from toolcall_conformance.trust.witnesses.wire import Wire, sdk_module

_CHAT: Any = {"model": "gpt", "messages": [{"role": "user", "content": "Hello"}]}
_RESPONSES: Any = {"model": "gpt", "input": "Hello"}
# Calls that the client runs, of tools that the API itself defines: each an item of its own type.
_OWN_CALLS = ("local_shell_call", "shell_call", "apply_patch_call", "computer_call")


class _OpenAISdk:
    name = "openai"

    def __init__(self, wire: Wire) -> None:
        self.wire = wire
        self._sdk = sdk_module("openai")
        self.client = self._sdk.OpenAI(
            api_key="key", base_url="http://localhost", http_client=wire.client, max_retries=0
        )

    def reply(self) -> Any:
        return self._create(self.client)

    def insist(self) -> Any:
        return self._create(self.client.with_options(max_retries=1))

    def _create(self, client: Any) -> Any:
        raise NotImplementedError

    def error_message(self, error: Exception) -> Any:
        body = getattr(error, "body", None)
        return body.get("message") if isinstance(body, dict) else None


class ChatSdk(_OpenAISdk):
    """``chat.completions.create``, and ``chat.completions.stream`` with ``get_final_completion``."""

    def _create(self, client: Any) -> Any:
        return client.chat.completions.create(**_CHAT)

    def stream(self) -> StreamedReply:
        ends = (self._sdk.LengthFinishReasonError, self._sdk.ContentFilterFinishReasonError)
        with self.client.chat.completions.stream(**_CHAT) as events:
            try:
                handed = [
                    _finished_call(event) for event in events if event.type == "tool_calls.function.arguments.done"
                ]
                reply = events.get_final_completion()
                # Its events do not say of which choice they are.
                return StreamedReply(reply, tuple(handed) if len(reply.choices) == 1 else None)
            except ends:  # raised at the end of every reply that ended so; its calls are then not told to be done
                return StreamedReply(events.current_completion_snapshot)
            except AttributeError:
                if b'"custom"' in self.wire.reply:
                    raise UnreadKindError("its accumulator reads no stream with a call of a custom tool") from None
                raise

    def see(self, reply: Any) -> ClientView:
        choice = reply.choices[0]
        message = choice.message
        texts = [
            text_at(text, f"message.{key}")
            for key, text in (("content", message.content), ("refusal", getattr(message, "refusal", None)))
            if text is not None
        ]
        tokens = _tokens(reply.usage, "prompt_tokens", "completion_tokens")
        return ClientView(tuple(_chat_calls(message)), "".join(texts), choice.finish_reason, tokens)

    def reply_type(self) -> Any:
        return self._sdk.types.chat.ChatCompletion

    def request_problems(self, body: Any) -> list[tuple[str, str]]:
        types = sdk_module("openai.types.chat.completion_create_params")
        return problems(types.CompletionCreateParamsNonStreaming, body, strict=True)


class ResponsesSdk(_OpenAISdk):
    """``responses.create``, and ``responses.stream`` with the response of its last event."""

    def _create(self, client: Any) -> Any:
        return client.responses.create(**_RESPONSES)

    def stream(self) -> StreamedReply:
        handed: list[ClientCall] = []
        pieced: dict[int, str] = {}
        final: Any = None
        with self.client.responses.stream(**_RESPONSES) as events:
            for event in events:
                if event.type == "response.output_item.done":
                    handed += [
                        call for call in [_item_call(event.item, "item")] if call is not None and call.is_reported
                    ]
                elif event.type == "response.function_call_arguments.delta":
                    pieced[event.output_index] = event.snapshot
                # The SDK gives a final response out for completed ones alone; the event has each of them.
                elif event.type in ("response.incomplete", "response.failed"):
                    final = event.response
                elif event.type == "error":
                    raise UnraisedError(event.message)
            final = events.get_final_response() if final is None else final
        return StreamedReply(final, tuple(handed), tuple(_differing_fragments(final, pieced)))

    def see(self, reply: Any) -> ClientView:
        calls: list[ClientCall] = []
        texts: list[str] = []
        for place, item in enumerate(reply.output):
            if item.type == "message":
                texts += _texts(item, f"output[{place}]")
            elif (call := _item_call(item, f"output[{place}]")) is not None:
                calls.append(call)
        reason = getattr(reply.incomplete_details, "reason", None) if reply.status == "incomplete" else None
        tokens = _tokens(reply.usage, "input_tokens", "output_tokens")
        return ClientView(tuple(calls), "".join(texts), reason or reply.status, tokens)

    def reply_type(self) -> Any:
        return self._sdk.types.responses.Response

    def request_problems(self, body: Any) -> list[tuple[str, str]]:
        types = sdk_module("openai.types.responses.response_create_params")
        return problems(types.ResponseCreateParamsNonStreaming, body, strict=True)


def _tokens(usage: Any, *keys: str) -> int | None:
    return None if usage is None else sum(number_at(getattr(usage, key, None), f"usage.{key}") for key in keys)


def _differing_fragments(final: Any, pieced: dict[int, str]) -> Iterator[str]:
    """The calls whose assembled fragments of arguments differ from the arguments in the reply."""
    for place, text in pieced.items():
        whole = getattr(final.output[place], "arguments", None) if place < len(final.output) else None
        if text != whole:
            yield f"the arguments of output[{place}] in its events are {text!r}, the reply has {whole!r}"


def _chat_calls(message: Any) -> Iterator[ClientCall]:
    for place, call in enumerate(message.tool_calls or ()):
        where = f"tool_calls[{place}]"
        if call.type == "custom":
            name, arguments, free = call.custom.name, call.custom.input, True
        else:
            name, arguments = (
                call.function.name,
                _parsed_arguments(call.function.arguments, f"{where}.function.arguments"),
            )
            free = False
        yield ClientCall(text_at(name, f"the name in {where}"), arguments, text_at(call.id, f"{where}.id"), free=free)
    legacy = getattr(message, "function_call", None)
    if legacy is not None:
        arguments = _parsed_arguments(legacy.arguments, "function_call.arguments")
        yield ClientCall(text_at(legacy.name, "function_call.name"), arguments, None, is_reported=False)


def _finished_call(event: Any) -> ClientCall:
    return ClientCall(event.name, _parsed_arguments(event.arguments, "event.arguments"), None)


def _texts(item: Any, where: str) -> Iterator[str]:
    for place, part in enumerate(item.content):
        if part.type == "output_text":
            yield text_at(part.text, f"{where}.content[{place}].text")
        elif part.type == "refusal":
            yield text_at(part.refusal, f"{where}.content[{place}].refusal")


def _item_call(item: Any, where: str) -> ClientCall | None:
    if item.type == "function_call":
        arguments = _parsed_arguments(item.arguments, f"{where}.arguments")
        key = text_at(item.call_id, f"{where}.call_id")
        return ClientCall(text_at(item.name, f"{where}.name"), arguments, key, free=False)
    if item.type == "custom_tool_call":
        key = text_at(item.call_id, f"{where}.call_id")
        return ClientCall(text_at(item.name, f"{where}.name"), item.input, key, free=True)
    if item.type in _OWN_CALLS or (item.type == "tool_search_call" and item.execution == "client"):
        name, key = item.type.removesuffix("_call"), text_at(item.call_id, f"{where}.call_id")
        return ClientCall(name, None, key, is_reported=False, is_own_tool=True)
    return None


def _parsed_arguments(text: Any, place: str) -> Any:
    try:
        return json.loads(text_at(text, place))
    except ValueError as error:
        return NotParsed(text, str(error))


WITNESSES: dict[str, Callable[[Wire], Sdk]] = {"openai_chat": ChatSdk, "openai_responses": ResponsesSdk}
