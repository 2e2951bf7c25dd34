"""Reads an error reply: https://platform.claude.com/docs/en/api/errors."""

from __future__ import annotations

from typing import Any

from toolcall_conformance.basics.reading import Node, Reading
from toolcall_conformance.basics.reading.failure import read_failure


def read_error(reply: Any) -> Reading:
    """The reading of ``{"status", "headers", "body"}``. Never raises."""
    return read_failure("anthropic", reply, Node(reply).child("body").child("error"))
