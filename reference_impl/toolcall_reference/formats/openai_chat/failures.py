"""Errors of Chat Completions, in replies and in streams: OpenAI's own."""

from __future__ import annotations

from toolcall_reference.formats.openai import decode_error, decode_error_event, encode_error

__all__ = ["decode_error", "decode_error_event", "encode_error"]
