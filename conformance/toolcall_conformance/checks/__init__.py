"""The checks: each plays a case on a route and says what it found. Adding one means a module and a line here."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from toolcall_conformance.checks import request, response
from toolcall_conformance.checks.base import Check, ItemResult, Judge, Played

__all__ = ["CHECKS", "NEEDS", "Check", "ItemResult", "Judge", "Played", "describe"]

CHECKS: Mapping[str, Check] = MappingProxyType({"request": request.run, "response": response.run})

# The operation that a translator must have for a check to apply to it.
NEEDS: Mapping[str, str] = MappingProxyType({"request": "request", "response": "response"})


def describe(name: str) -> str:
    """A check in one sentence."""
    return (CHECKS[name].__doc__ or "").strip().splitlines()[0]
