"""Conversations of all formats as OpenTelemetry's GenAI messages, and back.

A provider-run tool is a ``server_tool_call`` and its ``server_tool_call_response``;
:mod:`toolcall_reference.otel.forms` has other notations of them. The schemas are in the corpus, in ``otel/``.
https://github.com/open-telemetry/semantic-conventions-genai
"""

from toolcall_reference.otel.forms import FORMS, from_form, to_form
from toolcall_reference.otel.messages import GenAI, of_conversation, of_exchange, of_request, of_response, of_stream
from toolcall_reference.otel.requests import to_request

__all__ = [
    "FORMS",
    "GenAI",
    "from_form",
    "of_conversation",
    "of_exchange",
    "of_request",
    "of_response",
    "of_stream",
    "to_form",
    "to_request",
]
