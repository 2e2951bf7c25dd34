"""The Anthropic Messages API: https://docs.anthropic.com/en/api/messages."""

from toolcall_conformance.formats.anthropic.error import read_error
from toolcall_conformance.formats.anthropic.request import read_request
from toolcall_conformance.formats.anthropic.response import read_response

__all__ = ["read_error", "read_request", "read_response"]
