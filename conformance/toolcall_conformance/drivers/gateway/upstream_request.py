"""Reads the request that the upstream received: its body, flaws in how it was sent, and a wrong address."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from toolcall_conformance.basics.contract import Route
from toolcall_conformance.basics.jsonvalue import JSONError, parse
from toolcall_conformance.drivers.outcomes import BadOutput, Outcome, Produced, RequestFlaw
from toolcall_conformance.drivers.python.json_result import copy_object
from toolcall_conformance.drivers.upstream import Addresses, ReceivedRequest


@dataclass(frozen=True, slots=True)
class RequestInspector:
    """Reads the requests of one route.

    ``secret`` is the client's key, or None; ``limit`` is the size of the largest body in bytes.
    """

    route: Route
    addresses: Addresses
    secret: str | None
    limit: int

    def read(self, request: ReceivedRequest, sources: Iterable[Any] = ()) -> Outcome:
        """Return the body that the translator made of the ``sources``, with the flaws in how it was sent."""
        try:
            value = copy_object(parse(request.body), "the translator", self.limit, sources)
        except JSONError as error:
            return BadOutput(f"the body sent to the upstream is not JSON: {error}")
        if isinstance(value, BadOutput):
            return BadOutput(f"to the upstream {value.sentence}", value.pointer)
        return Produced(value, flaws=tuple(self._flaws(request)))

    def _flaws(self, request: ReceivedRequest) -> list[RequestFlaw]:
        flaws = [
            RequestFlaw("header", f"the request to {request.method} {request.path} has no header {name}")
            for name in self.addresses.missing_headers(self.route.upstream, request.headers, request.query)
        ]
        model = request.address.model if request.address is not None else None
        if model is not None and model != self.route.upstream_model:
            message = f"the path names the model {model}, the route {self.route.upstream_model}"
            flaws.append(RequestFlaw("model", message, (self.route.upstream_model, model)))
        secret = self.secret
        if secret is not None:
            places = [f"the header {name}" for name, text in request.headers.items() if secret in text]
            places += ["the query"] * (secret in request.query) + ["the path"] * (secret in request.path)
            places += ["the body"] * (secret.encode() in request.body)
            flaws += [RequestFlaw("key", f"the client's key reaches the upstream in {place}") for place in places]
        return flaws

    def describe_stray(self, stray: ReceivedRequest) -> str:
        """Say to which address a request went instead of the route's API."""
        right = f"{self.route.upstream} is {self.addresses.describe(self.route.upstream)}"
        if stray.address is not None:
            other = f"the API of {stray.address.format}; perhaps this translator does the route "
            other += f"{self.route.client}-to-{stray.address.format}"
        else:
            other = "no API of these formats"
        return f"the upstream was asked at {stray.method} {stray.path}, which is {other}; {right}"
