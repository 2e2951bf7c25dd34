"""The Anthropic Messages API: https://docs.anthropic.com/en/api/messages."""

from toolcall_conformance.formats.anthropic import client, stored, stream
from toolcall_conformance.formats.anthropic.error import read_error
from toolcall_conformance.formats.anthropic.request import read_request
from toolcall_conformance.formats.anthropic.response import read_response
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
    stored=stored,
)

__all__ = ["FORMAT"]
