"""Reads an error reply: https://platform.openai.com/docs/guides/error-codes."""

from __future__ import annotations

from typing import Any

from toolcall_conformance.basics.reading import Node, Reading
from toolcall_conformance.basics.reading.failure import read_failure


def read_error(reply: Any) -> Reading:
    """The reading of ``{"status", "headers", "body"}``. Never raises."""
    return read_failure("openai_responses", reply, Node(reply).child("body").child("error"))
