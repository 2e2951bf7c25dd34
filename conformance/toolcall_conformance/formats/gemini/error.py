"""Reads an error reply: https://ai.google.dev/gemini-api/docs/generate-content/api-errors."""

from __future__ import annotations

import re
from typing import Any

from toolcall_conformance.basics.reading import Node, Reading
from toolcall_conformance.basics.reading.failure import read_failure
from toolcall_conformance.basics.reading.model import Wait

#: How a protobuf Duration is spelt in JSON: https://protobuf.dev/programming-guides/json/.
DURATION = re.compile(r"([0-9]+(?:\.[0-9]+)?)s")


def read_error(reply: Any) -> Reading:
    """The reading of ``{"status", "headers", "body"}``. Never raises.

    Of the details two count: RetryInfo says how long to wait, and an ErrorInfo tells a wrong key, which comes under
    the status 400, from a wrong request.
    """
    error = Node(reply).child("body").child("error")
    details = error.child("details")
    kind, wait = None, Wait(pointer=details.pointer)
    for detail in details.each():
        name = str(detail.get("@type")).rpartition("/")[2]
        if name == "google.rpc.ErrorInfo" and detail.get("reason") == "API_KEY_INVALID":
            kind = "unauthorized"
        delay = detail.child("retryDelay")
        if name == "google.rpc.RetryInfo" and wait.seconds is None:
            match = DURATION.fullmatch(delay.value) if isinstance(delay.value, str) else None
            wait = Wait(None if match is None else float(match[1]), delay.pointer, delay.value)
    return read_failure("gemini", reply, error, kind=kind, body_wait=wait)
