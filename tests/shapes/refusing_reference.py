"""The reference, but it raises on every body that has one of the shapes of ``broad.json``.

``TOOLCALL_SHAPES`` in the environment names those that count, by commas; without it all do. In ``tests/``::

    pytest --toolcall-translator shapes.refusing_reference:Raising toolcall:: -k "request or response"
"""

from __future__ import annotations

import os
from typing import Any

from shapes import broad
from toolcall_conformance.basics.contract import Route
from toolcall_reference import ReferenceTranslator

RAISED = frozenset(filter(None, os.environ.get("TOOLCALL_SHAPES", "").split(","))) or frozenset(broad.PATTERNS)


class ShapeError(Exception):
    """A body has a shape that the translator does not know."""


class RaisingSession:
    """A session of the reference that looks at every body first."""

    def __init__(self, route: Route) -> None:
        self.route = route
        self.inner = ReferenceTranslator().open(route)

    def request(self, body: Any) -> Any:
        """The client's request to the upstream's."""
        _look(self.route.client, "request", body)
        return self.inner.request(body)

    def response(self, body: Any) -> Any:
        """The upstream's reply to the client's."""
        _look(self.route.upstream, "response", body)
        return self.inner.response(body)


class Raising:
    """The translator."""

    def open(self, route: Route) -> RaisingSession:
        """A session for a conversation."""
        return RaisingSession(route)


def _look(name: str, kind: str, body: Any) -> None:
    if shapes := broad.of_body(name, kind, body) & RAISED:
        raise ShapeError(", ".join(sorted(shapes))) from KeyError()  # a slip, and no refusal
