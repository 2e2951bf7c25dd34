"""The Anthropic Messages API: https://docs.anthropic.com/en/api/messages."""

from toolcall_conformance.formats.anthropic import client, conversation_state, stream
from toolcall_conformance.formats.anthropic.readers import read_error, read_request, read_response
from toolcall_conformance.formats.anthropic.rules import RULES
from toolcall_conformance.formats.format import Format

FORMAT = Format(
    name="anthropic",
    read_request=read_request,
    read_response=read_response,
    read_error=read_error,
    rules=RULES,
    client=client,
    stream=stream,
    conversation_state=conversation_state,
)

__all__ = ["FORMAT"]
