"""The shapes of what published clients send and other projects keep as golden files, as far as a format is known.

The bodies belong to others and are looked for next to the checkout: those of clients (``field/test_clients.py``), the
replies that Vercel's AI SDK keeps (``field/test_vercel_ai.py``), and what agentgateway is given
(``field/test_agentgateway.py``; what it makes of that is no evidence of anything).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from field import test_agentgateway, test_clients, test_vercel_ai
from shapes import listing
from toolcall_conformance.basics.streaming import parse

FOLDER = test_clients.CLIENTS.parent

#: The folders of agentgateway's inputs in a format of the corpus, with the direction; others are of other APIs.
GATEWAY = {
    "requests/completions": ("openai_chat", "request"),
    "requests/messages": ("anthropic", "request"),
    "requests/gemini": ("gemini", "request"),
    "response/completions": ("openai_chat", "response"),
    "response/vertex-gemini": ("gemini", "response"),
}
#: Vercel's folders of replies that the provider of the format sent itself.
OWN = ("anthropic", "google", "openai-chat", "openai-responses")


class Body(NamedTuple):
    """A body or a stream: where it is, its format, and whether a compatible vendor's server sent it."""

    path: str
    format: str
    compatible: bool
    shapes: frozenset[str]


def bodies() -> Iterator[Body]:
    """All that are there."""
    for name, body in test_clients.bodies().items():
        spoken = test_clients.FORMATS[name.partition("/")[0]]
        yield Body(f"clients/{name}", spoken, False, listing.of_body("request", body))
    for sent in test_vercel_ai.sent_bodies():
        compatible = sent.name.partition("/")[0] not in OWN
        yield Body(f"goldens/vercel-ai/{sent.name}", sent.format, compatible, _body_shapes(sent.direction, sent.body))
    for folder, (spoken, direction) in GATEWAY.items():
        for path in sorted((test_agentgateway.GOLDENS / folder).glob("*.json")):
            data = path.read_bytes()
            is_stream = data.startswith(b"data:")
            body = parse(data) if is_stream else json.loads(data)
            shapes = _body_shapes("stream" if is_stream else direction, body)
            yield Body(f"goldens/agentgateway/{folder}/{path.name}", spoken, direction == "response", shapes)


def _body_shapes(direction: str, body: Any) -> frozenset[str]:
    if direction == "stream":
        return listing.of_stream(body["events"])
    return listing.of_body(direction, body["body"] if direction == "error" else body)
