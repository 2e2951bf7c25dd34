"""An in-memory transport: an SDK's request is kept, its reply is the one that was laid ready. Nothing goes out."""

from __future__ import annotations

import json
from typing import Any

import pytest

from toolcall_conformance.jsonvalue import parse


class Wire:
    """What stands in for the provider. ``client`` is the HTTP client that all three SDKs take.

    ``reply`` is a body, or the bytes of a stream.
    """

    def __init__(self) -> None:
        httpx2 = pytest.importorskip("httpx2", reason="the SDKs' HTTP library is not installed (extra `dev`)")
        self._response = httpx2.Response
        self.client = httpx2.Client(transport=httpx2.MockTransport(self._answer))
        self.reply: Any = None
        self.request: Any = None

    def _answer(self, request: Any) -> Any:
        self.request = request
        if isinstance(self.reply, bytes):
            return self._response(200, content=self.reply, headers={"content-type": "text/event-stream"})
        return self._response(
            200, content=json.dumps(self.reply).encode(), headers={"content-type": "application/json"}
        )

    @property
    def body(self) -> Any:
        """The body of the last request, read strictly: a key that stands twice is an error."""
        return parse(self.request.content)
