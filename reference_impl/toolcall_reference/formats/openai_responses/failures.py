"""Errors of Responses: those of Chat Completions."""

from toolcall_reference.formats.openai_chat.failures import decode_error, encode_error

__all__ = ["decode_error", "encode_error"]
