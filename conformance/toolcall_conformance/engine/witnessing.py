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
from toolcall_conformance.checks.played import PlayedBodies
from toolcall_conformance.engine.items.plan import Planned
from toolcall_conformance.engine.run import Run
from toolcall_conformance.trust.witnesses import Witnessed, formats_witnessed, witness

_DIRECTION = re.compile(r"request|response|error")
_AGAIN = re.compile(r"\.[0-9]+$")


@dataclass(frozen=True, slots=True)
class WitnessedBody:
    """What a client did with one body; ``body`` names it as findings do."""

    body: str
    witnessed: Witnessed

    @property
    def sentence(self) -> str:
        """What it did, in one line."""
        return f"{self.witnessed.sentence} (with {self.body})"

    def to_json(self) -> dict[str, Any]:
        """For the report: body, client, accepted, says."""
        return {"body": self.body, **asdict(self.witnessed)}


def witnessed(run: Run, planned: Planned, result: ItemResult) -> tuple[WitnessedBody, ...]:
    """Show each body that has a failing finding to the official client of its format."""
    return tuple(_told(planned.route, result.played, run.failing(result)))


def _told(route: Route, played: tuple[PlayedBodies, ...], findings: list[Finding]) -> Iterator[WitnessedBody]:
    for exchange in played:
        name = next((finding.format for finding in findings if is_about(finding.body, exchange, played)), "")
        direction, body = _shown(exchange)
        if name in formats_witnessed() and body is not MISSING:
            golden = None if exchange.golden is MISSING else exchange.golden
            expected = None if direction == "request" else _meant(route, exchange, name, direction)
            yield WitnessedBody(exchange.name, witness(name, direction, body, golden=golden, expected=expected))


def is_about(body: str, exchange: PlayedBodies, played: tuple[PlayedBodies, ...]) -> bool:
    """Whether findings on ``body`` are about this one; some say behind a comma what was done with it."""
    name = _AGAIN.sub("", exchange.name)
    return bool(body) and (len(played) == 1 or body == name or body.startswith(f"{name}, "))


def _shown(exchange: PlayedBodies) -> tuple[str, Any]:
    """The direction of a body, and the body; of a stream its bytes, MISSING where nothing came."""
    if "received.sse" in exchange.files:
        return "stream", exchange.files["received.sse"]
    direction = _DIRECTION.search(exchange.name)
    return ("", MISSING) if direction is None else (direction[0], exchange.produced)


def _meant(route: Route, exchange: PlayedBodies, name: str, direction: str) -> Reading | None:
    """What the client should see: what came of the same stream cut as usual, or else what the upstream said."""
    if "usual.sse" in exchange.files:
        return formats.read(name, "stream", parse(exchange.files["usual.sse"]))
    if exchange.source is MISSING:
        return None
    return formats.read(route.upstream, "error" if direction == "error" else "response", exchange.source)
