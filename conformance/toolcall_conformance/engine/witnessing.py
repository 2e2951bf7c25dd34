"""What the official clients do with the bodies of a failing item (``--toolcall-witness``)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from toolcall_conformance import formats
from toolcall_conformance.checks import ItemResult
from toolcall_conformance.checks.played import PlayedBodies
from toolcall_conformance.contract import Route
from toolcall_conformance.engine.plan import Planned
from toolcall_conformance.engine.run import Run
from toolcall_conformance.findings import MISSING, Finding
from toolcall_conformance.reading import Reading
from toolcall_conformance.streaming import parse
from toolcall_conformance.witnesses import Witnessed, formats_witnessed, witness

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


def _told(route: Route, played: tuple[PlayedBodies, ...], found: list[Finding]) -> Iterator[WitnessedBody]:
    for one in played:
        name = next((finding.format for finding in found if is_about(finding.body, one, played)), "")
        direction, body = _shown(one)
        if name in formats_witnessed() and body is not MISSING:
            golden = None if one.golden is MISSING else one.golden
            meant = None if direction == "request" else _meant(route, one, name, direction)
            yield WitnessedBody(one.name, witness(name, direction, body, golden=golden, meant=meant))


def is_about(body: str, one: PlayedBodies, played: tuple[PlayedBodies, ...]) -> bool:
    """Whether findings on ``body`` are about this one; some say behind a comma what was done with it."""
    name = _AGAIN.sub("", one.name)
    return bool(body) and (len(played) == 1 or body == name or body.startswith(f"{name}, "))


def _shown(one: PlayedBodies) -> tuple[str, Any]:
    """The direction of a body, and the body; of a stream its bytes, MISSING where nothing came."""
    if "received.sse" in one.files:
        return "stream", one.files["received.sse"]
    direction = _DIRECTION.search(one.name)
    return ("", MISSING) if direction is None else (direction[0], one.produced)


def _meant(route: Route, one: PlayedBodies, name: str, direction: str) -> Reading | None:
    """What the client should see: what came of the same stream cut as usual, or else what the upstream said."""
    if "usual.sse" in one.files:
        return formats.read(name, "stream", parse(one.files["usual.sse"]))
    if one.source is MISSING:
        return None
    return formats.read(route.upstream, "error" if direction == "error" else "response", one.source)
