"""What the upstream was asked, seen from outside: its body, what is wrong beside it, and where else it went."""

from __future__ import annotations

from dataclasses import dataclass

from toolcall_conformance.contract import Route
from toolcall_conformance.drivers.json_result import plain
from toolcall_conformance.drivers.outcomes import BadOutput, Outcome, Produced, Seen
from toolcall_conformance.jsonvalue import JSONError, parse
from toolcall_conformance.upstream import Addresses, Asked


@dataclass(frozen=True, slots=True)
class Observer:
    """Looks at the requests of one route.

    ``secret`` is the client's key, None where there is none; ``limit`` the largest body in bytes.
    """

    route: Route
    addresses: Addresses
    secret: str | None
    limit: int

    def produced(self, asked: Asked) -> Outcome:
        """What the translator made of the client's request, with what is to be seen beside it."""
        try:
            value = plain(parse(asked.body), "the translator", self.limit)
        except JSONError as error:
            return BadOutput(f"the body that went to the upstream is no JSON: {error}")
        if isinstance(value, BadOutput):
            return BadOutput(f"to the upstream {value.sentence}", value.pointer)
        return Produced(value, beside=tuple(self._seen(asked)))

    def _seen(self, asked: Asked) -> list[Seen]:
        seen = []
        for name in self.addresses.missing(self.route.upstream, asked.headers, asked.query):
            seen.append(Seen("header", f"the request to {asked.method} {asked.path} has no header {name}"))
        model = asked.address.model if asked.address is not None else None
        if model is not None and model != self.route.upstream_model:
            seen.append(Seen("model", f"the path names the model {model}, the route {self.route.upstream_model}"))
        secret = self.secret
        if secret is not None:
            places = [f"the header {name}" for name, text in asked.headers.items() if secret in text]
            places += ["the query"] * (secret in asked.query) + ["the path"] * (secret in asked.path)
            places += ["the body"] * (secret.encode() in asked.body)
            seen += [Seen("key", f"the client's key reaches the upstream in {place}") for place in places]
        return seen

    def elsewhere(self, stray: Asked) -> str:
        """Where a request went instead of to the API of the route."""
        right = f"{self.route.upstream} is {self.addresses.spelt(self.route.upstream)}"
        if stray.address is not None:
            other = f"the API of {stray.address.format}; perhaps this translator does the route "
            other += f"{self.route.client}-to-{stray.address.format}"
        else:
            other = "no API of these formats"
        return f"the upstream was asked at {stray.method} {stray.path}, which is {other}; {right}"
