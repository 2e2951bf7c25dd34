"""The anthropic SDK as a witness of Anthropic Messages.

Its user walks through ``message.content``: https://platform.claude.com/docs/en/agents-and-tools/tool-use/handle-tool-calls
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from toolcall_conformance.trust.witnesses.model import ClientCall, ClientView, Sdk, StreamedReply, number_at, text_at
from toolcall_conformance.trust.witnesses.sdk_types import problems
from toolcall_conformance.trust.witnesses.wire import Wire, sdk_module

_ASKED: Any = {"model": "claude", "max_tokens": 100, "messages": [{"role": "user", "content": "Hello"}]}


class AnthropicSdk:
    """``messages.create``, and ``messages.stream`` with ``get_final_message``."""

    name = "anthropic"

    def __init__(self, wire: Wire) -> None:
        self.wire = wire
        self._sdk = sdk_module("anthropic")
        self.client = self._sdk.Anthropic(
            api_key="key", base_url="http://localhost", http_client=wire.client, max_retries=0
        )

    def reply(self) -> Any:
        return self.client.messages.create(**_ASKED)

    def insist(self) -> Any:
        return self.client.with_options(max_retries=1).messages.create(**_ASKED)

    def stream(self) -> StreamedReply:
        # The steps of a connector are the beta's.
        beta = b'"mcp_tool_use"' in self.wire.reply
        with (self.client.beta.messages if beta else self.client.messages).stream(**_ASKED) as events:
            handed = [_call(event.content_block, "content_block") for event in events if _ends_a_call(event)]
            return StreamedReply(events.get_final_message(), tuple(handed))

    def see(self, reply: Any) -> ClientView:
        calls, texts = [], []
        for place, block in enumerate(reply.content):
            where = f"content[{place}]"
            if block.type == "text":
                texts.append(text_at(block.text, f"{where}.text"))
            elif block.type == "tool_use":
                calls.append(_call(block, where))
        counts = (number_at(getattr(reply.usage, key), f"usage.{key}") for key in ("input_tokens", "output_tokens"))
        return ClientView(tuple(calls), "".join(texts), reply.stop_reason, None if reply.usage is None else sum(counts))

    def error_message(self, error: Exception) -> Any:
        return getattr(error, "api_message", None)

    def reply_type(self) -> Any:
        return self._sdk.types.Message

    def request_problems(self, body: Any) -> list[tuple[str, str]]:
        return problems(_parameters(), body, strict=True)


def _ends_a_call(event: Any) -> bool:
    block = getattr(event, "content_block", None)
    return bool(event.type == "content_block_stop" and block is not None and block.type == "tool_use")


def _call(block: Any, where: str) -> ClientCall:
    return ClientCall(text_at(block.name, f"{where}.name"), block.input, text_at(block.id, f"{where}.id"))


@cache
def _parameters() -> Any:
    return sdk_module("anthropic.types.message_create_params").MessageCreateParamsNonStreaming


WITNESSES: dict[str, Callable[[Wire], Sdk]] = {"anthropic": AnthropicSdk}
