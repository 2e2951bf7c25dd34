"""Google Gemini, generateContent in its REST form (https://ai.google.dev/api/generate-content)."""

from toolcall_conformance.formats.format import Format
from toolcall_conformance.formats.gemini import client, stream
from toolcall_conformance.formats.gemini.proto_json import undocumented_key
from toolcall_conformance.formats.gemini.readers import read_error, read_request, read_response
from toolcall_conformance.formats.gemini.rules import RULES
from toolcall_conformance.formats.gemini.stream.machine import chunk_kind

FORMAT = Format(
    name="gemini",
    read_request=read_request,
    read_response=read_response,
    read_error=read_error,
    rules=RULES,
    client=client,
    stream=stream,
    event_kind=chunk_kind,
    undocumented_key=undocumented_key,
)

__all__ = ["FORMAT"]
