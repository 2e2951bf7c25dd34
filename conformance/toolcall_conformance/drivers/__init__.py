"""Drivers: how a translator is reached. They carry bodies and report outcomes; they know nothing of rules."""

from __future__ import annotations

from toolcall_conformance.drivers.base import Driver, SessionDriver
from toolcall_conformance.drivers.loading import SpecError, load_driver
from toolcall_conformance.drivers.outcomes import (
    BadOutput,
    Crashed,
    Opened,
    OpenOutcome,
    Outcome,
    Produced,
    RefusedOutcome,
    TimedOut,
    UnsupportedOutcome,
)

__all__ = [
    "BadOutput",
    "Crashed",
    "Driver",
    "OpenOutcome",
    "Opened",
    "Outcome",
    "Produced",
    "RefusedOutcome",
    "SessionDriver",
    "SpecError",
    "TimedOut",
    "UnsupportedOutcome",
    "load_driver",
]
