"""Reads what all APIs share in the reply to a failed request: the HTTP status, and a header on how long to wait.

https://www.rfc-editor.org/rfc/rfc9110#field.retry-after
"""

from __future__ import annotations

import math
from typing import Any

from toolcall_conformance.basics.jsonvalue import join
from toolcall_conformance.basics.reading.model import Failure, Reading, Wait
from toolcall_conformance.basics.reading.node import Node

# The header in milliseconds is OpenAI's; its SDK and Anthropic's prefer it.
_UNITS_BY_HEADER = {"retry-after-ms": 1000.0, "retry-after": 1.0}


def read_failure(format_name: str, reply: Any, error: Node, **more: Any) -> Reading:
    """The reading of an error reply whose error object is ``error``, with a text under ``message``.

    ``more`` are fields of Failure that the body gives.
    """
    node = Node(reply)
    status, headers, message = node.child("status"), node.child("headers"), error.child("message")
    number = status.value
    failure = Failure(
        status=number if isinstance(number, int) and not isinstance(number, bool) else None,
        message=message.value if isinstance(message.value, str) else None,
        pointer=error.pointer,
        status_pointer=status.pointer,
        message_pointer=message.pointer,
        header_wait=_header_wait(headers),
        has_headers=headers.is_object,
        **more,
    )
    return Reading(format_name, "error", failure=failure)


def _header_wait(headers: Node) -> Wait | None:
    """The time to wait by the first header that says it; None if none does."""
    if not isinstance(headers.value, dict):
        return None
    by_name = {str(name).lower(): name for name in headers.value}
    for name, unit in _UNITS_BY_HEADER.items():
        if name in by_name:
            raw_value = headers.value[by_name[name]]
            return Wait(_wait_seconds(str(raw_value).strip(), unit), join(headers.pointer, by_name[name]), raw_value)
    return None


def _wait_seconds(text: str, unit: float) -> float | None:
    try:
        number = float(text) / unit
    except ValueError:
        return math.inf if "GMT" in text else None
    return number if number >= 0 else None
