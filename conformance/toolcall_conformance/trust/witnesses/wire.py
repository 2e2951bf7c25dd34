"""An in-memory transport for the official clients: requests are kept, replies were laid ready. Nothing goes out."""

from __future__ import annotations

import importlib
import json
from collections.abc import Mapping
from typing import Any

from toolcall_conformance.basics.jsonvalue import parse

# They say how the bytes are framed or packed on the wire, where these are not: the client would unpack them once more.
_FRAMING = {"content-length", "content-encoding", "transfer-encoding", "connection"}
# What is waited for is of no interest, and hours would be waited for.
_WAITS = {"retry-after", "retry-after-ms"}

HINT = "pip install 'toolcall-conformance[witnesses]'"


class MissingSDKError(Exception):
    """An official client is not installed; the message says how to get it."""


def sdk_module(name: str) -> Any:
    """A module of an official client. Raises MissingSDKError."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        if not isinstance(error, ModuleNotFoundError):
            raise MissingSDKError(f"the official client {name} cannot be imported ({error}): {HINT}") from None
        missing = error.name or name
        raise MissingSDKError(f"the official clients are not all installed (no module {missing!r}): {HINT}") from None


class Wire:
    """A scripted provider. ``client`` is the HTTP client that all official clients take.

    ``reply`` is a body as JSON, or the bytes of a stream; ``asked`` counts the requests. Raises MissingSDKError.
    """

    def __init__(self) -> None:
        http = sdk_module("httpx2")
        self._response = http.Response
        self.client = http.Client(transport=http.MockTransport(self._answer))
        self.reply: Any = None
        self.status = 200
        self.headers: dict[str, str] = {}
        self.request: Any = None
        self.asked = 0

    def lay(self, reply: Any, status: int = 200, headers: Mapping[str, Any] | None = None) -> None:
        """Lay ready what is answered from now on."""
        self.reply, self.status, self.asked = reply, status, 0
        fields = {str(name).lower(): str(value) for name, value in (headers or {}).items()}
        self.headers = {name: value for name, value in fields.items() if name not in _FRAMING | _WAITS}

    def _answer(self, request: Any) -> Any:
        self.request = request
        self.asked += 1
        streamed = isinstance(self.reply, bytes)
        content = self.reply if streamed else json.dumps(self.reply).encode()
        kind = "text/event-stream" if streamed else "application/json"
        headers = {"content-type": kind, "retry-after-ms": "1", **self.headers}
        return self._response(self.status, content=content, headers=headers)

    @property
    def body(self) -> Any:
        """The body of the last request, read strictly: a repeated key is an error."""
        return parse(self.request.content)
