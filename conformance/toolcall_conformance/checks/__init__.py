"""The checks: each plays a case on a route and reports findings. A new one needs a module and a line here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from toolcall_conformance.checks import adapter, agent_loop, mcp, otel, request, response, round_trip, stream
from toolcall_conformance.checks.base import Check, Harness, ItemResult
from toolcall_conformance.checks.check_wrappers import excuse_elsewhere, record_made_up
from toolcall_conformance.checks.played_bodies import PlayedBodies
from toolcall_conformance.library import Case, Corpus

__all__ = [
    "CHECKS",
    "ONE_FORMAT",
    "OPERATIONS_BY_CHECK",
    "VARIANTS_BY_CHECK",
    "Check",
    "Harness",
    "ItemResult",
    "PlayedBodies",
    "describe",
    "needs",
    "variants",
]

CHECKS: Mapping[str, Check] = MappingProxyType(
    {
        "request": record_made_up(excuse_elsewhere(request.run)),
        "response": record_made_up(excuse_elsewhere(response.run)),
        "stream": record_made_up(excuse_elsewhere(stream.run)),
        "agent_loop": record_made_up(excuse_elsewhere(agent_loop.run)),
        "round_trip": record_made_up(excuse_elsewhere(round_trip.run)),
        "adapter": record_made_up(adapter.run),
        "mcp": record_made_up(mcp.run),
        "otel": record_made_up(otel.run),
    }
)

# The checks within one format. Their items name it instead of a route, and apply to translators with their operations.
ONE_FORMAT = frozenset({"adapter", "mcp", "otel"})

# The operations that a translator must have for a check to apply to it. A case may ask for more: see `needs`.
OPERATIONS_BY_CHECK: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "request": frozenset({"request"}),
        "response": frozenset({"response"}),
        "stream": frozenset({"stream"}),
        "agent_loop": frozenset({"request", "response"}),
        "round_trip": frozenset({"request"}),
        "adapter": frozenset({"tool_calls", "tool_results"}),
        "mcp": frozenset({"mcp_tools", "mcp_result"}),
        "otel": frozenset({"otel"}),
    }
)


_VARIANTS_IN_ONE_FORMAT: Mapping[str, Callable[[Case, str], tuple[str, ...]]] = MappingProxyType(
    {"adapter": adapter.variants, "mcp": mcp.variants, "otel": otel.variants}
)

# The variants of each check; a check that is not listed has the plain one only.
VARIANTS_BY_CHECK: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"agent_loop": tuple(agent_loop.VARIANTS), "stream": stream.VARIANTS, "adapter": adapter.VARIANTS}
)


def needs(check: str, case: Case, upstream: str, variant: str = "") -> frozenset[str]:
    """The operations that a translator must have for a check of this case to apply to it.

    Replies need ``response``, errors ``error``; a case may have both. A streamed loop needs ``stream`` instead.
    """
    if check == "agent_loop" and agent_loop.VARIANTS[variant].streamed:
        return frozenset({"request", "stream"})
    if check != "response":
        return OPERATIONS_BY_CHECK[check]
    exchanges = case.exchanges(upstream)
    bodies_by_operation = {
        "response": [exchange.response for exchange in exchanges],
        "error": [exchange.error for exchange in exchanges],
    }
    return frozenset(name for name, bodies in bodies_by_operation.items() if any(body is not None for body in bodies))


def variants(
    corpus: Corpus, check: str, case: Case, client: str, upstream: str, *, cut_everywhere: bool = False
) -> tuple[str, ...]:
    """The variants in which a check plays a case on a route; ``""`` is the plain one."""
    if check in ONE_FORMAT:
        return _VARIANTS_IN_ONE_FORMAT[check](case, client)
    if check in ("response", "agent_loop") and not case.replies(client, upstream):
        return ()
    if check == "round_trip":
        return round_trip.variants(case, client, upstream)
    if check == "stream":
        return stream.variants(corpus, case, client, upstream, cut_everywhere=cut_everywhere)
    if check != "agent_loop":
        return ("",)
    if client == upstream and client in case.dialects:
        return ()  # a vendor's deviations return to it: no fault, and no API's documentation covers them
    return agent_loop.variants(corpus, case, client, upstream)


def describe(name: str) -> str:
    """A check in one sentence."""
    return (CHECKS[name].__doc__ or "").strip().splitlines()[0]
