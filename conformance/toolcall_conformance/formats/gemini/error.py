"""Reads an error reply: https://ai.google.dev/gemini-api/docs/generate-content/api-errors."""

from __future__ import annotations

import re
from typing import Any

from toolcall_conformance.reading import Node, Reading
from toolcall_conformance.reading.failure import read_failure

#: How a protobuf Duration is spelt in JSON: https://protobuf.dev/programming-guides/json/.
DURATION = re.compile(r"([0-9]+(?:\.[0-9]+)?)s")


def read_error(reply: Any) -> Reading:
    """The reading of ``{"status", "headers", "body"}``. Never raises.

    Of the details two count: RetryInfo says how long to wait, and an ErrorInfo tells a wrong key, which comes under
    the status 400, from a wrong request.
    """
    error = Node(reply).child("body").child("error")
    more: dict[str, Any] = {}
    for detail in error.child("details").each():
        kind = str(detail.get("@type")).rpartition("/")[2]
        if kind == "google.rpc.ErrorInfo" and detail.get("reason") == "API_KEY_INVALID":
            more["kind"] = "unauthorized"
        delay = detail.child("retryDelay")
        found = DURATION.fullmatch(delay.value) if isinstance(delay.value, str) else None
        if kind == "google.rpc.RetryInfo" and found is not None:
            more |= {"retry_after": float(found[1]), "retry_after_pointer": delay.pointer}
    return read_failure("gemini", reply, error, **more)
