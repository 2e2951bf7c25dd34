"""Reads what every API says in the same way of a failed request: the HTTP status, and in a header how long to wait.

https://www.rfc-editor.org/rfc/rfc9110#field.retry-after
"""

from __future__ import annotations

import math
from typing import Any

from toolcall_conformance.basics.jsonvalue import join
from toolcall_conformance.basics.reading.model import Failure, Reading, Wait
from toolcall_conformance.basics.reading.node import Node

# The header in milliseconds is OpenAI's; its SDK and Anthropic's prefer it.
_WAITS = {"retry-after-ms": 1000.0, "retry-after": 1.0}


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
        header_wait=_wait(headers),
        has_headers=headers.is_object,
        **more,
    )
    return Reading(format_name, "error", failure=failure)


def _wait(headers: Node) -> Wait | None:
    """The time to wait that a header says, None if no header is about it."""
    if not isinstance(headers.value, dict):
        return None
    by_name = {str(name).lower(): name for name in headers.value}
    for name, unit in _WAITS.items():
        if name in by_name:
            raw_value = headers.value[by_name[name]]
            return Wait(_number(str(raw_value).strip(), unit), join(headers.pointer, by_name[name]), raw_value)
    return None


def _number(text: str, unit: float) -> float | None:
    try:
        number = float(text) / unit
    except ValueError:
        return math.inf if "GMT" in text else None
    return number if number >= 0 else None
