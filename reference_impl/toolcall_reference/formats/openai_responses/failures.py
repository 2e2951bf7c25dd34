"""Errors of Responses: OpenAI's own, and the error event of a stream."""

from __future__ import annotations

from toolcall_reference.conversation.failures import Failure
from toolcall_reference.conversation.intermediate import Body
from toolcall_reference.conversation.losses import Losses
from toolcall_reference.formats import openai
from toolcall_reference.formats.openai import decode_error, encode_error

__all__ = ["decode_error", "decode_error_event", "encode_error", "encode_error_event"]


def decode_error_event(body: Body, losses: Losses, /) -> Failure:
    """The failure of an ``error`` event, in itself or in its ``error`` key, or of a failed response."""
    if isinstance(body.get("error"), dict):
        return openai.decode_error_event(body, losses)
    error = {key: body[key] for key in ("code", "message", "param") if key in body}
    return openai.decode_error_event({"error": error}, losses)


def encode_error_event(failure: Failure, /) -> Body:
    """The ``error`` event, without its sequence number."""
    error = encode_error(failure)[1]["error"]
    code = error.get("code") or error.get("type")
    return {"type": "error", "code": code, "message": failure.message, "param": error.get("param")}
