"""What the official clients do with the bodies of a failing item (``--toolcall-witness``)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from toolcall_conformance import formats
from toolcall_conformance.basics.contract import Route
from toolcall_conformance.basics.findings import MISSING, Finding
from toolcall_conformance.basics.reading import Reading
from toolcall_conformance.basics.streaming import parse
from toolcall_conformance.checks import ItemResult
from toolcall_conformance.checks.played_bodies import PlayedBodies
from toolcall_conformance.engine.items.plan import PlannedItem
from toolcall_conformance.engine.run import Run
from toolcall_conformance.trust.witnesses import ClientResult, client_formats, witness

_BODY_KIND = re.compile(r"request|response|error")
_REPEAT_SUFFIX = re.compile(r"\.[0-9]+$")


@dataclass(frozen=True, slots=True)
class ClientReaction:
    """What an official client did with one body; ``body_label`` names the body as findings do."""

    body_label: str
    witnessed: ClientResult

    @property
    def sentence(self) -> str:
        """One line for the failure text."""
        return f"{self.witnessed.sentence} (with {self.body_label})"

    def to_json(self) -> dict[str, Any]:
        """Return the keys of the JSON report: ``body``, ``client``, ``accepted``, ``says``."""
        return {"body": self.body_label, **asdict(self.witnessed)}


def ask_clients(run: Run, planned: PlannedItem, result: ItemResult) -> tuple[ClientReaction, ...]:
    """Show each body that has a failing finding to the official client of its format."""
    return tuple(_client_reactions(planned.route, result.played, run.failing_findings(result)))


def _client_reactions(
    route: Route, played: tuple[PlayedBodies, ...], findings: list[Finding]
) -> Iterator[ClientReaction]:
    for exchange in played:
        format_name = next((finding.format for finding in findings if is_about(finding.body, exchange, played)), "")
        body_kind, body = _received_body(exchange)
        if format_name in client_formats() and body is not MISSING:
            golden = None if exchange.golden is MISSING else exchange.golden
            expected = None if body_kind == "request" else _expected_reading(route, exchange, format_name, body_kind)
            yield ClientReaction(exchange.name, witness(format_name, body_kind, body, golden=golden, expected=expected))


def is_about(body_label: str, exchange: PlayedBodies, played: tuple[PlayedBodies, ...]) -> bool:
    """Whether findings on ``body_label`` are about this exchange. A label may have a suffix after a comma."""
    name = _REPEAT_SUFFIX.sub("", exchange.name)
    return bool(body_label) and (len(played) == 1 or body_label == name or body_label.startswith(f"{name}, "))


def _received_body(exchange: PlayedBodies) -> tuple[str, Any]:
    """The kind of the body that the client received, and the body: of a stream its bytes, MISSING if there is none."""
    if "received.sse" in exchange.files:
        return "stream", exchange.files["received.sse"]
    body_kind = _BODY_KIND.search(exchange.name)
    return ("", MISSING) if body_kind is None else (body_kind[0], exchange.produced)


def _expected_reading(route: Route, exchange: PlayedBodies, format_name: str, body_kind: str) -> Reading | None:
    """What the client should read: the same stream cut as usual, or else the reply of the upstream."""
    if "usual.sse" in exchange.files:
        return formats.read(format_name, "stream", parse(exchange.files["usual.sse"]))
    if exchange.source is MISSING:
        return None
    return formats.read(route.upstream, "error" if body_kind == "error" else "response", exchange.source)
