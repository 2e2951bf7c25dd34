"""OpenAI Chat Completions: ``POST /v1/chat/completions``, and the dialects that compatible vendors reply in.

https://platform.openai.com/docs/api-reference/chat
"""

from toolcall_conformance.formats.format import Format
from toolcall_conformance.formats.openai_chat import client, dialect, stream
from toolcall_conformance.formats.openai_chat.readers import read_error, read_request, read_response
from toolcall_conformance.formats.openai_chat.rules import RULES
from toolcall_conformance.formats.openai_chat.stream.machine import chunk_kind

FORMAT = Format(
    name="openai_chat",
    read_request=read_request,
    read_response=read_response,
    read_error=read_error,
    rules=RULES,
    client=client,
    stream=stream,
    dialect=dialect,
    event_kind=chunk_kind,
)

__all__ = ["FORMAT"]
