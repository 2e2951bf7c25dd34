"""Reads what LiteLLM logs: its StandardLoggingPayload in JSON, and the debug log of what it sent to a provider.

https://docs.litellm.ai/docs/proxy/logging_spec says what the payload holds: the client's side, as Chat Completions. The
debug log (``LITELLM_LOG=DEBUG``) holds the provider's side: a curl command whose body is Python's ``repr``, and the raw
response (https://github.com/BerriAI/litellm/pull/14482).
"""

from __future__ import annotations

import ast
import re
from typing import Any

from toolcall_conformance.recording.captures.exchanges import Capture, CapturedExchange, body_of

_MARK = "POST Request Sent from LiteLLM:"
_CURL = re.compile(re.escape(_MARK) + r"\s*curl -X POST \\\s*(\S+) \\\s*(.*?)-d '(\{.*?\})'\s*\n", re.DOTALL)
_RAW = re.compile(r"RAW RESPONSE:\s*\n(.*?)(?=\n\s*\n|\n\d\d:\d\d:\d\d - LiteLLM|\Z)", re.DOTALL)
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_PAYLOAD = {"call_type", "messages", "response", "model"}
_CHAT = ("completion", "acompletion")
_MOST = 5_000_000


def is_payload(value: Any) -> bool:
    """Whether a JSON value is a StandardLoggingPayload."""
    return isinstance(value, dict) and value.keys() >= _PAYLOAD and ("model_parameters" in value or "metadata" in value)


def exchange(name: str, value: dict[str, Any]) -> CapturedExchange | None:
    """The exchange of a payload: the client's request and its reply, as Chat Completions.

    Calls of other kinds are logged with members of two formats in one body, which nobody has sent: None.
    """
    settings, messages = value.get("model_parameters"), value.get("messages")
    if not isinstance(messages, list) or value["call_type"] not in _CHAT:
        return None
    request = {"model": value.get("model_group") or value["model"], "messages": messages}
    request |= settings if isinstance(settings, dict) else {}
    reply = value["response"] if isinstance(value["response"], dict) else body_of(str(value["response"]))
    at = value.get("startTime")
    return CapturedExchange(
        name, request, reply if isinstance(reply, dict) else None, time=at if isinstance(at, (int, float)) else None
    )


def is_debug_log(text: str) -> bool:
    """Whether a text is LiteLLM's debug log."""
    return _MARK in text


def read_debug_log(text: str) -> Capture:
    """The exchanges with providers in a debug log."""
    text = _COLOURS.sub("", text)
    exchanges, skipped = [], 0
    ends = [match.start() for match in _CURL.finditer(text)] + [len(text)]
    for number, match in enumerate(_CURL.finditer(text), 1):
        request = _python_value(match[3])
        raw = _raw_response(text[match.end() : ends[number]])
        streamed = raw.startswith(("data:", "event:"))
        if not isinstance(request, dict):
            skipped += 1
            continue
        reply = None if streamed or not raw else body_of(raw) or _python_value(raw)
        exchanges.append(
            CapturedExchange(f"request {number}", request, reply, raw.encode() if streamed else None, url=match[1])
        )
    return Capture("LiteLLM's debug log", exchanges, {"a request that is cut off": skipped} if skipped else {})


def _raw_response(text: str) -> str:
    """The response that was logged after a request; some lines of that name hold an object of Python's."""
    texts = [text.strip() for text in _RAW.findall(text)]
    return next((text for text in texts if text.startswith(("{", "data:", "event:"))), "")


def _python_value(text: str) -> Any:
    """A value as Python's ``repr`` writes it; None where it is none."""
    if len(text) > _MOST:
        return None
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return body_of(text)
    return value
